// Deletes old changes, account by account, in sequence order. It keeps the number up to which changes were deleted, so
// that watchers with an older cursor get an error, and the changes that the `events` of resources are read from.
import { setTimeout } from 'node:timers/promises';
import { Prisma } from '../database/client/client.js';
import type { Database } from '../database/open.js';
import { readJson } from '../database/read-json.js';
import type { Statements } from '../database/transaction.js';
import { tryEach } from '../database/try-each.js';
import { resourceKindNames, resourceKinds } from '../resource-kinds.js';

/** How many changes of an account one statement checks. */
const stepMax = 1_000;

/** The maximum number of accounts in one run; the others follow in the next run. */
const accountsMax = 100;

/** How many events of a resource are kept: as many as it returns (decision 41). */
const eventsKept = 100;

/** The pause after each statement as a multiple of its duration, so that writers are not slowed down. */
const restsPerStep = 3;

/**
 * Deletes changes from before a time, a thousand at a time.
 *
 * @param stopping stops early; the rest follows in the next run.
 * @returns how many were deleted.
 */
export async function removeChangesBefore(db: Database, before: Date, stopping?: AbortSignal): Promise<number> {
  let removed = 0;
  const removeOf = async (accountId: string) => {
    for (;;) {
      const startedMs = performance.now();
      const step = await removeStep(db, accountId, before);
      removed += step.removed;
      if (step.isLast) break;
      await pause((performance.now() - startedMs) * restsPerStep, stopping);
      if (stopping?.aborted === true) break;
    }
  };
  await tryEach(await accountsWithOldChanges(db, before), removeOf, { stopping });
  return removed;
}

async function pause(ms: number, stopping: AbortSignal | undefined): Promise<void> {
  await setTimeout(ms, undefined, { signal: stopping }).catch(() => {});
}

async function accountsWithOldChanges(db: Statements, before: Date): Promise<string[]> {
  return readJson(
    db,
    Prisma.sql`
      SELECT coalesce(json_agg(o."account_id"), '[]')::text FROM (
        SELECT h."account_id" FROM "change_head" AS h
        LEFT JOIN "change_horizon" AS z ON z."account_id" = h."account_id"
        CROSS JOIN LATERAL (
          SELECT c."time" FROM "change" AS c
          WHERE c."account_id" = h."account_id" AND c."sequence" > coalesce(z."removed", 0)
          ORDER BY c."sequence" LIMIT 1) AS oldest
        WHERE oldest."time" < ${before}::timestamptz LIMIT ${accountsMax}::int) AS o`,
  );
}

/**
 * Advances the horizon of an account over changes that are old enough, and deletes those before it, by one statement.
 * Earlier changes of the same resources are checked again: they may no longer be needed.
 */
async function removeStep(
  db: Statements,
  accountId: string,
  before: Date,
): Promise<{ removed: number; isLast: boolean }> {
  const account = Prisma.sql`${accountId}::uuid`;
  const { looked, removed } = await readJson<{ looked: number; removed: number }>(
    db,
    Prisma.sql`
    WITH "next" AS MATERIALIZED (
      SELECT c."sequence", c."resource_id", c."time" FROM "change" AS c
      WHERE c."account_id" = ${account} AND c."sequence" > coalesce(
        (SELECT z."removed" FROM "change_horizon" AS z WHERE z."account_id" = ${account}), 0)
      ORDER BY c."sequence" LIMIT ${stepMax}::int),
    -- Times are those of the processes, which may differ a little: the first young one ends it.
    "old" AS MATERIALIZED (
      SELECT n."sequence", n."resource_id" FROM "next" AS n
      WHERE n."sequence" < coalesce((SELECT min(y."sequence") FROM "next" AS y WHERE y."time" >= ${before}::timestamptz),
        9223372036854775807)),
    "horizon" AS (
      INSERT INTO "change_horizon" AS z ("account_id", "removed")
      SELECT ${account}, max("sequence") FROM "old" HAVING count(*) > 0
      ON CONFLICT ("account_id") DO UPDATE SET "removed" = greatest(z."removed", EXCLUDED."removed")),
    "passed" AS MATERIALIZED (
      SELECT "sequence" FROM "old"
      UNION
      SELECT c."sequence" FROM "change" AS c
      WHERE c."account_id" = ${account} AND c."resource_id" IN (SELECT "resource_id" FROM "old")
        AND c."sequence" <= (SELECT max("sequence") FROM "old")),
    "gone" AS (
      DELETE FROM "change" AS c USING "passed" AS p
      WHERE c."account_id" = ${account} AND c."sequence" = p."sequence" AND NOT (${neededSql(account)})
      RETURNING 1),
    -- Of what stays nothing is kept that events do not tell.
    "stripped" AS (
      UPDATE "change" AS c
      SET "before" = NULL, "after" = NULL, "address" = NULL, "client" = NULL, "request_id" = NULL
      FROM "old" AS p
      WHERE c."account_id" = ${account} AND c."sequence" = p."sequence" AND (${neededSql(account)}))
    SELECT json_build_object('looked', (SELECT count(*) FROM "old"), 'removed', (SELECT count(*) FROM "gone"))::text`,
  );
  return { removed, isLast: looked < stepMax };
}

/** SQL for whether a change `c` is one of the newest of a resource that exists. */
function neededSql(account: Prisma.Sql): Prisma.Sql {
  const exists = resourceKindNames.map(
    (kind) =>
      Prisma.sql`c."kind" = ${kind} AND EXISTS (
        SELECT FROM ${Prisma.raw(`"${resourceKinds[kind].table}"`)} AS r WHERE r."id" = c."resource_id")`,
  );
  return Prisma.sql`(${Prisma.join(exists, ' OR ')}) AND (
    SELECT count(*) FROM (
      SELECT FROM "change" AS n
      WHERE n."account_id" = ${account} AND n."resource_id" = c."resource_id" AND n."sequence" > c."sequence"
      LIMIT ${eventsKept}) AS newer) < ${eventsKept}`;
}
