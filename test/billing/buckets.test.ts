// The buckets of a window: where they start, that none is missing, and the events at both edges.
import { databaseOf } from '../../src/auth/context.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { rollUpUsage } from '../../src/metering/usage-rollup.js';
import { recordUsage } from '../../src/metering/usage.js';
import { useApp } from '../harness.js';
import { askMetrics, expectedBody, wordsOf } from './metrics-bodies.js';
import type { Words } from './metrics-bodies.js';
import { nanos } from './recount.js';
import type { PlainQuery } from './recount.js';
import { northwind, usageEvent } from '../metering/usage-samples.js';

type Resolution = PlainQuery['resolution'];

/** Windows that start and end within buckets, on their edges, and a nanosecond next to them. */
const windows: [Resolution, string, string][] = [
  ['hourly', '2026-11-02T09:59:59.999999999Z', '2026-11-02T12:00:00.000000001Z'],
  ['hourly', '2026-11-02T10:00:00Z', '2026-11-02T12:00:00Z'],
  ['hourly', '2026-11-02T10:15:00Z', '2026-11-02T10:45:00.500Z'],
  ['hourly', '2026-11-01T22:30:00Z', '2026-11-08T22:30:00Z'],
  ['daily', '2024-02-28T12:00:00Z', '2024-03-01T12:00:00Z'],
  ['daily', '2024-02-29T00:00:00Z', '2024-03-01T00:00:00Z'],
  ['daily', '2026-10-25T00:30:00Z', '2026-11-02T10:30:00.000000001Z'],
  ['weekly', '2024-12-25T00:00:00Z', '2025-01-08T06:00:00Z'],
  ['weekly', '2024-12-30T00:00:00Z', '2025-01-06T00:00:00Z'],
  ['weekly', '2024-12-29T23:59:59.999999999Z', '2025-01-06T00:00:00.000000001Z'],
  ['weekly', '2026-11-04T10:00:00.250Z', '2026-11-04T10:00:00.750Z'],
  ['monthly', '2024-01-31T23:59:59.999999999Z', '2024-03-01T00:00:00.000000001Z'],
  ['monthly', '2024-02-01T00:00:00Z', '2024-03-01T00:00:00Z'],
  ['monthly', '2023-12-15T12:34:56.789Z', '2026-11-20T11:22:33.444555666Z'],
];

/** One nanosecond before, at and after each edge; and within. */
const times = windows.flatMap(([, start, end]) => {
  const middle = (nanos(start) + nanos(end)) / 2n;
  return [...[start, end].flatMap((edge) => [-1n, 0n, 1n].map((step) => nanos(edge) + step)), middle];
});
const events = times.map((time, n) =>
  usageEvent(n, { time: textOf(time), cost: `${n}.${String(n).padStart(9, '0')}` }),
);

function textOf(time: bigint): string {
  const fraction = String(time % 1_000_000_000n).padStart(9, '0');
  return new Date(Number(time / 1_000_000n)).toISOString().replace(/\.\d+Z/, `.${fraction}Z`);
}

const running = useApp();
let who: { accountId: string; key: string };

beforeAll(async () => {
  const { ctx, ...rest } = await northwind(running.app);
  who = rest;
  const half = events.length / 2;
  await recordUsage(ctx, events.slice(0, half));
  await rollUpUsage(databaseOf(ctx), ctx.usageMemory, who.accountId, ctx.now());
  await recordUsage(ctx, events.slice(half));
});

const ask = async (words: Words) => (await askMetrics(running.app, who, words)).body;

describe('A window', () => {
  it.each(windows)('counts %s usage from %s inclusive to %s exclusive', async (...window) => {
    const [resolution, startTime, endTime] = window;
    for (const groupBy of [[], ['billing_dimension'], ['resource_uuid', 'billing_dimension']]) {
      const query = { resolution, startTime, endTime, groupBy, filters: {} };
      const expected = expectedBody(events, query);
      expect(await ask(wordsOf(query))).toEqual(expected);
    }
  });

  it.each([
    ['2026-11-02T11:00:00+01:00', '2026-11-02T10:00:00Z'],
    ['2026-11-02T04:15:00-05:45', '2026-11-02T10:00:00Z'],
    ['2026-11-02T10:00:00-00:00', '2026-11-02T10:00:00Z'],
    ['2026-11-02t10:00:00z', '2026-11-02T10:00:00Z'],
    ['2026-11-02T10:00:00.000Z', '2026-11-02T10:00:00Z'],
    ['2026-11-02T10:00:00.5Z', '2026-11-02T10:00:00.500Z'],
    ['2026-11-02T10:00:00.1234+00:00', '2026-11-02T10:00:00.123400Z'],
    ['2026-11-03T09:59:59.000000001+23:59', '2026-11-02T10:00:59.000000001Z'],
  ])('from %s is reported as starting at %s, and counts accordingly', async (startTime, told) => {
    const window = { endTime: '2026-11-02T12:00:00Z', resolution: 'hourly' } as const;
    const expected = expectedBody(events, { ...window, startTime: told, groupBy: [], filters: {} });
    expect(await ask({ ...window, startTime })).toEqual(expected);
  });
});

describe('Buckets', () => {
  const startsOf = async (words: Words) =>
    (await ask(words)).data[0].timeseries.map(({ timestamp }: { timestamp: string }) => timestamp);

  it.each<[Resolution, string, string, string[]]>([
    [
      'hourly',
      '2026-11-02T10:59:59.999999999Z',
      '2026-11-02T12:00:00Z',
      ['2026-11-02T10:00:00Z', '2026-11-02T11:00:00Z'],
    ],
    [
      'daily',
      '2024-02-28T23:00:00Z',
      '2024-03-01T00:00:00.000000001Z',
      ['2024-02-28T00:00:00Z', '2024-02-29T00:00:00Z', '2024-03-01T00:00:00Z'],
    ],
    ['daily', '2026-11-02T01:00:00+02:00', '2026-11-03T00:00:00Z', ['2026-11-01T00:00:00Z', '2026-11-02T00:00:00Z']],
    ['weekly', '2025-01-01T00:00:00Z', '2025-01-13T00:00:00Z', ['2024-12-30T00:00:00Z', '2025-01-06T00:00:00Z']],
    ['weekly', '2000-01-01T00:00:00Z', '2000-01-02T00:00:00Z', ['1999-12-27T00:00:00Z']],
    [
      'monthly',
      '2023-12-31T23:59:59Z',
      '2024-03-01T00:00:00Z',
      ['2023-12-01T00:00:00Z', '2024-01-01T00:00:00Z', '2024-02-01T00:00:00Z'],
    ],
  ])('%s from %s to %s start on the hour, day, Monday or first of the month', async (...asked) => {
    const [resolution, startTime, endTime, starts] = asked;
    expect(await startsOf({ resolution, startTime, endTime })).toEqual(starts);
  });

  it('cover the whole window in every entry, with 0 for empty buckets', async () => {
    const window = { startTime: '2026-11-01T22:30:00Z', endTime: '2026-11-08T22:30:00Z', resolution: 'hourly' };
    const { data } = await ask({ ...window, groupBy: 'resource_uuid,billing_dimension' });
    expect(data.length).toBeGreaterThan(3);
    const empty = { cost: 0, usage: 0 };
    for (const { timeseries } of data) {
      expect(timeseries).toHaveLength(7 * 24 + 1);
      expect(timeseries).toContainEqual({ timestamp: '2026-11-07T00:00:00Z', ...empty });
    }
  });
});
