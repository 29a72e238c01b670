import { isTone } from '../look/state.js';
import type { Tone } from '../look/state.js';
import type { SearchText } from './search-text.js';
import { textIn } from './search-text.js';

/** Sort orders by their value in the URL. */
export const sorts = {
  newest: { label: 'Newest first', order: { field: 'CREATED_AT', direction: 'DESC' } },
  oldest: { label: 'Oldest first', order: { field: 'CREATED_AT', direction: 'ASC' } },
  name: { label: 'Name (A–Z)', order: { field: 'NAME', direction: 'ASC' } },
  'name-desc': { label: 'Name (Z–A)', order: { field: 'NAME', direction: 'DESC' } },
  changed: { label: 'Recently updated', order: { field: 'UPDATED_AT', direction: 'DESC' } },
  state: { label: 'State', order: { field: 'STATUS', direction: 'ASC' } },
} as const;

export type Sort = keyof typeof sorts;

/** The sortable columns: the order of the first click and, if there is one, of the second. */
export const sortedBy = new Map<string, { first: Sort; second?: Sort }>([
  ['State', { first: 'state' }],
  ['Name', { first: 'name', second: 'name-desc' }],
  ['Updated', { first: 'changed' }],
]);

/** The state of a list in the URL. Defaults are omitted. */
export interface ListSearch {
  q?: string;
  sort?: Sort;
  /** The state group to filter by. */
  state?: Tone;
  /** The previewed resource. */
  peek?: string;
  /** Whether the dialog for a new resource is open. */
  new?: true;
}

export function listSearch(search: SearchText): ListSearch {
  const [q, sort, peek] = [textIn(search, 'q'), textIn(search, 'sort'), textIn(search, 'peek')];
  const state = textIn(search, 'state');
  return {
    ...(q === undefined ? {} : { q }),
    ...(sort !== undefined && isSort(sort) && sort !== 'newest' ? { sort } : {}),
    ...(state !== undefined && isTone(state) ? { state } : {}),
    ...(peek === undefined ? {} : { peek }),
    ...(search['new'] === true ? { new: true } : {}),
  };
}

export function isSort(text: string): text is Sort {
  return Object.hasOwn(sorts, text);
}
