// The texts for the state and filter of a webhook.
import { kindChoices, actionChoices } from '../activity/change-labels.js';
import { wordOf } from '../look/labels.js';
import type { Webhook } from './webhook-queries.js';

type Filter = Webhook['filter'];

const kindWords = new Map<string, string>(kindChoices.map(({ value, label }) => [value, label]));
const actionLabels = new Map<string, string>(actionChoices.map(({ value, label }) => [value, label]));
const ownKindWords = new Map([
  ['WORKSPACE', 'workspaces'],
  ['ACCOUNT', 'accounts'],
  ['USAGE', 'usage'],
  ['OAUTH_CLIENT', 'OAuth clients'],
  ['DELETED_RESOURCE', 'deleted resources'],
  ['SIGN_IN', 'sign-ins'],
]);

/** Such as "egress gateways" for EGRESS_GATEWAY. */
export function kindWord(kind: string): string {
  return ownKindWords.get(kind) ?? kindWords.get(kind) ?? `${wordOf(kind.toLowerCase())}s`;
}

/** Such as "1 network" and "3 networks". */
export function countedWord(count: number, kind: string): string {
  const many = kindWord(kind);
  return count === 1 ? many.replace(/(?<=ss|x)es$|s$/, '') : many;
}

export function actionLabel(action: string): string {
  if (action === 'STATUS') return 'status changed';
  return actionLabels.get(action) ?? wordOf(action.toLowerCase());
}

/** Such as "agents and jobs, created or deleted, by ann@example.com". */
export function sendsText({ kinds, actions, names, actors, clients, addresses, workspaces, resource }: Filter): string {
  const rest = [
    { text: listed(actions?.map(actionLabel), 'or'), before: ', ' },
    { text: resource === null ? undefined : 'one resource', before: ', of ' },
    { text: listed(names, 'or'), before: ', named ' },
    { text: listed(actors, 'or'), before: ', by ' },
    { text: listed(clients, 'or'), before: ', via ' },
    { text: listed(addresses, 'or'), before: ', from ' },
    { text: listed(workspaces, 'or'), before: ', in ' },
  ];
  const narrowed = rest.flatMap(({ text, before }) => (text === undefined ? [] : [`${before}${text}`]));
  return [listed(kinds?.map(kindWord), 'and') ?? 'all changes', ...narrowed].join('');
}

function listed(words: readonly string[] | null | undefined, last: 'and' | 'or'): string | undefined {
  if (words == null) return undefined;
  if (words.length < 2) return words[0] ?? 'nothing';
  return `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`;
}

/** The state of a webhook. */
export function stateOf({ status, pauseReason, retryAt }: Webhook): string {
  if (status === 'ACTIVE') return retryAt === null ? 'ACTIVE' : 'RETRYING';
  return pauseReason === null || isByHand(pauseReason) ? 'PAUSED' : 'SUSPENDED';
}

/** Whether a user paused it, and not the service after failures. */
function isByHand(reason: string): boolean {
  return reason.startsWith('by ');
}
