// The company's load by hour, day of the week and season, with one day of a bad deployment.
import { createRandom } from './random.js';
import { dayMs } from './times.js';

/** The driver of an amount: people at work, nightly runs, or nothing. */
export type Rhythm = MovedRhythm | 'steady';

type MovedRhythm = 'office' | 'night';

/** Sunday to Saturday. */
const weekdays: Readonly<Record<MovedRhythm, readonly number[]>> = {
  office: [0.2, 1, 1.06, 1.08, 1.04, 0.92, 0.26],
  night: [0.8, 1, 1, 1, 1, 1.15, 0.85],
};

/** Percent of a day, from midnight onwards. */
const hours: Readonly<Record<MovedRhythm, readonly number[]>> = {
  office: [1, 1, 1, 1, 1, 2, 3, 5, 7, 8, 8, 7, 6, 7, 8, 8, 7, 5, 4, 3, 2, 2, 2, 1],
  night: [10, 30, 30, 15, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 10],
};

/** The load a year ago, relative to the end. */
const firstLoad = 0.6;
const yearMs = 365 * dayMs;

/** The share of a day's work in the hour that starts then. */
export function hourShare(rhythm: MovedRhythm, at: Date): number {
  return (hours[rhythm][at.getUTCHours()] ?? 0) / 100;
}

/**
 * The load at a time, relative to an ordinary one. The same arguments return the same load.
 *
 * @param seed distinguishes resources, which have different busy days.
 * @param end the end of the demo data, up to which the load grows.
 */
export function load(rhythm: MovedRhythm, at: Date, seed: string, end: Date): number {
  const weekday = weekdays[rhythm][at.getUTCDay()] ?? 1;
  const age = Math.min(Math.max(end.getTime() - at.getTime(), 0), yearMs) / yearMs;
  const growth = 1 - age * (1 - firstLoad);
  const chance = 0.75 + createRandom(`${seed} ${at.toISOString()}`).below(501) / 1_000;
  return weekday * growth * chance;
}

/** The factor by which a bad deployment increased the invoice team's load, until its rollback the next morning. */
export function incidentFactor(at: Date, end: Date): number {
  const days = Math.floor((at.getTime() - incidentDay(end).getTime()) / dayMs);
  if (days === 0) return 14;
  return days === 1 ? 4 : 1;
}

/** The Tuesday of the week five weeks before the end. */
export function incidentDay(end: Date): Date {
  const day = Math.floor(end.getTime() / dayMs) - 35;
  // Day 0 of Unix time was a Thursday.
  const weekday = (day + 4) % 7;
  return new Date((day - weekday + 2) * dayMs);
}
