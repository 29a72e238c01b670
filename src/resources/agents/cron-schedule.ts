import { refuse } from '../../kind/rule.js';
import { lines } from '../../kind/text.js';

interface CronField {
  name: string;
  minimum: number;
  maximum: number;
  words: string[];
}

const cronFields: CronField[] = [
  { name: 'minute', minimum: 0, maximum: 59, words: [] },
  { name: 'hour', minimum: 0, maximum: 23, words: [] },
  { name: 'day of month', minimum: 1, maximum: 31, words: [] },
  {
    name: 'month',
    minimum: 1,
    maximum: 12,
    words: ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'],
  },
  { name: 'day of week', minimum: 0, maximum: 7, words: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] },
];

/**
 * A cron expression of exactly five fields, with names, ranges, lists and steps. Macros such as `@daily`,
 * seconds, `L`, `#` and `?` are not accepted (decision 25).
 */
export const cronSchedule = lines(256).superRefine((schedule, ctx) => {
  const problem = cronProblem(schedule);
  if (problem !== undefined) refuse(ctx, [], 'invalid_format', problem);
});

/** What is wrong with a cron expression, as the end of a sentence; undefined when nothing is. */
export function cronProblem(schedule: string): string | undefined {
  const parts = schedule.trim().split(/\s+/);
  if (parts.length !== cronFields.length) return 'must have exactly five fields: minute hour day month weekday';
  for (const [index, field] of cronFields.entries()) {
    const isValid = (parts[index] ?? '').split(',').every((item) => isCronItem(item, field));
    if (!isValid) return `has a ${field.name} that is not valid: ${JSON.stringify(parts[index])}`;
  }
  return undefined;
}

function isCronItem(item: string, field: CronField): boolean {
  const [range = '', step, ...rest] = item.split('/');
  if (rest.length > 0 || (step !== undefined && !/^[1-9]\d{0,2}$/.test(step))) return false;
  if (range === '*') return true;
  const [first = '', last, ...more] = range.split('-');
  if (more.length > 0) return false;
  const from = cronValue(first, field);
  if (from === undefined) return false;
  if (last === undefined) return true;
  const to = cronValue(last, field);
  return to !== undefined && from <= to;
}

function cronValue(text: string, field: CronField): number | undefined {
  const word = field.words.indexOf(text.toLowerCase());
  if (word >= 0) return word + field.minimum;
  if (!/^\d{1,2}$/.test(text)) return undefined;
  const value = Number(text);
  return value >= field.minimum && value <= field.maximum ? value : undefined;
}
