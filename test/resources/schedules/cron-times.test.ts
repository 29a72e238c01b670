import { describe, expect, it } from 'vitest';
import { plainCron } from '../../../src/schema/cron-expression.js';
import { cronTimes } from '../../../src/resources/schedules/cron-times.js';
import { nextTimes } from './next-times.js';

const noon = new Date('2026-11-20T12:00:00.000Z');
const textOf = (time: Date | undefined) => time?.toISOString();

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

  it('that were missed run once, for the last of them', () => {
    const later = new Date('2026-11-23T12:34:56.789Z');
    const { last, next } = cronTimes('0 * * * *', 'UTC', noon, later);
    expect([textOf(last), textOf(next)]).toEqual(['2026-11-23T12:00:00.000Z', '2026-11-23T13:00:00.000Z']);
    expect(cronTimes('0 * * * *', 'UTC', later, later).last).toBeUndefined();
    const onTime = new Date('2026-11-23T13:00:00.000Z');
    expect(textOf(cronTimes('0 * * * *', 'UTC', later, onTime).last)).toBe('2026-11-23T13:00:00.000Z');
  });
});
