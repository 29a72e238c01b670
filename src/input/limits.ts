// The limits on input, the same for every transport and every format. An input is checked in this order: its bytes, then
// its depth and its counts before or while it is parsed, then its shape, then the rules of its fields.
import { invalidRequest } from '../errors.js';

/** The maximum amounts in one input. */
export interface InputLimits {
  /** Nested objects and lists: thousands of levels would overflow the stack of recursive code. */
  depth: number;
  /** Keys of one object. */
  keys: number;
  /** Items of one list. */
  items: number;
  /** Values in all: a million small values would block the process for longer than their size suggests. */
  values: number;
}

/** The same for YAML, in one text. */
export interface YamlLimits extends InputLimits {
  documents: number;
  /** Aliases (`*name`), each of which counts with all values that it stands for. */
  aliases: number;
  /** Words, numbers and punctuation marks. */
  tokens: number;
}

/**
 * Far above what is useful. Objects and lists can have twice the entries that a field or a batch of usage events can
 * have, so that the rule of the field is named in the error.
 */
export const inputLimits: InputLimits = { depth: 64, keys: 20_000, items: 20_000, values: 200_000 };

/** For the files of the caller's own machine, which can hold whole platforms; a request has lower limits. */
export const yamlLimits: YamlLimits = {
  ...inputLimits,
  keys: 2_000,
  values: 5_000_000,
  documents: 20_000,
  aliases: 10_000,
  tokens: 20_000_000,
};

/** The maximum number of problems that are reported of one input. */
export const problemsMax = 100;

/** @param input the part of the request, as the subject of a sentence. @throws 400 `invalid_request` */
export function requireWithin(
  limits: Partial<YamlLimits>,
  what: keyof YamlLimits,
  amount: number,
  input = 'The body',
): void {
  const limit = limits[what];
  if (limit !== undefined && amount > limit) throw invalidRequest(`${input} ${rules[what](limit)}`);
}

const rules: Record<keyof YamlLimits, (limit: number) => string> = {
  depth: (limit) => `is nested too deeply. At most ${limit} levels are allowed.`,
  keys: (limit) => `has too many keys in one object. At most ${limit} are allowed.`,
  items: (limit) => `has too many items in one list. At most ${limit} are allowed.`,
  values: (limit) => `has too many values. At most ${limit} are allowed.`,
  documents: (limit) => `has too many documents. At most ${limit} are allowed.`,
  aliases: (limit) => `has too many aliases. At most ${limit} are allowed.`,
  tokens: (limit) => `is too long. At most ${limit} YAML tokens are allowed.`,
};
