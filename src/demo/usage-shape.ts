// How busy the company is: by the hour, the day of the week and the season, and on one day on which things went wrong.
import { createRandom } from './random.js';
import { dayMs } from './times.js';

/** What moves an amount: people at work, runs in the night, or nothing at all. */
export type Rhythm = MovedRhythm | 'steady';

type MovedRhythm = 'office' | 'night';

/** From Sunday to Saturday. */
const weekdays: Readonly<Record<MovedRhythm, readonly number[]>> = {
  office: [0.2, 1, 1.06, 1.08, 1.04, 0.92, 0.26],
  night: [0.8, 1, 1, 1, 1, 1.15, 0.85],
};

/** Hundredths of a day, from midnight on. */
const hours: Readonly<Record<MovedRhythm, readonly number[]>> = {
  office: [1, 1, 1, 1, 1, 2, 3, 5, 7, 8, 8, 7, 6, 7, 8, 8, 7, 5, 4, 3, 2, 2, 2, 1],
  night: [10, 30, 30, 15, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 10],
};

/** The load a year ago, as a part of that at the end. */
const firstLoad = 0.6;
const yearMs = 365 * dayMs;

/** The part of a day's work that falls into the hour that begins then. */
export function hourShare(rhythm: MovedRhythm, at: Date): number {
  return (hours[rhythm][at.getUTCHours()] ?? 0) / 100;
}

/**
 * The load at a time, as a part of the ordinary one. The same arguments give the same.
 *
 * @param seed whose load it is: everybody has good and bad days of their own.
 * @param end the demo's present, up to which the load grows.
 */
export function load(rhythm: MovedRhythm, at: Date, seed: string, end: Date): number {
  const weekday = weekdays[rhythm][at.getUTCDay()] ?? 1;
  const age = Math.min(Math.max(end.getTime() - at.getTime(), 0), yearMs) / yearMs;
  const growth = 1 - age * (1 - firstLoad);
  const chance = 0.75 + createRandom(`${seed} ${at.toISOString()}`).below(501) / 1_000;
  return weekday * growth * chance;
}

/** How much more a bad deploy made of the invoice team's work, until it was taken back the next morning. */
export function incidentFactor(at: Date, end: Date): number {
  const days = Math.floor((at.getTime() - incidentDay(end).getTime()) / dayMs);
  if (days === 0) return 14;
  return days === 1 ? 4 : 1;
}

/** The Tuesday of the week that was five weeks before the end. */
export function incidentDay(end: Date): Date {
  const day = Math.floor(end.getTime() / dayMs) - 35;
  // Day 0 was a Thursday.
  const weekday = (day + 4) % 7;
  return new Date((day - weekday + 2) * dayMs);
}
