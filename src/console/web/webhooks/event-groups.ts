// The events of webhooks, in the groups and presets that people look for.
import type { FilterInput } from './webhook-draft.js';
import { kindWord } from './webhook-texts.js';

type Kind = NonNullable<FilterInput['kinds']>[number];
type Action = NonNullable<FilterInput['actions']>[number];

const groups = {
  Resources: [
    'AGENT',
    'SANDBOX',
    'SANDBOX_PREVIEW',
    'JOB',
    'VOLUME',
    'VPC',
    'EGRESS_GATEWAY',
    'EGRESS_IP',
    'IMAGE',
    'IMAGE_TAG',
    'IMAGE_SHARE',
  ],
  Runs: ['JOB_EXECUTION', 'AGENT_INVOCATION'],
  Access: ['MEMBER', 'INVITATION', 'USER', 'SIGN_IN', 'ACCESS', 'API_KEY', 'OAUTH_CLIENT'],
  Billing: ['BUDGET', 'USAGE', 'PRICE', 'BILLING_DIMENSION', 'RESOURCE_TYPE'],
} as const satisfies Record<string, readonly Kind[]>;

interface EventGroup {
  name: string;
  kinds: string[];
}

/** The kinds of changes in groups. Kinds without a group come last, under "Other". */
export function eventGroups(all: readonly string[]): EventGroup[] {
  const grouped = Object.entries(groups).map(([name, kinds]) => ({
    name,
    kinds: kinds.filter((kind) => all.includes(kind)).map(String),
  }));
  const known = new Set(grouped.flatMap(({ kinds }) => kinds));
  const others = all.filter((kind) => !known.has(kind));
  return [
    ...grouped,
    { name: 'Other', kinds: others.toSorted((one, other) => kindWord(one).localeCompare(kindWord(other))) },
  ].filter(({ kinds }) => kinds.length > 0);
}

interface EventPreset {
  hint: string;
  kinds: Kind[];
  actions: Action[];
}

export const eventPresets = {
  'Status changes': {
    hint: 'Every new status of resources and runs, failures among them',
    kinds: ['AGENT', 'SANDBOX', 'JOB', 'VOLUME', 'VPC', ...groups.Runs],
    actions: ['STATUS'],
  },
  Budgets: { hint: 'Thresholds of budgets that costs reach', kinds: ['BUDGET'], actions: ['THRESHOLD_REACHED'] },
  Security: { hint: 'Members, sign-ins, credentials and denied requests', kinds: [...groups.Access], actions: [] },
} as const satisfies Record<string, EventPreset>;

export type EventPresetName = keyof typeof eventPresets;

export const eventPresetNames = ['Status changes', 'Budgets', 'Security'] as const satisfies readonly EventPresetName[];

/** The preset of a filter; undefined for a choice of one's own. */
export function presetOf({ kinds = null, actions = null }: FilterInput): EventPresetName | undefined {
  return eventPresetNames.find((name) => {
    const preset = eventPresets[name];
    return isSameSet(kinds ?? [], preset.kinds) && isSameSet(actions ?? [], preset.actions);
  });
}

/** Whether a filter of a webhook lets the alerts of a budget through. */
export function receivesAlerts(
  filter: {
    [Field in 'kinds' | 'actions' | 'names' | 'actors' | 'clients' | 'addresses']: readonly string[] | null;
  } & {
    resource: string | null;
    workspaces: readonly string[] | null;
  },
  budget: string,
): boolean {
  const { kinds, actions, names, actors, clients, addresses, resource, workspaces } = filter;
  return (
    (kinds === null || kinds.includes('BUDGET')) &&
    (actions === null || actions.includes('THRESHOLD_REACHED')) &&
    (names === null || names.includes(budget)) &&
    // The service itself records an alert, for the account.
    [actors, clients, addresses, resource, workspaces].every((each) => each === null)
  );
}

function isSameSet(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((each) => other.includes(each));
}
