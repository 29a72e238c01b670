// Cron expressions of five fields. Without zod, so that the console can import it.
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

/** Returns the problem of a cron expression as the end of a sentence, or undefined if it is valid. */
export function cronProblem(schedule: string): string | undefined {
  const parts = schedule.trim().split(/\s+/);
  if (parts.length !== cronFields.length) return 'must have exactly five fields: minute hour day month weekday';
  for (const [index, field] of cronFields.entries()) {
    const part = parts[index] ?? '';
    if (cronValues(part, field) === undefined) return `has an invalid ${field.name}: ${JSON.stringify(part)}`;
  }
  return undefined;
}

/**
 * Returns the values of each field of a cron expression: undefined for a field with `*`, which any value matches.
 * Undefined if the expression is invalid.
 */
export function cronSets(schedule: string): (number[] | undefined)[] | undefined {
  if (cronProblem(schedule) !== undefined) return undefined;
  const parts = schedule.trim().split(/\s+/);
  return cronFields.map((field, index) => {
    const part = parts[index] ?? '';
    return isAny(part) ? undefined : cronValues(part, field);
  });
}

/**
 * Returns a cron expression with the same times that every parser of cron reads alike: numbers in place of names, `*`
 * in place of a list with `*`, and no steps that only one value or each value meets. Undefined if it is invalid.
 */
export function plainCron(schedule: string): string | undefined {
  if (cronProblem(schedule) !== undefined) return undefined;
  const parts = schedule.trim().split(/\s+/);
  return cronFields.map((field, index) => plainPart(parts[index] ?? '', field)).join(' ');
}

function plainPart(part: string, field: CronField): string {
  if (isAny(part)) return '*';
  return [...new Set(part.split(',').map((item) => plainItem(item, field)))].join(',');
}

function plainItem(item: string, field: CronField): string {
  const values = cronItemValues(item, field) ?? [];
  const [first = 0] = values;
  const last = values.at(-1) ?? first;
  // Sunday is 0 and 7.
  const isWeekday = field.maximum === 7;
  if (values.length === 1) return String(isWeekday ? first % 7 : first);
  const [range, step = '1'] = item.split('/');
  if (step === '1') return isWeekday && first === 0 && last === 7 ? '0-6' : `${first}-${last}`;
  if (isWeekday) return [...new Set(values.map((day) => day % 7))].join(',');
  return range === '*' ? item : `${first}-${last}/${step}`;
}

/** A field with `*` in a list matches any value, and a star with a step of one is a star. */
function isAny(part: string): boolean {
  return part.split(',').some((item) => item === '*' || item === '*/1');
}

function cronValues(part: string, field: CronField): number[] | undefined {
  const values = part.split(',').map((item) => cronItemValues(item, field));
  const known = values.flatMap((each) => each ?? []);
  return values.includes(undefined) ? undefined : [...new Set(known)].toSorted((one, other) => one - other);
}

/** `5/15` starts at 5 and continues to the maximum. */
function cronItemValues(item: string, field: CronField): number[] | undefined {
  const [range = '', step, ...rest] = item.split('/');
  if (rest.length > 0 || (step !== undefined && !/^[1-9]\d{0,2}$/.test(step))) return undefined;
  const bounds = cronRange(range, field, step !== undefined);
  if (bounds === undefined || bounds.from > bounds.to) return undefined;
  const { from, to } = bounds;
  const every = Number(step ?? 1);
  return Array.from({ length: Math.floor((to - from) / every) + 1 }, (_, index) => from + index * every);
}

function cronRange(range: string, field: CronField, isStepped: boolean): { from: number; to: number } | undefined {
  if (range === '*') return { from: field.minimum, to: field.maximum };
  const [first = '', last, ...more] = range.split('-');
  const from = cronValue(first, field);
  if (more.length > 0 || from === undefined) return undefined;
  if (last === undefined) return { from, to: isStepped ? field.maximum : from };
  const to = cronValue(last, field);
  return to === undefined ? undefined : { from, to };
}

function cronValue(text: string, field: CronField): number | undefined {
  const word = field.words.indexOf(text.toLowerCase());
  if (word >= 0) return word + field.minimum;
  if (!/^\d{1,2}$/.test(text)) return undefined;
  const value = Number(text);
  return value >= field.minimum && value <= field.maximum ? value : undefined;
}
