// Fails assignments that used up their attempts, and deletes finished ones.
import { Prisma } from '../database/client/client.js';
import type { Database } from '../database/open.js';
import { findJson, readJson } from '../database/read-json.js';
import type { Statements } from '../database/transaction.js';
import { tryEach } from '../database/try-each.js';
import type { DeploymentWork } from './deployment-states.js';
import { recordStatus } from './record-status.js';
import { restartColumns } from './restart-policy.js';
import { columnsWritten, holdResource } from './report.js';
import { attemptsMax, invocationKind, taskKind } from './work-kinds.js';
import type { WorkKind } from './work-kinds.js';
import { resourceKinds } from '../resource-kinds.js';

/** How many assignments are processed at a time, oldest first. */
const batch = 100;

interface Exhausted {
  id: string;
  kind: WorkKind;
  accountId: string;
  workspaceId: string;
  task: string;
  wanted: DeploymentWork;
}

/** No executor claims an exhausted assignment, so its state is stable. */
const exhaustedCondition = Prisma.sql`a."due_at" <= now() AND a."attempt" >= ${Prisma.raw(String(attemptsMax))}`;

/** Fails assignments that used up their attempts. @returns how many there were. */
export async function failExhausted(db: Database, now: Date): Promise<number> {
  const found = await readJson<Pick<Exhausted, 'id' | 'kind'>[]>(
    db,
    Prisma.sql`
      SELECT coalesce(json_agg(e), '[]')::text FROM (
        SELECT a."id", a."kind" FROM "assignment" AS a
        WHERE a."kind" NOT IN (${taskKind}, ${invocationKind}) AND ${exhaustedCondition}
        ORDER BY a."due_at" LIMIT ${batch}) AS e`,
  );
  await tryEach(found, (each) => db.$begin((tx) => giveUp(tx, each, now)));
  return found.length;
}

async function giveUp(db: Statements, { id, kind }: Pick<Exhausted, 'id' | 'kind'>, now: Date): Promise<void> {
  const row = await holdResource(db, { id, kind });
  const exhausted = await findJson<Exhausted>(
    db,
    Prisma.sql`
      SELECT row_to_json(e)::text FROM (
        SELECT a."id", a."kind", a."account_id" AS "accountId", a."workspace_id" AS "workspaceId", a."task", a."wanted"
        FROM "assignment" AS a WHERE a."id" = ${id}::uuid AND ${exhaustedCondition} FOR UPDATE) AS e`,
  );
  // Another process failed it, or the desired state changed.
  if (exhausted === undefined) return;
  const { accountId, workspaceId, task, wanted } = exhausted;
  if (row === undefined || task !== '') {
    await db.$executeRaw`
      UPDATE "assignment" SET "executor_id" = NULL, "lease_until" = NULL, "attempt" = 0, "updated_at" = now(),
        "due_at" = now() + interval '10 minutes' WHERE "id" = ${id}::uuid`;
    return;
  }
  await db.$executeRaw(Prisma.sql`
    UPDATE "assignment" SET "phase" = 'FAILED', "executor_id" = NULL, "lease_until" = NULL, "due_at" = NULL,
      ${restartColumns(wanted, 'FAILED', row)}, "updated_at" = now() WHERE "id" = ${id}::uuid`);
  const table = Prisma.raw(`"${resourceKinds[kind].table}"`);
  if (resourceKinds[kind].hasStatus)
    await db.$executeRaw(columnsWritten(table, row.id, { status: 'FAILED', failed_at: now }));
  await recordStatus(
    db,
    { now },
    {
      accountId,
      workspaceId,
      kind,
      resourceId: row.id,
      name: row.name,
      version: row.version,
      fields: resourceKinds[kind].hasStatus ? ['status'] : [],
      event: {
        type: wanted === 'delete' ? 'deletion' : 'deployment',
        status: 'FAILED',
        message: `Failed after ${attemptsMax} attempts: each lease expired without a report`,
      },
    },
  );
}

/** Deletes assignments of removed deployments and finished invocations, after a while. */
export async function forgetTakenDown(db: Database): Promise<void> {
  await db.$executeRaw`
    DELETE FROM "assignment" WHERE "updated_at" < now() - interval '1 hour'
      AND ("phase" = 'TERMINATED' OR "kind" = ${invocationKind} AND "due_at" IS NULL)`;
}
