// The times of the demo's events: always before the end, and the same every time.
import { createRandom } from './random.js';
import type { Random } from './random.js';

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

/** A time some days before the end, which need not be whole days. */
export function daysBefore(end: Date, days: number): Date {
  return new Date(end.getTime() - Math.round(days * dayMs));
}

export interface Lived {
  createdAt: Date;
  updatedAt: Date;
}

/** Created this many days before the end, and updated at some time since. */
export function livedSince(random: Random, end: Date, daysMax: number, daysMin = 0): Lived {
  const ageMinutes = daysMin * 24 * 60 + random.below((daysMax - daysMin) * 24 * 60 - 60) + 60;
  const createdAt = new Date(end.getTime() - ageMinutes * minuteMs);
  return { createdAt, updatedAt: updatedBetween(random, createdAt, end) };
}

/**
 * The creation time of an agent in a fleet that grew evenly over nine months. Every eighth shares its time with the
 * previous one, as after an import.
 */
export function livedInFleet(
  random: Random,
  { index, count, end }: { index: number; count: number; end: Date },
): Lived {
  const age = Math.floor(((index - (index % 8 === 7 ? 1 : 0) + 1) / count) * 270 * dayMs);
  const createdAt = new Date(end.getTime() - age);
  return { createdAt, updatedAt: updatedBetween(random, createdAt, end) };
}

/** States that last minutes. */
const passing = new Set(['UPLOADING', 'BUILDING', 'BUILT', 'DEPLOYING', 'DEACTIVATING']);

/** The same, updated a few minutes before the end if its status is one that lasts minutes. */
export function livedAs(status: string, lived: Lived, random: Random, end: Date): Lived {
  const updatedAt = new Date(end.getTime() - (4 + random.below(20)) * minuteMs);
  return passing.has(status) && updatedAt > lived.createdAt ? { ...lived, updatedAt } : lived;
}

/** A time between two others, more likely shortly before the later one, and if possible at work. */
export function updatedBetween(random: Random, from: Date, to: Date): Date {
  const spanMinutes = Math.floor((to.getTime() - from.getTime()) / minuteMs);
  // Leaves time for the deployment that follows.
  const ago = 10 + Math.floor(Math.max(0, spanMinutes - 20) * (random.below(1_000) / 1_000) ** 3);
  const at = new Date(Math.max(from.getTime(), to.getTime() - ago * minuteMs + random.below(60) * 1_000));
  const worked = atWork(at, random);
  return worked > from ? worked : at;
}

/** The hours (UTC) in which people change something. */
const firstHour = 7;
const lastHour = 17;

export function isAtWork(at: Date): boolean {
  const weekday = at.getUTCDay();
  return weekday > 0 && weekday < 6 && at.getUTCHours() >= firstHour && at.getUTCHours() <= lastHour;
}

/** A time on the last working day before, at work. @param seed decides on the time of the day */
export function workTime(at: Date, seed: string): Date {
  const random = createRandom(`work ${seed}`);
  const day = new Date(Math.floor(at.getTime() / dayMs) * dayMs - dayMs);
  const back = [2, 0, 0, 0, 0, 0, 1][day.getUTCDay()] ?? 0;
  const seconds = firstHour * 3_600 + random.below((lastHour - firstHour) * 3_600);
  return new Date(day.getTime() - back * dayMs + seconds * 1_000);
}

/** The same time if people are at work; otherwise three times out of four a time of the last working day before. */
function atWork(at: Date, random: Random): Date {
  const minute = random.below((lastHour - firstHour + 1) * 60);
  if (isAtWork(at) || random.percent(25)) return at;
  const day = new Date(Math.floor(at.getTime() / dayMs) * dayMs);
  const isBefore = at.getUTCHours() < firstHour;
  const weekday = day.getUTCDay();
  const back = weekday === 0 ? 2 : weekday === 6 ? 1 : isBefore ? (weekday === 1 ? 3 : 1) : 0;
  return new Date(day.getTime() - back * dayMs + firstHour * hourMs + minute * minuteMs);
}
