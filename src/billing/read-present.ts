// Reads of usage that hold everything that has arrived: what waits is folded first, by the primary.
import { setTimeout } from 'node:timers/promises';
import type { Prisma } from '../database/client/client.js';
import type { Statements } from '../database/open.js';
import type { Reads } from '../database/reads.js';
import { foldUsage } from '../metering/usage-fold.js';
import { momentStatement } from './moment-statement.js';
import type { Moment } from './moment-statement.js';

/** Where usage is folded, and where it is read. */
export interface UsageSources {
  db: Statements;
  reads: Reads;
}

/** How long a replica is waited for that has not come to a fold, each time. */
const pausesMs = [0, 5, 20, 50];

/** One statement about the present. When usage waits it is folded, and the statement runs again. */
export async function readPresent<Read extends Pick<Moment, 'waits'>>(
  { db, reads }: UsageSources,
  accountId: string,
  statement: Prisma.Sql,
  now: () => Date,
): Promise<Read> {
  const read = async (): Promise<Read> => JSON.parse(await reads.$text(statement));
  const first = await read();
  if (!first.waits) return first;
  await foldUsage(db, accountId, now());
  if (reads.isOfReplica) {
    const { fold }: Moment = JSON.parse(await db.$text(momentStatement(accountId)));
    await reachFold(reads, accountId, fold);
  }
  return read();
}

/** Turns to the primary where a replica has not come to a fold, and does not soon. */
export async function reachFold(reads: Reads, accountId: string, fold: string): Promise<void> {
  for (const pauseMs of pausesMs) {
    if (!reads.isOfReplica) return;
    if (pauseMs > 0) await setTimeout(pauseMs);
    const moment: Moment = JSON.parse(await reads.$text(momentStatement(accountId)));
    if (BigInt(moment.fold) >= BigInt(fold)) return;
  }
  reads.turnToPrimary();
}
