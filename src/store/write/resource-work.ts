// The work that executors get when a resource is created, updated or deleted. If no executor is registered for its kind
// and region, the resource reaches its desired state immediately.
import type { AuthorizedWorkspace } from '../../auth/authorize.js';
import { Prisma } from '../../database/client/client.js';
import { ApiError } from '../../errors.js';
import { assign, assignRemoval, servedCondition, unassign } from '../../lifecycle/assign.js';
import { noteImageDeployed } from '../../lifecycle/deployed-image.js';
import { deploymentWork } from '../../lifecycle/deployment-states.js';
import type { DeploymentWork } from '../../lifecycle/deployment-states.js';
import { isWorkKind } from '../../lifecycle/work-kinds.js';
import type { WorkKind } from '../../lifecycle/work-kinds.js';
import type { Status } from '../../schema/resource.js';
import { regionIn } from './count-row.js';
import { statusOf } from './row-columns.js';
import type { Writable, WritableRow } from './writable.js';
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

/** The work that results from a change of a resource. */
export interface NextWork {
  /** The work to assign; `unassign` if no executor has work on the resource any longer; undefined for no change. */
  wanted: DeploymentWork | 'unassign' | undefined;
  /** Whether the resource leaves its region, where its deployment has to be removed. */
  leavesRegion?: boolean;
}

/** A row with its new status, and the work to assign for it. */
export interface ChangedWork<Row> {
  row: Row;
  next: NextWork;
}

/** Undefined for kinds that executors do not reconcile. */
export function workOf<Row extends WritableRow>({ kind, region }: Writable<Row>): Work | undefined {
  return isWorkKind(kind.name) ? { kind: kind.name, region: region ?? Prisma.sql`(r."spec"->>'region')` } : undefined;
}

/** SQL for whether an executor serves a row `r`. */
export function rowServedCondition(work: Work): Prisma.Sql {
  return servedCondition(work.kind, work.region);
}

/** SQL for whether an executor serves a row that is not inserted yet. */
export function newRowServedCondition(work: Work, values: Readonly<Record<string, unknown>>): Prisma.Sql {
  const table = Prisma.raw(`"${resourceKinds[work.kind].table}"`);
  return Prisma.sql`(
    SELECT ${rowServedCondition(work)} FROM json_populate_record(NULL::${table}, ${JSON.stringify(values)}::json) AS r)`;
}

/** A new row with its initial status, and the work to assign for it: none if it is disabled, or no executor serves it. */
export function workOfNew<Row extends WorkRow>(work: Work, row: Row, isServedNow: boolean): ChangedWork<Row> {
  if (!isServedNow) return { row, next: { wanted: undefined } };
  if (!resourceKinds[work.kind].hasStatus) return { row, next: { wanted: 'deploy' } };
  if (row.status !== 'DEPLOYED') return { row, next: { wanted: undefined } };
  return { row: withStatus(row, deploymentWork.deploy.begins), next: { wanted: 'deploy' } };
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
 * The work and the status that result from an update. A change of metadata only results in none.
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
  if (!fields.some((field) => /^spec\b/.test(field))) return { row: after, next: { wanted: undefined } };
  const leavesRegion = regionIn(before.spec) !== regionIn(after.spec);
  const isServedNow = leavesRegion ? await isServedAs(within, work, after.spec, id) : isServedBefore;
  const wanted = wantedOf(before, after);
  // A disabled resource has nothing to do in its new region.
  if (!isServedNow || (wanted === undefined && leavesRegion)) {
    const status = isUnreached(before.status) ? finalStatusOf(after.spec) : after.status;
    return { row: withStatus(after, status), next: { wanted: 'unassign', leavesRegion } };
  }
  if (wanted === undefined) return { row: after, next: { wanted } };
  return { row: withStatus(after, deploymentWork[wanted].begins), next: { wanted, leavesRegion } };
}

/** Assigns work on a resource whose row is written. */
export async function assignWork(
  { db, account, workspace }: AuthorizedWorkspace,
  work: Work,
  id: string,
  { wanted, leavesRegion = false }: NextWork,
): Promise<void> {
  const resource = { ...work, id };
  if (leavesRegion) await assignRemoval(db, resource);
  if (wanted === 'unassign') await unassign(db, resource);
  else if (wanted !== undefined)
    await assign(db, resource, wanted, { accountId: account.id, workspace: workspace.name });
}

/** Notes what follows from a deployment that no executor has to do first. */
export async function noteDeployed(
  { ctx, db, workspace }: AuthorizedWorkspace,
  { kind }: Work,
  { spec, status }: WorkRow,
): Promise<void> {
  if (status === deploymentWork.deploy.ends)
    await noteImageDeployed(db, { kind, workspaceId: workspace.id, spec, at: ctx.now() });
}

/** The desired work; none for a resource that is and stays disabled. */
function wantedOf(before: WorkRow, after: WorkRow): DeploymentWork | undefined {
  if (finalStatusOf(after.spec) === 'DEPLOYED') return 'deploy';
  return finalStatusOf(before.spec) === 'DEPLOYED' ? 'deactivate' : undefined;
}

/** The status of a resource whose desired state is reached. */
export function finalStatusOf(spec: unknown): Status {
  return statusOf(typeof spec === 'object' && spec !== null ? spec : {});
}

const unreached: ReadonlySet<string> = new Set([
  'UPLOADING',
  'BUILDING',
  'BUILT',
  'DEPLOYING',
  'DEACTIVATING',
  'FAILED',
]);

/** Whether a resource is not in its desired state: an executor works on it, or has failed. */
function isUnreached(status: string | null | undefined): boolean {
  return status != null && unreached.has(status);
}

function withStatus<Row extends WorkRow>(row: Row, status: string | null | undefined): Row {
  return row.status === undefined || status === undefined ? row : { ...row, status };
}

/** Whether an executor serves a row with its next spec. */
async function isServedAs({ db }: AuthorizedWorkspace, work: Work, spec: unknown, id: string): Promise<boolean> {
  const table = Prisma.raw(`"${resourceKinds[work.kind].table}"`);
  const text = await db.$text(Prisma.sql`
    SELECT (${rowServedCondition(work)})::text
    FROM ${table} AS t, json_populate_record(t, ${JSON.stringify({ spec })}::json) AS r WHERE t."id" = ${id}::uuid`);
  return text === 'true';
}
