import { z } from 'zod';
import { outlivesMaximum } from '../auth/api-key-expiry.js';
import { dateOrTimeText } from '../schema/time.js';
import { UsageError } from './command.js';
import type { Admin } from './command.js';

const unitMs = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 } as const;

/** A time such as `90d`, `12h`, `30m` or `2w`, in milliseconds. */
export const durationMs = z
  .string()
  .regex(/^[1-9]\d{0,3}[mhdw]$/)
  .transform((text) => {
    const unit = z.enum(['m', 'h', 'd', 'w']).parse(text.slice(-1));
    return Number(text.slice(0, -1)) * unitMs[unit];
  });

const instant = dateOrTimeText.transform((text) => new Date(text));

/** A duration from now in milliseconds, or a time: `90d`, `12h`, `2027-01-31` (its start in UTC), `2027-01-31T12:00:00Z`. */
export const expiry = z.union([durationMs, instant], {
  error: 'must be a date such as 2027-01-31, or a duration from now such as 90d, 12h, 30m or 2w',
});

/** @param given the output of `expiry`. @returns undefined for a time in the past. */
export function expiryTime(given: z.output<typeof expiry>, now: Date): Date | undefined {
  const time = given instanceof Date ? given : new Date(now.getTime() + given);
  return time > now ? time : undefined;
}

/** The value of an option for the expiry of a key: `never`, or an expiry. */
export const keyExpiry = z.union([z.literal('never'), expiry], {
  error: 'must be a date such as 2027-01-31, a duration such as 90d, or never',
});

/**
 * The option for the expiry of a key, as the functions that create keys take it.
 *
 * @throws {UsageError} for a time in the past, or beyond the maximum of the settings.
 */
export function keyExpiryInput(
  { apiKeyLife, now }: Pick<Admin, 'apiKeyLife' | 'now'>,
  option: z.output<typeof keyExpiry> | undefined,
): { expiresAt?: string; neverExpires?: true } {
  if (option === undefined) return {};
  const time = option === 'never' ? null : expiryTime(option, now());
  if (time === undefined) throw new UsageError('--expires: must be in the future');
  if (!outlivesMaximum(apiKeyLife, time, now()))
    return time === null ? { neverExpires: true } : { expiresAt: time.toISOString() };
  throw new UsageError(`--expires: must be at most ${apiKeyLife.daysMax} days from now (API_KEY_DAYS_MAX)`);
}
