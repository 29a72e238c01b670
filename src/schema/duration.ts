import { z } from 'zod';
import { refusal } from './problem.js';

const rule = 'must be a duration such as 24h, 15m or 1h30m, in days (d), hours (h), minutes (m) and seconds (s)';

/**
 * A duration such as 24h, 15m or 1h30m: whole numbers of days, hours, minutes and seconds, each at most once and the
 * larger unit first; more than nothing.
 */
export const duration = z.string().refine(isDuration, refusal('invalid_format', rule));

function isDuration(value: string): boolean {
  const amounts = /^(?:(\d{1,6})d)?(?:(\d{1,6})h)?(?:(\d{1,6})m)?(?:(\d{1,6})s)?$/.exec(value)?.slice(1) ?? [];
  return amounts.some((amount) => Number(amount ?? 0) > 0);
}

const unitSeconds = [86_400, 3_600, 60, 1];

/** The seconds of a duration. */
export function durationSeconds(value: string): number {
  const amounts = /^(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/.exec(value)?.slice(1) ?? [];
  return amounts.reduce((sum, amount, index) => sum + Number(amount ?? 0) * (unitSeconds[index] ?? 0), 0);
}
