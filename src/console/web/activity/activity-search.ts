import type { VariablesOf } from '../api/graphql.js';
import type { SearchText } from '../lists/search-text.js';
import { textIn, timeIn } from '../lists/search-text.js';
import type { activityQuery } from './activity-queries.js';
import { kindIn, actionIn, urlValueOf } from './change-labels.js';

type Filter = NonNullable<VariablesOf<typeof activityQuery>['filter']>;

/** The state of the activity view in the URL. Times are absolute, so that a link shows the same changes later. */
export interface ActivitySearch {
  kind?: string;
  action?: string;
  actor?: string;
  /** The name of the changed resource. */
  name?: string;
  from?: string;
  to?: string;
  /** Cursor of the page. */
  before?: string;
  /** The open change and its time. */
  change?: string;
  at?: string;
}

export function activitySearch(search: SearchText): ActivitySearch {
  const [kind, action] = [kindIn(textIn(search, 'kind')), actionIn(textIn(search, 'action'))];
  const [from, to] = [timeIn(search, 'from'), timeIn(search, 'to')];
  const [change, at] = [textIn(search, 'change'), timeIn(search, 'at')];
  return {
    ...(kind === undefined ? {} : { kind: urlValueOf(kind) }),
    ...(action === undefined ? {} : { action: urlValueOf(action) }),
    ...texts(search, ['actor', 'name', 'before']),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined || (from !== undefined && to <= from) ? {} : { to }),
    ...(change === undefined || at === undefined ? {} : { change, at }),
  };
}

function texts(search: SearchText, names: readonly ('actor' | 'name' | 'before')[]): ActivitySearch {
  const found: ActivitySearch = {};
  for (const name of names) {
    const text = textIn(search, name);
    if (text !== undefined) found[name] = text;
  }
  return found;
}

export function filterOf({ kind: kindText, action: actionText, actor, name, from, to }: ActivitySearch): Filter {
  const [kind, action] = [kindIn(kindText), actionIn(actionText)];
  return {
    ...(kind === undefined ? {} : { kinds: [kind] }),
    ...(action === undefined ? {} : { actions: [action] }),
    ...(actor === undefined ? {} : { actors: [actor] }),
    ...(name === undefined ? {} : { names: [name] }),
    ...(from === undefined && to === undefined ? {} : { time: { from: from ?? null, to: to ?? null } }),
  };
}
