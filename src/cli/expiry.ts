import { z } from 'zod';

const unitMs = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 } as const;

/** A time such as `90d`, `12h`, `30m` or `2w`, in milliseconds. */
export const durationMs = z
  .string()
  .regex(/^[1-9]\d{0,3}[mhdw]$/)
  .transform((text) => {
    const unit = z.enum(['m', 'h', 'd', 'w']).parse(text.slice(-1));
    return Number(text.slice(0, -1)) * unitMs[unit];
  });

const instant = z.union([z.iso.date(), z.iso.datetime({ offset: true })]).transform((text) => new Date(text));

/** A duration from now in milliseconds, or a time: `90d`, `12h`, `2027-01-31` (its start in UTC), `2027-01-31T12:00:00Z`. */
export const expiry = z.union([durationMs, instant], {
  error: 'must be a date such as 2027-01-31, or a duration from now such as 90d, 12h, 30m or 2w',
});

/** @param given the output of `expiry`. @returns undefined for a time in the past. */
export function expiryTime(given: z.output<typeof expiry>, now: Date): Date | undefined {
  const time = given instanceof Date ? given : new Date(now.getTime() + given);
  return time > now ? time : undefined;
}
