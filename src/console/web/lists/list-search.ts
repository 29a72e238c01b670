import { isTone } from '../look/state.js';
import type { Tone } from '../look/state.js';
import type { SearchText } from './search-text.js';
import { textIn } from './search-text.js';

/** How a list may be sorted, by the word that its address has. */
export const sorts = {
  newest: { label: 'Newest first', value: 'CREATED_AT_DESC', direction: 'descending' },
  oldest: { label: 'Oldest first', value: 'CREATED_AT_ASC', direction: 'ascending' },
  name: { label: 'Name, a to z', value: 'NAME_ASC', direction: 'ascending' },
  'name-desc': { label: 'Name, z to a', value: 'NAME_DESC', direction: 'descending' },
  changed: { label: 'Changed last', value: 'UPDATED_AT_DESC', direction: 'descending' },
  state: { label: 'State', value: 'STATUS_ASC', direction: 'ascending' },
} as const;

export type Sort = keyof typeof sorts;

/** The columns that a list can be sorted by, and how: the first press, and the second where there is another way. */
export const sortedBy = new Map<string, { first: Sort; second?: Sort }>([
  ['State', { first: 'state' }],
  ['Name', { first: 'name', second: 'name-desc' }],
  ['Changed', { first: 'changed' }],
]);

/** The state of a list, all of which its address holds. What is usual is left out. */
export interface ListSearch {
  q?: string;
  sort?: Sort;
  /** How it stands. */
  state?: Tone;
  /** The resource that is open beside the list. */
  peek?: string;
  /** Whether one more is being made. */
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
