import { cronTimes } from './cron-times.js';

/** What executions are made by, or runs of an agent. */
export interface ScheduledTimes {
  cron: string;
  timeZone: string;
}

/** When the first of some schedules comes round after a moment, RFC 3339; null when none ever does. */
export function nextRunOf(schedules: ScheduledTimes[], now: Date): string | null {
  const times = schedules.flatMap(
    ({ cron, timeZone }) => cronTimes(cron, timeZone, now, now).next?.toISOString() ?? [],
  );
  return times.toSorted()[0] ?? null;
}
