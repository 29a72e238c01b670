// Checks budgets: computes their costs and notifies each crossed threshold once. Every process runs this; the database
// assigns each check to one process, by its own clock.
import { recordAsSystem } from '../changes/record-as-system.js';
import type { NewChange } from '../changes/record-changes.js';
import { Prisma } from '../database/client/client.js';
import type { Transactional } from '../database/open.js';
import { findJson, readJson } from '../database/read-json.js';
import { tryEach } from '../database/try-each.js';
import { creditDimensions } from '../metering/billing-catalog.js';
import { catalogOnce } from '../metering/read-catalog.js';
import { crossingsOf, storedTerms, updatedLook, usdText } from './budget.js';
import type { Crossing } from './budget.js';
import { readBudgetCosts } from './budget-costs.js';
import type { BudgetToCheck } from './budget-costs.js';
import type { UsageMemory } from '../metering/usage-memory.js';

/** The minimum interval between two checks of a budget (seconds). */
const everySeconds = 10;

interface Taken extends BudgetToCheck {
  id: string;
  name: string;
  version: number;
  /** The number of this check. */
  looks: string;
  /** The time of the database when it was taken. */
  takenAt: string;
}

/** Checks all budgets that are due. @throws {AggregateError} the failures, after all were tried. */
export async function checkBudgets(db: Transactional, memory: UsageMemory, now: () => Date): Promise<void> {
  await tryEach(takeDueBudgets(db), ({ budget, credits }) => lookAt(db, memory, budget, credits, now), {
    message: (failed) => `${failed} budgets cannot be checked`,
  });
}

/**
 * Takes the budgets that are due now, with the dimensions of credits. Takes each just before it is checked: a
 * budget that waits too long for its check is taken again by another process.
 */
async function* takeDueBudgets(db: Transactional): AsyncGenerator<{ budget: Taken; credits: readonly string[] }> {
  const catalog = catalogOnce(db);
  let startedAt: string | undefined;
  for (;;) {
    const budget = await takeBudget(db, startedAt);
    if (budget === undefined) return;
    startedAt ??= budget.takenAt;
    yield { budget, credits: creditDimensions(await catalog()) };
  }
}

/** @param startedAt the time by which a budget has to be due; by default, now. */
async function takeBudget(db: Transactional, startedAt: string | undefined): Promise<Taken | undefined> {
  const due = startedAt === undefined ? Prisma.sql`now()` : Prisma.sql`${startedAt}::text::timestamptz`;
  const row = await findJson<Omit<Taken, 'amount'> & { amount: string }>(
    db,
    Prisma.sql`
      WITH due AS (
        SELECT "id" FROM "budget"
        WHERE "looked_at" IS NULL OR "looked_at" < ${due} - ${`${everySeconds} seconds`}::text::interval
        ORDER BY "looked_at" NULLS FIRST LIMIT 1 FOR UPDATE SKIP LOCKED),
      taken AS (
        UPDATE "budget" AS b SET "looked_at" = now(), "looks" = b."looks" + 1 FROM due WHERE b."id" = due."id"
        RETURNING b.*)
      SELECT json_build_object('id', "id", 'accountId', "account_id", 'name', "name",
        'amount', "amount"::text, 'period', "period", 'days', "days", 'filters', "filters", 'thresholds', "thresholds", 'action', "action",
        'version', "version", 'looks', "looks"::text, 'madeHour', floor(extract(epoch FROM "created_at") / 3600)::int,
        'nowHour', floor(extract(epoch FROM now()) / 3600)::int, 'takenAt', now()::text)::text FROM taken`,
  );
  return row && { ...row, amount: BigInt(row.amount), ...storedTerms.parse(row) };
}

async function lookAt(
  db: Transactional,
  memory: UsageMemory,
  budget: Taken,
  credits: readonly string[],
  now: () => Date,
): Promise<void> {
  const costs = await readBudgetCosts(db, memory, budget, credits, now);
  const crossings = crossingsOf(budget, costs);
  const current = costs.at(-1);
  await db.$begin(async (tx) => {
    const notifications = await readJson<{ period: string; measure: string; percent: number; now: string }[]>(
      tx,
      tellStatement(budget, crossings, current?.actual ?? 0n, current?.forecast ?? 0n),
    );
    const fresh = crossings.filter(({ period, measure, percent }) =>
      notifications.some((each) => each.period === period && each.measure === measure && each.percent === percent),
    );
    const [first] = notifications;
    if (first === undefined) return;
    const changes = fresh.map((crossing) => crossed(budget, crossing));
    await recordAsSystem(tx, { accountId: budget.accountId, workspaceId: null }, new Date(first.now), changes);
  });
}

/**
 * SQL that stores a check's result and returns the crossings to notify. Does nothing if the budget was updated meanwhile,
 * or if the result of a later check is stored: a check that takes long can be overtaken. A rolling budget's threshold that
 * is no longer crossed can be crossed again. The first check after an update notifies no crossings of months before the
 * update, whose thresholds were notified with the earlier terms.
 */
function tellStatement(budget: Taken, crossings: readonly Crossing[], actual: bigint, forecast: bigint): Prisma.Sql {
  const rows = crossings.map(({ period, measure, percent, cost }) => ({
    period,
    measure,
    percent,
    cost: decimal(cost),
  }));
  return Prisma.sql`
    WITH locked AS MATERIALIZED (
      SELECT "id", "version", "period", CASE WHEN "stored_look" = ${updatedLook}::int AND "period" = 'monthly'
        THEN to_char("updated_at" AT TIME ZONE 'UTC', 'YYYY-MM') ELSE '' END AS "toldFrom"
      FROM "budget"
      WHERE "id" = ${budget.id}::uuid AND "version" = ${budget.version}::int
        AND "stored_look" < ${budget.looks}::text::bigint
      FOR UPDATE),
    found AS MATERIALIZED (
      SELECT c.* FROM locked, json_to_recordset(${JSON.stringify(rows)}::text::json)
        AS c("period" text, "measure" text, "percent" int, "cost" bigint)),
    written AS (
      UPDATE "budget" SET "actual" = ${decimal(actual)}::text::bigint, "forecast" = ${decimal(forecast)}::text::bigint,
        "stored_look" = ${budget.looks}::text::bigint
      FROM locked WHERE "budget"."id" = locked."id"),
    over AS (
      DELETE FROM "budget_crossing" AS c USING locked
      WHERE c."budget_id" = locked."id" AND (c."version" < locked."version" OR locked."period" = 'rolling'
        AND (c."measure", c."percent") NOT IN (SELECT "measure", "percent" FROM found))),
    notified AS (
      INSERT INTO "budget_crossing" ("budget_id", "version", "period", "measure", "percent", "cost")
      SELECT locked."id", locked."version", found."period", found."measure", found."percent", found."cost" FROM locked, found
      ON CONFLICT DO NOTHING RETURNING "period", "measure", "percent", "crossed_at")
    SELECT coalesce(json_agg(json_build_object('period', n."period", 'measure', n."measure", 'percent', n."percent",
      'now', n."crossed_at")), '[]')::text FROM notified AS n, locked WHERE n."period" >= locked."toldFrom"`;
}

const keptMax = 2n ** 63n - 1n;

/**
 * Clamps an amount to the 64 bits of its column. A sum of many cells or a forecast can exceed them; the recorded change
 * has the exact amount.
 */
function decimal(nano: bigint): string {
  if (nano > keptMax) return keptMax.toString();
  return (nano < -keptMax ? -keptMax : nano).toString();
}

function crossed(budget: Taken, { period, measure, percent, cost }: Crossing): NewChange {
  const [spent, amount] = [usdText(cost), usdText(budget.amount)];
  const when = period === '' ? `the last ${budget.days ?? 0} days` : period;
  const reached = measure === 'actual' ? 'has reached' : 'is forecast to reach';
  return {
    kind: 'BUDGET',
    verb: 'threshold_reached',
    resourceId: budget.id,
    name: budget.name,
    version: budget.version,
    after: { period: when, measure, percent, cost: spent, amount, ...budget.filters },
    event: {
      type: 'budget',
      status: 'THRESHOLD_REACHED',
      message: `${budget.name} ${reached} ${spent} USD in ${when}, over ${percent}% of ${amount} USD.`,
    },
  };
}
