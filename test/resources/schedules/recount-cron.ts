// Generated cron expressions, and an independent recount of their times: every minute of the days around a clock change is
// looked at, as Vixie cron looks at them. Nothing here is of the service.
import fc from 'fast-check';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

interface GeneratedField {
  text: string;
  /** Whether any value matches: `*`, `*` with a step of one, or a list with either. */
  isAny: boolean;
  /** Whether an item is a star or a step, which follows the clocks. */
  follows: boolean;
  values: number[];
}

export interface GeneratedCron {
  text: string;
  fields: GeneratedField[];
}

/** The minutes around a clock change: each with the time that the clocks show, in the fields of UTC (ms). */
export interface Night {
  timeZone: string;
  minutes: { timeMs: number; clockMs: number }[];
}

const stepped = (from: number, to: number, step: number): number[] =>
  from > to ? [] : [from, ...stepped(from + step, to, step)];

/** An item of a field that has values from `min` to `max`. Values near `near` are frequent. */
function item(min: number, max: number, near: number[]): fc.Arbitrary<GeneratedField> {
  const value = fc.oneof(fc.constantFrom(...near), fc.integer({ min, max }));
  const step = fc.oneof(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 90 }));
  const fieldOf = (text: string, values: number[], isStep: boolean, isAny = false) => {
    return { text, values, isAny, follows: isAny || (isStep && values.length > 1) };
  };
  return fc.oneof(
    { weight: 4, arbitrary: value.map((one) => fieldOf(String(one), [one], false)) },
    fc.tuple(value, value, step, fc.boolean()).map(([one, other, every, isStepped]) => {
      const [from, to] = [Math.min(one, other), Math.max(one, other)];
      return isStepped
        ? fieldOf(`${from}-${to}/${every}`, stepped(from, to, every), every > 1)
        : fieldOf(`${from}-${to}`, stepped(from, to, 1), false);
    }),
    fc.tuple(value, step).map(([from, every]) => fieldOf(`${from}/${every}`, stepped(from, max, every), every > 1)),
    step.map((every) => fieldOf(`*/${every}`, stepped(min, max, every), true, every === 1)),
    fc.constant(fieldOf('*', stepped(min, max, 1), false, true)),
  );
}

function field(min: number, max: number, starWeight: number, near: number[] = [min]): fc.Arbitrary<GeneratedField> {
  const lists = fc.array(item(min, max, near), { minLength: 1, maxLength: 3 }).map((items) => ({
    text: items.map(({ text }) => text).join(','),
    isAny: items.some(({ isAny }) => isAny),
    follows: items.some(({ follows }) => follows),
    values: items.flatMap(({ values }) => values),
  }));
  const any = fc.constantFrom('*', '*/1').map((text) => {
    return { text, isAny: true, follows: true, values: stepped(min, max, 1) };
  });
  return fc.oneof({ weight: 10 - starWeight, arbitrary: lists }, { weight: starWeight, arbitrary: any });
}

/** Expressions, frequently with the hours of clock changes. */
export const generatedCron: fc.Arbitrary<GeneratedCron> = fc
  .tuple(field(0, 59, 1), field(0, 23, 1, [23, 0, 1, 2, 3, 22]), field(1, 31, 7), field(1, 12, 9), field(0, 7, 6))
  .map((fields) => ({ text: fields.map(({ text }) => text).join(' '), fields }));

/** The days around the changes of a zone from a time on. */
export function nightsOf(timeZone: string, from: string, days: number): Night[] {
  const format = new Intl.DateTimeFormat('en', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  });
  const clockAt = (timeMs: number) => {
    const parts = new Map(format.formatToParts(timeMs).map(({ type, value }) => [type, Number(value)]));
    const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
    return Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'));
  };
  const start = Date.parse(from);
  const isChange = (timeMs: number, lengthMs: number) => clockAt(timeMs) - clockAt(timeMs - lengthMs) !== lengthMs;
  const dates = Array.from({ length: days }, (_, index) => start + index * dayMs).filter((date) =>
    isChange(date, dayMs),
  );
  const changes = dates.flatMap((date) =>
    Array.from({ length: 24 }, (_, index) => date - index * hourMs).filter((timeMs) => isChange(timeMs, hourMs)),
  );
  return changes.map((change) => ({
    timeZone,
    minutes: Array.from({ length: 48 * 60 }, (_, index) => {
      const timeMs = change - 20 * hourMs + index * minuteMs;
      return { timeMs, clockMs: clockAt(timeMs) };
    }),
  }));
}

/**
 * The times of an expression in these minutes but the first. A schedule that follows the clocks runs in each minute that
 * they show. A fixed one runs in the first minute at which they show its time or a later one.
 */
export function recount({ fields }: GeneratedCron, { minutes: [first, ...minutes] }: Night): number[] {
  const times: number[] = [];
  let highestMs = first?.clockMs ?? 0;
  const [minute, hour] = fields;
  const isFixed = minute?.follows === false && hour?.follows === false;
  for (const { timeMs, clockMs } of minutes) {
    if (!isFixed) {
      if (matches(fields, clockMs)) times.push(timeMs);
      continue;
    }
    const passed = stepped(highestMs / minuteMs + 1, clockMs / minuteMs, 1);
    if (passed.some((each) => matches(fields, each * minuteMs))) times.push(timeMs);
    highestMs = Math.max(highestMs, clockMs);
  }
  return times;
}

function matches([minute, hour, day, month, weekday]: GeneratedField[], clockMs: number): boolean {
  const clock = new Date(clockMs);
  const has = (field: GeneratedField | undefined, ...any: number[]) =>
    any.some((value) => field?.values.includes(value));
  if (!has(minute, clock.getUTCMinutes()) || !has(hour, clock.getUTCHours())) return false;
  if (!has(month, clock.getUTCMonth() + 1)) return false;
  const isDay = has(day, clock.getUTCDate());
  const isWeekday = has(weekday, clock.getUTCDay(), clock.getUTCDay() || 7);
  return day?.isAny === false && weekday?.isAny === false ? isDay || isWeekday : isDay && isWeekday;
}
