// Buckets of a time zone equal a recount by the local time of each event.
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { databaseOf } from '../../src/auth/context.js';
import type { ServiceContext } from '../../src/http/open-context.js';
import { askedInRest } from '../../src/billing/metrics-query.js';
import { getMetrics } from '../../src/billing/metrics.js';
import { bucketTimes } from '../../src/billing/report.js';
import { recordUsage } from '../../src/metering/usage.js';
import { rollUpUsage } from '../../src/metering/usage-rollup.js';
import { useApp } from '../harness.js';
import { northwind, usageEvent } from '../metering/usage-samples.js';
import { nanos, units } from './recount.js';
import type { PlainEvent } from './recount.js';

/** Zones of odd offsets, of changes by half an hour and at midnight, of a day that never was; with times of such changes. */
const changes = {
  'America/New_York': ['2026-03-08T07:00:00Z', '2026-11-01T06:00:00Z'],
  'Europe/London': ['2026-03-29T01:00:00Z', '2026-10-25T01:00:00Z'],
  'Australia/Lord_Howe': ['2026-04-04T15:00:00Z', '2026-10-03T15:30:00Z'],
  'America/Sao_Paulo': ['2018-11-04T03:00:00Z', '2019-02-17T02:00:00Z'],
  'America/Havana': ['2026-03-08T05:00:00Z', '2026-11-01T05:00:00Z'],
  'Pacific/Apia': ['2011-12-30T10:00:00Z'],
  'Pacific/Chatham': ['2026-04-04T14:00:00Z', '2026-09-26T14:00:00Z'],
  'America/Caracas': ['2016-05-01T07:00:00Z', '2007-12-09T07:00:00Z'],
  'Asia/Pyongyang': ['2015-08-14T15:00:00Z', '2018-05-04T15:00:00Z'],
  'Asia/Kathmandu': ['2026-02-28T18:15:00Z'],
  'Asia/Kolkata': ['2025-12-31T18:30:00Z'],
} as const satisfies Record<string, string[]>;

type Zone = keyof typeof changes;

const zones = Object.keys(changes).filter((name): name is Zone => name in changes);

/** Around the changes, to a nanosecond, and anywhere in the weeks about them. */
const eventTimes = fc
  .record({
    zone: fc.constantFrom(...zones),
    pick: fc.nat(1),
    seconds: fc.oneof(
      fc.constantFrom(-86_400, -3600, -1800, 0, 1800, 3600, 86_400),
      fc.integer({ min: -86_400, max: 86_400 }),
      fc.integer({ min: -40 * 86_400, max: 40 * 86_400 }),
    ),
    nano: fc.constantFrom('', '.000000001', '.999999999'),
  })
  .map(({ zone, pick, seconds, nano }) => {
    const at = changes[zone].at(pick % changes[zone].length) ?? '';
    return `${new Date(Date.parse(at) + seconds * 1000).toISOString().slice(0, 19)}${nano}Z`;
  });

const events: PlainEvent[] = fc
  .sample(eventTimes, { seed: 5, numRuns: 700 })
  .map((time, n) => usageEvent(n, { time, cost: `${n}.${String(n).padStart(9, '0')}` }));

const resolutions = ['hourly', 'daily', 'weekly', 'monthly'] as const;

type Resolution = (typeof resolutions)[number];

const longest: Record<Resolution, number> = { hourly: 4, daily: 60, weekly: 80, monthly: 120 };

const question = fc
  .record({
    zone: fc.constantFrom(...zones),
    other: fc.constantFrom(...zones),
    pick: fc.nat(1),
    resolution: fc.constantFrom(...resolutions),
    length: fc.double({ min: 0.001, max: 1, noNaN: true }),
    before: fc.double({ min: 0, max: 1, noNaN: true }),
    step: fc.constantFrom(1, 1000, 1_800_000, 3_600_000),
    groupBy: fc.constantFrom(undefined, 'resource_type', 'resource_uuid', 'resource_uuid,billing_dimension'),
  })
  .map(({ zone, other, pick, resolution, length, before, step, groupBy }) => {
    const at = Date.parse(changes[other].at(pick % changes[other].length) ?? '');
    const ms = Math.ceil((length * longest[resolution] * 86_400_000) / step) * step;
    const start = Math.floor((at - before * ms) / step) * step;
    return {
      startTime: new Date(start).toISOString(),
      endTime: new Date(start + ms).toISOString(),
      resolution,
      timeZone: zone,
      groupBy,
    };
  });

type Question = typeof question extends fc.Arbitrary<infer Asked> ? Asked : never;

const clocks = new Map<string, Intl.DateTimeFormat>();

/** The hour, day, week or month that the clocks show, in words. */
function shownAt(ms: number, { timeZone, resolution }: Pick<Question, 'timeZone' | 'resolution'>): string {
  const parts = partsAt(ms, timeZone);
  const date = `${parts['year']}-${parts['month']}-${parts['day']}`;
  if (resolution === 'hourly') return `${date}T${parts['hour']} ${parts['timeZoneName']}`;
  if (resolution === 'daily') return date;
  if (resolution === 'monthly') return date.slice(0, 7);
  const days = { Mon: 0, Tue: 1, Wed: 2, Thu: 3, Fri: 4, Sat: 5, Sun: 6 }[parts['weekday'] ?? ''] ?? Number.NaN;
  return new Date(Date.parse(date) - days * 86_400_000).toISOString().slice(0, 10);
}

function partsAt(ms: number, timeZone: string): Record<string, string> {
  const clock =
    clocks.get(timeZone) ??
    new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      timeZoneName: 'longOffset',
      weekday: 'short',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
    });
  clocks.set(timeZone, clock);
  return Object.fromEntries(clock.formatToParts(ms).map(({ type, value }) => [type, value]));
}

const running = useApp();
let ctx: ServiceContext;
let accountId: string;

beforeAll(async () => {
  running.app.clock.now = new Date('2028-01-01T00:00:00Z');
  ({ ctx, accountId } = await northwind(running.app));
  await recordUsage(ctx, events.slice(0, 400));
  await rollUpUsage(databaseOf(ctx), ctx.usageMemory, accountId, ctx.now());
  await recordUsage(ctx, events.slice(400));
});

/** Events that arrived between pages. */
const later: PlainEvent[] = [];

async function answerTo(asked: Question) {
  const groups: { key: string; timeseries: { start: number; cost: bigint }[] }[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await getMetrics(ctx, accountId, () => askedInRest({ ...asked, limit: '3', cursor }));
    const starts = bucketTimes(page.query).map((time) => Date.parse(time));
    for (const { key, buckets } of page.groups) {
      expect([...buckets.keys()].filter((order) => order < 0 || order >= starts.length)).toEqual([]);
      const timeseries = starts.map((start, order) => ({ start, cost: BigInt(buckets.get(order)?.cost ?? 0) }));
      groups.push({ key: key[0] ?? '', timeseries });
    }
    if (!page.hasMore) return groups;
    cursor = page.nextCursor;
    // Within a bucket that an earlier page has returned.
    const more = usageEvent(later.length, { id: `later-${later.length}`, time: asked.startTime, cost: '3.5' });
    later.push(more);
    await recordUsage(ctx, [more]);
  }
}

/** The cost of each group in each local bucket. */
function recounted(asked: Question, known: readonly PlainEvent[]): Map<string, Map<string, bigint>> {
  const [from, to] = [nanos(asked.startTime), nanos(asked.endTime)];
  const found = new Map<string, Map<string, bigint>>(asked.groupBy === undefined ? [['', new Map()]] : []);
  for (const { time, cost, resourceUuid = '', resourceType } of known) {
    if (nanos(time) < from || nanos(time) >= to) continue;
    const shown = shownAt(Number(nanos(time) / 1_000_000n), asked);
    const key = asked.groupBy === undefined ? '' : asked.groupBy === 'resource_type' ? resourceType : resourceUuid;
    const series = found.get(key) ?? new Map<string, bigint>();
    found.set(key, series.set(shown, (series.get(shown) ?? 0n) + units(cost, 9)));
  }
  return found;
}

/** The local buckets of the window, sampled every quarter of an hour. */
function allShown(asked: Question): string[] {
  const [from, to] = [Date.parse(asked.startTime), Date.parse(asked.endTime)];
  const found = [shownAt(from, asked)];
  for (let ms = Math.ceil((from + 1) / 900_000) * 900_000; ms < to; ms += 900_000) {
    const shown = shownAt(ms, asked);
    if (shown !== found.at(-1)) found.push(shown);
  }
  return found;
}

const runs = Number(process.env['PROPERTY_RUNS'] ?? 60);

describe('Buckets of a time zone', () => {
  it('follow the local clocks, and contain the usage between them', { timeout: 300_000 }, async () => {
    for (const asked of fc.sample(question, { seed: Number(process.env['PROPERTY_SEED'] ?? 11), numRuns: runs })) {
      const expected = recounted(asked, [...events, ...later]);
      const shown = allShown(asked);
      const groups = await answerTo(asked);
      expect(groups.map(({ key }) => key)).toEqual([...expected.keys()].toSorted());
      for (const { key, timeseries } of groups) {
        expect(timeseries.map(({ start }) => shownAt(start, asked))).toEqual(shown);
        for (const { start } of timeseries) expect(shownAt(start - 1, asked)).not.toBe(shownAt(start, asked));
        expect(timeseries.map(({ cost }) => cost)).toEqual(shown.map((each) => expected.get(key)?.get(each) ?? 0n));
      }
    }
  });

  it('start when the date first appears, if clocks were set back over midnight', async () => {
    // At 00:01 on 7 November 2010 the clocks of Newfoundland were put back to 23:01 of the day before.
    const asked = { startTime: '2010-11-06T02:30:00Z', endTime: '2010-11-08T03:30:00Z', timeZone: 'America/St_Johns' };
    const page = await getMetrics(ctx, accountId, () => askedInRest({ ...asked, resolution: 'daily' }));
    expect(bucketTimes(page.query)).toEqual(['2010-11-06T02:30:00Z', '2010-11-07T02:30:00Z']);
    const within = { ...asked, startTime: '2010-11-07T03:00:00Z' };
    const rest = await getMetrics(ctx, accountId, () => askedInRest({ ...within, resolution: 'daily' }));
    expect(bucketTimes(rest.query)).toEqual(['2010-11-07T02:30:00Z']);
  });

  it('are limited in number by local time, which selects the resolution', async () => {
    const asked = { startTime: '2026-10-28T04:00:00Z', endTime: '2026-11-04T05:00:00Z', timeZone: 'America/New_York' };
    const resolution = 'hourly';
    const page = await getMetrics(ctx, accountId, () => askedInRest({ ...asked, resolution }));
    expect(bucketTimes(page.query)).toHaveLength(169);
    expect((await getMetrics(ctx, accountId, () => askedInRest(asked))).query.resolution).toBe('daily');
    const inUtc = { ...asked, timeZone: 'UTC', resolution };
    await expect(getMetrics(ctx, accountId, () => askedInRest(inUtc))).rejects.toMatchObject({ field: 'resolution' });
  });

  it('return 400 for hourly rollups, unless the zone is whole hours off UTC', async () => {
    const { db } = running.app.services;
    const asked = { startTime: '2026-02-20T00:00:00Z', endTime: '2026-03-10T00:00:00Z', resolution: 'daily' };
    await db.usageAccount.updateMany({ data: { closedBefore: Date.UTC(2026, 2, 1) / 3_600_000 } });
    try {
      for (const groupBy of [undefined, 'resource_uuid']) {
        const answer = (timeZone: string) =>
          getMetrics(ctx, accountId, () => askedInRest({ ...asked, groupBy, timeZone }));
        expect((await answer('America/New_York')).groups).not.toEqual([]);
        await expect(answer('Asia/Kolkata')).rejects.toMatchObject({ error: 'invalid_parameter', field: 'timeZone' });
      }
    } finally {
      await db.usageAccount.updateMany({ data: { closedBefore: 0 } });
    }
  });

  it.each(['', 'Mars/Olympus', '+05:30', 'Z', 'Europe/Berlin\n', 'x'.repeat(100_000)])(
    'of %j return 400 naming timeZone',
    async (timeZone) => {
      const asked = { startTime: '2026-02-20T00:00:00Z', endTime: '2026-03-10T00:00:00Z', timeZone };
      await expect(getMetrics(ctx, accountId, () => askedInRest(asked))).rejects.toMatchObject({ field: 'timeZone' });
    },
  );
});
