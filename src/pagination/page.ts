// Pages of a list that is in a total order: by one column, and by id where that is the same (decision 11).
import { invalidParameter } from '../errors.js';

export const pageSizeMax = 200;
export const pageSizeDefault = 50;
export const searchLengthMax = 200;

/** Where a row stands in its list. */
export interface Position {
  /** The value of the sorted column, as text. */
  key: string;
  id: string;
}

/** A resource, and where it stands in the list that it was read from. */
export interface Listed<Resource> {
  id: string;
  position: Position;
  resource: Resource;
}

/** Which rows of the ordered list: so many after a position, or so many before one, or from an end. */
export interface Slice {
  size: number;
  direction: 'forward' | 'backward';
  /** The row that the slice starts behind, itself excluded. Absent: the list's start, or its end. */
  from?: Position | undefined;
}

export interface Page<Item> {
  items: Item[];
  /** Whether the list goes on before and after these items. */
  hasPrevious: boolean;
  hasNext: boolean;
}

/**
 * Makes a page from rows read in the direction of the slice, of which one more than its size was asked for.
 * A backward slice comes out in the order of the list.
 */
export function pageFromRows<Item>(slice: Slice, rows: Item[]): Page<Item> {
  const hasMore = rows.length > slice.size;
  const items = hasMore ? rows.slice(0, slice.size) : rows;
  const hasOther = slice.from !== undefined;
  return slice.direction === 'forward'
    ? { items, hasPrevious: hasOther, hasNext: hasMore }
    : { items: items.toReversed(), hasPrevious: hasMore, hasNext: hasOther };
}

/**
 * The search term as it is looked for: trimmed and in lower case; undefined when it is shorter than two
 * characters, which means unfiltered (specification, ListAgents).
 *
 * @throws 400 `invalid_parameter` when it is over 200 characters, or holds a control character.
 */
export function searchTerm(field: string, text: string | null | undefined): string | undefined {
  const trimmed = (text ?? '').trim();
  const { length } = Array.from(trimmed);
  if (length > searchLengthMax) throw invalidParameter(field, `must be at most ${searchLengthMax} characters long`);
  if (/\p{Cc}/u.test(trimmed)) throw invalidParameter(field, 'must not hold control characters');
  const term = foldCase(trimmed);
  return Array.from(term).length < 2 ? undefined : term;
}

/** The form in which texts are compared in any case: lower case, and one sigma wherever it stands in a word. */
export function foldCase(text: string): string {
  return text.toLowerCase().replaceAll('ς', 'σ');
}
