// The window of a query: resolutions with their limits, buckets, and the pieces that are added up. All numbers are
// integers in UTC.
import { compareInstants, nanosPerHour } from './instant.js';
import type { Instant } from './instant.js';
import type { TimeZone } from './time-zone.js';

/** Half-open: the end is excluded. */
export interface Window {
  start: Instant;
  end: Instant;
}

export const resolutions = {
  hourly: 'Hourly buckets, for windows of at most 7 days. The default for windows under 7 days.',
  daily: 'Daily buckets (UTC by default), for windows of at most 90 days. The default for windows under 90 days.',
  weekly: 'Buckets of an ISO week from Monday, for windows of at most 1 year. The default for windows under 1 year.',
  monthly: 'Buckets of a calendar month, for windows of any length. The default for windows of 1 year and longer.',
} as const;

export type Resolution = keyof typeof resolutions;

export function isResolution(text: string): text is Resolution {
  return Object.hasOwn(resolutions, text);
}

/** The longest window of each resolution in words, for messages and pickers. */
export const windowMaxTexts: Readonly<Record<Resolution, string | undefined>> = {
  hourly: '7 days',
  daily: '90 days',
  weekly: '1 year',
  monthly: undefined,
};

/** The numbers of the stored levels of sums. Each level is a resolution. */
export const levels = { hourly: 1, daily: 2, weekly: 3, monthly: 4 } as const satisfies Record<Resolution, number>;

type Level = (typeof levels)[Resolution];

/** A range of whole buckets of a level. The last is excluded. */
export interface Piece {
  level: Level;
  from: number;
  to: number;
}

/** A part of one hour, in nanoseconds. */
export interface Edge {
  hour: number;
  from: number;
  to: number;
  /** The index of the bucket of the window, from 0; undefined when the hour determines it. */
  order?: number;
}

/** Used for a level whose rows contain the bucket of the window. */
export const ownBuckets = 0;

const hourMs = 3_600_000;

/**
 * Returns the default resolution of a window (specification, Limits): the finest that its length allows, in UTC or
 * local time.
 */
export function defaultResolution(window: Window, zone?: TimeZone): Resolution {
  const isUnder = (cap: Cap) => compareInstants(window.end, capOf(window.start, cap, zone)) < 0;
  if (isUnder(caps.hourly)) return 'hourly';
  if (isUnder(caps.daily)) return 'daily';
  return isUnder(caps.weekly) ? 'weekly' : 'monthly';
}

/** Whether a window is within the limit of a resolution, in UTC or local time. */
export function isWithinCap(window: Window, resolution: Resolution, zone?: TimeZone): boolean {
  if (resolution === 'monthly') return true;
  const isUpTo = (last: Instant) => compareInstants(window.end, last) <= 0;
  const cap = caps[resolution];
  return isUpTo(capOf(window.start, cap)) || (zone !== undefined && isUpTo(capOf(window.start, cap, zone)));
}

type Cap = { days: number } | { years: 1 };

const caps = { hourly: { days: 7 }, daily: { days: 90 }, weekly: { years: 1 } } as const satisfies Record<string, Cap>;

/** Returns the latest allowed end of a window. */
function capOf(start: Instant, cap: Cap, zone?: TimeZone): Instant {
  if (zone !== undefined) return zone.later(start, cap);
  return 'days' in cap ? afterDays(start, cap.days) : afterYear(start);
}

function afterDays(start: Instant, days: number): Instant {
  return { hour: start.hour + days * 24, nano: start.nano };
}

/** Returns the same date of the next year; 1 March for 29 February (decision 32). */
function afterYear(start: Instant): Instant {
  const date = new Date(start.hour * hourMs);
  date.setUTCFullYear(date.getUTCFullYear() + 1);
  return { hour: date.getTime() / hourMs, nano: start.nano };
}

/** Returns the bucket of an hour. */
export function bucketOf(resolution: Resolution, hour: number): number {
  const day = Math.floor(hour / 24);
  if (resolution === 'hourly') return hour;
  if (resolution === 'daily') return day;
  // 1970-01-01 was a Thursday.
  if (resolution === 'weekly') return Math.floor((day + 3) / 7);
  return monthOf(hour);
}

/** Returns the months since January of the year 0, as the database numbers partitions. */
export function calendarMonthOf(hour: number): number {
  return monthOf(hour) + 1970 * 12;
}

/** Months since January 1970. */
function monthOf(hour: number): number {
  const date = new Date(hour * hourMs);
  return (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth();
}

/** Returns the first hour of a bucket. */
export function startOf(resolution: Resolution, bucket: number): number {
  if (resolution === 'hourly') return bucket;
  if (resolution === 'daily') return bucket * 24;
  if (resolution === 'weekly') return (bucket * 7 - 3) * 24;
  return Date.UTC(1970, bucket, 1) / hourMs;
}

/** Returns the buckets of a window, including partial ones at both ends. */
export function bucketsOf(window: Window, resolution: Resolution): { first: number; count: number } {
  const first = bucketOf(resolution, window.start.hour);
  const lastHour = window.end.nano > 0 ? window.end.hour : window.end.hour - 1;
  return { first, count: bucketOf(resolution, lastHour) - first + 1 };
}

/** The next finer resolution, for the ends of a window that whole buckets do not cover. */
const finer: Readonly<Record<Resolution, Resolution | undefined>> = {
  monthly: 'daily',
  weekly: 'daily',
  daily: 'hourly',
  hourly: undefined,
};

/**
 * Splits a window into pieces that cover it without overlap: whole buckets of the resolution, finer buckets at both
 * ends, and parts of at most two hours.
 */
export function splitWindow(window: Window, resolution: Resolution): { pieces: Piece[]; edges: Edge[] } {
  const { start, end } = window;
  const from = start.nano === 0 ? start.hour : start.hour + 1;
  if (start.hour === end.hour) return { pieces: [], edges: [{ hour: start.hour, from: start.nano, to: end.nano }] };
  const head = start.nano === 0 ? [] : [{ hour: start.hour, from: start.nano, to: nanosPerHour }];
  const tail = end.nano === 0 ? [] : [{ hour: end.hour, from: 0, to: end.nano }];
  return { pieces: splitHours(from, end.hour, resolution), edges: [...head, ...tail] };
}

function splitHours(from: number, to: number, resolution: Resolution): Piece[] {
  if (from >= to) return [];
  const holding = bucketOf(resolution, from);
  const first = startOf(resolution, holding) === from ? holding : holding + 1;
  const last = bucketOf(resolution, to);
  const next = finer[resolution];
  if (first >= last) return next === undefined ? [] : splitHours(from, to, next);
  const complete: Piece = { level: levels[resolution], from: first, to: last };
  if (next === undefined) return [complete];
  return [
    complete,
    ...splitHours(from, startOf(resolution, first), next),
    ...splitHours(startOf(resolution, last), to, next),
  ];
}

const resolutionsByLevel: Readonly<Record<number, Resolution>> = { 1: 'hourly', 2: 'daily', 3: 'weekly', 4: 'monthly' };

/** Returns the first hour of a bucket of a level. */
export function firstHourOf(level: number, bucket: number): number {
  const resolution = resolutionsByLevel[level];
  if (resolution === undefined) throw new RangeError(`there is no level ${level}`);
  return startOf(resolution, bucket);
}

/** Returns the bucket of a resolution that contains a bucket of the same or a finer level. */
export function bucketFromLevel(resolution: Resolution, level: number, bucket: number): number {
  return levels[resolution] === level ? bucket : bucketOf(resolution, firstHourOf(level, bucket));
}
