// The times of the demo's events: always before the end, and the same every time.
import { companyOf } from './company.js';
import type { Random } from './random.js';

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

export interface Lived {
  createdAt: Date;
  updatedAt: Date;
}

/** Created this many days before the end, and updated at some time since. */
export function livedSince(random: Random, end: Date, daysMax: number, daysMin = 0): Lived {
  const ageMinutes = daysMin * 24 * 60 + random.below((daysMax - daysMin) * 24 * 60 - 60) + 60;
  const createdAt = new Date(end.getTime() - ageMinutes * minuteMs);
  return { createdAt, updatedAt: new Date(createdAt.getTime() + random.below(ageMinutes) * minuteMs) };
}

/** The metadata fields for creation and update. */
export function madeBy(random: Random, workspace: string, { createdAt, updatedAt }: Lived) {
  const { deployers } = companyOf(workspace);
  return {
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
    createdBy: random.pick(deployers),
    updatedBy: random.pick(deployers),
  };
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
  const updatedAt = new Date(createdAt.getTime() + random.below(Math.max(Math.floor(age / minuteMs), 1)) * minuteMs);
  return { createdAt, updatedAt };
}
