import { invalidParameter } from '../errors.js';

/** How long an API key works, by the settings of the service. */
export interface ApiKeyLife {
  /** When nothing is said. */
  daysDefault: number;
  /** At most; without it a key may never end. */
  daysMax: number | undefined;
}

const dayMs = 24 * 60 * 60_000;

/** How long the old key works beside the new one, unless something else is said, and at most. */
export const rotationOverlapSecondsDefault = 24 * 60 * 60;
export const rotationOverlapSecondsMax = 30 * 24 * 60 * 60;

/**
 * When a new key ends.
 *
 * @param asked undefined for what the settings say; null for never.
 * @param field what the caller calls it.
 * @throws 400 `invalid_parameter` for a time that has passed, and one beyond the longest life.
 */
export function apiKeyExpiry(life: ApiKeyLife, asked: Date | null | undefined, now: Date, field: string): Date | null {
  const { daysMax } = life;
  const inDays = (days: number): Date => new Date(now.getTime() + days * dayMs);
  if (asked === undefined) return inDays(Math.min(life.daysDefault, daysMax ?? life.daysDefault));
  if (asked === null && daysMax === undefined) return null;
  if (asked !== null && asked <= now) throw invalidParameter(field, 'must lie in the future');
  if (daysMax !== undefined && (asked === null || asked > inDays(daysMax))) {
    throw invalidParameter(field, `must be at most ${daysMax} days from now`);
  }
  return asked;
}
