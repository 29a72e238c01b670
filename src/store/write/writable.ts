// What can be written, and which of it is to be.
import type { Prisma } from '../../database/client/client.js';
import type { Resource } from '../read/resource.js';
import type { Owner } from './read-owner.js';
import type { ResourceKind } from '../read/resource-kind.js';
import type { EventRow, VersionedRow } from '../read/resource-row.js';
import type { PreconditionOf } from './specified-input.js';
import type { Dependents } from './write-row.js';

/** A row that can be changed. */
export interface WritableRow extends VersionedRow {
  /** Absent for what is known by its id alone. */
  name?: string;
  spec: unknown;
  updatedAt: string;
  /** Of what has one. */
  status?: string | null;
  /** Where it was read whole. */
  events?: EventRow[] | null;
}

/** How resources of a kind are written. */
export interface Writable<Row extends WritableRow> {
  kind: ResourceKind<Row>;
  /** What is stored of a row, under the names of its columns; its id and whose it is are added. */
  columnsOf: (row: Row) => Record<string, unknown>;
  /** A resource as anybody may see it, every secret masked: what the history keeps. */
  shown: (resource: Resource<Row>) => { metadata: object; events?: unknown };
  /** What belongs to one of them and goes with it, each with a record of its own. */
  dependents?: (resource: Resource<Row>) => Dependents;
  /** What its spec needs, to be told with what else is wrong with an input. */
  preconditionOf?: PreconditionOf;
  /** SQL of the region of a row `r`, which decides on its executor; `spec.region` by default. */
  region?: Prisma.Sql;
  /** One that was removed, as it is answered; as it was unless something else is said. */
  removed?: (row: Row, time: Date) => Row;
}

/** Which resource, and on what condition. */
export interface WhichResource {
  /** Its name; its id where the kind has no names. */
  name: string;
  /** The resource that it belongs to, by its id or by its name; the workspace unless one is given. */
  parentId?: string | undefined;
  owner?: Owner | undefined;
  /** The version that it must still have. */
  ifVersion?: number | null | undefined;
  /** Whether everything is done but the change itself. */
  validateOnly?: boolean | null | undefined;
}
