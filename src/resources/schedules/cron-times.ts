// The times of cron expressions, with the rules of Vixie cron for nights in which the clocks change: a fixed time that is
// skipped comes right after the change, and one that occurs twice counts once. A schedule with `*` or a step in its
// minutes or hours follows the clocks.
import { Cron } from 'croner';
import { cronSets, plainCron } from '../../schema/cron-expression.js';
import { timeZoneOf } from '../../metering/time-zone.js';
import type { TimeZone } from '../../metering/time-zone.js';

/** The times of a schedule before and after a given time. */
export interface CronTimes {
  /** The last time since then; undefined if there is none. */
  last: Date | undefined;
  /** The next time; undefined if there is none. */
  next: Date | undefined;
}

/** The times of a cron expression in a time zone. */
interface Runs {
  /** The first one after a time. */
  after: (time: Date) => Date | undefined;
  /** The last one up to a time. */
  upTo: (time: Date) => Date | undefined;
}

/**
 * The times of a cron expression after a time: the last one up to another time, and the next one.
 *
 * @param schedule an invalid schedule has no times.
 * @throws {RangeError} for a time zone that Node does not know.
 */
export function cronTimes(schedule: string, timeZone: string, after: Date, now: Date): CronTimes {
  const pattern = plainCron(schedule);
  if (pattern === undefined || neverRuns(schedule)) return { last: undefined, next: undefined };
  const zone = timeZoneOf(timeZone);
  if (zone === undefined) throw new RangeError(`Invalid time zone specified: ${timeZone}`);
  const runs = isFixed(pattern) ? fixedRuns(pattern, zone) : followingRuns(pattern, zone);
  const first = runs.after(after);
  if (first === undefined || first > now) return { last: undefined, next: first };
  const previous = runs.upTo(now) ?? first;
  return { last: previous > first ? previous : first, next: runs.after(now) };
}

/** Whether the minutes and hours have neither `*` nor a step. */
function isFixed(pattern: string): boolean {
  const [minutes = '', hours = ''] = pattern.split(' ');
  return !/[*/]/.test(minutes + hours);
}

/** Runs at fixed times: the times that the clock shows are found as if there were no changes. */
function fixedRuns(pattern: string, zone: TimeZone): Runs {
  const cron = new Cron(pattern, { mode: '5-part', timezone: 'UTC' });
  const timeOf = (clock: Date | null | undefined) =>
    clock == null ? undefined : new Date(zone.firstAt(clock.getTime()));
  return {
    after: (time) => timeOf(cron.nextRun(highestClock(time, zone))),
    upTo: (time) => timeOf(cron.previousRuns(1, new Date(highestClock(time, zone).getTime() + 1))[0]),
  };
}

/** No clock changes twice within this time (ms). */
const changeMsMin = 27 * 3_600_000;

/** The latest time that the clocks of a zone have shown up to a time. It stands still while clocks repeat an hour. */
function highestClock(time: Date, zone: TimeZone): Date {
  const timeMs = time.getTime();
  const shownMs = zone.wallOf(timeMs);
  const changeMs = zone.changeWithin(timeMs - changeMsMin, timeMs);
  return new Date(changeMs === undefined ? shownMs : Math.max(shownMs, zone.wallOf(changeMs - 1)));
}

function followingRuns(pattern: string, zone: TimeZone): Runs {
  const cron = new Cron(pattern, { mode: '5-part', timezone: zone.name });
  return {
    after: (time) => cron.nextRun(time) ?? undefined,
    upTo: (time) => cron.previousRuns(1, new Date(time.getTime() + 1))[0],
  };
}

/** Days that each month has at most. */
const daysMax = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Whether a schedule matches no day, which a search would take long to find. */
function neverRuns(schedule: string): boolean {
  const [, , days = [1], months = daysMax.map((_, index) => index + 1), weekdays] = cronSets(schedule) ?? [];
  return weekdays === undefined && !months.some((month) => (daysMax[month - 1] ?? 0) >= Math.min(...days));
}
