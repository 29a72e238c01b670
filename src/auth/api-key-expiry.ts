import { invalidParameter } from '../errors.js';

/** The lifetime of API keys, from the service's settings. */
export interface ApiKeyLife {
  /** The default lifetime (days). */
  daysDefault: number;
  /** The maximum lifetime (days). Without it, a key may never expire. */
  daysMax: number | undefined;
}

const dayMs = 24 * 60 * 60_000;

/** How long a rotated key keeps working: default and maximum (seconds). */
export const rotationOverlapSecondsDefault = 24 * 60 * 60;
export const rotationOverlapSecondsMax = 30 * 24 * 60 * 60;

/** How recent a sign-in must be for the user to create keys that outlive the session (ms). */
export const recentSignInMs = 60 * 60_000;

/** The maximum lifetime of a key created with an access token from an older sign-in (ms). */
export const oldSignInKeyLifeMs = 24 * 60 * 60_000;

/** The latest expiry that the creating credential allows. */
export interface LatestExpiry {
  at: Date;
  /** The reason, as the second half of a sentence. */
  because: string;
}

/**
 * Returns the expiry of a new key.
 *
 * @param requested undefined for the default; null for never.
 * @param field name of the field in the input.
 * @param latest the latest expiry that the creating credential allows.
 * @throws 400 `invalid_parameter` for a time in the past or beyond the maximum lifetime.
 */
export function apiKeyExpiry(
  life: ApiKeyLife,
  requested: Date | null | undefined,
  now: Date,
  field: string,
  latest?: LatestExpiry,
): Date | null {
  const { daysMax } = life;
  const inDays = (days: number): Date => new Date(now.getTime() + days * dayMs);
  if (requested === undefined) {
    const standard = inDays(Math.min(life.daysDefault, daysMax ?? life.daysDefault));
    return latest !== undefined && latest.at < standard ? latest.at : standard;
  }
  if (latest !== undefined && (requested === null || requested > latest.at)) {
    throw invalidParameter(field, `must be at most ${latest.at.toISOString()}, because ${latest.because}`);
  }
  if (requested === null && daysMax === undefined) return null;
  if (requested !== null && requested <= now) throw invalidParameter(field, 'must be in the future');
  if (daysMax !== undefined && (requested === null || requested > inDays(daysMax))) {
    throw invalidParameter(field, `must be at most ${daysMax} days from now`);
  }
  return requested;
}

/**
 * Returns the expiry of a replacement key: that of the old key, or an earlier one required by the settings or the
 * credential.
 */
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
