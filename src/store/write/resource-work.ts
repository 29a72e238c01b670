// The work that executors get when a resource is created, updated or deleted. If no executor is registered for its kind
// and region, the resource reaches its desired state at once.
import type { AuthorizedWorkspace } from '../../auth/authorize.js';
import { Prisma } from '../../database/client/client.js';
import { ApiError } from '../../errors.js';
import { assigning, isServed, leaving, unassigning } from '../../lifecycle/assign.js';
import { deploymentWork } from '../../lifecycle/deployment-states.js';
import type { DeploymentWork } from '../../lifecycle/deployment-states.js';
import { isWorkKind } from '../../lifecycle/work-kinds.js';
import type { WorkKind } from '../../lifecycle/work-kinds.js';
import type { Status } from '../../schema/resource.js';
import { statusOf } from './row-columns.js';
import type { Writable, WritableRow } from './writable.js';
import type { Assigning } from './write-row.js';
import { resourceKinds } from '../../resource-kinds.js';

/** A resource kind that executors reconcile, and the region that decides which executor does. */
export interface Work {
  kind: WorkKind;
  /** SQL of the region of a row `r`. */
  region: Prisma.Sql;
}

/** A row of a kind that may have a status. */
interface WorkRow {
  spec: unknown;
  status?: string | null;
}

const anyRow = Prisma.sql`true`;

/** Undefined for kinds that executors do not reconcile. */
export function workOf<Row extends WritableRow>({ kind, region }: Writable<Row>): Work | undefined {
  return isWorkKind(kind.name) ? { kind: kind.name, region: region ?? Prisma.sql`(r."spec"->>'region')` } : undefined;
}

/** SQL for whether an executor serves a row `r`. */
export function isRowServed(work: Work): Prisma.Sql {
  return isServed(work.kind, work.region);
}

/** A new row with its initial status, and the work to assign for it: none if it is disabled. */
export async function workOfNew<Row extends WorkRow>(
  within: AuthorizedWorkspace,
  work: Work,
  row: Row,
): Promise<ChangedWork<Row>> {
  const { account, workspace } = within;
  const assigned = {
    kind: work.kind,
    wanted: 'deploy',
    accountId: account.id,
    workspace: workspace.name,
    region: work.region,
  } as const;
  if (!resourceKinds[work.kind].hasStatus) {
    return { row, assigning: { statements: [assigning({ ...assigned, where: isRowServed(work) })] } };
  }
  const isServedNow = row.status === 'DEPLOYED' && (await isServedAs(within, work, row.spec));
  if (!isServedNow) return { row, assigning: undefined };
  return {
    row: withStatus(row, deploymentWork.deploy.begins),
    assigning: { statements: [assigning({ ...assigned, where: anyRow })] },
  };
}

/** An updated row with its new status, and the work to assign for it. */
export interface ChangedWork<Row> {
  row: Row;
  assigning: Assigning | undefined;
}

interface WorkChange<Row> {
  id: string;
  before: Row;
  after: Row;
  /** The paths of the fields that change. */
  fields: string[];
  /** Whether an executor serves the row's current region. */
  isServedBefore: boolean;
}

/**
 * The work and the status that an update leads to. A change of metadata alone leads to none.
 *
 * @throws 409 `conflict` if the resource is being deleted.
 */
export async function workOfUpdate<Row extends WorkRow>(
  within: AuthorizedWorkspace,
  work: Work,
  { id, before, after, fields, isServedBefore }: WorkChange<Row>,
): Promise<ChangedWork<Row>> {
  if (before.status === 'DELETING')
    throw new ApiError('conflict', 'The resource is being deleted and can no longer be changed.');
  if (!fields.some((field) => /^spec\b/.test(field))) return { row: after, assigning: undefined };
  const isMoved = regionIn(before.spec) !== regionIn(after.spec);
  const isServedNow = isMoved ? await isServedAs(within, work, after.spec, id) : isServedBefore;
  const left = isMoved ? [leaving(work.region)] : [];
  if (!isServedNow) {
    const status = isUnderWay(before.status) ? endOf(after.spec) : after.status;
    return { row: withStatus(after, status), assigning: { statements: [...left, unassigning()] } };
  }
  const wanted = wantedOf(before, after);
  if (wanted === undefined) return { row: after, assigning: undefined };
  const { account, workspace } = within;
  const assigned = {
    kind: work.kind,
    wanted,
    accountId: account.id,
    workspace: workspace.name,
    region: work.region,
  };
  const row = withStatus(after, deploymentWork[wanted].begins);
  return { row, assigning: { statements: [...left, assigning({ ...assigned, where: anyRow })] } };
}

/**
 * The work that a deletion leads to: the row of a resource with a status stays until an executor has removed its
 * deployment.
 */
export function workOfDeletion(within: AuthorizedWorkspace, work: Work): Assigning {
  const { account, workspace } = within;
  const assigned = { kind: work.kind, wanted: 'delete', accountId: account.id, workspace: workspace.name } as const;
  return { statements: [assigning({ ...assigned, region: work.region, where: anyRow })] };
}

/** The desired work; none for a resource that is and stays disabled. */
function wantedOf(before: WorkRow, after: WorkRow): DeploymentWork | undefined {
  if (endOf(after.spec) === 'DEPLOYED') return 'deploy';
  return endOf(before.spec) === 'DEPLOYED' ? 'deactivate' : undefined;
}

function endOf(spec: unknown): Status {
  return statusOf(typeof spec === 'object' && spec !== null ? spec : {});
}

const underWay: ReadonlySet<string> = new Set(['UPLOADING', 'BUILDING', 'BUILT', 'DEPLOYING', 'DEACTIVATING']);

function isUnderWay(status: string | null | undefined): boolean {
  return status != null && underWay.has(status);
}

function withStatus<Row extends WorkRow>(row: Row, status: string | null | undefined): Row {
  return row.status === undefined || status === undefined ? row : { ...row, status };
}

function regionIn(spec: unknown): string | undefined {
  return typeof spec === 'object' && spec !== null && 'region' in spec ? String(spec.region) : undefined;
}

/** Whether an executor serves a row with this spec. @param id the id of the row to update; absent for a new row. */
async function isServedAs({ db }: AuthorizedWorkspace, work: Work, spec: unknown, id?: string): Promise<boolean> {
  const table = Prisma.raw(`"${resourceKinds[work.kind].table}"`);
  const json = JSON.stringify({ spec });
  const row =
    id === undefined
      ? Prisma.sql`json_populate_record(NULL::${table}, ${json}::json) AS r`
      : Prisma.sql`${table} AS t, json_populate_record(t, ${json}::json) AS r WHERE t."id" = ${id}::uuid`;
  return (await db.$text(Prisma.sql`SELECT (${isRowServed(work)})::text FROM ${row}`)) === 'true';
}
