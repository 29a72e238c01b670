import { formatDay } from '../look/time.js';

interface Day<Change> {
  label: string;
  changes: Change[];
}

/** Groups changes by the day in the viewer's zone, in their order. */
export function daysOf<Change extends { time: string }>(changes: readonly Change[], nowMs: number): Day<Change>[] {
  const days: Day<Change>[] = [];
  for (const change of changes) {
    const label = formatDay(change.time, nowMs);
    const last = days.at(-1);
    if (last?.label === label) last.changes.push(change);
    else days.push({ label, changes: [change] });
  }
  return days;
}
