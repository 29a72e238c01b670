import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cronSets } from '../../../src/schema/cron-expression.js';
import { cronTimes } from '../../../src/resources/schedules/cron-times.js';

const minuteMs = 60_000;
const noon = new Date('2026-11-20T12:00:00.000Z');
const textOf = (time: Date | undefined) => time?.toISOString();

/** The next times, one after the other. */
function nextTimes(schedule: string, timeZone: string, from: string, count: number): (string | undefined)[] {
  const times: (string | undefined)[] = [];
  let time: Date | undefined = new Date(from);
  while (time !== undefined && times.length < count) {
    time = cronTimes(schedule, timeZone, time, time).next;
    times.push(textOf(time));
  }
  return times;
}

describe('The times of a schedule', () => {
  it.each([
    ['* * * * *', '2026-11-20T12:01:00.000Z'],
    ['0 12 * * *', '2026-11-21T12:00:00.000Z'],
    ['5/20 * * * *', '2026-11-20T12:05:00.000Z'],
    ['*/100 * * * *', '2026-11-20T13:00:00.000Z'],
    ['0 0 * * 7', '2026-11-22T00:00:00.000Z'],
    ['0 0 * * 5-7', '2026-11-21T00:00:00.000Z'],
    ['0 0 1 * mon', '2026-11-23T00:00:00.000Z'],
    ['0 0 29 feb *', '2028-02-29T00:00:00.000Z'],
  ])('%j is next at %s', (schedule, next) => {
    expect(textOf(cronTimes(schedule, 'UTC', noon, noon).next)).toBe(next);
  });

  it.each(['0 0 31 2,4 *', '0 0 30 2 *', 'no schedule', '0 0 0 * * *'])('%j never occurs', (schedule) => {
    expect(cronTimes(schedule, 'UTC', noon, noon)).toEqual({ last: undefined, next: undefined });
  });

  it('follow the clocks of its zone: skipped times come right after, and repeated ones once', () => {
    expect(nextTimes('30 2 * * *', 'Europe/Berlin', '2027-03-27T12:00:00Z', 2)).toEqual([
      '2027-03-28T01:00:00.000Z',
      '2027-03-29T00:30:00.000Z',
    ]);
    expect(nextTimes('30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00:00Z', 2)).toEqual([
      '2026-10-25T00:30:00.000Z',
      '2026-10-26T01:30:00.000Z',
    ]);
  });

  it('that were missed run once, for the last of them', () => {
    const later = new Date('2026-11-23T12:34:56.789Z');
    const { last, next } = cronTimes('0 * * * *', 'UTC', noon, later);
    expect([textOf(last), textOf(next)]).toEqual(['2026-11-23T12:00:00.000Z', '2026-11-23T13:00:00.000Z']);
    expect(cronTimes('0 * * * *', 'UTC', later, later).last).toBeUndefined();
    const onTime = new Date('2026-11-23T13:00:00.000Z');
    expect(textOf(cronTimes('0 * * * *', 'UTC', later, onTime).last)).toBe('2026-11-23T13:00:00.000Z');
  });

  it('are every minute that its fields match', () => {
    const field = (from: number, to: number) =>
      fc.oneof(
        { weight: 3, arbitrary: fc.constant('*') },
        fc.integer({ min: from, max: to }).map(String),
        fc.integer({ min: 1, max: to }).map((step) => `*/${step}`),
        fc.tuple(fc.integer({ min: from, max: to }), fc.integer({ min: from, max: to })).map((pair) => {
          const [low = from, high = to] = pair.toSorted((one, other) => one - other);
          return `${low}-${high}`;
        }),
      );
    const schedules = fc.tuple(field(0, 59), field(0, 23), field(1, 31), field(1, 12), field(0, 7));
    const moment = fc.integer({ min: 0, max: 4 * 366 * 24 * 60 }).map((minutes) => noon.getTime() + minutes * minuteMs);
    fc.assert(
      fc.property(schedules, moment, (fields, fromMs) => {
        const schedule = fields.join(' ');
        const { next } = cronTimes(schedule, 'UTC', new Date(fromMs), new Date(fromMs));
        const untilMs = Math.min(next?.getTime() ?? Number.POSITIVE_INFINITY, fromMs + 300 * minuteMs);
        const minutes = Array.from({ length: (untilMs - fromMs) / minuteMs - 1 }, (_, index) => index + 1);
        const skipped = minutes.filter((minute) => isTime(schedule, new Date(fromMs + minute * minuteMs)));
        expect([skipped, next === undefined || isTime(schedule, next)]).toEqual([[], true]);
      }),
    );
  });
});

/** Whether a minute matches a schedule, by the usual rules of cron. */
function isTime(schedule: string, time: Date): boolean {
  const [minutes, hours, days, months, weekdays] = cronSets(schedule) ?? [];
  const isIn = (values: number[] | undefined, ...any: number[]) =>
    values === undefined || any.some((value) => values.includes(value));
  const weekday = time.getUTCDay();
  const isDay = isIn(days, time.getUTCDate());
  const isWeekday = isIn(weekdays, weekday, weekday === 0 ? 7 : weekday);
  const isOnDay = days !== undefined && weekdays !== undefined ? isDay || isWeekday : isDay && isWeekday;
  return (
    isIn(minutes, time.getUTCMinutes()) &&
    isIn(hours, time.getUTCHours()) &&
    isOnDay &&
    isIn(months, time.getUTCMonth() + 1)
  );
}
