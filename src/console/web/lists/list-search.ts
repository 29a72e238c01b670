import { isTone } from '../look/state.js';
import type { Tone } from '../look/state.js';
import { labelFiltersIn } from './label-filter.js';
import type { SearchText } from './search-text.js';
import { textIn } from './search-text.js';

/** Sort orders by their value in the URL. */
export const sorts = {
  newest: { label: 'Newest first', order: { field: 'CREATED_AT', direction: 'DESC' } },
  oldest: { label: 'Oldest first', order: { field: 'CREATED_AT', direction: 'ASC' } },
  name: { label: 'Name (A–Z)', order: { field: 'NAME', direction: 'ASC' } },
  'name-desc': { label: 'Name (Z–A)', order: { field: 'NAME', direction: 'DESC' } },
  changed: { label: 'Recently updated', order: { field: 'UPDATED_AT', direction: 'DESC' } },
  'changed-first': { label: 'Least recently updated', order: { field: 'UPDATED_AT', direction: 'ASC' } },
  state: { label: 'State (A–Z)', order: { field: 'STATUS', direction: 'ASC' } },
  'state-desc': { label: 'State (Z–A)', order: { field: 'STATUS', direction: 'DESC' } },
} as const;

export type Sort = keyof typeof sorts;

export const generations = ['MK2', 'MK3'] as const;

export type ListGeneration = (typeof generations)[number];

/** The state of a list in the URL. Defaults are omitted. */
export interface ListSearch {
  q?: string;
  sort?: Sort;
  /** The state group to filter by. */
  state?: Tone;
  region?: string;
  generation?: ListGeneration;
  /** Labels that a resource must have, such as "team:billing". */
  label?: string[];
  /** The user or service account that created the resource. */
  createdBy?: string;
  /** The previewed resource. */
  peek?: string;
  /** Whether the dialog for a new resource is open. */
  new?: true;
}

/** Filters have at most this many labels. */
const labelsMax = 10;

export function listSearch(search: SearchText): ListSearch {
  const [q, sort, peek] = [textIn(search, 'q'), textIn(search, 'sort'), textIn(search, 'peek')];
  const [state, region, createdBy] = [textIn(search, 'state'), textIn(search, 'region'), textIn(search, 'createdBy')];
  const generation = generations.find((each) => each === textIn(search, 'generation'));
  const label = labelFiltersIn(search['label'], labelsMax);
  return {
    ...(q === undefined ? {} : { q }),
    ...(sort !== undefined && isSort(sort) && sort !== 'newest' ? { sort } : {}),
    ...(state !== undefined && isTone(state) ? { state } : {}),
    ...(region === undefined ? {} : { region }),
    ...(generation === undefined ? {} : { generation }),
    ...(label.length === 0 ? {} : { label }),
    ...(createdBy === undefined ? {} : { createdBy }),
    ...(peek === undefined ? {} : { peek }),
    ...(search['new'] === true ? { new: true } : {}),
  };
}

export function isSort(text: string): text is Sort {
  return Object.hasOwn(sorts, text);
}
