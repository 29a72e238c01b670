// Rolls up the waiting usage of all accounts, shared with other processes.
import { Prisma } from '../database/client/client.js';
import { readJson } from '../database/read-json.js';
import type { Statements } from '../database/transaction.js';
import { tryEach } from '../database/try-each.js';
import { arrayLiteral } from './sql-arrays.js';
import type { UsageMemory } from './usage-memory.js';
import { rollUpUsage } from './usage-rollup.js';

/**
 * The number of accounts rechecked at a time. Accounts that another process has rolled up meanwhile are skipped
 * cheaply.
 */
const recheckedMax = 100;

const message = (failed: number) => `the usage of ${failed} accounts cannot be rolled up`;

/**
 * Rolls up all waiting usage. The failure of one account does not stop the others.
 *
 * @throws {AggregateError} the failures, after all accounts were tried.
 */
export async function rollUpAllUsage(db: Statements, memory: UsageMemory, now: Date): Promise<void> {
  await tryEach((await waitingUsage(db)).accounts, (accountId) => rollUpUsage(db, memory, accountId, now), { message });
}

/**
 * Rolls up waiting usage together with other processes. Each process takes the accounts in random order and skips those
 * being rolled up elsewhere, so no process waits for another. Usage that arrives meanwhile waits for the next run.
 *
 * @param onWaiting called first with the number of waiting events.
 * @throws {AggregateError} the failures, after all accounts were tried.
 */
export async function rollUpShareOfUsage(
  db: Statements,
  memory: UsageMemory,
  now: Date,
  onWaiting: (events: number) => void = () => {},
): Promise<void> {
  const { accounts, events } = await waitingUsage(db);
  onWaiting(events);
  await tryEach(rechecked(db, shuffled(accounts)), (accountId) => rollUpUsage(db, memory, accountId, now, 'left'), {
    message,
  });
}

/** The accounts, without those whose usage was rolled up before it is their turn. */
async function* rechecked(db: Statements, accounts: readonly string[]): AsyncGenerator<string> {
  for (let from = 0; from < accounts.length; from += recheckedMax) {
    const chunk = accounts.slice(from, from + recheckedMax);
    yield* from === 0 ? chunk : await stillWaiting(db, chunk);
  }
}

async function waitingUsage(db: Statements): Promise<{ accounts: string[]; events: number }> {
  return readJson(
    db,
    Prisma.sql`
      SELECT json_build_object(
        'accounts', coalesce(json_agg(DISTINCT "account_id"), '[]'),
        'events', coalesce(sum("events"), 0))::text
      FROM "usage_batch" WHERE "rollup_id" IS NULL`,
  );
}

async function stillWaiting(db: Statements, accounts: readonly string[]): Promise<string[]> {
  const waiting = await readJson<string[]>(
    db,
    Prisma.sql`
      SELECT coalesce(json_agg(DISTINCT "account_id"), '[]')::text FROM "usage_batch"
      WHERE "account_id" = ANY(${arrayLiteral(accounts)}::text::uuid[]) AND "rollup_id" IS NULL`,
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
