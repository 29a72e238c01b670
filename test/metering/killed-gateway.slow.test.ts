// A gateway that is killed while it receives usage has recorded every acknowledged batch, and other batches completely
// or not at all. Sending everything again counts each event once.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';
import { databaseOf } from '../../src/auth/context.js';
import { freshDatabase, withDatabase } from '../harness.js';
import { programWords } from '../program-flags.js';
import { batchOf, writers } from './killed-usage-batches.js';
import { linesOf } from './usage-http.js';
import { contextOf } from './usage-mixture.js';
import { northwind, sumsExpected, sumsOf } from './usage-samples.js';

/** Sends a batch, every other one as a stream; throws when there is no answer. */
async function send(origin: string, key: string, number: number): Promise<void> {
  const isStream = number % 2 === 0;
  const response = await fetch(`${origin}/v0/usage/events`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': isStream ? 'application/x-ndjson' : 'application/json',
    },
    body: isStream ? linesOf(batchOf(number)) : JSON.stringify(batchOf(number)),
  });
  if (response.status !== 200) throw new Error(`${response.status}`);
  await response.json();
}

/**
 * Several writers send to a gateway until it is killed. @returns the acknowledged batches, and the number of sent ones
 */
async function sendUntilKilled(settings: Record<string, string>, key: string, statements: number, first: number) {
  const child = spawn(process.execPath, [...programWords('metering/killed-gateway'), key, String(statements)], {
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const closed = once(child, 'close');
  const [port] = await once(createInterface(child.stdout), 'line');
  const answered: number[] = [];
  let next = first;
  const write = async (): Promise<void> => {
    for (;;) {
      const number = next++;
      await send(`http://127.0.0.1:${port}`, key, number);
      answered.push(number);
    }
  };
  await Promise.allSettled(Array.from({ length: writers }, write));
  await closed;
  return { answered, next };
}

describe('Usage that is sent to a killed gateway', () => {
  it(
    'is recorded once for each acknowledged batch, and other batches completely or not at all',
    { timeout: 120_000 },
    async () => {
      const { settings, remove } = await freshDatabase();
      const { key, accountId } = await withDatabase(settings, northwind);
      let first = 1;
      for (const statements of [25, 60, 121]) {
        const { answered, next } = await sendUntilKilled(settings, key, statements, first);
        expect(answered.length).toBeGreaterThan(0);
        await withDatabase(settings, async (app) => {
          const ctx = await contextOf(app, key);
          const rows = await (await databaseOf(ctx).$prisma()).usageEvent.findMany({ select: { id: true } });
          const ids = new Set(rows.map(({ id }) => id));
          for (let number = first; number < next; number++) {
            const distinct = [...new Set(batchOf(number).map(({ id }) => id))];
            const found = distinct.filter((id) => ids.has(id)).length;
            expect(answered.includes(number) ? [distinct.length] : [0, distinct.length]).toContain(found);
          }
        });
        first = next;
      }
      await withDatabase(settings, async (app) => {
        const numbers = Array.from({ length: first - 1 }, (_, n) => n + 1);
        for (const number of numbers) await send(app.origin, key, number);
        const distinct = numbers.flatMap((number) => [
          ...new Map(
            batchOf(number)
              .toReversed()
              .map((event) => [event.id, event]),
          ).values(),
        ]);
        expect(await sumsOf(await contextOf(app, key), accountId)).toEqual(sumsExpected(distinct));
      });
      await remove();
    },
  );
});
