// The preview of a cron schedule in a form. The rules and times are those of the service.
import { cronProblem } from '../../../schema/cron-expression.js';
import { dateFormat } from '../look/locale.js';
import { nextRuns, scheduleText } from '../look/schedule.js';

export interface CronPreview {
  /** Such as "At 09:00, Monday through Friday". */
  words: string;
  /** The next three runs. None if the schedule never runs. */
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
  const runs = nextRuns(schedule, timeZone, now, 3);
  return runs && { words: scheduleText(schedule), runs };
}

export function runText(run: Date, timeZone: string): string {
  return dateFormat({
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    timeZone,
    timeZoneName: 'short',
  }).format(run);
}
