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

/** How long after a sign-in a user may create keys that outlive the session. */
export const recentSignInMs = 60 * 60_000;

/** The longest life of a key that is created with an access token of an older sign-in. */
export const oldSignInKeyLifeMs = 24 * 60 * 60_000;

/** When a key has to end at the latest, because of the credential that creates it. */
export interface LatestExpiry {
  at: Date;
  /** Why, as the second half of a sentence. */
  because: string;
}

/**
 * When a new key ends.
 *
 * @param asked undefined for what the settings say; null for never.
 * @param field name of the field in the input.
 * @param latest when the key has to end at the latest, because the credential that creates it ends then.
 * @throws 400 `invalid_parameter` for a time that has passed, and one beyond the longest life.
 */
export function apiKeyExpiry(
  life: ApiKeyLife,
  asked: Date | null | undefined,
  now: Date,
  field: string,
  latest?: LatestExpiry,
): Date | null {
  const { daysMax } = life;
  const inDays = (days: number): Date => new Date(now.getTime() + days * dayMs);
  if (asked === undefined) {
    const standard = inDays(Math.min(life.daysDefault, daysMax ?? life.daysDefault));
    return latest !== undefined && latest.at < standard ? latest.at : standard;
  }
  if (latest !== undefined && (asked === null || asked > latest.at)) {
    throw invalidParameter(field, `must be at most ${latest.at.toISOString()}, because ${latest.because}`);
  }
  if (asked === null && daysMax === undefined) return null;
  if (asked !== null && asked <= now) throw invalidParameter(field, 'must lie in the future');
  if (daysMax !== undefined && (asked === null || asked > inDays(daysMax))) {
    throw invalidParameter(field, `must be at most ${daysMax} days from now`);
  }
  return asked;
}

/** When a key ends that replaces another key: with the old key, or earlier where the settings or the credential say so. */
export function rotatedKeyExpiry(
  { daysMax }: ApiKeyLife,
  oldExpiry: Date | null,
  now: Date,
  latest: LatestExpiry | undefined,
): Date | null {
  const ofSettings = daysMax === undefined ? undefined : new Date(now.getTime() + daysMax * dayMs);
  const [earliest = null] = [oldExpiry, latest?.at, ofSettings]
    .filter((end) => end instanceof Date)
    .toSorted((a, b) => a.getTime() - b.getTime());
  return earliest;
}
