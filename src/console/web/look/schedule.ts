// Cron expressions in words, and their next runs. Both come from the same plain form of an expression. The parser of the
// words is large: load this file with the views that need it.
import { toString } from 'cronstrue';
import { cronTimes } from '../../../resources/schedules/cron-times.js';
import { plainCron } from '../../../schema/cron-expression.js';
import { dateFormat } from './locale.js';

/** Such as "At 02:30, Monday through Friday". An invalid expression stays as it is. */
export function scheduleText(schedule: string): string {
  const plain = plainCron(schedule);
  if (plain === undefined) return schedule;
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = plain.split(' ');
  if (day === '*' || weekday === '*') return words(plain);
  // Either day is enough. The words of both together read as if both had to match.
  const onWeekdays = words([minute, hour, '*', month, weekday].join(' '));
  return `${words([minute, hour, day, month, '*'].join(' '))}, or ${onWeekdays.charAt(0).toLowerCase()}${onWeekdays.slice(1)}`;
}

function words(plain: string): string {
  return toString(plain, { use24HourTimeFormat: true });
}

/** The next runs of a schedule after a time, none if it never runs; undefined for an unknown time zone. */
export function nextRuns(schedule: string, timeZone: string, now: Date, count: number): Date[] | undefined {
  if (!isTimeZone(timeZone)) return undefined;
  const runs: Date[] = [];
  for (let after = now; runs.length < count;) {
    const { next } = cronTimes(schedule, timeZone, after, after);
    if (next === undefined) break;
    runs.push(next);
    after = next;
  }
  return runs;
}

function isTimeZone(name: string): boolean {
  try {
    return dateFormat({ timeZone: name }).format() !== '';
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
