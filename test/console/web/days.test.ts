import { expect, it } from 'vitest';
import { daysOf } from '../../../src/console/web/activity/days.js';

/** A local time of November 2026. */
const at = (day: number, hour: number) => new Date(2026, 10, day, hour);

it('groups changes by day', () => {
  const changes = [at(26, 9), at(26, 0), at(25, 23), at(24, 12), at(24, 1)].map((time) => ({
    time: time.toISOString(),
  }));
  const days = daysOf(changes, at(26, 10).getTime());
  expect(days.map((day) => day.changes.length)).toEqual([2, 1, 2]);
  expect(days.map((day) => day.label).slice(0, 2)).toEqual(['Today', 'Yesterday']);
  expect(days[2]?.label).toMatch(/24/);
  expect(days[2]?.label).not.toMatch(/2026/);
});

it('shows the year of a day in another year', () => {
  const [day] = daysOf([{ time: new Date(2025, 11, 31).toISOString() }], at(26, 10).getTime());
  expect(day?.label).toMatch(/2025/);
});
