// Times in input: RFC 3339 with any offset.
import { z } from 'zod';

/** Time zones are less than 16 hours from UTC, and PostgreSQL refuses other offsets. */
const offsetHoursMax = 15;

/** 30 digits of a second are more than any clock has, and fewer than PostgreSQL refuses. */
const lengthMax = 50;

/**
 * An RFC 3339 time that PostgreSQL takes, and that has an RFC 3339 text in UTC: from the year 1 to 9999. Other texts are 400
 * (decision 6).
 */
export const timeText = z.iso
  .datetime({ offset: true })
  .max(lengthMax)
  .refine((text) => {
    const year = new Date(text).getUTCFullYear();
    const hours = Number(/[+-](\d\d):\d\d$/.exec(text)?.[1] ?? 0);
    return !text.startsWith('0000') && year >= 1 && year <= 9999 && hours <= offsetHoursMax;
  }, 'must be a time from the year 1 to 9999');

/** Such a time, or a date, which means its start in UTC. */
export const dateOrTimeText = z
  .string()
  .transform((text) => (/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text))
  .pipe(timeText);
