import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cronSets, plainCron } from '../../../src/schema/cron-expression.js';
import { cronTimes } from '../../../src/resources/schedules/cron-times.js';
import { generatedCron, nightsOf, recount } from './recount-cron.js';

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

  it.each([
    ['30 2 * * *', 'Europe/Berlin', '2027-03-27T12:00Z', ['28T01:00', '29T00:30']],
    ['0 2,14 * * *', 'Europe/Berlin', '2027-03-27T13:00Z', ['28T01:00', '28T12:00', '29T00:00']],
    ['15,45 2 * * *', 'Europe/Berlin', '2027-03-27T13:00Z', ['28T01:00', '29T00:15', '29T00:45']],
    ['0 1-4 * * *', 'Europe/Berlin', '2027-03-27T13:00Z', ['28T00:00', '28T01:00', '28T02:00', '28T23:00']],
    // 2:00 never comes, and steps follow the clocks.
    ['*/30 2 * * *', 'Europe/Berlin', '2027-03-27T13:00Z', ['29T00:00', '29T00:30']],
    ['0 */2 * * *', 'Europe/Berlin', '2027-03-27T22:00Z', ['27T23:00', '28T02:00', '28T04:00']],
    ['30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00Z', ['25T00:30', '26T01:30']],
    ['0 2,14 * * *', 'Europe/Berlin', '2026-10-24T13:00Z', ['25T00:00', '25T13:00', '26T01:00']],
    ['0 1-3 * * *', 'Europe/Berlin', '2026-10-24T13:00Z', ['24T23:00', '25T00:00', '25T02:00', '26T00:00']],
    ['*/30 2 * * *', 'Europe/Berlin', '2026-10-24T13:00Z', ['25T00:00', '25T00:30', '25T01:00', '25T01:30']],
    // Clocks that change by half an hour, at midnight, or into the next day.
    ['15 2 * * *', 'Australia/Lord_Howe', '2026-10-03T12:00Z', ['03T15:30', '04T15:15']],
    ['45 1 * * *', 'Australia/Lord_Howe', '2026-04-04T12:00Z', ['04T14:45', '05T15:15']],
    ['0,30 0 * * *', 'America/Santiago', '2026-09-05T12:00Z', ['06T04:00', '07T03:00', '07T03:30']],
    ['30 23 * * *', 'America/Santiago', '2026-04-04T12:00Z', ['05T02:30', '06T03:30']],
    ['0 22,23 * * 6', 'America/Nuuk', '2027-03-27T12:00Z', ['28T00:00', '28T01:00']],
    ['0 12 30 12 *', 'Pacific/Apia', '2011-12-29T12:00Z', ['30T10:00']],
  ])('%j in %s, from %s on, are %j', (schedule, zone, from, times) => {
    const found = nextTimes(schedule, zone, from, times.length);
    expect(found.map((time) => time?.slice(8, 16))).toEqual(times);
  });

  it.each([
    ['0 9 */1 * 1-5', '0 9 * * 1-5'],
    ['0 9 1,*/1 * 1-5', '0 9 * * 1-5'],
    ['0 9 13 * */1', '0 9 13 * *'],
    ['*/1 */1 * * *', '* * * * *'],
    ['5,*/1 * * * *', '* * * * *'],
    ['*/75 2 * * *', '0 2 * * *'],
    ['0 0 * * 1/2', '0 0 * * 1,3,5,0'],
    ['0 2-3/1 * * *', '0 2-3 * * *'],
    ['5/15 * * JAN sun', '5-50/15 * * 1 0'],
  ])('%j are those of %j', (schedule, plain) => {
    expect(plainCron(schedule)).toBe(plain);
  });

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
