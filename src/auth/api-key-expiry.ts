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

/** The expiry that a caller asks for: a time, never by name, or undefined for the default. */
export type RequestedExpiry = Date | 'never' | undefined;

/**
 * Reads the expiry of an input. Null is the same as absent, so that a variable without a value never creates a key
 * without an expiry.
 *
 * @param input `expiresAt` in RFC 3339.
 * @throws 400 `invalid_parameter` for both.
 */
export function requestedExpiry(input: {
  expiresAt?: string | null | undefined;
  neverExpires?: boolean | null | undefined;
}): RequestedExpiry {
  if (input.neverExpires !== true) return input.expiresAt == null ? undefined : new Date(input.expiresAt);
  if (input.expiresAt == null) return 'never';
  throw invalidParameter('neverExpires', 'must not be true together with expiresAt');
}

/**
 * Returns the expiry of a new key: null if it never expires.
 *
 * @param latest the latest expiry that the creating credential allows.
 * @throws 400 `invalid_parameter` for a time in the past, or an expiry beyond the maximum lifetime.
 */
export function apiKeyExpiry(
  life: ApiKeyLife,
  requested: RequestedExpiry,
  now: Date,
  latest?: LatestExpiry,
): Date | null {
  const { daysDefault, daysMax } = life;
  if (requested === undefined) {
    const standard = inDays(now, Math.min(daysDefault, daysMax ?? daysDefault));
    return latest !== undefined && latest.at < standard ? latest.at : standard;
  }
  if (requested === 'never') {
    if (latest !== undefined) {
      throw invalidParameter(
        'neverExpires',
        `must not be true: the key expires by ${latest.at.toISOString()}, because ${latest.because}`,
      );
    }
    if (!outlivesMaximum(life, null, now)) return null;
    throw invalidParameter('neverExpires', `must not be true: the maximum lifetime of keys is ${daysMax} days`);
  }
  if (requested <= now) throw invalidParameter('expiresAt', 'must be in the future');
  if (latest !== undefined && requested > latest.at) {
    throw invalidParameter('expiresAt', `must be at most ${latest.at.toISOString()}, because ${latest.because}`);
  }
  if (outlivesMaximum(life, requested, now)) {
    throw invalidParameter('expiresAt', `must be at most ${daysMax} days from now`);
  }
  return requested;
}

/**
 * Returns the expiry of a replacement key without a requested one: that of the old key, or an earlier one required by
 * the settings or the credential. The replacement of a key that never expires has the default lifetime.
 */
export function rotatedKeyExpiry(
  life: ApiKeyLife,
  oldExpiry: Date | null,
  now: Date,
  latest?: LatestExpiry,
): Date | null {
  if (oldExpiry === null) return apiKeyExpiry(life, undefined, now, latest);
  const ofSettings = life.daysMax === undefined ? oldExpiry : inDays(now, life.daysMax);
  const ends = [oldExpiry, ofSettings, latest?.at ?? oldExpiry];
  return new Date(Math.min(...ends.map((end) => end.getTime())));
}

/** Whether an expiry is beyond the maximum lifetime. @param expiry null for never. */
export function outlivesMaximum({ daysMax }: ApiKeyLife, expiry: Date | null, now: Date): boolean {
  return daysMax !== undefined && (expiry === null || expiry > inDays(now, daysMax));
}

function inDays(now: Date, days: number): Date {
  return new Date(now.getTime() + days * dayMs);
}
