import { labelFiltersIn } from '../lists/label-filter.js';
import { textIn, timeIn } from '../lists/search-text.js';
import type { SearchText } from '../lists/search-text.js';

/** The states of events, by their value in the URL. */
export const states = {
  active: { label: 'active', value: 'ACTIVE' },
  amended: { label: 'amended', value: 'AMENDED' },
  voided: { label: 'voided', value: 'VOIDED' },
} as const;

export type StateWord = keyof typeof states;

/** The state of the usage events view in the URL: the filters of the costs view and those of events. */
export interface UsageSearch {
  from?: string;
  to?: string;
  workspace?: string;
  type?: string;
  name?: string;
  uuid?: string;
  dimension?: string;
  /** Conditions on labels, such as "team:search". */
  label?: string[];
  source?: string;
  event?: string;
  /** The state. */
  is?: StateWord;
  after?: string;
}

/** The number of different labels in a query. */
const labelsMax = 4;
const texts = ['workspace', 'type', 'name', 'uuid', 'dimension', 'source', 'event', 'after'] as const;

export function usageSearch(search: SearchText): UsageSearch {
  const is = textIn(search, 'is');
  const found: UsageSearch = is !== undefined && isState(is) ? { is } : {};
  for (const name of texts) {
    const text = textIn(search, name);
    if (text !== undefined) found[name] = text;
  }
  const label = labelFiltersIn(search['label'], labelsMax);
  if (label.length > 0) found.label = label;
  for (const name of ['from', 'to'] as const) {
    const time = timeIn(search, name);
    if (time !== undefined) found[name] = time;
  }
  return found;
}

function isState(text: string): text is StateWord {
  return Object.hasOwn(states, text);
}
