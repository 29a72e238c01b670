// A cron schedule in words, with its next runs. The rules and times are those of the service.
import cronstrue from 'cronstrue';
import { cronTimes } from '../../../resources/schedules/cron-times.js';
import { cronProblem } from '../../../schema/cron-expression.js';

export interface CronPreview {
  /** Such as "At 09:00, Monday through Friday". */
  words: string;
  /** The next three runs. */
  runs: readonly Date[];
}

/** @returns the preview, the violated rule, or undefined for an unknown time zone. */
export function previewCron(
  schedule: string,
  timeZone: string,
  now: Date,
): CronPreview | { problem: string } | undefined {
  const problem = cronProblem(schedule);
  if (problem !== undefined) return { problem: problem.charAt(0).toUpperCase() + problem.slice(1) };
  if (!isTimeZone(timeZone)) return undefined;
  const words = cronstrue.toString(schedule, { use24HourTimeFormat: true, throwExceptionOnParseError: false });
  const runs: Date[] = [];
  for (let after = now; runs.length < 3;) {
    const { next } = cronTimes(schedule, timeZone, after, after);
    if (next === undefined) break;
    runs.push(next);
    after = next;
  }
  return { words, runs };
}

export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).format() !== '';
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

export function runText(run: Date, timeZone: string): string {
  return run.toLocaleString(undefined, {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    timeZone,
    timeZoneName: 'short',
  });
}
