import { z } from 'zod';
import { refusal } from './problem.js';

/** Characters of a text of which nothing more is known. */
const textLengthMax = 1_024;

/** Control characters, of which PostgreSQL cannot keep NUL, and halves of pairs of surrogates. */
export const unkept = /[\p{Cc}\p{Cs}]/u;

/**
 * A text of one line that PostgreSQL can keep and that every reader reads alike. Its length is a rule of what comes
 * in, and no promise of what is answered.
 */
export function text(lengthMax = textLengthMax) {
  return z
    .string()
    .refine((value) => !unkept.test(value), refusal('invalid_format', 'must hold no control characters'))
    .refine((value) => value.length <= lengthMax, tooLong(lengthMax));
}

/** A text that may have line breaks and tabs, as keys and certificates do. */
export function lines(lengthMax: number) {
  const rule = 'must hold no control characters but line breaks and tabs';
  return z
    .string()
    .refine((value) => !unkept.test(value.replaceAll(/[\t\n\r]/g, '')), refusal('invalid_format', rule))
    .refine((value) => value.length <= lengthMax, tooLong(lengthMax));
}

function tooLong(lengthMax: number) {
  return refusal('too_long', `must be at most ${lengthMax} characters`);
}
