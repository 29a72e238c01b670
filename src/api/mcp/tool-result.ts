// The results of tools. They are small, because an assistant reads all of them: a page ends where it would be larger, and
// its cursor leads to the rest.
import { z } from 'zod';
import { changeKindSpelled } from '../../changes/change-subjects.js';
import { cutText } from '../../errors.js';
import { isMap } from '../../manifests/shape-document.js';
import { isSpelling } from '../../resource-kinds.js';
import { ToolError } from './tool-call.js';
import type { Values } from './tool-call.js';

/** The size of a result, unless the assistant asks for another (bytes of JSON). */
export const resultBytesDefault = 4_096;

const resultBytesMax = 65_536;

/** The maximum number of items in a list of an input. */
export const inputItemsMax = 100;

/** An input that is compared with names or values of labels, which have at most 255 characters of one or two code units. */
export const nameInput = z.string().max(510);

/** The input of an `Idempotency-Key`. */
export const idempotencyInput = z
  .string()
  .regex(/^[\x20\x21\x23-\x5B\x5D-\x7E]{1,255}$/, 'must have 1 to 255 printable ASCII characters')
  .optional();

/** An input that is a time. */
export const timeInput = z.string().max(100);

/** The input of every tool whose result can be long. */
export const sizeInput = {
  maxBytes: z
    .int()
    .min(1_024)
    .max(resultBytesMax)
    .default(resultBytesDefault)
    .describe(`Maximum size of the result in bytes (default: ${resultBytesDefault}). A longer one has a nextCursor.`),
};

/** Far above the longest cursor, that of costs grouped by everything. */
const cursorLengthMax = 10_000;

/** The input of every tool that lists. */
export const pageInput = {
  first: z.int().min(1).max(100).default(20).describe('Maximum number of items (1 to 100, default: 20).'),
  after: z
    .string()
    .max(cursorLengthMax)
    .optional()
    .describe('The nextCursor of the previous result, for the items after it.'),
  ...sizeInput,
};

/** An item of a page, and the cursor behind it. */
export interface Listed {
  item: Values;
  cursor: string;
}

/**
 * A page with as many items as fit.
 *
 * @param hasMore whether there are items after the last of these.
 * @throws {ToolError} `payload_too_large` if the first item does not fit.
 */
export function fittingPage(
  head: Values,
  name: string,
  listed: readonly Listed[],
  hasMore: boolean,
  bytesMax: number,
): Values {
  const pageOf = (count: number): Values => {
    const last = listed[count - 1];
    const isCut = count < listed.length || hasMore;
    return {
      ...head,
      [name]: listed.slice(0, count).map(({ item }) => item),
      ...(isCut && last !== undefined ? { nextCursor: last.cursor } : {}),
    };
  };
  const items = listed.map(({ item }) => item);
  const count = fittingCount(items, pageOf, { bytesMax, countMin: 1 });
  const page = pageOf(count);
  if (count > 0) requireFitting(page, bytesMax, 'Ask for less');
  return page;
}

/**
 * How many of these items fit into a result.
 *
 * @param resultOf the result with this many of them.
 * @param limits at least `countMin` items are returned, if there are so many.
 */
export function fittingCount(
  items: readonly Values[],
  resultOf: (count: number) => Values,
  { bytesMax, countMin }: { bytesMax: number; countMin: number },
): number {
  let count = countWithin(items, bytesMax);
  while (count > countMin && bytesOf(resultOf(count)) > bytesMax) count--;
  return count;
}

/**
 * The most items that a result of this size can have: at least one if there is one. A result has more than its items, so
 * fewer can fit. It is counted item by item, because making a result that is far too long for each count takes long.
 */
function countWithin(items: readonly Values[], bytesMax: number): number {
  let bytes = 0;
  for (const [index, item] of items.entries()) {
    bytes += bytesOf(item);
    if (bytes > bytesMax) return Math.max(1, index);
  }
  return items.length;
}

/** @throws {ToolError} `payload_too_large` */
export function requireFitting(result: Values, bytesMax: number, advice: string): void {
  const bytes = bytesOf(result);
  if (bytes <= bytesMax) return;
  const message = `The result has ${bytes} bytes, and at most ${bytesMax} are allowed. ${advice}, or set maxBytes.`;
  throw new ToolError('payload_too_large', message, { limit: bytesMax, actual: bytes });
}

/** The items of a connection with edges. */
export function listedIn(connection: Values, itemOf: (node: Values) => Values): Listed[] {
  return mapsIn(connection['edges']).map(({ cursor, node }) => ({
    item: itemOf(mapIn(node)),
    cursor: String(cursor),
  }));
}

export function hasMore(connection: Values, field: 'hasNextPage' | 'hasPreviousPage' = 'hasNextPage'): boolean {
  return mapIn(connection['pageInfo'])[field] === true;
}

/** The size of a result (bytes of JSON). */
export function bytesOf(result: unknown): number {
  return Buffer.byteLength(JSON.stringify(result));
}

/** A map in the data of GraphQL; empty if it is null. */
export function mapIn(value: unknown): Values {
  return isMap(value) ? value : {};
}

/** The maps of a list in the data of GraphQL. */
export function mapsIn(value: unknown): Values[] {
  return Array.isArray(value) ? value.filter(isMap) : [];
}

/** Without the fields that are null, an empty list or an empty map. */
export function withoutEmpty(values: Values): Values {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => !isEmpty(value)));
}

function isEmpty(value: unknown): boolean {
  if (value == null) return true;
  return Array.isArray(value) ? value.length === 0 : isMap(value) && Object.keys(value).length === 0;
}

const textLengthMax = 200;

/** A text that can be of any length, cut. */
export function shortText(value: unknown): unknown {
  return typeof value === 'string' ? cutText(value, textLengthMax) : value;
}

/** The payload of a mutation. @throws {ToolError} for an error type of the schema. */
export function payloadIn(result: unknown): Values {
  const payload = mapIn(result);
  const { code, message, ...details } = payload;
  if (typeof code !== 'string') return payload;
  throw new ToolError(code.toLowerCase(), String(message), withoutEmpty(details));
}

/** The input for a kind of a list. Any spelling of it is accepted: `Agent`, `agents`, `AGENT`. */
export function kindInput<Name extends string>(names: readonly Name[]) {
  return z.preprocess((typed) => {
    if (typeof typed !== 'string') return typed;
    const kind = changeKindSpelled(typed);
    return names.find((name) => isSpelling(typed, name) || (kind !== undefined && isSpelling(kind, name))) ?? typed;
  }, z.enum(names));
}
