import { z } from 'zod';
import { refusal } from './problem.js';

/** The default maximum length of a text. */
export const textLengthMax = 1_024;

/** Control characters (PostgreSQL cannot store NUL) and lone surrogates. */
export const unkept = /[\p{Cc}\p{Cs}]/u;

/** Characters that change the direction or the visible order of the text around them (Unicode TR 36, section 2.2). */
const directional = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/u;

const directionalRule = 'must not contain characters that change the direction of text, such as U+202E';

/**
 * Sequences in which an invisible character is legitimate: emoji of several parts, keycaps, and joiners between the letters
 * of scripts that need them, such as Persian and Hindi (Unicode TR 31, section 2.3; TR 51, section 1.4.7). In Latin, Greek
 * and Cyrillic they only disguise a text.
 */
const emoji = String.raw`\p{Extended_Pictographic}\uFE0F?\p{Emoji_Modifier}?`;
const joinedLetter = String.raw`(?![\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])[\p{L}\p{M}]`;
const legitimate = new RegExp(
  String.raw`${emoji}(?:\u200D${emoji})*|[0-9#*]\uFE0F\u20E3|(?<=${joinedLetter})[\u200C\u200D](?=${joinedLetter})`,
  'gu',
);

/** Characters that show nothing: zero-width ones, fillers, variation selectors, tags, separators and marks of annotations. */
const invisible = /[\p{Default_Ignorable_Code_Point}\u2028\u2029\uFFF9-\uFFFB]/u;

/** Spaces of all kinds, and the empty Braille pattern. */
const blank = /[\p{White_Space}\u2800]/gu;

/**
 * Why people could misread a name; undefined if they see it as it is. An empty text is not checked.
 *
 * @returns the rule that it breaks, as the end of a sentence.
 */
export function disguise(value: string): string | undefined {
  if (directional.test(value)) return directionalRule;
  const shown = value.replaceAll(legitimate, 'x');
  if (invisible.test(shown)) return 'must not contain invisible characters, such as U+200B';
  return shown !== '' && shown.replaceAll(blank, '') === '' ? 'must not consist of spaces only' : undefined;
}

const disguising = new RegExp(`(${legitimate.source})|${directional.source}|${invisible.source}`, 'gu');

/** A message of a program with `U+FFFD` in place of each character that could disguise it: refusing it would lose it. */
export function undisguised(message: string): string {
  return message.replaceAll(disguising, (_, kept: string | undefined) => kept ?? '\uFFFD');
}

/** A text that people see as it is, such as the value of a label: without characters that could disguise it. */
export function shownText(lengthMax: number) {
  return text(lengthMax).superRefine((value, { addIssue }) => {
    // Control characters are a problem of their own.
    const rule = unkept.test(value) ? undefined : disguise(value);
    if (rule !== undefined) addIssue({ code: 'custom', message: rule, params: { code: 'invalid_format' } });
  });
}

/** A display name, without characters that could disguise it. */
export function nameForPeople(lengthMax: number) {
  return shownText(lengthMax).min(1);
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
