// How a resource kind is written, and which resource to write.
import type { AuthorizedWorkspace } from '../../auth/authorize.js';
import type { NewChange } from '../../changes/record-changes.js';
import type { Prisma } from '../../database/client/client.js';
import type { Growth } from '../../quotas/growth.js';
import type { Resource } from '../read/resource.js';
import type { Conditions } from './change-input.js';
import type { Owner } from './read-owner.js';
import type { ResourceKind } from '../read/resource-kind.js';
import type { EventRow, VersionedRow } from '../read/resource-row.js';
import type { PreconditionOf } from './specified-input.js';

/** A row that can be changed. */
export interface WritableRow extends VersionedRow {
  /** Absent for kinds that are referred to by id alone. */
  name?: string;
  spec: unknown;
  updatedAt: string;
  /** For kinds that have a status. */
  status?: string | null;
  /** Whether its deletion is refused, for kinds that can be protected. */
  protected?: boolean;
  /** Present if the row was read whole. */
  events?: EventRow[] | null;
}

/** What to record of the resources that are deleted with another one. */
export interface Dependents {
  /** Their changes, oldest resource first. */
  changes: NewChange[];
  /** What their deletion adds to the use of quotas. */
  growths: Growth[];
}

/** How resources of a kind are written. */
export interface Writable<Row extends WritableRow> {
  kind: ResourceKind<Row>;
  /** The stored columns of a row by name, without its id and its parent. */
  columnsOf: (row: Row) => Record<string, unknown>;
  /** A resource in its public form, with secrets masked; this is the change record. */
  shown: (resource: Resource<Row>) => { metadata: object; events?: unknown };
  /** The id of the resource that a row is in, if it has the region of that one. */
  containerId?: (row: Row) => string;
  /** Deletes the resources in a resource that is deleted with them. @returns what to record of them. */
  deleteDependents?: (within: AuthorizedWorkspace, resource: Resource<Row>) => Promise<Dependents>;
  /** Moves what is in a resource to the region to which its written row has moved, unless it has a region of its own. */
  moveDependents?: (within: AuthorizedWorkspace, id: string) => Promise<void>;
  /** The precondition of its spec, reported together with the input's other problems. */
  preconditionOf?: PreconditionOf;
  /** SQL of the region of a row `r`, which decides on its executor; `spec.region` by default. */
  region?: Prisma.Sql;
  /** The response for a deleted resource; by default its last state. */
  removed?: (row: Row, time: Date) => Row;
}

/** A resource by its name in a parent. */
export interface NamedResource {
  id?: undefined;
  name: string;
  /** The parent; the workspace by default. */
  owner?: Owner | undefined;
}

/** Which resource to write, and under which conditions. */
export type WhichResource = ({ id: string } | NamedResource) & Conditions;
