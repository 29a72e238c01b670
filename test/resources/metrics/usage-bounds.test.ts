// However much is recorded, what was accepted can be added up.
import { beforeAll, describe, expect, it } from 'vitest';
import type { RequestContext } from '../../../src/context.js';
import { recordUsage } from '../../../src/resources/metrics/usage.js';
import type { UsageResult } from '../../../src/resources/metrics/usage-result.js';
import { useApp } from '../../harness.js';
import { northwind, sumsExpected, sumsOf, usageEvent } from './usage-samples.js';

const running = useApp();
let ctx: RequestContext;
let accountId: string;

beforeAll(async () => {
  ({ ctx, accountId } = await northwind(running.app));
});

const outcomes = (results: UsageResult[]) => results.map(({ outcome }) => outcome);

describe('Events that are all as great as one may be', () => {
  const events = Array.from({ length: 10_000 }, (_, n) =>
    usageEvent(n, { cost: '1000000', usage: '1000000000', time: '2026-11-01T00:00:00Z' }),
  );

  it('are taken up to what can be kept exactly, and refused by field and rule from there on', async () => {
    const results = await recordUsage(ctx, events);
    const taken = events.filter((_, n) => results[n]?.outcome === 'accepted');
    expect(taken.length).toBeGreaterThan(4_000);
    expect(taken.length).toBeLessThan(4_612);
    const refused = results.filter(({ outcome }) => outcome !== 'accepted');
    expect(new Set(refused.map((result) => JSON.stringify(result)))).toEqual(
      new Set([
        JSON.stringify({
          outcome: 'invalid',
          field: 'cost',
          message: 'cost would bring a sum of the account over 4611686018, the most that is kept',
        }),
      ]),
    );
    expect(await sumsOf(ctx, accountId)).toEqual(sumsExpected(taken));

    const again = await recordUsage(ctx, events);
    expect(outcomes(again)).toEqual(outcomes(results).map((each) => (each === 'accepted' ? 'duplicate' : each)));
    const other = await recordUsage(ctx, [usageEvent(10_001, { cost: '0', usage: '1' })]);
    expect(outcomes(other)).toEqual(['accepted']);
  });

  it('are refused at once by who sends them at once', async () => {
    const writers = Array.from({ length: 8 }, (_, writer) =>
      events.map((event) => ({ ...event, source: `${writer}` })),
    );
    const results = await Promise.all(writers.map((own) => recordUsage(ctx, own.slice(0, 600))));
    expect(await sumsOf(ctx, accountId)).toHaveLength(4);
    expect(outcomes(results.flat())).toContain('invalid');
  });
});
