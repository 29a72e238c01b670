// What somebody writes of a webhook, and what of it has to be sent.
import type { VariablesOf } from '../api/graphql.js';
import type { createWebhookMutation, updateWebhookMutation } from './webhook-mutations.js';
import type { Webhook } from './webhook-queries.js';

export type FilterInput = NonNullable<VariablesOf<typeof createWebhookMutation>['input']['filter']>;
export type WebhookUpdate = VariablesOf<typeof updateWebhookMutation>['input'];

export interface WebhookDraft {
  name: string;
  url: string;
  /** Its place: by name, and the whole account where it is undefined. It never changes. */
  workspace: string | undefined;
  filter: FilterInput;
}

export const emptyDraft: WebhookDraft = { name: '', url: '', workspace: undefined, filter: {} };

export function draftOf({ name, url, workspace, filter }: Webhook): WebhookDraft {
  return { name, url, workspace: workspace?.name, filter: filterInputOf(filter) };
}

/** A filter as it is given: without what it does not say, and without GraphQL's own. */
function filterInputOf(filter: Webhook['filter']): FilterInput {
  const { kinds, verbs, names, actors, clients, addresses, workspaces, resource } = filter;
  return withoutEmpty({ kinds, verbs, names, actors, clients, addresses, workspaces, resource });
}

/** A list of nothing asks for nothing: it is left out, so that everything is sent. */
export function withoutEmpty(filter: FilterInput): FilterInput {
  return Object.fromEntries(
    Object.entries(filter).filter(([, value]) => value != null && !(Array.isArray(value) && value.length === 0)),
  );
}

/** What of a webhook has to change so that it becomes what is written: nobody else's fields are sent. */
export function changesOf(before: WebhookDraft, after: WebhookDraft): Omit<WebhookUpdate, 'id'> {
  return {
    ...(before.name === after.name ? {} : { name: after.name }),
    ...(before.url === after.url ? {} : { url: after.url }),
    ...(isSame(before.filter, after.filter) ? {} : { filter: after.filter }),
  };
}

/** What somebody changed, laid over what another has made of it meanwhile. */
export function rebased(before: WebhookDraft, mine: WebhookDraft, theirs: WebhookDraft): WebhookDraft {
  const { name, url, filter } = changesOf(before, mine);
  return { ...theirs, name: name ?? theirs.name, url: url ?? theirs.url, filter: filter ?? theirs.filter };
}

function isSame(one: FilterInput, other: FilterInput): boolean {
  const text = (filter: FilterInput) =>
    JSON.stringify(Object.entries(filter).toSorted(([a], [b]) => a.localeCompare(b)));
  return text(one) === text(other);
}
