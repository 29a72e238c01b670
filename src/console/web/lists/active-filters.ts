// The filters of a list: as the API takes them, and as texts that can be removed one by one.
import { labelFilterLabel, labelFilterOf } from './label-filter.js';
import { statusesOf, toneLabels } from '../look/state.js';
import type { ListSearch } from './list-search.js';

/** A filter of the API, of any kind of resource. */
export interface ListFilter {
  status?: { in: readonly string[] };
  region?: { in: readonly string[] };
  generation?: { in: readonly string[] };
  labels?: readonly { key: string; in?: readonly string[]; isSet?: boolean }[];
  createdBy?: { in: readonly string[] };
}

/** @returns undefined without filters */
export function listFilter({ state, region, generation, label, createdBy }: ListSearch): ListFilter | undefined {
  const filter: ListFilter = {
    ...(state === undefined ? {} : { status: { in: statusesOf[state] } }),
    ...(region === undefined ? {} : { region: { in: [region] } }),
    ...(generation === undefined ? {} : { generation: { in: [generation] } }),
    ...(label === undefined ? {} : { labels: label.map(labelFilterOf) }),
    ...(createdBy === undefined ? {} : { createdBy: { in: [createdBy] } }),
  };
  return Object.keys(filter).length === 0 ? undefined : filter;
}

export interface ActiveFilter {
  /** Identifies the filter, such as "region". */
  key: string;
  name: string;
  text: string;
  /** The search without this filter. */
  without: ListSearch;
}

/** The filters of a list, the search text included. */
export function activeFilters(search: ListSearch): ActiveFilter[] {
  const { q, state, region, generation, label = [], createdBy } = search;
  const found: ActiveFilter[] = [];
  const add = (key: keyof ListSearch, name: string, text: string | undefined) => {
    if (text === undefined) return;
    const { [key]: _removed, ...without } = search;
    found.push({ key, name, text, without });
  };
  add('q', 'Search', q === undefined ? undefined : `“${q}”`);
  add('state', 'State', state && toneLabels[state]);
  add('region', 'Region', region);
  add('generation', 'Generation', generation?.toLowerCase());
  for (const each of label) {
    const { label: _labels, ...without } = search;
    const rest = label.filter((other) => other !== each);
    found.push({
      key: `label ${each}`,
      name: 'Label',
      text: labelFilterLabel(each),
      without: rest.length === 0 ? without : { ...without, label: rest },
    });
  }
  add('createdBy', 'Created by', createdBy);
  return found;
}
