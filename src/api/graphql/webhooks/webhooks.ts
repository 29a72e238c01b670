import { builder } from '../builder.js';
import { requiresScopes } from '../required-scopes.js';
import { NamedInterface } from '../named.js';
import { connectionComplexity } from '../connection.js';
import { enumValues } from '../enums.js';
import { versionDescription } from '../resource.js';
import { listOrderArgument, resolveList, searchArgument } from '../resource-list.js';
import { AccountType, WorkspaceType } from '../accounts/accounts.js';
import { ChangeFilterInput, ActionEnum, KindEnum, filterFromInput } from '../changes/change-filter.js';
import { storedFilter, urlOf, webhookFormats, webhookStatuses } from '../../../webhooks/webhook.js';
import { masked } from '../../../schema/resource.js';
import type { StoredFilter, StoredWebhook } from '../../../webhooks/webhook.js';
import { findWebhooks, listWebhooks, nextAttemptOf } from '../../../webhooks/webhooks.js';
import { dryRunArgument, versionArgument } from '../change-arguments.js';
import { idField, withId } from '../reference.js';
import { resourceIdOf } from '../global-id.js';
import { addMutation, nonNull } from '../mutation.js';
import { secretRule, shownSecret } from '../shown-secret.js';
import { createWebhook, deleteWebhook, rotateWebhookSecret, updateWebhook } from '../../../webhooks/webhook-changes.js';
import type { WebhookFilterInput } from '../../../webhooks/webhook-changes.js';
import { optionalTimeField, timeField } from '../time-fields.js';

const StatusEnum = builder.enumType('WebhookStatus', {
  description: 'Status of a webhook.',
  values: enumValues(webhookStatuses),
});

const FormatEnum = builder.enumType('WebhookFormat', {
  description: 'Format of the messages that a webhook sends.',
  values: enumValues(webhookFormats),
});

const listed = { nullable: { list: true, items: false }, complexity: { field: 1, multiplier: 1 } } as const;

const FilterType = builder.objectRef<StoredFilter>('WebhookFilter').implement({
  description:
    'The changes that a webhook sends. A change matches if it meets all given conditions, and one value of each list.',
  fields: (t) => ({
    kinds: t.field({
      type: [KindEnum],
      ...listed,
      description: 'Kinds of the changed items. Null matches all.',
      resolve: ({ kinds }) => kinds,
    }),
    actions: t.field({
      type: [ActionEnum],
      ...listed,
      description: 'Actions. Null matches all.',
      resolve: ({ actions }) => actions,
    }),
    names: t.stringList({
      ...listed,
      description: 'Matches changes of resources with one of these names. Null matches all.',
      resolve: ({ names }) => names,
    }),
    actors: t.stringList({
      ...listed,
      description: 'Matches changes by one of these callers. Null matches all.',
      resolve: ({ actors }) => actors,
    }),
    clients: t.stringList({
      ...listed,
      description: 'Matches changes made with one of these credentials. Null matches all.',
      resolve: ({ clients }) => clients,
    }),
    addresses: t.stringList({
      ...listed,
      description: 'Matches changes made from one of these IP addresses. Null matches all.',
      resolve: ({ addresses }) => addresses,
    }),
    workspaces: t.stringList({
      ...listed,
      description:
        'Names of workspaces. Matches changes in one of them. Deleted workspaces are omitted. Null matches all.',
      resolve: ({ workspaceIds }, _args, { caller }) => {
        if (workspaceIds === undefined) return null;
        return [...caller.workspaces.values()].flatMap(({ id, name }) => (workspaceIds.includes(id) ? [name] : []));
      },
    }),
    resource: t.id({
      description: 'Global ID of a resource. Matches only changes of this resource. Null matches all.',
      resolve: ({ resource }) => resource,
    }),
  }),
});

export const WebhookType = builder.node(builder.objectRef<StoredWebhook>('Webhook'), {
  interfaces: [NamedInterface],
  description:
    'An endpoint that receives changes as signed requests (Standard Webhooks specification). Visible to ' +
    'admins of the account and of the workspace that the webhook belongs to.',
  id: { resolve: ({ id }) => id },
  loadManyWithoutCache: (ids, ctx) => findWebhooks(ctx, ids),
  fields: (t) => ({
    name: t.exposeString('name', { nullable: false, description: 'Name of the webhook, such as its purpose.' }),
    url: t.string({
      nullable: false,
      description: 'URL that changes are sent to. Stored encrypted, because it can contain a token.',
      resolve: (webhook, _args, { encryption }) => urlOf(encryption, webhook) ?? masked,
    }),
    format: t.expose('format', { type: FormatEnum, nullable: false, description: 'Format of its messages.' }),
    status: t.field({
      type: StatusEnum,
      nullable: false,
      resolve: ({ pausedAt }) => (pausedAt === null ? 'active' : 'paused'),
    }),
    pausedAt: t.field(optionalTimeField('pausedAt', 'The time the webhook was paused, or null if it is active.')),
    pauseReason: t.exposeString('pauseReason', {
      description: 'Human-readable reason for the pause, or null if it is active.',
    }),
    retryAt: t.field({
      type: 'DateTime',
      description: 'The time of the next attempt after a failure, or null if the last attempt succeeded.',
      resolve: async (webhook, _args, ctx) => (await nextAttemptOf(ctx, webhook))?.toISOString(),
    }),
    account: t.field({
      type: AccountType,
      nullable: false,
      description: 'The account whose changes the webhook sends.',
      resolve: ({ accountId }, _args, { caller }) => {
        const account = caller.accounts.find(({ id }) => id === accountId);
        if (account === undefined) throw new Error('the account of a webhook is not accessible to the caller');
        return account;
      },
    }),
    workspace: t.field({
      type: WorkspaceType,
      description: 'The workspace whose changes the webhook sends, or null for the changes of the whole account.',
      resolve: ({ workspace }, _args, { caller }) =>
        workspace === null ? null : caller.workspaces.get(workspace.name),
    }),
    filter: t.field({ type: FilterType, nullable: false, resolve: storedFilter }),
    previousSecretExpiresAt: t.field(
      optionalTimeField(
        'previousEndsAt',
        'The time until which requests are also signed with the previous secret, or null if there is none.',
      ),
    ),
    version: t.exposeInt('version', { nullable: false, description: versionDescription }),
    createdAt: t.field(timeField('createdAt', 'The time the webhook was created.')),
    createdBy: t.exposeString('createdBy', {
      description:
        'Name of the user or service account that created the webhook; null for the operator of the service.',
    }),
    updatedAt: t.field(timeField('updatedAt', 'The time of the last update.')),
  }),
});

const connection = builder.connectionObject(
  { type: WebhookType, name: 'WebhookConnection', description: 'A page of webhooks.' },
  { name: 'WebhookEdge', description: 'A webhook and its cursor.' },
);

const listArguments = {
  ...listOrderArgument,
  ...searchArgument('name and address'),
  ...builder.args((t) => ({ status: t.field({ type: StatusEnum, description: 'Only webhooks of this status.' }) })),
};

builder.objectField(AccountType, 'webhooks', (t) =>
  t.connection(
    {
      type: WebhookType,
      nullable: true,
      extensions: requiresScopes([['admin']]),
      description: 'Webhooks of the account and its workspaces that the caller can manage.',
      args: listArguments,
      complexity: connectionComplexity,
      resolve: ({ id }, args, ctx, info) =>
        resolveList(args, info, (input) => listWebhooks(ctx, { accountId: id }, { ...input, status: args.status })),
    },
    connection,
  ),
);

builder.objectField(WorkspaceType, 'webhooks', (t) =>
  t.connection(
    {
      type: WebhookType,
      nullable: true,
      extensions: requiresScopes([['admin']]),
      description: 'Webhooks of the workspace only. Needs an admin of the workspace.',
      args: listArguments,
      complexity: connectionComplexity,
      resolve: ({ id }, args, ctx, info) =>
        resolveList(args, info, (input) => listWebhooks(ctx, { workspaceId: id }, { ...input, status: args.status })),
    },
    connection,
  ),
);

const place = 'an admin of the account, or of the workspace that the webhook belongs to';

const secretField = {
  nullable: false,
  description: `Signing secret, with which receivers verify requests (whsec_ and Base64). ${secretRule}`,
} as const;

type GivenFilter = typeof ChangeFilterInput.$inferInput;

/** In an update, an absent filter is kept and null removes the filter. */
function filterOf(given: GivenFilter | null | undefined): WebhookFilterInput | null | undefined {
  if (given == null) return given;
  return { ...filterFromInput(given), resource: given.resource };
}

const filterDescription =
  'The changes to send (default: all changes of the account or workspace). `time` is not allowed. `workspaces` and ' +
  '`addresses` are allowed only for a webhook of the whole account.';

addMutation('createWebhook', {
  description: `Creates a webhook, which receives changes from then on. Needs ${place}.`,
  scopes: [['admin']],
  inputDescription: 'The webhook to create.',
  input: (t) => ({
    ...dryRunArgument(t),
    workspace: t.string({
      description: 'Name of the workspace whose changes are sent. Omitted: the changes of the whole account.',
    }),
    name: t.string({ required: true, description: 'Name of the webhook, such as its purpose (1 to 63 characters).' }),
    url: t.string({
      required: true,
      description: 'URL to send changes to: https, a public address, without user name and password.',
    }),
    format: t.field({ type: FormatEnum, description: 'Format of the messages (default: STANDARD).' }),
    filter: t.field({ type: ChangeFilterInput, description: filterDescription }),
  }),
  run: async (ctx, input) => {
    const { webhook, secret } = await createWebhook(ctx, { ...input, filter: filterOf(input.filter) });
    return { webhook, secret: shownSecret(input, secret) };
  },
  payloadDescription: 'The created webhook and its secret',
  payload: (t) => ({
    webhook: t.expose('webhook', nonNull(WebhookType)),
    secret: t.exposeString('secret', secretField),
  }),
});

addMutation('updateWebhook', {
  description: `Updates, pauses or resumes a webhook. Needs ${place}.`,
  scopes: [['admin']],
  inputDescription: 'The webhook to update, and its new values. An absent field keeps its value.',
  argumentDescription: 'The webhook to update, and its new values.',
  input: (t) => ({
    ...dryRunArgument(t),
    ...versionArgument(t),
    ...idField(t, 'webhook'),
    name: t.string({ description: 'Name of the webhook, such as its purpose (1 to 63 characters).' }),
    url: t.string({ description: 'URL to send changes to.' }),
    format: t.field({ type: FormatEnum, description: 'Format of the messages.' }),
    filter: t.field({
      type: ChangeFilterInput,
      description: `${filterDescription} Replaces the whole filter; null removes the filter.`,
    }),
    paused: t.boolean({
      description:
        'True pauses the webhook. False resumes it: the webhook first sends the missed changes that the change log ' +
        'still keeps.',
    }),
    skipMissed: t.boolean({ description: 'With `paused: false`, skips the missed changes (default: false).' }),
  }),
  run: async (ctx, input) => {
    const id = resourceIdOf('Webhook', input.id);
    return { webhook: await updateWebhook(ctx, { ...input, id, filter: filterOf(input.filter) }) };
  },
  payloadDescription: 'The updated webhook',
  payload: (t) => ({ webhook: t.expose('webhook', nonNull(WebhookType, 'The updated webhook.')) }),
});

addMutation('deleteWebhook', {
  description: `Deletes a webhook with its deliveries. Needs ${place}.`,
  scopes: [['admin']],
  inputDescription: 'The webhook to delete.',
  input: (t) => ({ ...dryRunArgument(t), ...versionArgument(t), ...idField(t, 'webhook') }),
  run: async (ctx, input) => ({ webhook: await deleteWebhook(ctx, withId('Webhook', input)) }),
  payloadDescription: 'The deleted webhook',
  payload: (t) => ({ webhook: t.expose('webhook', nonNull(WebhookType, 'The deleted webhook.')) }),
});

addMutation('rotateWebhookSecret', {
  description: `Gives a webhook a new secret. For one day, requests are also signed with the old secret. Needs ${place}.`,
  scopes: [['admin']],
  inputDescription: 'The webhook to give a new secret.',
  input: (t) => ({ ...dryRunArgument(t), ...versionArgument(t), ...idField(t, 'webhook') }),
  run: async (ctx, input) => {
    const { webhook, secret } = await rotateWebhookSecret(ctx, withId('Webhook', input));
    return { webhook, secret: shownSecret(input, secret) };
  },
  payloadDescription: 'The webhook and its new secret',
  payload: (t) => ({
    webhook: t.expose('webhook', nonNull(WebhookType)),
    secret: t.exposeString('secret', secretField),
  }),
});
