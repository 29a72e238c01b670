// For any amount of usage, accepted events can be summed up.
import { beforeAll, describe, expect, it } from 'vitest';
import type { ServiceContext } from '../../src/http/open-context.js';
import { recordUsage } from '../../src/metering/usage.js';
import type { UsageResult } from '../../src/metering/usage-result.js';
import { useApp } from '../harness.js';
import { northwind, sumsExpected, sumsOf, usageEvent } from './usage-samples.js';

const running = useApp();
let ctx: ServiceContext;
let accountId: string;

beforeAll(async () => {
  ({ ctx, accountId } = await northwind(running.app));
});

const outcomes = (results: UsageResult[]) => results.map(({ outcome }) => outcome);

describe('Events with the maximum amounts', () => {
  const events = Array.from({ length: 10_000 }, (_, n) =>
    usageEvent(n, { cost: '1000000', usage: '1000000000', time: '2026-11-01T00:00:00Z' }),
  );

  it('are accepted up to the exact capacity, and rejected with field and rule above it', async () => {
    const results = await recordUsage(ctx, events);
    expect(outcomes(results)).toEqual(events.map((_, n) => (n < 4_611 ? 'accepted' : 'invalid')));
    expect(new Set(results.slice(4_611).map((result) => JSON.stringify(result)))).toEqual(
      new Set([
        JSON.stringify({
          outcome: 'invalid',
          field: 'cost',
          message: 'cost is too large: a total of the account would exceed 4611686018',
        }),
      ]),
    );
    const taken = events.slice(0, 4_611);
    expect(await sumsOf(ctx, accountId)).toEqual(sumsExpected(taken));

    const again = await recordUsage(ctx, events);
    expect(outcomes(again)).toEqual(outcomes(results).map((each) => (each === 'accepted' ? 'duplicate' : each)));
    const limit = (2n ** 62n - 4_611n * 10n ** 15n).toString().padStart(10, '0');
    const rest = `${limit.slice(0, -9)}.${limit.slice(-9)}`;
    const beside = [
      // A rejected event does not block later ones.
      usageEvent(10_001, { cost: '1000000', usage: '0', time: '2026-11-01T00:00:00Z' }),
      usageEvent(10_002, { cost: rest, usage: '0', time: '2026-11-01T00:00:00Z' }),
      usageEvent(10_003, { cost: '0.000000001', usage: '0', time: '2026-11-01T00:00:00Z' }),
      // A full sum does not block other sums.
      usageEvent(10_004, { cost: '1000000', usage: '1000000000', time: '2026-01-01T00:00:00Z' }),
      usageEvent(10_005, { cost: '1000000', usage: '0', billingDimension: 'sandbox_image_storage_gbs' }),
      usageEvent(10_001, { cost: '1000000', usage: '0', time: '2026-11-01T00:00:00Z' }),
      usageEvent(10_002, { cost: rest, usage: '0', time: '2026-11-01T00:00:00Z' }),
      usageEvent(0, { cost: '1', time: '2026-11-01T00:00:00Z' }),
    ];
    const expected = ['invalid', 'accepted', 'invalid', 'accepted', 'accepted', 'invalid', 'duplicate', 'conflict'];
    expect(outcomes(await recordUsage(ctx, beside))).toEqual(expected);
    const counted = [...taken, ...beside.filter((_, n) => expected[n] === 'accepted')];
    expect(await sumsOf(ctx, accountId)).toEqual(sumsExpected(counted));
  });

  it('are rejected in concurrent requests, too', async () => {
    const writers = Array.from({ length: 8 }, (_, writer) =>
      events.map((event) => ({ ...event, source: `${writer}` })),
    );
    const results = await Promise.all(writers.map((own) => recordUsage(ctx, own.slice(0, 600))));
    expect(await sumsOf(ctx, accountId)).toHaveLength(4);
    expect(outcomes(results.flat())).toContain('invalid');
  });
});
