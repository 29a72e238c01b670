import { z } from 'zod';
import { refusal } from './problem.js';

/** The default maximum length of a text. */
const textLengthMax = 1_024;

/** Control characters (PostgreSQL cannot store NUL) and lone surrogates. */
export const unkept = /[\p{Cc}\p{Cs}]/u;

/** Characters that change the direction or the visible order of the text around them (Unicode TR 36, section 2.2). */
export const directional = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/u;

export const directionalRule = 'must not contain characters that change the direction of text, such as U+202E';

/** A text that is cut after a number of characters, not between the two halves of a surrogate pair. */
export function cutText(value: string, lengthMax: number): string {
  return value.length <= lengthMax ? value : `${value.slice(0, lengthMax).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** A display name, without characters that could disguise it. */
export function nameForPeople(lengthMax: number) {
  return text(lengthMax)
    .min(1)
    .refine((value) => !directional.test(value), refusal('invalid_format', directionalRule));
}

/**
 * A text of one line that PostgreSQL can store and that every client displays alike. Its maximum length applies to
 * inputs, not to responses.
 */
export function text(lengthMax = textLengthMax) {
  return z
    .string()
    .refine((value) => !unkept.test(value), refusal('invalid_format', 'must not contain control characters'))
    .refine((value) => hasAtMost(value, lengthMax), tooLong(lengthMax));
}

/** A text that can have line breaks and tabs, such as a key or certificate. */
export function lines(lengthMax: number) {
  const rule = 'must not contain control characters other than line breaks and tabs';
  return z
    .string()
    .refine((value) => !unkept.test(value.replaceAll(/[\t\n\r]/g, '')), refusal('invalid_format', rule))
    .refine((value) => hasAtMost(value, lengthMax), tooLong(lengthMax));
}

/** Counts Unicode code points, because `length` counts an emoji as two. */
export function hasAtMost(value: string, lengthMax: number): boolean {
  return value.length <= lengthMax || (value.length <= 2 * lengthMax && [...value].length <= lengthMax);
}

function tooLong(lengthMax: number) {
  return refusal('too_long', `must be at most ${lengthMax} characters`, lengthMax);
}
