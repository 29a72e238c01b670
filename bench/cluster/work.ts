// What each set-up is given to do: usage that comes in and is rolled up, and questions about it.
import { Agent } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { get } from '../metrics/get.js';
import { withClient } from '../metrics/databases.js';
import { eventsOf } from '../metrics/ingestion-data.js';
import { pathOf } from '../metrics/queries.js';
import type { BenchQuery } from '../metrics/queries.js';
import { bodyOf, rateOf, sendUsage } from '../metrics/usage-requests.js';
import { accounts } from './set-ups.js';
import type { SetUp } from './set-ups.js';

/** Writers and askers, dealt out to the gateways. */
export const clients = 12;

const agent = new Agent({ keepAlive: true });
const rolledUp = { everyMs: 20, msMax: 120_000 };

interface Batch {
  /** The account, by its place among all. */
  of: number;
  body: string;
  length: number;
}

/** Made before anything is measured, batches of each account in turn. */
export function batchesOf(size: number, count: number): Batch[] {
  return Array.from({ length: count }, (_, n) => {
    const of = n % accounts.length;
    const account = accounts[of];
    if (account === undefined) throw new Error('there is no account');
    return { of, body: bodyOf('ndjson', eventsOf(account, size)), length: size };
  });
}

/** Sends batches by writers. @returns events a second until all have come in. */
export async function ingest(setUp: SetUp, batches: readonly Batch[]): Promise<number> {
  return rateOf(batches, clients, ({ of, body, length }, _, writer) =>
    sendUsage({
      way: 'ndjson',
      origin: originOf(setUp, writer),
      agent,
      key: setUp.keys[of] ?? '',
      body,
      events: length,
    }),
  );
}

/** The same, until gateways have rolled up all of it, as they do each second. */
export async function ingestAndRollUp(setUp: SetUp, batches: readonly Batch[]): Promise<number> {
  const startedMs = performance.now();
  await ingest(setUp, batches);
  await untilRolledUp(setUp);
  const events = batches.reduce((sum, { length }) => sum + length, 0);
  return (events * 1_000) / (performance.now() - startedMs);
}

export async function untilRolledUp({ url }: SetUp): Promise<void> {
  await withClient(url, async (client) => {
    for (
      const startedMs = performance.now();
      performance.now() - startedMs < rolledUp.msMax;
      await setTimeout(rolledUp.everyMs)
    ) {
      const { rowCount } = await client.query('SELECT FROM usage_batch WHERE rollup_id IS NULL LIMIT 1');
      if (rowCount === 0) return;
    }
    throw new Error(`not rolled up after ${rolledUp.msMax} ms`);
  });
}

const lastHour = Date.UTC(2026, 10, 20, 12) / 3_600_000;
const day = { from: lastHour - 24, to: lastHour, resolution: 'hourly' } as const;
const month = { from: lastHour - 30 * 24, to: lastHour, resolution: 'daily' } as const;

const questions: BenchQuery[] = [
  { name: 'day, no groups', ...day, groupBy: [] },
  { name: 'day, by billing dimension', ...day, groupBy: ['billing_dimension'] },
  { name: 'month, by three dimensions', ...month, groupBy: ['workspace', 'resource_type', 'billing_dimension'] },
  { name: 'month, by resource', ...month, groupBy: ['resource_uuid'] },
];

/** Asks all questions of each account in turn. @returns answers a second. */
export async function ask(setUp: SetUp, count: number): Promise<number> {
  const asked = Array.from({ length: count }, (_, n) => ({
    question: questions[n % questions.length],
    of: Math.floor(n / questions.length) % accounts.length,
    length: 1,
  }));
  return rateOf(asked, clients, async ({ question, of }, _, client) => {
    const account = accounts[of];
    if (question === undefined || account === undefined) throw new Error('there is no question');
    await get(agent, originOf(setUp, client), pathOf(question, account.id), setUp.keys[of] ?? '');
  });
}

function originOf({ gateways }: SetUp, client: number): string {
  return gateways[client % gateways.length]?.origin ?? '';
}
