// The times of cron expressions.
import { Cron } from 'croner';
import { cronSets } from '../../schema/cron-expression.js';

/** The times of a schedule before and after a given time. */
export interface CronTimes {
  /** The last time since then; undefined if there is none. */
  last: Date | undefined;
  /** The next time; undefined if there is none. */
  next: Date | undefined;
}

/**
 * The times of a cron expression after a time: the last one up to another time, and the next one.
 *
 * @param schedule an invalid schedule has no times.
 */
export function cronTimes(schedule: string, timeZone: string, after: Date, now: Date): CronTimes {
  const pattern = plainPattern(schedule);
  if (pattern === undefined) return { last: undefined, next: undefined };
  const cron = new Cron(pattern, { mode: '5-part', timezone: timeZone });
  const first = cron.nextRun(after) ?? undefined;
  if (first === undefined || first > now) return { last: undefined, next: first };
  const [previous = first] = cron.previousRuns(1, new Date(now.getTime() + 1));
  return { last: previous > first ? previous : first, next: cron.nextRun(now) ?? undefined };
}

/** Days that each month has at most. */
const daysMax = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/**
 * The schedule as unambiguous lists of numbers. Undefined if it matches no day, which a search would take long to find.
 */
function plainPattern(schedule: string): string | undefined {
  const sets = cronSets(schedule);
  if (sets === undefined) return undefined;
  const [minutes, hours, days, months, weekdays] = sets;
  const isAnyMonthLongEnough = (months ?? daysMax.map((_, index) => index + 1)).some(
    (month) => (daysMax[month - 1] ?? 0) >= Math.min(...(days ?? [1])),
  );
  if (weekdays === undefined && !isAnyMonthLongEnough) return undefined;
  const ofWeek = weekdays && [...new Set(weekdays.map((day) => day % 7))];
  return [minutes, hours, days, months, ofWeek].map((values) => values?.join(',') ?? '*').join(' ');
}
