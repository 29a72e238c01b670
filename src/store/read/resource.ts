// A resource with the columns that were read. Columns that were not read are absent, and are read on demand: there are
// no default values for them.
import type { AccessibleWorkspace } from '../../auth/caller.js';
import type { RequestContext } from '../../auth/context.js';
import type { Reported } from '../../lifecycle/reported.js';
import type { Position } from '../../pagination/page.js';
import { wholeRow } from './resource-kind.js';
import type { PartRow } from './list-definition.js';
import type { ResourceKind } from './resource-kind.js';

/** A row of which at least these columns were read. */
export type Read<Row extends object, Column extends keyof Row> = Partial<Row> & Pick<Row, Column>;

/** A resource that the caller may access, with some of its columns. */
export class PartialResource<Row extends object> {
  readonly id: string;
  readonly position: Position;
  /** The reports of executors, if they were read in the transaction of a change, which rolled them back or deleted them. */
  reported?: Reported;

  /** @param part the columns that were read. */
  constructor(
    readonly ctx: RequestContext,
    readonly kind: ResourceKind<Row>,
    readonly workspace: AccessibleWorkspace,
    readonly part: PartRow<Row>,
  ) {
    this.id = part.id;
    this.position = { key: part.key, id: part.id };
  }

  /** Some columns of the row: immediately if they were read before, otherwise from the database. */
  read<Column extends keyof Row>(columns: readonly Column[]): Read<Row, Column> | Promise<Read<Row, Column>> {
    const part: Partial<Row> = this.part;
    return hasColumns(part, columns) ? part : wholeRow(this.ctx, this.kind, this.id);
  }
}

/** The parts of a resource that its public form is made from. */
export interface ShownResource<Row extends object> {
  ctx: Pick<RequestContext, 'inferenceUrl'>;
  kind: Pick<ResourceKind<Row>, 'endpointPath'>;
  workspace: AccessibleWorkspace;
  row: Row;
}

/** A resource with all of its columns. */
export class Resource<Row extends object> extends PartialResource<Row> {
  constructor(
    ctx: RequestContext,
    kind: ResourceKind<Row>,
    workspace: AccessibleWorkspace,
    readonly row: Row & PartRow<Row>,
  ) {
    super(ctx, kind, workspace, row);
  }
}

function hasColumns<Row extends object, Column extends keyof Row>(
  part: Partial<Row>,
  columns: readonly Column[],
): part is Read<Row, Column> {
  for (const column of columns) if (part[column] === undefined) return false;
  return true;
}
