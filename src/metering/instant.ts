// Points in time with nanosecond precision, as two integers that a double holds exactly.

export interface Instant {
  /** Whole hours since 1970-01-01T00:00:00Z. */
  hour: number;
  /** Nanoseconds since the start of the hour. */
  nano: number;
}

export const nanosPerHour = 3_600_000_000_000;
const hourMs = 3_600_000;
const minutesPerDay = 24 * 60;

const yearMin = 2000;
const yearMax = 2100;

const pattern =
  /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}):([0-5]\d):([0-5]\d|60)(?:\.(\d{1,9}))?(?:[Zz]|([+-])([01]\d|2[0-3]):([0-5]\d))$/;

/** The rule that a text breaks. Messages put the name of the field before it. */
export interface Refusal {
  rule: string;
}

/** Parses RFC 3339 with any offset to the nanosecond, for the years 2000 to 2100 (decision 31). */
export function instantFromText(text: string): Instant | Refusal {
  const plain = plainInstant(text);
  if (plain !== undefined) return plain;
  const match = pattern.exec(text);
  if (match === null) {
    if (/ \d{2}:\d{2}$/.test(text)) {
      return { rule: 'has a space before the offset. Send + as %2B in a query string' };
    }
    return { rule: 'must be an RFC 3339 time, such as 2026-04-28T00:00:00Z' };
  }
  const [, date = '', hours = '', minutes = '', seconds = '', fraction = '', sign, offsetHours, offsetMinutes] = match;
  const day = dayOf(date);
  if (day === undefined || hours > '23') return { rule: 'must be an existing date and time' };
  const direction = sign === '-' ? -1 : 1;
  const offset = sign === undefined ? 0 : direction * (Number(offsetHours) * 60 + Number(offsetMinutes));
  const minute = (day * 24 + Number(hours)) * 60 + Number(minutes) - offset;
  if (minute < minuteMin || minute >= minuteEnd) return { rule: `must be in the years ${yearMin} to ${yearMax}` };
  const nanos = fraction === '' ? 0 : Number(fraction.padEnd(9, '0'));
  if (seconds === '60') {
    // A leap second is at the end of a day in UTC (RFC 3339, section 5.7). It counts as the first second of the next
    // day.
    if (minute % minutesPerDay !== minutesPerDay - 1) return { rule: 'must be an existing date and time' };
    return { hour: (minute + 1) / 60, nano: nanos };
  }
  const hour = Math.floor(minute / 60);
  const second = (minute - hour * 60) * 60 + Number(seconds);
  return { hour, nano: second * 1_000_000_000 + nanos };
}

/** Fast path for common formats: 2026-11-20T09:30:00Z, with or without milliseconds. */
function plainInstant(text: string): Instant | undefined {
  const { length } = text;
  if ((length !== 20 && length !== 24) || text[10] !== 'T' || text[length - 1] !== 'Z') return undefined;
  if (text[13] !== ':' || text[16] !== ':' || (length === 24 && text[19] !== '.')) return undefined;
  const hours = twoDigits(text, 11);
  const minutes = twoDigits(text, 14);
  const seconds = twoDigits(text, 17);
  const ms = length === 24 ? twoDigits(text, 20) * 10 + (twoDigits(text, 21) % 10) : 0;
  // A character that is not a digit makes the number NaN, which fails these comparisons.
  if (!(hours <= 23 && minutes <= 59 && seconds <= 59 && ms <= 999)) return undefined;
  const date = text.slice(0, 10);
  const day = lastDate.text === date ? lastDate.day : /^20\d\d-\d\d-\d\d$/.test(date) ? dayOf(date) : undefined;
  if (day === undefined) return undefined;
  lastDate = { text: date, day };
  return { hour: day * 24 + hours, nano: ((minutes * 60 + seconds) * 1_000 + ms) * 1_000_000 };
}

/** Caches the last date, because most events of a batch are of the same day. */
let lastDate = { text: '', day: 0 };

function twoDigits(text: string, at: number): number {
  const tens = text.charCodeAt(at) - 48;
  const ones = text.charCodeAt(at + 1) - 48;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : NaN;
}

const minuteMs = 60_000;
const minuteMin = Date.UTC(yearMin, 0) / minuteMs;
const minuteEnd = Date.UTC(yearMax + 1, 0) / minuteMs;

/** Caches parsed dates: millions of events share few days. */
const days = new Map<string, number | undefined>();
const daysMax = 10_000;

/** Returns the days since 1970 of a date; undefined for a date that does not exist. */
function dayOf(date: string): number | undefined {
  if (days.has(date)) return days.get(date);
  const ms = Date.parse(`${date}T00:00:00Z`);
  // JavaScript parses 31 June as 1 July.
  const isReal = !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(date);
  const day = isReal ? ms / 86_400_000 : undefined;
  if (days.size >= daysMax) days.clear();
  days.set(date, day);
  return day;
}

/** @param ms whole milliseconds since 1970. */
export function instantFromMs(ms: number): Instant {
  const hour = Math.floor(ms / hourMs);
  return { hour, nano: (ms - hour * hourMs) * 1_000_000 };
}

/** Milliseconds since 1970, rounded down. */
export function msFromInstant({ hour, nano }: Instant): number {
  return hour * hourMs + Math.floor(nano / 1_000_000);
}

/** Formats an instant as RFC 3339 in UTC, with 0, 3, 6 or 9 fractional digits as needed. */
export function textFromInstant({ hour, nano }: Instant): string {
  const seconds = new Date(msFromInstant({ hour, nano })).toISOString().slice(0, 19);
  const fraction = String(nano % 1_000_000_000)
    .padStart(9, '0')
    .replace(/(000){1,3}$/, '');
  return `${seconds}${fraction === '' ? '' : `.${fraction}`}Z`;
}

/** Returns a negative number when `one` is earlier, zero when both are equal. */
export function compareInstants(one: Instant, other: Instant): number {
  return one.hour - other.hour || one.nano - other.nano;
}
