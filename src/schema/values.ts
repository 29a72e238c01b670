// Schemas of values that several shapes share: numbers, durations, enums, and the size of a spec.
import { z } from 'zod';
import { invalidInput } from '../errors.js';
import { problemAt, refusal } from './problem.js';

/** A whole number within the range of a GraphQL Int. */
export const whole = z.int32().min(0);

export const positive = z.int32().min(1);

export const percentage = z.int32().min(0).max(100);

/** A size in bytes, which can exceed the range of an Int. */
export const bytes = z.int().min(0);

const rule = 'must be a duration such as 24h, 15m or 1h30m, in days (d), hours (h), minutes (m) and seconds (s)';

/**
 * A duration such as 24h, 15m or 1h30m: whole numbers of days, hours, minutes and seconds, each at most once and the
 * larger unit first. It must be positive.
 */
export const duration = z
  .string()
  .refine(isDuration, refusal('invalid_format', rule))
  .refine((value) => durationSeconds(value) <= durationSecondsMax, refusal('too_large', 'must be at most 24855 days'));

/** Deadlines are stored as seconds in an integer of PostgreSQL. */
const durationSecondsMax = 24_855 * 86_400;

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

type Words = Readonly<Record<string, string>>;

const tables = z.registry<{ words: Words }>();

/** Returns the schema of an enum, from a table of its values and their descriptions. */
export function oneOf<Word extends string>(table: Readonly<Record<Word, string>>): z.ZodEnum<{ [Key in Word]: Key }> {
  const words = Object.keys(table).filter((word): word is Word => Object.hasOwn(table, word));
  const schema = z.enum(words);
  tables.add(schema, { words: table });
  return schema;
}

/** Returns the table that an enum schema was created from. */
export function wordsOf(schema: z.core.$ZodType): Words {
  const { words } = tables.get(schema) ?? {};
  if (words === undefined) throw new Error('The enum was not created by oneOf');
  return words;
}

/** The maximum size of a spec as JSON (bytes): far above any useful spec, and small enough for a page of 200. */
const specBytesMax = 65_536;

/** Returns whether a spec is within its maximum size, for `refine`. */
export function isOfKeptSize(spec: unknown): boolean {
  return Buffer.byteLength(JSON.stringify(spec)) <= specBytesMax;
}

/** The maximum size of a spec as it is stored: encrypted values are longer, and kept ones are masked in the input. */
const storedSpecBytesMax = 4 * specBytesMax;

/** @throws 400 `invalid_input` for a spec with more kept secrets than a page can have. */
export function requireStorable(spec: unknown): void {
  if (Buffer.byteLength(JSON.stringify(spec)) <= storedSpecBytesMax) return;
  const rule = `must be at most ${storedSpecBytesMax} bytes as JSON with its secrets`;
  throw invalidInput([problemAt(['spec'], 'too_large', rule)]);
}

export const keptSize = refusal('too_large', `must be at most ${specBytesMax} bytes as JSON`, specBytesMax);
