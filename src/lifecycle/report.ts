// Reports of executors on the assignments that they hold. The resource is locked before the assignment, as in every
// change of either, so that transactions cannot deadlock.
import type { AuthorizedExecutor } from '../auth/authorize.js';
import { runInTransaction } from '../auth/run-in-transaction.js';
import { Prisma } from '../database/client/client.js';
import { findJson } from '../database/read-json.js';
import type { Statements } from '../database/transaction.js';
import { ApiError } from '../errors.js';
import { growthOf } from '../quotas/growth.js';
import type { CountedRow } from '../quotas/growth.js';
import type { CarriedOut, LockedAssignment } from './assignment.js';
import { claimedColumns, leasedToSql } from './claim.js';
import type { CurrentClaim } from './claim.js';
import { noteImageDeployed } from './deployed-image.js';
import { deploymentWork, isSettled, mayReport } from './deployment-states.js';
import type { DeploymentState } from './deployment-states.js';
import { recordStatus } from './record-status.js';
import type { Reporter } from './record-status.js';
import { restartColumns } from './restart-policy.js';
import type { WorkKind } from './work-kinds.js';
import { resourceKinds } from '../resource-kinds.js';

export interface Report {
  id: string;
  kind: WorkKind;
  fence: number;
  /** Absent in a report that only extends the lease. */
  state: DeploymentState | undefined;
  message: string | undefined;
  revision: string | undefined;
  image: string | undefined;
  address: string | undefined;
  logsUrl: string | undefined;
  /** The number of running instances. */
  instances: number | undefined;
  leaseSeconds: number;
}

/** The result of a report: the status of a resource, and what it says of the deployment. */
export type Outcome = Pick<Report, 'kind' | 'message' | 'revision' | 'image' | 'address'> & { state: DeploymentState };

/** The parts of a resource that reports depend on. */
export interface ReportedRow {
  id: string;
  version: number;
  name: string;
  display_name: string | null;
  spec: object & { revision?: { canary?: string } };
  status?: DeploymentState | null;
  workspace_id: string;
  /** For previews and egress IPs. */
  sandbox_id?: string;
  egress_gateway_id?: string;
}

export interface Reported {
  leaseUntil: string | null;
  state: DeploymentState;
}

/** Further changes of the resource that a report leads to: columns by name, and the changed paths. */
export type Following = (
  row: ReportedRow,
  report: Pick<Outcome, 'kind' | 'image' | 'address'>,
) => { columns: Record<string, unknown>; fields: string[] };

/**
 * Processes a report. A repeated report changes nothing; one that repeats only the state, or has none, can have other
 * instances and logs.
 *
 * @param following the changes that a report leads to, in addition to the status.
 * @throws 409 `lease_lost` if the executor does not hold the assignment under this fencing number; 409 `conflict` for
 * an invalid transition.
 */
export async function takeReport(
  authorized: AuthorizedExecutor,
  report: Report,
  following: Following,
): Promise<Reported> {
  return runInTransaction(authorized, false, async (within) => {
    const { db } = within;
    const row = await holdResource(db, report);
    const locked = await lockAssignment(within, report);
    const { state = locked.phase } = report;
    if (isRetriedRemoval(locked, state)) return { leaseUntil: null, state };
    if (state === locked.phase) return extend(db, report, locked);
    if (!mayReport(locked.phase, state)) {
      throw new ApiError('conflict', `The assignment is ${locked.phase} and cannot become ${state}.`);
    }
    const reporter = reportedBy(within);
    const reported = await writeAssignment(db, report, locked, state, row);
    if (row !== undefined && locked.task === '') {
      if (state === deploymentWork.deploy.ends) {
        const spec = following(row, report).columns['spec'] ?? row.spec;
        await noteImageDeployed(db, { kind: report.kind, workspaceId: row.workspace_id, spec, at: reporter.now });
      }
      await writeResource(db, { assignment: locked, row, outcome: { ...report, state }, following, reporter });
    }
    return reported;
  });
}

/** An executor as the source of a status. */
export function reportedBy({
  ctx,
  executor,
}: AuthorizedExecutor): Reporter & { executor: { id: string; name: string } } {
  return {
    executor: { id: executor.id, name: ctx.caller.principal.name },
    now: ctx.now(),
    requestId: ctx.requestId,
  };
}

/** Locks the resource of an assignment; undefined if it was deleted. */
export async function holdResource(
  db: Statements,
  { id, kind }: { id: string; kind: WorkKind },
): Promise<ReportedRow | undefined> {
  return findJson(
    db,
    Prisma.sql`
      SELECT row_to_json(t)::text FROM ${Prisma.raw(`"${resourceKinds[kind].table}"`)} AS t
      WHERE t."id" = (SELECT a."resource_id" FROM "assignment" AS a WHERE a."id" = ${id}::uuid AND a."kind" = ${kind})
      FOR UPDATE`,
  );
}

async function lockAssignment({ db, executor }: AuthorizedExecutor, report: Report): Promise<LockedAssignment> {
  const { id, kind, fence, state } = report;
  const number = Prisma.sql`${String(fence)}::bigint`;
  const locked = await findJson<LockedAssignment>(
    db,
    Prisma.sql`
      SELECT row_to_json(h)::text FROM (
        SELECT ${claimedColumns}, a."phase", ${leasedToSql(executor, number)} AS "isLeased" FROM "assignment" AS a
        WHERE a."id" = ${id}::uuid AND a."kind" = ${kind} AND a."fence" = ${number} AND a."executor_id" = ${executor.id}::uuid
        FOR UPDATE) AS h`,
  );
  if (locked === undefined) throw leaseLost();
  const isAgain = (locked.phase === state && isSettled(locked.phase)) || isRetriedRemoval(locked, state);
  if (locked.isLeased !== true && !isAgain) throw leaseLost();
  return locked;
}

/** Whether an executor reports a failed removal again that is retried. It then has the assignment without a lease. */
function isRetriedRemoval(
  { phase, isLeased }: Pick<LockedAssignment, 'phase' | 'isLeased'>,
  state: DeploymentState | undefined,
): boolean {
  return state === 'FAILED' && phase === deploymentWork.delete.begins && isLeased === null;
}

export function leaseLost(): ApiError {
  return new ApiError(
    'lease_lost',
    'The lease expired, or the desired state changed. Stop the work, and claim the next assignment.',
  );
}

/** Extends the lease, and keeps what the report says of the running deployment. */
async function extend(
  db: Statements,
  { id, leaseSeconds, logsUrl, instances }: Report,
  locked: LockedAssignment,
): Promise<Reported> {
  if (isSettled(locked.phase)) return { leaseUntil: null, state: locked.phase };
  const until = Prisma.sql`clock_timestamp() + ${leaseSeconds} * interval '1 second'`;
  const leaseUntil = await db.$text(Prisma.sql`
    UPDATE "assignment" SET "lease_until" = ${until}, "due_at" = ${until},
      "logs_url" = coalesce(${logsUrl ?? null}::text, "logs_url"), "instances" = coalesce(${instances ?? null}::int, "instances")
    WHERE "id" = ${id}::uuid RETURNING to_json("lease_until")#>>'{}'`);
  return { leaseUntil, state: locked.phase };
}

/** The delay before another attempt to remove the deployment of a deleted resource (seconds). */
const teardownAgainSeconds = 600;

async function writeAssignment(
  db: Statements,
  report: Report,
  locked: LockedAssignment,
  state: DeploymentState,
  row: ReportedRow | undefined,
): Promise<Reported> {
  const { id, leaseSeconds } = report;
  const isGoneForAll = row === undefined || locked.task !== '';
  if (state === 'FAILED' && isGoneForAll) {
    await db.$executeRaw`
      UPDATE "assignment" SET "lease_until" = NULL, "attempt" = 0, "updated_at" = now(),
        "due_at" = now() + ${teardownAgainSeconds} * interval '1 second' WHERE "id" = ${id}::uuid`;
    return { leaseUntil: null, state };
  }
  const until = isSettled(state)
    ? Prisma.sql`NULL::timestamptz`
    : Prisma.sql`clock_timestamp() + ${leaseSeconds} * interval '1 second'`;
  const carriedOut = row === undefined ? undefined : carriedOutBy(report, locked, state, row);
  const columns =
    carriedOut === undefined ? Prisma.empty : Prisma.sql`, "carried_out" = ${JSON.stringify(carriedOut)}::json`;
  const leaseUntil = await db.$text(Prisma.sql`
    UPDATE "assignment" SET "phase" = ${state}, "lease_until" = ${until}, "due_at" = ${until}, "updated_at" = now(),
      "logs_url" = coalesce(${report.logsUrl ?? null}::text, "logs_url"),
      "instances" = ${report.instances ?? null}::int, ${restartColumns(locked.wanted, state, row)} ${columns}
    WHERE "id" = ${id}::uuid RETURNING coalesce(to_json("lease_until")#>>'{}', '')`);
  return { leaseUntil: leaseUntil === '' ? null : leaseUntil, state };
}

/** Undefined while work is in progress, or if the deployed state does not change. */
function carriedOutBy(
  report: Report,
  locked: LockedAssignment,
  state: DeploymentState,
  row: ReportedRow,
): CarriedOut | undefined {
  if (state !== deploymentWork.deploy.ends) return undefined;
  const { revision, image, address } = report;
  const before = locked.carriedOut ?? undefined;
  return {
    version: row.version,
    spec: row.spec,
    revision: revision ?? before?.revision,
    image: image ?? before?.image,
    address: address ?? before?.address,
  };
}

interface Writing {
  assignment: Pick<LockedAssignment, 'accountId' | 'workspaceId' | 'wanted'>;
  row: ReportedRow;
  outcome: Outcome;
  following: Following;
  reporter: Reporter;
}

/** Writes the reported status of a locked resource, and records it. It must be the last step of a transaction. */
export async function writeResource(
  db: Statements,
  { assignment, row, outcome, following, reporter }: Writing,
): Promise<void> {
  const { accountId, workspaceId, wanted } = assignment;
  const { kind, state, message, revision } = outcome;
  const { columns, fields } = following(row, outcome);
  const table = Prisma.raw(`"${resourceKinds[kind].table}"`);
  const isGone = state === deploymentWork.delete.ends;
  const failure = state === 'FAILED' && row.status !== state ? { failed_at: reporter.now } : {};
  const values = resourceKinds[kind].hasStatus ? { ...columns, status: state, ...failure } : columns;
  if (isGone) await db.$executeRaw`DELETE FROM ${table} WHERE "id" = ${row.id}::uuid`;
  else if (Object.keys(values).length > 0) await db.$executeRaw(columnsWritten(table, row.id, values));
  const changed = resourceKinds[kind].hasStatus ? ['status', ...fields] : fields;
  await recordStatus(db, reporter, {
    accountId,
    workspaceId,
    kind,
    resourceId: row.id,
    name: row.name,
    version: row.version,
    verb: isGone ? 'deleted' : 'status',
    fields: changed,
    growths: growthOf(kind, countedRow(row), isGone ? undefined : countedRow({ ...row, ...columns })),
    event: {
      type: wanted === 'delete' ? 'deletion' : 'deployment',
      status: state,
      message: message ?? `${state} by ${reporter.executor?.name ?? 'the platform'}`,
      revision,
      canaryRevision: row.spec.revision?.canary,
    },
  });
}

/** A reported row, as quotas count it. */
function countedRow({ workspace_id, spec, status, sandbox_id, egress_gateway_id }: ReportedRow): CountedRow {
  return { workspaceId: workspace_id, spec, status, containerId: sandbox_id ?? egress_gateway_id };
}

/** SQL that updates columns of a row. */
export function columnsWritten(table: Prisma.Sql, id: string, values: Record<string, unknown>): Prisma.Sql {
  const assignments = Prisma.raw(
    Object.keys(values)
      .map((column) => `"${column}" = n."${column}"`)
      .join(', '),
  );
  return Prisma.sql`
    UPDATE ${table} AS r SET ${assignments} FROM json_populate_record(NULL::${table}, ${JSON.stringify(values)}::json) AS n
    WHERE r."id" = ${id}::uuid`;
}

/** Releases an assignment. It can be claimed again after a short delay. @throws 409 `lease_lost` */
export async function release(
  { db, executor }: AuthorizedExecutor,
  { id, kind, fence, delaySeconds }: CurrentClaim & { delaySeconds: number },
): Promise<void> {
  const count = await db.$executeRaw(Prisma.sql`
    UPDATE "assignment" AS a SET
      "executor_id" = NULL, "lease_until" = NULL, "attempt" = greatest(0, a."attempt" - 1), "runs_until" = NULL,
      "due_at" = now() + ${delaySeconds} * interval '1 second', "updated_at" = now()
    WHERE a."id" = ${id}::uuid AND a."kind" = ${kind} AND a."due_at" IS NOT NULL
      AND ${leasedToSql(executor, Prisma.sql`${String(fence)}::bigint`)}`);
  if (count === 0) throw leaseLost();
}
