import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cronSets } from '../../../src/schema/cron-expression.js';
import { cronTimes } from '../../../src/resources/schedules/cron-times.js';
import { nextTimes } from './next-times.js';
import { generatedCron, nightsOf, recount } from './recount-cron.js';

const minuteMs = 60_000;
const noon = new Date('2026-11-20T12:00:00.000Z');

describe('The times of a generated schedule', () => {
  it('are those of a recount minute by minute, where clocks change', () => {
    const zones = [
      ['Europe/Berlin', 'America/New_York', 'America/St_Johns', 'Atlantic/Azores'],
      ['America/Santiago', 'Asia/Beirut', 'Africa/Cairo', 'America/Havana', 'Australia/Lord_Howe'],
      ['America/Nuuk', 'America/Scoresbysund', 'Antarctica/Troll', 'Pacific/Chatham', 'Africa/Casablanca'],
    ].flat();
    const nights = zones.flatMap((zone) => nightsOf(zone, '2027-01-01T00:00Z', 365));
    nights.push(...nightsOf('Pacific/Apia', '2011-12-01T00:00Z', 31));
    expect(nights.length).toBeGreaterThan(2 * zones.length);
    fc.assert(
      fc.property(fc.constantFrom(...nights), generatedCron, fc.nat(), fc.nat(), (night, cron, first, later) => {
        const { timeZone, minutes } = night;
        const [startMs = 0, endMs = 0] = [minutes[0]?.timeMs, minutes.at(-1)?.timeMs];
        const from = startMs + (first % ((endMs - startMs) / 2));
        const now = from + (later % (endMs - from));
        const times = recount(cron, night).filter((time) => time > from);
        const { last, next } = cronTimes(cron.text, timeZone, new Date(from), new Date(now));
        const nextMs = next?.getTime() ?? Number.POSITIVE_INFINITY;
        expect(last?.getTime()).toBe(times.findLast((time) => time <= now));
        expect(nextMs > endMs ? undefined : nextMs).toBe(times.find((time) => time > now));
        const known = times.slice(0, 8).map((time) => new Date(time).toISOString());
        expect(nextTimes(cron.text, timeZone, new Date(from).toISOString(), known.length)).toEqual(known);
      }),
      { numRuns: 300 },
    );
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
