import { z } from 'zod';
import { refusal } from './problem.js';

/** Characters of a text of which nothing more is known. */
const textLengthMax = 1_024;

/** Control characters, of which PostgreSQL cannot keep NUL, and halves of pairs of surrogates. */
export const unkept = /[\p{Cc}\p{Cs}]/u;

/** Characters that change the direction or the visible order of the text around them (Unicode TR 36, section 2.2). */
export const directional = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/u;

export const directionalRule = 'must hold no characters that change the direction of text, such as U+202E';

/** A name that people read before they decide: it must look like what it is. */
export function nameForPeople(lengthMax: number) {
  return text(lengthMax)
    .min(1)
    .refine((value) => !directional.test(value), refusal('invalid_format', directionalRule));
}

/**
 * A text of one line that PostgreSQL can keep and that every reader reads alike. Its length is a rule of what comes
 * in, and no promise of what is answered.
 */
export function text(lengthMax = textLengthMax) {
  return z
    .string()
    .refine((value) => !unkept.test(value), refusal('invalid_format', 'must hold no control characters'))
    .refine((value) => hasAtMost(value, lengthMax), tooLong(lengthMax));
}

/** A text that may have line breaks and tabs, as keys and certificates do. */
export function lines(lengthMax: number) {
  const rule = 'must hold no control characters but line breaks and tabs';
  return z
    .string()
    .refine((value) => !unkept.test(value.replaceAll(/[\t\n\r]/g, '')), refusal('invalid_format', rule))
    .refine((value) => hasAtMost(value, lengthMax), tooLong(lengthMax));
}

/** Counts characters as people do (Unicode code points), where `length` counts an emoji as two. */
export function hasAtMost(value: string, lengthMax: number): boolean {
  return value.length <= lengthMax || (value.length <= 2 * lengthMax && [...value].length <= lengthMax);
}

function tooLong(lengthMax: number) {
  return refusal('too_long', `must be at most ${lengthMax} characters`);
}
