// Reads usage including everything that has arrived: waiting batches are first rolled up on the primary.
import { setTimeout } from 'node:timers/promises';
import type { Prisma } from '../database/client/client.js';
import { readJson } from '../database/read-json.js';
import type { Statements } from '../database/transaction.js';
import type { Reads } from '../database/reads.js';
import type { Authorized } from '../auth/authorize.js';
import type { UsageContext, UsageMemory } from '../metering/usage-memory.js';
import { rollUpUsage } from '../metering/usage-rollup.js';
import { snapshotStatement } from './snapshot-statement.js';
import type { UsageSnapshot } from './snapshot-statement.js';

/** The primary, where usage is rolled up, and the database to read from. */
export interface UsageSources {
  db: Statements;
  reads: Reads;
  usageMemory: UsageMemory;
}

/** The sources of an authorized request. */
export function usageSources({ usageMemory }: UsageContext, { db, reads }: Authorized): UsageSources {
  return { db, reads, usageMemory };
}

/** The pauses before each retry while a replica lags behind (ms). */
const pausesMs = [0, 5, 20, 50];

/** Runs a statement about the present. If usage is waiting, rolls it up and runs the statement again. */
export async function readPresent<Read extends Pick<UsageSnapshot, 'waits'>>(
  { db, reads, usageMemory }: UsageSources,
  accountId: string,
  statement: Prisma.Sql,
  now: () => Date,
): Promise<Read> {
  const read = async (): Promise<Read> => readJson(reads, statement);
  const first = await read();
  if (!first.waits) return first;
  await rollUpUsage(db, usageMemory, accountId, now());
  if (reads.isOfReplica) {
    const { rollup } = await readJson<UsageSnapshot>(db, snapshotStatement(accountId));
    await waitForRollup(reads, accountId, rollup);
  }
  return read();
}

/** Waits for a replica to reach a rollup. If it does not soon, switches to the primary. */
export async function waitForRollup(reads: Reads, accountId: string, rollup: string): Promise<void> {
  await waitUntil(reads, async () => {
    const snapshot = await readJson<UsageSnapshot>(reads, snapshotStatement(accountId));
    return BigInt(snapshot.rollup) >= BigInt(rollup);
  });
}

/** Waits for a replica to have what a read needs. If it does not soon, switches to the primary. */
export async function waitUntil(reads: Reads, isReached: () => Promise<boolean>): Promise<void> {
  for (const pauseMs of pausesMs) {
    if (!reads.isOfReplica) return;
    if (pauseMs > 0) await setTimeout(pauseMs);
    if (await isReached()) return;
  }
  reads.turnToPrimary();
}
