// Which resolution a window gets, and how long a window may be for one that is asked for.
import { beforeAll, describe, expect, it } from 'vitest';
import { useApp } from '../harness.js';
import { askMetrics, expectRefusal } from './metrics-bodies.js';
import { northwind } from '../metering/usage-samples.js';

const running = useApp();
let who: { accountId: string; key: string };

beforeAll(async () => {
  who = await northwind(running.app);
});

const ask = (startTime: string, endTime: string, resolution?: string) =>
  askMetrics(running.app, who, { startTime, endTime, ...(resolution === undefined ? {} : { resolution }) });

describe('The default resolution of a window', () => {
  it.each([
    // Seven days.
    ['hourly', '2026-03-01T00:00:00Z', '2026-03-01T00:00:00.000000001Z'],
    ['hourly', '2026-03-01T00:00:00Z', '2026-03-07T23:59:59Z'],
    ['hourly', '2026-03-01T00:00:00Z', '2026-03-07T23:59:59.999999999Z'],
    ['daily', '2026-03-01T00:00:00Z', '2026-03-08T00:00:00Z'],
    ['hourly', '2026-03-01T10:20:30.000000001Z', '2026-03-08T10:20:30Z'],
    ['daily', '2026-03-01T10:20:30.000000001Z', '2026-03-08T10:20:30.000000001Z'],
    ['hourly', '2026-03-01T00:00:00+01:00', '2026-03-08T00:00:00+01:01'],
    ['daily', '2026-03-01T00:00:00+01:00', '2026-03-07T23:00:00Z'],
    ['daily', '2024-02-23T00:00:00Z', '2024-03-01T00:00:00Z'],
    ['hourly', '2024-02-24T00:00:00Z', '2024-03-01T00:00:00Z'],
    // Ninety days: to 1 April, and to 31 March where there is a 29 February between.
    ['daily', '2026-01-01T00:00:00Z', '2026-03-31T23:59:59Z'],
    ['daily', '2026-01-01T00:00:00Z', '2026-03-31T23:59:59.999999999Z'],
    ['weekly', '2026-01-01T00:00:00Z', '2026-04-01T00:00:00Z'],
    ['daily', '2024-01-01T00:00:00Z', '2024-03-30T23:59:59.999999999Z'],
    ['weekly', '2024-01-01T00:00:00Z', '2024-03-31T00:00:00Z'],
    ['daily', '2026-01-01T10:59:59.5Z', '2026-04-01T10:59:59.499999999Z'],
    // A year is the same date of the next.
    ['weekly', '2025-11-20T00:00:00Z', '2026-11-19T23:59:59Z'],
    ['weekly', '2025-11-20T00:00:00Z', '2026-11-19T23:59:59.999999999Z'],
    ['monthly', '2025-11-20T00:00:00Z', '2026-11-20T00:00:00Z'],
    ['weekly', '2024-01-01T00:00:00Z', '2024-12-31T00:00:00Z'],
    ['monthly', '2024-01-01T00:00:00Z', '2025-01-01T00:00:00Z'],
    ['weekly', '2023-03-01T12:00:00Z', '2024-02-29T12:00:00Z'],
    ['monthly', '2023-03-01T12:00:00Z', '2024-03-01T12:00:00Z'],
    ['monthly', '2023-02-28T00:00:00Z', '2024-02-28T00:00:00Z'],
    // Of 29 February it is 1 March, to the nanosecond.
    ['weekly', '2024-02-29T00:00:00Z', '2025-02-28T23:59:59.999999999Z'],
    ['monthly', '2024-02-29T00:00:00Z', '2025-03-01T00:00:00Z'],
    ['weekly', '2024-02-29T06:00:00.000000002Z', '2025-03-01T06:00:00.000000001Z'],
    ['monthly', '2000-01-01T00:00:00Z', '2100-12-31T23:59:59.999999999Z'],
  ])('is %s from %s to %s', async (resolution, startTime, endTime) => {
    const { status, body } = await ask(startTime, endTime);
    expect({ status, resolution: body.resolution }).toEqual({ status: 200, resolution });
  });
});

describe('A requested resolution', () => {
  const caps = { hourly: '7 days', daily: '90 days', weekly: '1 year' };

  it.each([
    ['hourly', '2026-03-01T00:00:00Z', '2026-03-08T00:00:00Z', '2026-03-08T00:00:00.000000001Z'],
    ['hourly', '2026-03-01T00:30:00.000000001Z', '2026-03-08T00:30:00.000000001Z', '2026-03-08T00:30:00.000000002Z'],
    ['hourly', '2024-02-26T00:00:00Z', '2024-03-04T00:00:00Z', '2024-03-04T00:00:01Z'],
    ['daily', '2026-01-01T00:00:00Z', '2026-04-01T00:00:00Z', '2026-04-01T00:00:00.000000001Z'],
    ['daily', '2024-01-01T00:00:00Z', '2024-03-31T00:00:00Z', '2024-03-31T00:00:01Z'],
    ['weekly', '2025-11-20T00:00:00Z', '2026-11-20T00:00:00Z', '2026-11-20T00:00:00.000000001Z'],
    ['weekly', '2024-01-01T00:00:00Z', '2025-01-01T00:00:00Z', '2025-01-01T00:00:01Z'],
    ['weekly', '2024-02-29T00:00:00Z', '2025-03-01T00:00:00Z', '2025-03-01T00:00:00.000000001Z'],
    ['weekly', '2023-02-28T00:00:00Z', '2024-02-28T00:00:00Z', '2024-02-28T00:00:00.000000001Z'],
  ] as const)('of %s is accepted from %s to %s, and rejected to %s', async (resolution, startTime, last, over) => {
    const taken = await ask(startTime, last, resolution);
    expect({ status: taken.status, resolution: taken.body.resolution }).toEqual({ status: 200, resolution });
    await expectRefusal(
      ask(startTime, over, resolution),
      'invalid_parameter',
      `resolution must be coarser: ${resolution} is allowed for periods of at most ${caps[resolution]}`,
    );
  });

  it.each(['hourly', 'daily', 'weekly', 'monthly'])('can be as coarse as needed: %s', async (resolution) => {
    const { status, body } = await ask('2026-03-01T00:00:00Z', '2026-03-01T00:00:00.000000001Z', resolution);
    expect({ status, resolution: body.resolution }).toEqual({ status: 200, resolution });
  });

  it('of monthly is accepted for any number of years', async () => {
    const { body } = await ask('2000-01-01T00:00:00Z', '2100-12-31T23:59:59Z', 'monthly');
    expect(body.data[0].timeseries).toHaveLength(101 * 12);
  });

  it.each(['Hourly', 'yearly', '', 'constructor', 'hourly,daily'])('rejects the unknown word "%s"', (word) =>
    expectRefusal(
      ask('2026-03-01T00:00:00Z', '2026-03-02T00:00:00Z', word),
      'invalid_parameter',
      'resolution must be one of: hourly, daily, weekly, monthly',
    ),
  );
});
