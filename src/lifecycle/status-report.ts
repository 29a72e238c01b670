// Reports of executors on resources that they deployed before. The number of the deployment, its generation, is the fence
// of the claim that led to it: a report of another generation is refused.
import type { AuthorizedExecutor } from '../auth/authorize.js';
import { runInTransaction } from '../auth/run-in-transaction.js';
import { Prisma } from '../database/client/client.js';
import { findJson } from '../database/read-json.js';
import type { Statements } from '../database/transaction.js';
import { ApiError, notFound } from '../errors.js';
import { resourceKinds } from '../resource-kinds.js';
import type { CarriedOut } from './assignment.js';
import { deploymentWork } from './deployment-states.js';
import type { DeploymentState, DeploymentWork, ObservedState } from './deployment-states.js';
import { restartColumns } from './restart-policy.js';
import { reportedBy, writeResource } from './report.js';
import type { Following, Outcome, Report, ReportedRow } from './report.js';
import { aliveCondition } from './silent-executor.js';
import { everyRegion } from './work-kinds.js';

export interface StatusReport extends Outcome, Pick<Report, 'logsUrl' | 'instances'> {
  resourceId: string;
  /** 0 for a resource that no executor deployed. */
  generation: number;
  state: ObservedState;
}

export interface ReportedStatus {
  state: ObservedState;
  generation: number;
}

/** A resource and its workspace. */
interface Place {
  row: ReportedRow;
  region: string | null;
  accountId: string;
  workspace: string;
}

/** The assignment of a resource, as its executor left it. */
interface Left {
  id: string;
  wanted: DeploymentWork;
  phase: DeploymentState;
  fence: number;
  carriedOut: CarriedOut | null;
  isOwn: boolean | null;
  isLeased: boolean | null;
  /** Whether the executor that deployed the resource is alive. */
  isHeld: boolean | null;
}

/**
 * Processes a report. The executor that deployed a resource reports on it; another one adopts it with its report, if the
 * former is silent or revoked, or if no executor deployed it. A repeated report changes nothing.
 *
 * @param region SQL of the region of a row `r` of the kind.
 * @throws 404 `not_found` outside the executor's kinds and regions, and after a deletion; 409 `stale_generation`; 409
 * `conflict` while the executor has the assignment leased, and for a disabled resource.
 */
export async function takeStatusReport(
  authorized: AuthorizedExecutor,
  report: StatusReport,
  { region, following }: { region: Prisma.Sql; following: Following },
): Promise<ReportedStatus> {
  return runInTransaction(authorized, false, async (within) => {
    const { db, executor } = within;
    const { kind, resourceId, state } = report;
    const place = executor.kinds.includes(kind) ? await lockPlace(db, report, region) : undefined;
    const isServed =
      place !== undefined &&
      (executor.regions.includes(everyRegion) || (place.region !== null && executor.regions.includes(place.region)));
    if (!isServed) throw notFound(resourceKinds[kind].label, resourceId);
    const left = await lockLeft(within, resourceId);
    requireCurrent(left, place.row, report);
    const generation = await writeLeft(within, report, place, left);
    const before = left?.phase ?? place.row.status ?? 'DEPLOYED';
    const { fields } = following(place.row, report);
    if (before !== state || fields.length > 0) {
      const assignment = { accountId: place.accountId, workspaceId: place.row.workspace_id, wanted: 'deploy' } as const;
      await writeResource(db, { assignment, row: place.row, outcome: report, following, reporter: reportedBy(within) });
    }
    return { state, generation };
  });
}

async function lockPlace(
  db: Statements,
  { kind, resourceId }: StatusReport,
  region: Prisma.Sql,
): Promise<Place | undefined> {
  return findJson(
    db,
    Prisma.sql`
      SELECT json_build_object('row', r, 'region', ${region}, 'accountId', w."account_id", 'workspace', w."name")::text
      FROM ${Prisma.raw(`"${resourceKinds[kind].table}"`)} AS r JOIN "workspace" AS w ON w."id" = r."workspace_id"
      WHERE r."id" = ${resourceId}::uuid FOR UPDATE OF r`,
  );
}

async function lockLeft({ db, executor }: AuthorizedExecutor, resourceId: string): Promise<Left | undefined> {
  return findJson(
    db,
    Prisma.sql`
      SELECT row_to_json(l)::text FROM (
        SELECT a."id", a."wanted", a."phase", a."fence", a."carried_out" AS "carriedOut",
          a."executor_id" = ${executor.id}::uuid AS "isOwn", a."lease_until" > clock_timestamp() AS "isLeased",
          ${aliveCondition} AS "isHeld"
        FROM "assignment" AS a LEFT JOIN "executor" AS x ON x."id" = a."executor_id"
        WHERE a."resource_id" = ${resourceId}::uuid AND a."task" = '' FOR UPDATE OF a) AS l`,
  );
}

/** @throws 409 unless the reported generation is the current deployment of the resource. */
function requireCurrent(left: Left | undefined, row: ReportedRow, { generation }: StatusReport): void {
  if (generation !== (left?.fence ?? 0) || row.status === 'DELETING') throw staleGeneration();
  if (left === undefined) {
    if (Reflect.get(row.spec, 'enabled') !== false) return;
    throw new ApiError('conflict', 'The resource is disabled, so it must not run.');
  }
  if (left.isOwn === true && left.isLeased === true) {
    throw new ApiError('conflict', 'The assignment is in progress. Report on it with executorReportAssignment.');
  }
  const isSettled = left.phase === 'DEPLOYED' || left.phase === 'FAILED';
  if (left.wanted !== 'deploy' || !isSettled) throw staleGeneration();
  if (left.isOwn !== true && left.isHeld === true) throw staleGeneration();
}

function staleGeneration(): ApiError {
  return new ApiError(
    'stale_generation',
    'This generation is not the current deployment of the resource. Read executorAssignments for what should run.',
  );
}

/** Writes what was observed to the assignment of the resource. @returns the generation, which is new after an adoption. */
async function writeLeft(
  { db, executor }: AuthorizedExecutor,
  { kind, resourceId, state, instances, logsUrl, ...outcome }: StatusReport,
  { row, region, accountId, workspace }: Place,
  left: Left | undefined,
): Promise<number> {
  const deployed = carriedOutBy(outcome, state, row, left);
  const carriedOut = deployed === undefined ? null : JSON.stringify(deployed);
  if (left === undefined) {
    const generation = await db.$text(Prisma.sql`
      INSERT INTO "assignment" ("kind", "resource_id", "account_id", "workspace_id", "workspace", "name", "region",
        "wanted", "phase", "fence", "executor_id", "carried_out", "instances", "logs_url")
      VALUES (${kind}, ${resourceId}::uuid, ${accountId}::uuid, ${row.workspace_id}::uuid, ${workspace}, ${row.name},
        ${region}, 'deploy', ${state}, nextval('assignment_fence'), ${executor.id}::uuid, ${carriedOut}::json,
        ${instances ?? null}::int, ${logsUrl ?? null}) RETURNING "fence"::text`);
    return Number(generation);
  }
  const fence = left.isOwn === true ? Prisma.sql`"fence"` : Prisma.sql`nextval('assignment_fence')`;
  const transition =
    left.phase === state
      ? Prisma.empty
      : Prisma.sql`"phase" = ${state}, "updated_at" = now(), ${restartColumns('deploy', state, row)},`;
  const generation = await db.$text(Prisma.sql`
    UPDATE "assignment" SET ${transition} "fence" = ${fence}, "executor_id" = ${executor.id}::uuid, "lease_until" = NULL,
      "carried_out" = ${carriedOut}::json, "instances" = ${instances ?? null}::int,
      "logs_url" = coalesce(${logsUrl ?? null}::text, "logs_url")
    WHERE "id" = ${left.id}::uuid RETURNING "fence"::text`);
  return Number(generation);
}

/** The deployed state; undefined if nothing was ever deployed. */
function carriedOutBy(
  { revision, image, address }: Pick<Outcome, 'revision' | 'image' | 'address'>,
  state: ObservedState,
  row: ReportedRow,
  left: Left | undefined,
): CarriedOut | undefined {
  const before = left?.carriedOut ?? undefined;
  const isNew = state === deploymentWork.deploy.ends && left?.phase !== state;
  const deployed = isNew ? row : before;
  if (deployed === undefined) return undefined;
  const { version, spec } = deployed;
  return {
    version,
    spec,
    revision: revision ?? before?.revision,
    image: image ?? before?.image,
    address: address ?? before?.address,
  };
}
