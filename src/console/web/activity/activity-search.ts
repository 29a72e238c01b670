import type { VariablesOf } from '../api/graphql.js';
import type { SearchText } from '../lists/search-text.js';
import { textIn, timeIn } from '../lists/search-text.js';
import type { activityQuery } from './activity-queries.js';
import { actionChoices, actionIn, kindChoices, kindIn, urlValueOf } from './change-labels.js';
import type { ChangeKind } from './change-labels.js';

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
  /** Whether status changes and runs by schedule are shown as well. */
  steps?: true;
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
    ...(search['steps'] === true ? { steps: true } : {}),
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

/** The kinds of changes that schedules make all day. */
const scheduledKinds: readonly ChangeKind[] = ['AGENT_INVOCATION', 'JOB_EXECUTION'];

/** The kinds whose changes belong to the account, not to a workspace. */
const accountKinds: readonly ChangeKind[] = [
  'ACCOUNT',
  'WORKSPACE',
  'MEMBER',
  'INVITATION',
  'GROUP_ROLE',
  'GROUP',
  'EXECUTOR',
  'API_KEY',
  'OAUTH_CLIENT',
  'WEBHOOK',
  'BUDGET',
  'QUOTA',
  'USAGE',
  'SIGN_IN',
  'ACCESS',
];

/** The kinds that can be chosen in the activity of a workspace, or of an account. */
export function kindsOf(isOfAccount: boolean): readonly { word: string; label: string }[] {
  return isOfAccount ? kindChoices.filter(({ value }) => accountKinds.includes(value)) : kindChoices;
}

/**
 * The filter of the API. Status changes and runs by schedule are left out, unless they are asked for: with `steps`, or by
 * their kind or action.
 */
export function filterOf(search: ActivitySearch, isOfAccount = false): Filter {
  const { kind: kindText, action: actionText, actor, name, steps, from, to } = search;
  const [kind, action] = [kindIn(kindText), actionIn(actionText)];
  const isWhole = steps === true || kind !== undefined || action !== undefined;
  const kinds =
    kind !== undefined
      ? [kind]
      : isOfAccount
        ? accountKinds
        : isWhole
          ? undefined
          : kindChoices.map(({ value }) => value).filter((value) => !scheduledKinds.includes(value));
  const actions =
    action !== undefined
      ? [action]
      : isWhole || isOfAccount
        ? undefined
        : actionChoices.map(({ value }) => value).filter((value) => value !== 'STATUS');
  return {
    ...(kinds === undefined ? {} : { kinds: [...kinds] }),
    ...(actions === undefined ? {} : { actions }),
    ...(actor === undefined ? {} : { actors: [actor] }),
    ...(name === undefined ? {} : { names: [name] }),
    ...(from === undefined && to === undefined ? {} : { time: { from: from ?? null, to: to ?? null } }),
  };
}
