// Folds what waits of every account: all of it, or this process's share of it beside others that do the same.
import { Prisma } from '../database/client/client.js';
import type { Statements } from '../database/open.js';
import { arrayLiteral } from './sql-arrays.js';
import { foldUsage } from './usage-fold.js';

/** Of so many accounts at a time it is asked whether they wait still: what others folded since costs next to nothing. */
const askedMax = 100;

/**
 * Folds all that waits of every account. One that fails keeps none of the others waiting.
 *
 * @throws {AggregateError} the failures, when all the others are done.
 */
export async function foldAllUsage(db: Statements, now: Date): Promise<void> {
  const failures: unknown[] = [];
  for (const accountId of (await waitingUsage(db)).accounts) {
    await foldUsage(db, accountId, now).catch((error) => failures.push(error));
  }
  tellFailures(failures);
}

/**
 * Folds what waits beside other processes that do the same. Each takes the accounts in an order of its own and leaves one
 * that is being folded to whoever is at it, so that none waits for another, and all of them together fold all. What arrives
 * meanwhile, and what waits of an account that was left, is for the next time.
 *
 * @param onWaiting told how many events wait before anything is folded.
 * @throws {AggregateError} the failures, when all the others are done.
 */
export async function foldShareOfUsage(
  db: Statements,
  now: Date,
  onWaiting: (events: number) => void = () => {},
): Promise<void> {
  const { accounts, events } = await waitingUsage(db);
  onWaiting(events);
  const inOwnOrder = shuffled(accounts);
  const failures: unknown[] = [];
  for (let from = 0; from < inOwnOrder.length; from += askedMax) {
    const asked = inOwnOrder.slice(from, from + askedMax);
    for (const accountId of from === 0 ? asked : await stillWaiting(db, asked)) {
      await foldUsage(db, accountId, now, 'left').catch((error) => failures.push(error));
    }
  }
  tellFailures(failures);
}

async function waitingUsage(db: Statements): Promise<{ accounts: string[]; events: number }> {
  return JSON.parse(
    await db.$text(Prisma.sql`
      SELECT json_build_object(
        'accounts', coalesce(json_agg(DISTINCT "account_id"), '[]'),
        'events', coalesce(sum("events"), 0))::text
      FROM "usage_batch" WHERE "fold_id" IS NULL`),
  );
}

async function stillWaiting(db: Statements, accounts: readonly string[]): Promise<string[]> {
  const waiting: string[] = JSON.parse(
    await db.$text(Prisma.sql`
      SELECT coalesce(json_agg(DISTINCT "account_id"), '[]')::text FROM "usage_batch"
      WHERE "account_id" = ANY(${arrayLiteral(accounts)}::text::uuid[]) AND "fold_id" IS NULL`),
  );
  const known = new Set(waiting);
  return accounts.filter((accountId) => known.has(accountId));
}

function shuffled(accounts: readonly string[]): string[] {
  return accounts
    .map((accountId) => ({ accountId, place: Math.random() }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ accountId }) => accountId);
}

function tellFailures(failures: readonly unknown[]): void {
  if (failures.length > 0) throw new AggregateError(failures, `the usage of ${failures.length} accounts does not fold`);
}
