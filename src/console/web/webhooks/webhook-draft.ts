// The form values of a webhook, and the input that is built from them.
import type { VariablesOf } from '../api/graphql.js';
import { rebased } from '../editing/patch.js';
import type { createWebhookMutation, updateWebhookMutation } from './webhook-mutations.js';
import type { Webhook } from './webhook-queries.js';

export type FilterInput = NonNullable<VariablesOf<typeof createWebhookMutation>['input']['filter']>;
export type WebhookUpdate = VariablesOf<typeof updateWebhookMutation>['input'];

export interface WebhookDraft {
  name: string;
  url: string;
  format: Webhook['format'];
  /** The name of its workspace; undefined for the whole account. Cannot be changed. */
  workspace: string | undefined;
  filter: FilterInput;
}

export const emptyDraft: WebhookDraft = {
  name: '',
  url: '',
  format: 'STANDARD',
  workspace: undefined,
  filter: {},
};

export function draftOf({ name, url, format, workspace, filter }: Webhook): WebhookDraft {
  return { name, url, format, workspace: workspace?.name, filter: filterInputOf(filter) };
}

/** A filter as input, without empty fields and type names. */
function filterInputOf(filter: Webhook['filter']): FilterInput {
  const { kinds, actions, names, actors, clients, addresses, workspaces, resource } = filter;
  return withoutEmpty({ kinds, actions, names, actors, clients, addresses, workspaces, resource });
}

/** Removes empty lists, which would match nothing. */
export function withoutEmpty(filter: FilterInput): FilterInput {
  return Object.fromEntries(
    Object.entries(filter).filter(([, value]) => value != null && !(Array.isArray(value) && value.length === 0)),
  );
}

/** The changed fields only, so that changes of other users are not overwritten. */
export function changesOf(before: WebhookDraft, after: WebhookDraft): Omit<WebhookUpdate, 'id'> {
  return {
    ...(before.name === after.name ? {} : { name: after.name }),
    ...(before.url === after.url ? {} : { url: after.url }),
    ...(before.format === after.format ? {} : { format: after.format }),
    ...(isSame(before.filter, after.filter) ? {} : { filter: after.filter }),
  };
}

/** The user's changes applied on top of another user's version, also within the filter. */
export function rebasedDraft(before: WebhookDraft, mine: WebhookDraft, theirs: WebhookDraft): WebhookDraft {
  return {
    ...rebased(before, mine, theirs),
    filter: withoutEmpty(rebased(before.filter, mine.filter, theirs.filter)),
  };
}

function isSame(one: FilterInput, other: FilterInput): boolean {
  const text = (filter: FilterInput) =>
    JSON.stringify(Object.entries(filter).toSorted(([a], [b]) => a.localeCompare(b)));
  return text(one) === text(other);
}
