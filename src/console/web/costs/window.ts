// Windows of time in whole UTC days, as costs are kept.
import { resolutions } from './costs-search.js';
import type { Resolution } from './costs-search.js';

export interface Window {
  from: string;
  to: string;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Windows that people ask for by name, as of a moment. They become absolute in the address. */
export const presets = {
  '7d': { label: 'Last 7 days', window: (now: Date) => lastDays(now, 7) },
  '30d': { label: 'Last 30 days', window: (now: Date) => lastDays(now, 30) },
  month: { label: 'This month', window: (now: Date) => month(now, 0) },
  'last-month': { label: 'Last month', window: (now: Date) => month(now, -1) },
  '90d': { label: 'Last 90 days', window: (now: Date) => lastDays(now, 90) },
  year: { label: 'Last 12 months', window: (now: Date) => ({ ...month(now, -11), to: month(now, 0).to }) },
} as const satisfies Record<string, { label: string; window: (now: Date) => Window }>;

export type Preset = keyof typeof presets;

export function isPreset(text: string): text is Preset {
  return Object.hasOwn(presets, text);
}

/** The name of a window; undefined for one that has none at this moment. */
export function presetOf(window: Window, now: Date): Preset | undefined {
  return Object.keys(presets)
    .filter(isPreset)
    .find((name) => {
      const { from, to } = presets[name].window(now);
      return from === window.from && to === window.to;
    });
}

/**
 * The window of the same length that ends where this one begins; whole months have as many months before them. Of a
 * window that has not ended by now, as many whole hours as have gone by.
 */
export function windowBefore(window: Window, now: Date): Window {
  const before = wholeWindowBefore(window);
  const goneMs = Math.floor((now.getTime() - Date.parse(window.from)) / hourMs) * hourMs;
  if (now.getTime() >= Date.parse(window.to) || goneMs <= 0) return before;
  const end = Math.min(Date.parse(before.from) + goneMs, Date.parse(before.to));
  return { from: before.from, to: new Date(end).toISOString() };
}

function wholeWindowBefore({ from, to }: Window): Window {
  const [start, end] = [new Date(from), new Date(to)];
  const isWholeMonths = isMonthStart(start) && isMonthStart(end);
  if (isWholeMonths) {
    const months = (end.getUTCFullYear() - start.getUTCFullYear()) * 12 + end.getUTCMonth() - start.getUTCMonth();
    return {
      from: new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() - months, 1)).toISOString(),
      to: from,
    };
  }
  return { from: new Date(2 * start.getTime() - end.getTime()).toISOString(), to: from };
}

export function daysOf({ from, to }: Window): number {
  return (Date.parse(to) - Date.parse(from)) / dayMs;
}

/** The resolution that the API takes when none is asked for. */
export function usualResolution(window: Window): Resolution {
  const days = daysOf(window);
  if (days < 7) return 'hourly';
  if (days < 90) return 'daily';
  return days < 365 ? 'weekly' : 'monthly';
}

export function fits(resolution: Resolution, window: Window): boolean {
  return daysOf(window) <= resolutions[resolution].daysMax;
}

/** Such as 1 – 30 Nov 2026: the last day is the last one inside. */
export function windowText({ from, to }: Window): string {
  const isWholeDays = Date.parse(from) % dayMs === 0 && Date.parse(to) % dayMs === 0;
  const format = new Intl.DateTimeFormat(undefined, {
    dateStyle: 'medium',
    ...(isWholeDays ? {} : { timeStyle: 'short' }),
    timeZone: 'UTC',
  });
  const text = format.formatRange(Date.parse(from), Date.parse(to) - (isWholeDays ? dayMs : 0));
  return isWholeDays ? text : `${text} UTC`;
}

function lastDays(now: Date, days: number): Window {
  const end = Math.floor(now.getTime() / dayMs) * dayMs + dayMs;
  return { from: new Date(end - days * dayMs).toISOString(), to: new Date(end).toISOString() };
}

function month(now: Date, offset: number): Window {
  const at = (months: number) => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + offset + months, 1));
  return { from: at(0).toISOString(), to: at(1).toISOString() };
}

function isMonthStart(time: Date): boolean {
  return time.getUTCDate() === 1 && time.getTime() % dayMs === 0;
}
