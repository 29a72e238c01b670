// The labels of kinds and actions of changes, and their values in the URL. Each kind of the schema has an entry here. An action
// without an entry is shown under its own name.
import type { Change } from './activity-queries.js';

interface Label {
  label: string;
  /** The singular, if it is not the name of the kind. */
  one?: string;
}

const kinds = {
  AGENT: { label: 'agents' },
  SANDBOX: { label: 'sandboxes' },
  SANDBOX_PREVIEW: { label: 'previews', one: 'preview' },
  JOB: { label: 'jobs' },
  AGENT_INVOCATION: { label: 'cron invocations', one: 'cron invocation' },
  JOB_EXECUTION: { label: 'executions', one: 'execution' },
  VOLUME: { label: 'volumes' },
  VPC: { label: 'networks', one: 'network' },
  EGRESS_GATEWAY: { label: 'egress gateways' },
  EGRESS_IP: { label: 'egress IPs', one: 'egress IP' },
  IMAGE: { label: 'images' },
  IMAGE_TAG: { label: 'image tags' },
  IMAGE_SHARE: { label: 'image shares' },
  WORKSPACE: { label: 'workspaces' },
  MEMBER: { label: 'members' },
  INVITATION: { label: 'invitations' },
  GROUP_ROLE: { label: 'group roles' },
  GROUP: { label: 'groups' },
  EXECUTOR: { label: 'executors' },
  API_KEY: { label: 'API keys', one: 'API key' },
  OAUTH_CLIENT: { label: 'OAuth clients', one: 'OAuth client' },
  WEBHOOK: { label: 'webhooks' },
  USAGE: { label: 'usage' },
  BUDGET: { label: 'budgets' },
  QUOTA: { label: 'quotas' },
  BILLING_DIMENSION: { label: 'billing dimensions' },
  RESOURCE_TYPE: { label: 'resource types' },
  PRICE: { label: 'prices' },
  USER: { label: 'users' },
  SIGN_IN: { label: 'sign-ins', one: 'sign-in' },
  ACCESS: { label: 'access' },
  ACCOUNT: { label: 'accounts' },
  DELETED_RESOURCE: { label: 'deleted resources', one: 'deleted resource' },
} as const satisfies Record<Change['kind'], Label>;

const actions = {
  CREATED: 'created',
  UPDATED: 'updated',
  DELETED: 'deleted',
  STATUS: 'status changed',
  STARTED: 'started',
  CANCELLED: 'cancelled',
  SHARED: 'shared',
  ACCEPTED: 'accepted',
  DECLINED: 'declined',
  REVOKED: 'revoked',
  DENIED: 'denied',
  READ: 'read',
  RETIRED: 'retired',
  THRESHOLD_REACHED: 'reached a threshold',
  AMENDED: 'amended',
  VOIDED: 'voided',
} as const satisfies Partial<Record<Change['action'], string>>;

export type ChangeKind = Change['kind'];
export type ChangeAction = Change['action'];

/** All kinds and actions with their URL values and labels. */
export const kindChoices = choicesOf(kinds, ({ label }) => label);
export const actionChoices = choicesOf(actions, (label) => label);

export function actionLabel(action: ChangeAction): string {
  const labels: Partial<Record<ChangeAction, string>> = actions;
  return labels[action] ?? spaced(action);
}

/** The singular of a kind, such as "egress IP". */
export function oneOfKind(kind: ChangeKind): string {
  const labels: Partial<Record<ChangeKind, Label>> = kinds;
  return labels[kind]?.one ?? spaced(kind);
}

function spaced(value: ChangeKind | ChangeAction): string {
  return value.toLowerCase().replaceAll('_', ' ');
}

/** The value in the URL, such as image-tag for IMAGE_TAG. */
export function urlValueOf(value: ChangeKind | ChangeAction): string {
  return value.toLowerCase().replaceAll('_', '-');
}

/** The kind or action of a URL value. */
export function kindIn(word: string | undefined): ChangeKind | undefined {
  return kindChoices.find(({ word: own }) => own === word)?.value;
}

export function actionIn(word: string | undefined): ChangeAction | undefined {
  return actionChoices.find(({ word: own }) => own === word)?.value;
}

function choicesOf<Value extends ChangeKind | ChangeAction, Entry>(
  words: Record<Value, Entry>,
  labelOf: (entry: Entry) => string,
): { value: Value; word: string; label: string }[] {
  return Object.entries<Entry>(words).flatMap(([key, entry]) =>
    isOne(words, key) ? [{ value: key, word: urlValueOf(key), label: labelOf(entry) }] : [],
  );
}

function isOne<Value extends string>(words: Record<Value, unknown>, key: string): key is Value {
  return Object.hasOwn(words, key);
}
