// The overview of a workspace: its resources by state, recent failures, and the cost of this month.
import DataLoader from 'dataloader';
import { authorizeAccount, authorizeScope, authorizeWorkspace } from '../../auth/authorize.js';
import type { Caller, AccessibleAccount, AccessibleWorkspace } from '../../auth/caller.js';
import { perRequest } from '../../auth/context.js';
import type { RequestContext } from '../../auth/context.js';
import { Prisma } from '../../database/client/client.js';
import { readJson } from '../../database/read-json.js';
import { byFrequency, enumNameSql } from '../../store/read/grouping.js';
import type { GroupCount } from '../../store/read/grouping.js';
import { keptStatus, rowsStatement } from '../../store/read/page-statement.js';
import { kindsWith, resourceKinds } from '../../resource-kinds.js';
import type { KindWith } from '../../resource-kinds.js';

/** Kinds that overviews count. */
type OverviewKind = KindWith<'isInOverview'>;

export interface KindOverview {
  kind: OverviewKind;
  total: number;
  /** Counts by state. Kinds without a status have one count, for null. */
  states: GroupCount[];
}

/** The age of the oldest failures that are listed (hours). */
export const failureHours = 24;

/** The maximum number of failures that are listed, newest first. */
export const failuresMax = 20;

export interface Failure {
  kind: OverviewKind;
  workspaceId: string;
  id: string;
  /** Of an execution the name of its job. */
  name: string;
  status: string;
  time: string;
}

export interface RecentFailures {
  since: Date;
  count: number;
  newest: Failure[];
}

/** Counts the resources of each kind by state. Omits kinds that the credential may not list. @throws 403 */
export async function listHoldings(ctx: RequestContext, { name }: AccessibleWorkspace): Promise<KindOverview[]> {
  const { workspace } = authorizeWorkspace(ctx, 'workspaces:get', name);
  const rows = await states(ctx).load(workspace.id);
  return visibleKinds(ctx.caller).map((kind) => {
    const own = rows.filter((row) => row.kind === kind).map(({ value, count }) => ({ value, count }));
    return { kind, total: own.reduce((sum, { count }) => sum + count, 0), states: own };
  });
}

/** Lists failures of the last 24 hours, of the kinds that the credential may list. @throws 403 */
export async function listRecentFailures(ctx: RequestContext, { name }: AccessibleWorkspace): Promise<RecentFailures> {
  const { workspace } = authorizeWorkspace(ctx, 'workspaces:get', name);
  const rows = await failures(ctx).load(workspace.id);
  return { since: failuresSince(ctx), count: rows[0]?.total ?? 0, newest: rows };
}

/** The same of the accessible workspaces of an account. @throws 403 */
export async function listAccountHoldings(ctx: RequestContext, account: AccessibleAccount): Promise<KindOverview[]> {
  const each = await Promise.all(workspacesOf(ctx, account).map((workspace) => listHoldings(ctx, workspace)));
  return visibleKinds(ctx.caller).map((kind) => {
    const counts = new Map<string | null, number>();
    for (const { value, count } of each.flat().flatMap((own) => (own.kind === kind ? own.states : []))) {
      counts.set(value, (counts.get(value) ?? 0) + count);
    }
    const states = Array.from(counts, ([value, count]) => ({ value, count })).toSorted(byFrequency);
    return { kind, total: states.reduce((sum, { count }) => sum + count, 0), states };
  });
}

/** The failures of the last day in the accessible workspaces of an account. @throws 403 */
export async function listAccountFailures(ctx: RequestContext, account: AccessibleAccount): Promise<RecentFailures> {
  const each = await Promise.all(workspacesOf(ctx, account).map((workspace) => listRecentFailures(ctx, workspace)));
  const newest = each
    .flatMap((own) => own.newest)
    .toSorted((one, other) => Date.parse(other.time) - Date.parse(one.time) || (one.id < other.id ? -1 : 1))
    .slice(0, failuresMax);
  return { since: failuresSince(ctx), count: each.reduce((sum, { count }) => sum + count, 0), newest };
}

function workspacesOf(ctx: RequestContext, { id }: AccessibleAccount): AccessibleWorkspace[] {
  authorizeAccount(ctx, 'workspaces:get', id);
  return Array.from(ctx.caller.workspaces.values()).filter(({ account }) => account.id === id);
}

interface StateRow extends GroupCount {
  workspaceId: string;
  kind: OverviewKind;
}

interface FailureRow extends Failure {
  /** The number in the workspace. */
  total: number;
}

const states = perRequest(
  (ctx) => new DataLoader<string, StateRow[]>((ids) => readOf<StateRow>(ctx, ids, statesStatement(ctx, ids))),
);

const failures = perRequest(
  (ctx) => new DataLoader<string, FailureRow[]>((ids) => readOf<FailureRow>(ctx, ids, failuresStatement(ctx, ids))),
);

/** The rows of each workspace. No statement is no kind that the credential may list. */
async function readOf<Row extends { workspaceId: string }>(
  ctx: RequestContext,
  ids: readonly string[],
  statement: Prisma.Sql | undefined,
): Promise<Row[][]> {
  if (statement === undefined) return ids.map(() => []);
  const rows = await readJson<Row[]>(authorizeScope(ctx).reads, statement);
  return ids.map((id) => rows.filter(({ workspaceId }) => workspaceId === id));
}

function statesStatement(ctx: RequestContext, ids: readonly string[]): Prisma.Sql | undefined {
  const counts = visibleKinds(ctx.caller).map((kind) => {
    const { table, hasStatus, isCounted } = resourceKinds[kind];
    if (isCounted) {
      return Prisma.sql`
        SELECT "workspace_id" AS "workspaceId", ${kind}::text AS "kind", ${keptStatus} AS "value", sum("total") AS "count"
        FROM "resource_count" WHERE "resource" = ${table} AND "workspace_id" = ANY(${[...ids]}::uuid[])
        GROUP BY 1, 3 HAVING sum("total") > 0`;
    }
    const value = hasStatus ? enumNameSql(Prisma.sql`r."status"::text`) : Prisma.sql`NULL::text`;
    return Prisma.sql`
      SELECT r."workspace_id" AS "workspaceId", ${kind}::text AS "kind", ${value} AS "value", count(*) AS "count"
      FROM ${Prisma.raw(`"${table}"`)} AS r WHERE r."workspace_id" = ANY(${[...ids]}::uuid[]) GROUP BY 1, 3`;
  });
  if (counts.length === 0) return undefined;
  return rowsStatement(Prisma.sql`
    SELECT * FROM (${Prisma.join(counts, ' UNION ALL ')}) AS s ORDER BY "kind", "count" DESC, "value" COLLATE "C"`);
}

function failuresSince(ctx: RequestContext): Date {
  return new Date(ctx.now().getTime() - failureHours * 3_600_000);
}

function failuresStatement(ctx: RequestContext, ids: readonly string[]): Prisma.Sql | undefined {
  const since = failuresSince(ctx).toISOString();
  const failed = visibleKinds(ctx.caller)
    .filter((kind) => resourceKinds[kind].hasStatus)
    .map((kind) => {
      const isExecution = kind === 'JOB_EXECUTION';
      const name = isExecution
        ? Prisma.sql`(SELECT j."name" FROM "job" AS j WHERE j."id" = r."job_id")`
        : Prisma.sql`r."name"`;
      const endedAt = Prisma.raw(isExecution ? 'r."completed_at"' : 'r."failed_at"');
      const time = Prisma.sql`coalesce(${endedAt}, r."updated_at")`;
      // As the indexes have it.
      const failedCondition = isExecution
        ? Prisma.sql`status_key(r."status") COLLATE "C" = ANY(${['failed', 'timeout']}::text[])`
        : Prisma.sql`r."status" = 'FAILED'`;
      return Prisma.sql`
        SELECT r."workspace_id" AS "workspaceId", ${kind}::text AS "kind", r."id", ${name} AS "name",
          ${enumNameSql(Prisma.sql`r."status"::text`)} AS "status", ${time} AS "time"
        FROM ${Prisma.raw(`"${resourceKinds[kind].table}"`)} AS r
        WHERE r."workspace_id" = ANY(${[...ids]}::uuid[]) AND ${failedCondition} AND ${time} >= ${since}::timestamptz`;
    });
  if (failed.length === 0) return undefined;
  return rowsStatement(Prisma.sql`
    SELECT "workspaceId", "kind", "id", "name", "status", "time", "total" FROM (
      SELECT *, count(*) OVER w AS "total", row_number() OVER (w ORDER BY "time" DESC, "id") AS "n"
      FROM (${Prisma.join(failed, ' UNION ALL ')}) AS f WINDOW w AS (PARTITION BY "workspaceId")) AS ranked
    WHERE "n" <= ${failuresMax} ORDER BY "time" DESC, "id"`);
}

/** The kinds that a caller may list. */
function visibleKinds({ scopes }: Caller): OverviewKind[] {
  return kindsWith('isInOverview').filter((kind) => scopes.has('admin') || scopes.has(resourceKinds[kind].scopes.list));
}
