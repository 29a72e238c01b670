// Periods in whole days of a time zone.
import { resolutions } from './costs-search.js';
import type { Resolution } from './costs-search.js';
import { placeOf } from './zone.js';
import type { TimeZone } from './zone.js';
import { dateFormat } from '../look/locale.js';

export interface Window {
  from: string;
  to: string;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Named periods, relative to a time. They become absolute in the URL. */
export const presets = {
  '7d': { label: 'Last 7 days', window: (now: Date, zone: TimeZone) => lastDays(now, zone, 7) },
  // Whole weeks, so that a comparison sets each day beside the same weekday.
  '28d': { label: 'Last 28 days (4 weeks)', window: (now: Date, zone: TimeZone) => lastDays(now, zone, 28) },
  '30d': { label: 'Last 30 days', window: (now: Date, zone: TimeZone) => lastDays(now, zone, 30) },
  month: { label: 'This month', window: (now: Date, zone: TimeZone) => months(now, zone, 0, 1) },
  'last-month': { label: 'Last month', window: (now: Date, zone: TimeZone) => months(now, zone, -1, 1) },
  '90d': { label: 'Last 90 days', window: (now: Date, zone: TimeZone) => lastDays(now, zone, 90) },
  year: { label: 'Last 12 months', window: (now: Date, zone: TimeZone) => months(now, zone, -11, 12) },
} as const satisfies Record<string, { label: string; window: (now: Date, zone: TimeZone) => Window }>;

export type Preset = keyof typeof presets;

export function isPreset(text: string): text is Preset {
  return Object.hasOwn(presets, text);
}

/** The preset that a period matches now; undefined if there is none. */
export function presetOf(window: Window, now: Date, zone: TimeZone): Preset | undefined {
  return Object.keys(presets)
    .filter(isPreset)
    .find((name) => {
      const { from, to } = presets[name].window(now, zone);
      return from === window.from && to === window.to;
    });
}

/**
 * The previous period: as many months or days for whole months or days, else of the same length. If the period has not ended
 * yet, as many whole hours as have elapsed.
 */
export function windowBefore(window: Window, now: Date, zone: TimeZone): Window {
  const before = wholeWindowBefore(window, zone);
  const elapsedMs = Math.floor((now.getTime() - Date.parse(window.from)) / hourMs) * hourMs;
  if (now.getTime() >= Date.parse(window.to) || elapsedMs <= 0) return before;
  const end = Math.min(Date.parse(before.from) + elapsedMs, Date.parse(before.to));
  return { from: before.from, to: new Date(end).toISOString() };
}

function wholeWindowBefore(window: Window, zone: TimeZone): Window {
  const [from, to] = [Date.parse(window.from), Date.parse(window.to)];
  if (!isWholeDays(window, zone)) return { from: new Date(2 * from - to).toISOString(), to: window.from };
  const [first, end] = [new Date(zone.wallOf(from)), new Date(zone.wallOf(to))];
  const isWholeMonths = first.getUTCDate() === 1 && end.getUTCDate() === 1;
  const start = isWholeMonths
    ? Date.UTC(2 * first.getUTCFullYear() - end.getUTCFullYear(), 2 * first.getUTCMonth() - end.getUTCMonth(), 1)
    : dayMs * (2 * dayAt(from, zone) - dayAt(to, zone));
  return { from: timeAt(start, zone), to: window.from };
}

/** The same dates in another time zone. Periods that are not whole days stay the same. */
export function inZone(window: Window, zone: TimeZone, other: TimeZone): Window {
  if (!isWholeDays(window, zone)) return window;
  const { first, last } = datesOf(window, zone);
  return windowOfDates(first, last, other) ?? window;
}

/** The first and last date of a period, such as 2026-11-01, including partial days. */
export function datesOf({ from, to }: Window, zone: TimeZone): { first: string; last: string } {
  const dateAt = (ms: number) => new Date(zone.wallOf(ms)).toISOString().slice(0, 10);
  return { first: dateAt(Date.parse(from)), last: dateAt(Date.parse(to) - 1) };
}

/** The period from a first to a last date; undefined if a date is invalid or the order is wrong. */
export function windowOfDates(first: string, last: string, zone: TimeZone): Window | undefined {
  const [start, end] = [Date.parse(`${first}T00:00:00Z`), Date.parse(`${last}T00:00:00Z`)];
  if (Number.isNaN(start) || Number.isNaN(end) || start > end) return undefined;
  return { from: timeAt(start, zone), to: timeAt(end + dayMs, zone) };
}

/** The length in days of a time zone. */
export function daysOf({ from, to }: Window, zone: TimeZone): number {
  return (zone.wallOf(Date.parse(to)) - zone.wallOf(Date.parse(from))) / dayMs;
}

/** The default resolution of the API. */
export function usualResolution(window: Window, zone: TimeZone): Resolution {
  const days = daysOf(window, zone);
  if (days < 7) return 'hourly';
  if (days < 90) return 'daily';
  return days < 365 ? 'weekly' : 'monthly';
}

/** Whether the API accepts a resolution for a period, whose length may be measured in the time zone or in UTC. */
export function fits(resolution: Resolution, window: Window, zone: TimeZone): boolean {
  const { daysMax } = resolutions[resolution];
  const inUtc = (Date.parse(window.to) - Date.parse(window.from)) / dayMs;
  return Math.min(inUtc, daysOf(window, zone)) <= daysMax;
}

/** Whether the previous period starts on the same weekday: the period has whole weeks. */
export function isOfWeeks(window: Window, zone: TimeZone): boolean {
  return isWholeDays(window, zone) && daysOf(window, zone) % 7 === 0;
}

/** Such as 1 – 30 Nov 2026: the last day is the last one inside. */
export function windowText(window: Window, zone: TimeZone): string {
  const isOfDays = isWholeDays(window, zone);
  const format = dateFormat({
    dateStyle: 'medium',
    ...(isOfDays ? {} : { timeStyle: 'short' }),
    timeZone: zone.name,
  });
  const text = format.formatRange(Date.parse(window.from), Date.parse(window.to) - (isOfDays ? 1 : 0));
  return isOfDays ? text : `${text} ${placeOf(zone)}`;
}

function isWholeDays({ from, to }: Window, zone: TimeZone): boolean {
  return [from, to].every((time) => timeAt(dayMs * dayAt(Date.parse(time), zone), zone) === time);
}

/** The local days since 1970 in a time zone. */
function dayAt(ms: number, zone: TimeZone): number {
  return Math.floor(zone.wallOf(ms) / dayMs);
}

/** The first time at which local clocks show a value. */
function timeAt(wall: number, zone: TimeZone): string {
  return new Date(zone.firstAt(wall)).toISOString();
}

function lastDays(now: Date, zone: TimeZone, days: number): Window {
  const end = dayAt(now.getTime(), zone) + 1;
  return { from: timeAt(dayMs * (end - days), zone), to: timeAt(dayMs * end, zone) };
}

function months(now: Date, zone: TimeZone, offset: number, count: number): Window {
  const today = new Date(zone.wallOf(now.getTime()));
  const at = (month: number) => timeAt(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + month, 1), zone);
  return { from: at(offset), to: at(offset + count) };
}
