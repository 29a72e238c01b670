// Deletes executions at the end of their retention, and records it.
import { Prisma } from '../../database/client/client.js';
import type { Database } from '../../database/open.js';
import { readJson } from '../../database/read-json.js';
import type { Statements } from '../../database/transaction.js';
import { recordStatuses } from '../../lifecycle/record-status.js';
import type { StatusChange } from '../../lifecycle/record-status.js';
import { growthOf } from '../../quotas/growth.js';
import { columnList } from '../../store/read/page-statement.js';
import { rowTimestamp } from '../../store/read/resource-row.js';
import { executionKind } from './execution.js';
import type { ExecutionRow } from './execution.js';
import { executionRecord } from './execution-record.js';

/** The maximum number of executions deleted in one transaction. */
const stepMax = 100;

const dayMs = 86_400_000;

/**
 * Deletes the executions that ended some days ago or earlier. Of several processes, one deletes and records each.
 *
 * @param stopping stops it between two transactions.
 * @returns how many there were.
 */
export async function expireExecutions(db: Database, now: Date, days: number, stopping?: AbortSignal): Promise<number> {
  const endedBefore = new Date(now.getTime() - days * dayMs);
  let expired = 0;
  for (;;) {
    const step = await db.$begin((tx) => expireStep(tx, endedBefore, { now, days }));
    expired += step;
    if (step < stepMax || stopping?.aborted === true) return expired;
  }
}

interface ExpiredRow extends ExecutionRow {
  id: string;
  workspaceId: string;
  workspace: string;
  accountId: string;
}

async function expireStep(
  db: Statements,
  endedBefore: Date,
  { now, days }: { now: Date; days: number },
): Promise<number> {
  const columns = columnList({
    ...executionKind.columns,
    id: Prisma.sql`r."id"`,
    workspaceId: Prisma.sql`r."workspace_id"`,
    workspace: Prisma.sql`w."name"`,
    accountId: Prisma.sql`w."account_id"`,
  });
  const rows = await readJson<ExpiredRow[]>(
    db,
    Prisma.sql`
      WITH "expired" AS (
        DELETE FROM "job_execution" AS r USING "workspace" AS w, (
          SELECT "id" FROM "job_execution" WHERE "completed_at" < ${endedBefore}::timestamptz
          ORDER BY "completed_at" LIMIT ${stepMax}::int FOR UPDATE SKIP LOCKED) AS e
        WHERE r."id" = e."id" AND w."id" = r."workspace_id" RETURNING ${columns})
      SELECT coalesce(json_agg(e), '[]')::text FROM "expired" AS e`,
  );
  const message = `Expired: it ended ${days} days ago`;
  await recordStatuses(
    db,
    { now },
    rows.map((row) => deletionOf({ ...row, expiredAt: rowTimestamp(now) }, message)),
  );
  return rows.length;
}

function deletionOf(row: ExpiredRow, message: string): StatusChange {
  const { id, workspaceId, workspace, accountId, version, jobId, status } = row;
  return {
    kind: 'JOB_EXECUTION',
    verb: 'deleted',
    resourceId: id,
    accountId,
    workspaceId,
    version,
    before: executionRecord({ id, row, workspace: { name: workspace } }),
    event: { type: 'expiry', status: 'DELETED', message },
    growths: growthOf('JOB_EXECUTION', { workspaceId, spec: row.spec, status, containerId: jobId }, undefined),
  };
}
