import { cronTimes } from '../../../src/resources/schedules/cron-times.js';

/** The next times of cronTimes(), one after the other. */
export function nextTimes(schedule: string, timeZone: string, from: string, count: number): (string | undefined)[] {
  const times: (string | undefined)[] = [];
  let time: Date | undefined = new Date(from);
  while (time !== undefined && times.length < count) {
    time = cronTimes(schedule, timeZone, time, time).next;
    times.push(time?.toISOString());
  }
  return times;
}
