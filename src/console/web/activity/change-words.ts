// The words for kinds and verbs of changes, and how addresses name them. Each kind of the schema has an entry here. A verb
// without an entry is shown under its own name.
import type { Change } from './activity-queries.js';

interface Word {
  label: string;
  /** One of them, where that is not the word itself. */
  one?: string;
}

const kinds = {
  AGENT: { label: 'agents' },
  SANDBOX: { label: 'sandboxes' },
  SANDBOX_PREVIEW: { label: 'previews', one: 'preview' },
  JOB: { label: 'jobs' },
  AGENT_INVOCATION: { label: 'runs by cron triggers', one: 'run by a cron trigger' },
  JOB_EXECUTION: { label: 'executions', one: 'execution' },
  VOLUME: { label: 'volumes' },
  VPC: { label: 'networks', one: 'network' },
  EGRESS_GATEWAY: { label: 'egress gateways' },
  EGRESS_IP: { label: 'egress addresses', one: 'egress address' },
  IMAGE: { label: 'images' },
  IMAGE_TAG: { label: 'image tags' },
  IMAGE_SHARE: { label: 'shares', one: 'share' },
  WORKSPACE: { label: 'the workspace' },
  MEMBER: { label: 'members' },
  INVITATION: { label: 'invitations' },
  API_KEY: { label: 'API keys', one: 'API key' },
  OAUTH_CLIENT: { label: 'OAuth clients', one: 'OAuth client' },
  WEBHOOK: { label: 'webhooks' },
  USAGE: { label: 'usage' },
  BUDGET: { label: 'budgets' },
  BILLING_DIMENSION: { label: 'billing dimensions' },
  RESOURCE_TYPE: { label: 'resource types' },
  PRICE: { label: 'prices' },
  USER: { label: 'users' },
  SIGN_IN: { label: 'sign-ins', one: 'sign-in' },
  ACCESS: { label: 'what may be done', one: 'access' },
  ACCOUNT: { label: 'the account' },
  GONE: { label: 'what is long gone', one: 'resource' },
} as const satisfies Record<Change['kind'], Word>;

const verbs = {
  CREATED: 'created',
  UPDATED: 'updated',
  DELETED: 'deleted',
  STATUS: 'state told',
  STARTED: 'started',
  CANCELLED: 'cancelled',
  SHARED: 'shared',
  ACCEPTED: 'accepted',
  DECLINED: 'declined',
  REVOKED: 'revoked',
  REFUSED: 'refused',
  READ: 'read',
  RETIRED: 'retired',
  CROSSED: 'crossed',
  AMENDED: 'amended',
  VOIDED: 'voided',
} as const satisfies Partial<Record<Change['verb'], string>>;

export type ChangeKind = Change['kind'];
export type ChangeVerb = Change['verb'];

/** All kinds, with the words of addresses and of people. */
export const kindChoices = choicesOf(kinds, ({ label }) => label);
export const verbChoices = choicesOf(verbs, (label) => label);

export function verbWord(verb: ChangeVerb): string {
  const words: Partial<Record<ChangeVerb, string>> = verbs;
  return words[verb] ?? spaced(verb);
}

/** One of a kind, such as "egress address". */
export function oneOfKind(kind: ChangeKind): string {
  const words: Partial<Record<ChangeKind, Word>> = kinds;
  return words[kind]?.one ?? spaced(kind);
}

function spaced(value: ChangeKind | ChangeVerb): string {
  return value.toLowerCase().replaceAll('_', ' ');
}

/** How an address has it, such as image-tag for IMAGE_TAG. */
export function wordOfAddress(value: ChangeKind | ChangeVerb): string {
  return value.toLowerCase().replaceAll('_', '-');
}

/** A kind, or a verb, by the word that an address has. */
export function kindIn(word: string | undefined): ChangeKind | undefined {
  return kindChoices.find(({ word: own }) => own === word)?.value;
}

export function verbIn(word: string | undefined): ChangeVerb | undefined {
  return verbChoices.find(({ word: own }) => own === word)?.value;
}

function choicesOf<Value extends ChangeKind | ChangeVerb, Told>(
  words: Record<Value, Told>,
  labelOf: (told: Told) => string,
): { value: Value; word: string; label: string }[] {
  return Object.entries<Told>(words).flatMap(([key, told]) =>
    isOne(words, key) ? [{ value: key, word: wordOfAddress(key), label: labelOf(told) }] : [],
  );
}

function isOne<Value extends string>(words: Record<Value, unknown>, key: string): key is Value {
  return Object.hasOwn(words, key);
}
