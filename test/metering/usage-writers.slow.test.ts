// Many concurrent writers of the same series, hours and identities, during rollups and reads.
import { databaseOf } from '../../src/auth/context.js';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ServiceContext } from '../../src/http/open-context.js';
import { createRandom } from '../../src/demo/random.js';
import { rollUpAllUsage, rollUpShareOfUsage } from '../../src/metering/roll-up-all-usage.js';
import { recordUsage } from '../../src/metering/usage.js';
import { useApp } from '../harness.js';
import type { PlainEvent } from '../billing/recount.js';
import { northwind, sumsExpected, sumsOf, usageEvent } from './usage-samples.js';

const running = useApp({ DATABASE_POOL_SIZE: '10' });
let ctx: ServiceContext;
let accountId: string;

beforeAll(async () => {
  ({ ctx, accountId } = await northwind(running.app));
});

const writers = 8;
const rounds = 25;
const eventsPerBatch = 60;
const eventsCount = 1_000;

function eventOf(n: number): PlainEvent {
  return usageEvent(n, { resourceName: `sandbox-${n % 97}`, resourceUuid: `i-${n % 389}` });
}

describe('Concurrent writers of the same usage', () => {
  it('never deadlock, and have each event counted once', async () => {
    const accepted = new Map<string, PlainEvent>();
    const writing = new AbortController();
    const write = async (writer: number) => {
      const random = createRandom(`writer ${writer}`);
      for (let round = 0; round < rounds; round++) {
        const batch = Array.from({ length: eventsPerBatch }, () => eventOf(random.below(eventsCount)));
        const results = await recordUsage(ctx, batch);
        for (const [index, event] of batch.entries()) {
          const outcome = results[index]?.outcome;
          expect(['accepted', 'duplicate']).toContain(outcome);
          if (outcome !== 'accepted') continue;
          expect(accepted.has(event.id)).toBe(false);
          accepted.set(event.id, event);
        }
      }
    };
    const rollUp = async (rollups: typeof rollUpAllUsage) => {
      while (!writing.signal.aborted) await rollups(databaseOf(ctx), ctx.usageMemory, ctx.now());
    };
    const read = async () => {
      while (!writing.signal.aborted) {
        const [known] = sumsExpected(accepted.values());
        const sums = await sumsOf(ctx, accountId);
        expect(sums.every(({ cost }) => cost >= (known?.cost ?? 0n))).toBe(true);
      }
    };
    const others = [rollUp(rollUpAllUsage), rollUp(rollUpShareOfUsage), rollUp(rollUpShareOfUsage), read(), read()];
    await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer))).finally(() => writing.abort());
    await Promise.all(others);
    expect(accepted.size).toBeGreaterThan(990);
    expect(await sumsOf(ctx, accountId)).toEqual(sumsExpected(accepted.values()));
  });
});
