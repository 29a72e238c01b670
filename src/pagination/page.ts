// Pages of a totally ordered list: sorted by one column, and by id where that is equal (decision 11).
import { invalidParameter } from '../errors.js';

export const pageSizeMax = 200;
export const pageSizeDefault = 50;
export const searchLengthMax = 200;

/** The position of a row in its list. */
export interface Position {
  /** The value of the sorted column, as text. */
  key: string;
  id: string;
}

/** A resource with its position in the list. */
export interface Listed<Resource> {
  id: string;
  position: Position;
  resource: Resource;
}

/** A slice of an ordered list: a number of rows after a position, before one, or from either end. */
export interface Slice {
  size: number;
  direction: 'forward' | 'backward';
  /** The exclusive start of the slice. Absent: the start of the list, or its end. */
  from?: Position | undefined;
}

export interface Page<Item> {
  items: Item[];
  /** Whether the list has items before and after these. */
  hasPrevious: boolean;
  hasNext: boolean;
}

/**
 * Builds a page from rows that were read in the direction of the slice, with a limit of its size plus one. A backward
 * slice is returned in the order of the list.
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
 * Normalizes a search term: trimmed and in lower case; undefined if it is shorter than two characters, which means no
 * search (specification, ListAgents).
 *
 * @throws 400 `invalid_parameter` if it is longer than 200 characters, or has a control character.
 */
export function searchTerm(field: string, text: string | null | undefined): string | undefined {
  const trimmed = (text ?? '').trim();
  const { length } = Array.from(trimmed);
  if (length > searchLengthMax)
    throw invalidParameter(field, `must be at most ${searchLengthMax} characters long`, {
      limit: searchLengthMax,
      actual: length,
    });
  if (/\p{Cc}/u.test(trimmed)) throw invalidParameter(field, 'must not contain control characters');
  const term = foldCase(trimmed);
  return Array.from(term).length < 2 ? undefined : term;
}

/** The form for case-insensitive comparison: lower case, with a single form of the Greek sigma. */
export function foldCase(text: string): string {
  return text.toLowerCase().replaceAll('ς', 'σ');
}
