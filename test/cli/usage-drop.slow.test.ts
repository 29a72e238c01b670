// Dropping the raw events of old months: no answer at whole hours changes, and none is given that could be wrong.
import { beforeAll, describe, expect, it } from 'vitest';
import type { CommandResult } from '../../src/cli/print.js';
import { runCommandLine } from '../../src/cli/run.js';
import { recordUsage } from '../../src/metering/usage.js';
import { tokenSettings } from '../../src/server/create-services.js';
import { rest, useApp } from '../harness.js';
import { askAccount } from '../billing/graphql-samples.js';
import { askMetrics, expectedBody, expectRefusal, wordsOf } from '../billing/metrics-bodies.js';
import { nanos } from '../billing/recount.js';
import type { PlainEvent, PlainQuery } from '../billing/recount.js';
import { createOwner, mixedUsage } from '../metering/usage-mixture.js';
import type { Owner } from '../metering/usage-mixture.js';

const running = useApp();
let owner: Owner;
let dryRun: CommandResult;
let keptByDryRun: number;
let dropped: CommandResult;
const cursors: Record<string, string> = {};

function earlier(time: string, days: number): string {
  const second = new Date(Date.parse(`${time.slice(0, 19)}Z`) - days * 86_400_000);
  return `${second.toISOString().slice(0, 19)}${time.slice(19)}`;
}

/** Some of a year, and some at the edges of the dropped months. */
const events: PlainEvent[] = [
  ...mixedUsage(150, 'northwind', ['main', 'side']).map((event, n) => ({
    ...event,
    time: earlier(event.time, (n % 9) * 30),
  })),
  ...['2026-06-30T23:59:59.999999999Z', '2026-07-01T00:00:00Z', '2026-06-30T23:00:00Z', '2026-06-29T00:30:00Z'].map(
    (time, n): PlainEvent => ({
      source: 'border',
      id: `${n}`,
      account: 'northwind',
      workspace: 'main',
      resourceType: 'job',
      resourceName: `border-${n}`,
      resourceUuid: '',
      billingDimension: 'job_compute_runtime_gbs',
      time,
      usage: '1',
      cost: `0.00000000${n + 1}`,
    }),
  ),
];
const border = nanos('2026-07-01T00:00:00Z');
const old = events.filter(({ time }) => nanos(time) < border);

async function run(line: string): Promise<CommandResult> {
  const { services, config } = running.app;
  return runCommandLine({ ...services, tokens: tokenSettings(config), folder: '/' }, line.split(' '));
}

const windows: Pick<PlainQuery, 'startTime' | 'endTime' | 'resolution'>[] = [
  { startTime: '2026-01-01T00:00:00Z', endTime: '2027-01-01T00:00:00Z', resolution: 'monthly' },
  { startTime: '2026-02-03T04:00:00Z', endTime: '2026-09-10T11:00:00Z', resolution: 'weekly' },
  { startTime: '2026-06-01T01:00:00Z', endTime: '2026-06-30T23:00:00Z', resolution: 'daily' },
  { startTime: '2026-06-29T00:00:00Z', endTime: '2026-07-02T00:00:00Z', resolution: 'hourly' },
  // Inside an hour that is kept.
  { startTime: '2026-06-30T23:00:00Z', endTime: '2026-07-01T00:00:00.000000001Z', resolution: 'hourly' },
  { startTime: '2026-03-01T00:00:00Z', endTime: '2026-10-05T06:07:08.900Z', resolution: 'weekly' },
  { startTime: '2026-07-01T00:00:00.000000001Z', endTime: '2026-11-05T06:07:08.900Z', resolution: 'weekly' },
];

const groupings = [[], ['billing_dimension'], ['workspace', 'resource_type'], ['resource_uuid'], ['resource_name']];

beforeAll(async () => {
  owner = await createOwner(running.app, 'northwind', ['main', 'side']);
  await recordUsage(owner.ctx, events);
  for (const groupBy of ['resource_name', 'billing_dimension']) {
    const words = { startTime: '2026-01-01T00:00:00Z', endTime: '2027-01-01T00:00:00Z', groupBy, limit: '2' };
    cursors[groupBy] = (await askMetrics(running.app, owner, words)).body.meta.nextCursor;
  }
  dryRun = await run('usage drop --before 2026-07 --dry-run');
  keptByDryRun = await running.app.services.db.usageEvent.count();
  dropped = await run('usage drop --before 2026-07 --yes');
});

describe('After the events before a month were dropped', () => {
  it('only later events exist', async () => {
    const told = new RegExp(
      `^Deleted ${old.length} events before 2026-07, from \\d months\\. ` +
        'Events of that time can no longer be recorded, voided or amended\\.\\n$',
    );
    expect(dropped).toEqual({ stdout: expect.stringMatching(told), stderr: '', exitCode: 0 });
    expect(old.length).toBeGreaterThan(50);
    expect(await running.app.services.db.usageEvent.count()).toBe(events.length - old.length);
  });

  it('a dry run before showed the same numbers, and deleted nothing', () => {
    expect(keptByDryRun).toBe(events.length);
    expect(dryRun.stdout).toBe(
      dropped.stdout.replace('Deleted', 'Would delete').replace('time can no', 'time could then no'),
    );
  });

  it.each(windows)('metrics from $startTime to $endTime are unchanged', async (window) => {
    for (const groupBy of groupings) {
      for (const filters of [{}, { resourceUuid: 'i-1' }, { workspace: 'side' }]) {
        const query = { ...window, groupBy, filters };
        expect((await askMetrics(running.app, owner, wordsOf(query))).body).toEqual(expectedBody(events, query));
      }
    }
  });

  it.each(['resource_name', 'billing_dimension'])('an earlier list continues by %s', async (dimension) => {
    const window = { startTime: '2026-01-01T00:00:00Z', endTime: '2027-01-01T00:00:00Z' } as const;
    const query: PlainQuery = { ...window, resolution: 'monthly', groupBy: [dimension], filters: {} };
    const words = { ...window, groupBy: dimension, limit: '2', cursor: cursors[dimension] ?? '' };
    const { body } = await askMetrics(running.app, owner, words);
    expect(body).toEqual(expectedBody(events, query, { from: 2, size: 2 }));
  });

  const rule = 'must be a full hour: usage before 2026-07-01T00:00:00Z is stored by the hour';
  const cut: [name: 'startTime' | 'endTime', startTime: string, endTime: string][] = [
    ['startTime', '2026-06-30T23:00:00.000000001Z', '2026-08-01T00:00:00Z'],
    ['startTime', '2026-01-10T12:34:56Z', '2026-08-01T00:00:00Z'],
    ['endTime', '2026-01-10T12:00:00Z', '2026-06-30T23:59:59.999999999Z'],
    ['startTime', '2026-06-30T23:59:59Z', '2026-06-30T23:59:59.999999999Z'],
  ];

  it.each(cut)('a window with its %s inside a dropped hour is rejected: %s to %s', async (name, startTime, endTime) => {
    const refusal = ['invalid_parameter', `${name} ${rule}`] as const;
    for (const groupBy of groupings) {
      for (const filters of [{}, { resourceName: 'api' }]) {
        const query: PlainQuery = { startTime, endTime, resolution: 'monthly', groupBy, filters };
        await expectRefusal(askMetrics(running.app, owner, wordsOf(query)), ...refusal);
      }
    }
    const types = `/accounts/${owner.accountId}/metrics/enums/resource-types?startTime=${startTime}&endTime=${endTime}`;
    await expectRefusal(rest(running.app, types, { key: owner.key }), ...refusal);
    const fields = `metrics(startTime: "${startTime}", endTime: "${endTime}") { summary { totalCost } }`;
    const { body } = await askAccount(running.app, owner, fields);
    expect(body.errors[0]).toMatchObject({ message: `${name} ${rule}`, extensions: { status: 400 } });
  });

  it('earlier events are rejected, whether new or dropped', async () => {
    const given = old.slice(0, 3).flatMap((event) => [event, { ...event, id: `new ${event.id}` }]);
    const last = { ...events[0], source: 'late', id: 'last', time: '2026-06-30T23:59:59.999999999Z' };
    const closed = { outcome: 'invalid', field: 'time', message: 'time must be within the retained usage' };
    expect(await recordUsage(owner.ctx, [...given, last])).toEqual(Array.from({ length: 7 }, () => closed));
  });

  it('later events are still known, and new ones are accepted', async () => {
    const kept = events.filter(({ time }) => nanos(time) >= border);
    expect(new Set((await recordUsage(owner.ctx, kept)).map(({ outcome }) => outcome))).toEqual(new Set(['duplicate']));
    const fresh = { ...kept[0], source: 'fresh', time: '2026-07-01T00:00:00Z', cost: '0', usage: '0' };
    expect(await recordUsage(owner.ctx, [fresh])).toEqual([{ outcome: 'accepted' }]);
  });

  it.each(['2026-07', '2026-01', '2000-01'])('dropping those before %s again changes nothing', async (month) => {
    const { stdout, exitCode } = await run(`usage drop --before ${month} --json --yes`);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ before: month, events: '0', months: '0', dryRun: false });
    const late = { ...events[0], source: 'late', id: month, time: '2026-06-30T23:00:00Z' };
    expect(await recordUsage(owner.ctx, [late])).toMatchObject([{ outcome: 'invalid', field: 'time' }]);
  });
});

describe('usage drop', () => {
  it.each([
    ['usage drop', '"usage drop" requires --before MONTH'],
    ['usage drop --before 2026', '--before: must be a month such as 2026-04'],
    ['usage drop --before 2026-13', '--before: must be a month such as 2026-04'],
    ['usage drop --before 2026-00', '--before: must be a month such as 2026-04'],
    ['usage drop --before 2026-04-01', '--before: must be a month such as 2026-04'],
    ['usage drop --before 1999-12', '--before: must be a month such as 2026-04'],
    ['usage drop --before yesterday', '--before: must be a month such as 2026-04'],
    [
      'usage drop --before 2026-07',
      '"usage drop" requires --yes without a terminal. --dry-run shows what would be deleted',
    ],
    ['usage drop --before 2026-12', '--before: must not be in the future'],
    ['usage drop --before 2099-01', '--before: must not be in the future'],
  ])('prints one line and exits with 2: %s', async (line, message) => {
    expect(await run(line)).toEqual({ stdout: '', stderr: `${message}\n`, exitCode: 2 });
  });

  it('rejects a month that has not begun', async () => {
    const { workspace, resourceType, resourceName, billingDimension } = events[0] ?? {};
    const now = {
      account: 'northwind',
      workspace,
      resourceType,
      resourceName,
      billingDimension,
      usage: '0',
      cost: '0',
    };
    await run('usage drop --before 2026-12 --yes');
    const event = { ...now, source: 'now', id: '1', time: '2026-11-20T12:00:00Z' };
    expect(await recordUsage(owner.ctx, [event])).toEqual([{ outcome: 'accepted' }]);
  });
});
