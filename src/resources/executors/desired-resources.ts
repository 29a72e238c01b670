// The desired resources of an executor: what has to run in its regions, whoever deployed it.
import { authorizeExecutor } from '../../auth/authorize.js';
import type { AuthorizedExecutor } from '../../auth/authorize.js';
import type { ExecutorAccess } from '../../auth/caller.js';
import { Prisma } from '../../database/client/client.js';
import { readJson } from '../../database/read-json.js';
import type { Claimed } from '../../lifecycle/assignment.js';
import type { DeploymentState } from '../../lifecycle/deployment-states.js';
import { aliveCondition, recordHeartbeat } from '../../lifecycle/silent-executor.js';
import type { WorkContext } from '../../lifecycle/work-subscribers.js';
import { everyRegion, isWorkKind } from '../../lifecycle/work-kinds.js';
import type { WorkKind } from '../../lifecycle/work-kinds.js';
import { queryCursors } from '../../pagination/cursor.js';
import { pageFromRows } from '../../pagination/page.js';
import { resourceKinds } from '../../resource-kinds.js';
import type { ListInput, ListPage } from '../../store/read/list-input.js';
import type { Placed } from '../../store/read/read-page.js';
import { handedOut } from './desired.js';
import type { Handed } from './desired.js';
import { regionsOfKinds } from './regions-of-kinds.js';

/** A resource of an executor's kinds and regions, as it is desired. */
export interface DesiredResource extends Handed {
  kind: WorkKind;
  version: number;
  /** Null for kinds without a status. */
  status: DeploymentState | null;
  /** Whether the executor itself deployed the resource. */
  isOwn: boolean;
  /** Whether another executor deployed the resource and sends requests. */
  isHeldByOther: boolean;
}

type DesiredRow = Claimed & Pick<DesiredResource, 'kind' | 'status' | 'isOwn' | 'isHeldByOther'>;

/**
 * One page of the resources of an executor's kinds and regions, oldest first, with the secrets of those that are to run.
 * The time of a page grows with the resources of the kinds in other regions that lie between its resources.
 *
 * @throws 400 for an invalid cursor; 403 if the caller is not an executor.
 */
export async function listDesiredResources(
  ctx: WorkContext,
  input: ListInput,
): Promise<ListPage<Placed<DesiredResource>>> {
  const authorized = authorizeExecutor(ctx);
  await recordHeartbeat(ctx, authorized);
  const { db, executor } = authorized;
  const { size, direction, fields, version } = input;
  const cursors = queryCursors(ctx.encryption, ctx.now, {
    list: 'executorAssignments',
    executor: executor.id,
    version,
  });
  const from = input.cursor == null ? undefined : cursors.decode(fields.cursor, input.cursor);
  const slice = { size, direction, from };
  const parts = input.wanted ?? { items: true, hasMore: true, total: true, filtered: false };
  const rows = parts.items ? await readRows(authorized, slice) : [];
  const total = parts.total || parts.filtered ? await countRows(authorized) : 0;
  const page = pageFromRows(slice, rows);
  const handed = new Map((await handedOut(db, ctx.encryption, page.items)).map((each) => [each.resourceId, each]));
  const positionOf = ({ resourceId }: DesiredRow) => ({ key: '', id: resourceId });
  const items = page.items.flatMap((row) => {
    const found = handed.get(row.resourceId);
    // Deleted since the page was read.
    if (found?.version === undefined) return [];
    return [{ ...found, ...row, version: found.version, position: positionOf(row) }];
  });
  const last = page.items.at(-1);
  return { ...page, items, lastRead: last && positionOf(last), cursors, total, filtered: total };
}

type Slice = Parameters<typeof pageFromRows>[0];

/** The kinds of an executor that have a desired state. Tasks and invocations run once. */
function kindsOf({ kinds }: ExecutorAccess): WorkKind[] {
  return kinds.filter(isWorkKind);
}

/** SQL condition on the rows `r` of a kind in the regions of an executor. */
function regionsCondition({ regions }: ExecutorAccess, kind: WorkKind): Prisma.Sql {
  return regions.includes(everyRegion)
    ? Prisma.sql`true`
    : Prisma.sql`${regionsOfKinds[kind]} = ANY(${[...regions]}::text[])`;
}

function tableOf(kind: WorkKind): Prisma.Sql {
  return Prisma.raw(`"${resourceKinds[kind].table}"`);
}

async function readRows({ db, executor }: AuthorizedExecutor, slice: Slice): Promise<DesiredRow[]> {
  const kinds = kindsOf(executor);
  if (kinds.length === 0) return [];
  const limit = slice.size + 1;
  const isForward = slice.direction === 'forward';
  const order = isForward ? Prisma.sql`ASC` : Prisma.sql`DESC`;
  const { id: start } = slice.from ?? {};
  const afterCondition = isForward ? Prisma.sql`r."id" > ${start}::uuid` : Prisma.sql`r."id" < ${start}::uuid`;
  // Each kind is read by its primary key, which is in the order of creation.
  const ofKinds = kinds.map((kind) => {
    const status = resourceKinds[kind].hasStatus ? Prisma.sql`r."status"::text` : Prisma.sql`NULL::text`;
    return Prisma.sql`(
      SELECT ${kind}::text AS "kind", r."id", r."workspace_id", r."name", ${regionsOfKinds[kind]} AS "region",
        ${status} AS "status", r."spec"->>'enabled' = 'false' AS "isDisabled"
      FROM ${tableOf(kind)} AS r
      WHERE ${regionsCondition(executor, kind)} AND ${start === undefined ? Prisma.sql`true` : afterCondition}
      ORDER BY r."id" ${order} LIMIT ${limit}::int)`;
  });
  return readJson(
    db,
    Prisma.sql`
      SELECT coalesce(json_agg(d), '[]')::text FROM (
        SELECT coalesce(a."id"::text, '') AS "id", r."kind", r."id" AS "resourceId", w."account_id" AS "accountId",
          r."workspace_id" AS "workspaceId", w."name" AS "workspace", r."name", r."region", r."status",
          coalesce(a."wanted", CASE WHEN r."isDisabled" THEN 'deactivate' ELSE 'deploy' END) AS "wanted",
          '' AS "task", 0 AS "ordinal", coalesce(a."attempt", 0) AS "attempt", coalesce(a."fence", 0) AS "fence",
          a."carried_out" AS "carriedOut", NULL AS "gone",
          coalesce(a."executor_id" = ${executor.id}::uuid, false) AS "isOwn",
          coalesce(a."executor_id" <> ${executor.id}::uuid AND ${aliveCondition}, false) AS "isHeldByOther"
        FROM (SELECT * FROM (${Prisma.join(ofKinds, ' UNION ALL ')}) AS u ORDER BY u."id" ${order} LIMIT ${limit}::int) AS r
        JOIN "workspace" AS w ON w."id" = r."workspace_id"
        LEFT JOIN "assignment" AS a ON a."resource_id" = r."id" AND a."task" = ''
        LEFT JOIN "executor" AS x ON x."id" = a."executor_id"
        ORDER BY r."id" ${order}) AS d`,
  );
}

async function countRows({ db, executor }: AuthorizedExecutor): Promise<number> {
  const counts = kindsOf(executor).map(
    (kind) => Prisma.sql`(SELECT count(*) FROM ${tableOf(kind)} AS r WHERE ${regionsCondition(executor, kind)})`,
  );
  if (counts.length === 0) return 0;
  return Number(await db.$text(Prisma.sql`SELECT (${Prisma.join(counts, ' + ')})::text`));
}
