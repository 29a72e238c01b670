// Cron expressions in words, and their next time. Loaded only by the list of jobs.
import { Cron } from 'croner';
import { toString } from 'cronstrue';

/** Such as "At 02:30, Monday through Friday". An expression that it cannot read stays as it is. */
export function scheduleText(cron: string): string {
  try {
    return toString(cron, { use24HourTimeFormat: true });
  } catch {
    return cron;
  }
}

/** The next time of a schedule after a time; undefined if there is none. */
export function nextRun(cron: string, timeZone: string, nowMs: number): string | undefined {
  try {
    return new Cron(cron, { mode: '5-part', timezone: timeZone }).nextRun(new Date(nowMs))?.toISOString();
  } catch {
    return undefined;
  }
}
