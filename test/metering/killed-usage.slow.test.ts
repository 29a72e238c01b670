// A process that is killed while it records and rolls up usage loses nothing that it had said was accepted, has nothing twice,
// and no part of a batch: whatever there is, every answer is a recount of it.
import { databaseOf } from '../../src/auth/context.js';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ServiceContext } from '../../src/http/open-context.js';
import { openContext } from '../../src/http/open-context.js';
import { recordUsage } from '../../src/metering/usage.js';
import { freshDatabase, withDatabase } from '../harness.js';
import { programWords } from '../program-flags.js';
import { batchOf, writers } from './killed-usage-batches.js';
import type { PlainEvent } from '../billing/recount.js';
import { northwind, sumsExpected, sumsOf } from './usage-samples.js';

/** When to kill: before so many statements, or so long after so many batches. */
type Kill = { statement: number } | { batches: number; afterMs: number };

const kills: Kill[] = [
  ...Array.from({ length: 8 }, (_, statement) => ({ statement })),
  { statement: 23 },
  { batches: 1, afterMs: 0 },
  { batches: 20, afterMs: 7 },
  { batches: 60, afterMs: 11 },
];

/** The batches that it said were recorded, until it died. */
async function runUntilKilled(settings: Record<string, string>, words: string[], kill: Kill): Promise<number[]> {
  const statement = 'statement' in kill ? [String(kill.statement)] : [];
  const child = spawn(process.execPath, [...programWords('metering/killed-usage'), ...words, ...statement], {
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const end = () => child.kill('SIGKILL');
  // It would go on for ever, should the test be over before it.
  onTestFinished(() => void end());
  const closed = once(child, 'close');
  const told: number[] = [];
  let isKilled = false;
  for await (const line of createInterface(child.stdout)) {
    if (line !== 'ready') told.push(Number(line));
    if (!('batches' in kill) || told.length < kill.batches || isKilled) continue;
    isKilled = true;
    await setTimeout(kill.afterMs);
    end();
  }
  await closed;
  return told;
}

/** The expected events of some batches: each event as it was first accepted. */
async function storedOf(ctx: ServiceContext, batches: number[]): Promise<Map<number, PlainEvent[]>> {
  const rows = await (await databaseOf(ctx).$prisma()).usageEvent.findMany({ select: { id: true } });
  const ids = new Set(rows.map(({ id }) => id));
  return new Map(batches.map((number) => [number, distinct(batchOf(number)).filter(({ id }) => ids.has(id))]));
}

function distinct(batch: PlainEvent[]): PlainEvent[] {
  return batch.filter(({ id }, index) => batch.findIndex((event) => event.id === id) === index);
}

describe('Usage that is recorded and rolled up by killed processes', () => {
  it(
    'is recorded once for each acknowledged batch, and other batches completely or not at all',
    {
      timeout: 900_000,
    },
    async () => {
      const { settings, remove } = await freshDatabase();
      const { key } = await withDatabase(settings, async (app) => {
        const { key: made, ctx } = await northwind(app);
        await recordUsage(ctx, batchOf(0));
        return { key: made };
      });
      const tried = [0];
      for (const kill of kills) {
        const first = Math.max(...tried) + 1;
        const told = await runUntilKilled(settings, [key, String(first)], kill);
        const last = Math.max(first, ...told) + writers;
        for (let number = first; number <= last; number++) tried.push(number);
        await withDatabase(settings, async (app) => {
          const ctx = await openContext(app.services, { authorization: `Bearer ${key}` }, 'test');
          const stored = await storedOf(ctx, tried);
          const sums = await sumsOf(ctx, [...ctx.caller.accounts][0]?.id ?? '');
          expect({ kill, sums }).toEqual({ kill, sums: sumsExpected([...stored.values()].flat()) });
          for (const [number, events] of stored) {
            const whole = distinct(batchOf(number)).length;
            expect(told.includes(number) ? [whole] : [0, whole]).toContain(events.length);
          }
        });
      }
      await withDatabase(settings, async (app) => {
        const ctx = await openContext(app.services, { authorization: `Bearer ${key}` }, 'test');
        for (const number of tried) await recordUsage(ctx, batchOf(number));
        const all = tried.flatMap((number) => distinct(batchOf(number)));
        expect(await sumsOf(ctx, [...ctx.caller.accounts][0]?.id ?? '')).toEqual(sumsExpected(all));
      });
      await remove();
    },
  );
});
