import { useState } from 'react';
import type { Kind } from '../kinds/kinds.js';
import { readStored, store } from './browser-storage.js';
import { listSearch } from './list-search.js';
import type { ListSearch } from './list-search.js';

/** A named search of a list. The search is also the URL of the view. */
export interface SavedView {
  name: string;
  search: ListSearch;
}

const viewsMax = 50;
export const viewNameMax = 60;

export interface SavedViews {
  views: readonly SavedView[];
  /** Saves a view. A view of the same name is replaced. */
  save: (name: string, search: ListSearch) => void;
  remove: (name: string) => void;
}

/** The views of a kind that this browser has saved, by name. */
export function useSavedViews(kind: Kind): SavedViews {
  const key = `console:views:${kind}`;
  const [views, setViews] = useState(() => storedViews(readStored(key)));
  /** Another tab may have saved views meanwhile. */
  const others = (name: string) => storedViews(readStored(key)).filter((view) => view.name !== name);
  const keep = (next: readonly SavedView[]) => {
    store(key, next.length === 0 ? undefined : next);
    setViews(storedViews(next));
  };
  return {
    views,
    save: (name, search) => keep([...others(name), { name, search: viewSearch(search) }]),
    remove: (name) => keep(others(name)),
  };
}

/** The part of a search that a view keeps: filters and order, not the open resource. */
export function viewSearch({ peek: _peek, new: _new, ...rest }: ListSearch): ListSearch {
  return rest;
}

/** Whether two searches show the same list. */
export function isSameView(one: ListSearch, other: ListSearch): boolean {
  return textOf(one) === textOf(other);
}

function textOf(search: ListSearch): string {
  return JSON.stringify(Object.entries(viewSearch(search)).toSorted(([one], [other]) => one.localeCompare(other)));
}

/** @param stored views as they were saved; anything else is left out */
export function storedViews(stored: unknown): SavedView[] {
  const found = (Array.isArray(stored) ? stored : []).flatMap((each: unknown): SavedView[] => {
    if (typeof each !== 'object' || each === null || !('name' in each) || !('search' in each)) return [];
    const { name, search } = each;
    if (typeof name !== 'string' || typeof search !== 'object' || search === null) return [];
    return [{ name: name.slice(0, viewNameMax), search: viewSearch(listSearch({ ...search })) }];
  });
  return found.toSorted((one, other) => one.name.localeCompare(other.name)).slice(0, viewsMax);
}
