import { nextRunOf } from '../schedules/next-run.js';
import type { JobRow } from './job.js';

/** When an execution of a job is made next; null for one without a schedule, and for one that is off or goes. */
export function jobNextRun({ spec, status }: Pick<JobRow, 'spec' | 'status'>, now: Date): string | null {
  const { enabled, schedule, timeZone = 'UTC' } = spec;
  if (enabled === false || status === 'DELETING' || schedule === undefined) return null;
  return nextRunOf([{ cron: schedule, timeZone }], now);
}
