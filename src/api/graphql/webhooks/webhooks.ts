import { builder } from '../builder.js';
import { connectionComplexity } from '../connection.js';
import { enumValues } from '../enums.js';
import { versionDescription } from '../resource.js';
import { resolveList, searchArgument, sortArgument } from '../resource-list.js';
import { AccountType, WorkspaceType } from '../accounts/accounts.js';
import { ChangeFilterInput, KindEnum, VerbEnum, filterFromInput } from '../changes/change-filter.js';
import { storedFilter, webhookStatuses } from '../../../webhooks/webhook.js';
import type { StoredFilter, StoredWebhook } from '../../../webhooks/webhook.js';
import { findWebhooks, listWebhooks } from '../../../webhooks/webhooks.js';
import { versionArgument } from '../change-arguments.js';
import { resourceIdOf } from '../global-id.js';
import { resultOf, resultType } from '../mutation.js';
import { createWebhook, deleteWebhook, rotateWebhookSecret, updateWebhook } from '../../../webhooks/webhook-changes.js';
import type { WebhookFilterInput, WebhookWithSecret } from '../../../webhooks/webhook-changes.js';

const StatusEnum = builder.enumType('WebhookStatus', {
  description: 'Whether a webhook sends changes.',
  values: enumValues(webhookStatuses),
});

const listed = { nullable: { list: true, items: false }, complexity: { field: 1, multiplier: 1 } } as const;

const FilterType = builder.objectRef<StoredFilter>('WebhookFilter').implement({
  description: 'Which changes a webhook sends. All that is given has to be met; of a list, one.',
  fields: (t) => ({
    kinds: t.field({ type: [KindEnum], ...listed, resolve: ({ kinds }) => kinds }),
    verbs: t.field({ type: [VerbEnum], ...listed, resolve: ({ verbs }) => verbs }),
    names: t.stringList({
      ...listed,
      description: 'What was changed has one of these names.',
      resolve: ({ names }) => names,
    }),
    actors: t.stringList({ ...listed, description: 'One of these did it.', resolve: ({ actors }) => actors }),
    clients: t.stringList({
      ...listed,
      description: 'Through one of these credentials.',
      resolve: ({ clients }) => clients,
    }),
    addresses: t.stringList({
      ...listed,
      description: 'From one of these network addresses.',
      resolve: ({ addresses }) => addresses,
    }),
    workspaces: t.stringList({
      ...listed,
      description: 'By name; those that are gone are left out.',
      resolve: ({ workspaceIds }, _args, { caller }) => {
        if (workspaceIds === undefined) return null;
        return [...caller.workspaces.values()].flatMap(({ id, name }) => (workspaceIds.includes(id) ? [name] : []));
      },
    }),
    resource: t.id({ description: 'By its global id.', resolve: ({ resource }) => resource }),
  }),
});

export const WebhookType = builder.node(builder.objectRef<StoredWebhook>('Webhook'), {
  description:
    'Where changes are sent to as they happen, signed by the Standard Webhooks specification. For admins of the account, ' +
    'and of the workspace that it belongs to. Needs the scope admin.',
  id: { resolve: ({ id }) => id },
  loadManyWithoutCache: (ids, ctx) => findWebhooks(ctx, ids),
  fields: (t) => ({
    name: t.exposeString('name', { nullable: false, description: 'What it is for.' }),
    url: t.exposeString('url', { nullable: false, description: 'The address that changes are sent to.' }),
    status: t.field({
      type: StatusEnum,
      nullable: false,
      resolve: ({ pausedAt }) => (pausedAt === null ? 'active' : 'paused'),
    }),
    pausedAt: t.field({
      type: 'DateTime',
      description: 'Since when it is paused.',
      resolve: ({ pausedAt }) => pausedAt?.toISOString(),
    }),
    pauseReason: t.exposeString('pauseReason', { description: 'Why it is paused, for people.' }),
    retryAt: t.field({
      type: 'DateTime',
      description: 'When its address is tried again, which failed last; null for one that is well.',
      resolve: ({ blockedUntil, pausedAt }) => (pausedAt === null ? blockedUntil?.toISOString() : null),
    }),
    account: t.field({
      type: AccountType,
      nullable: false,
      description: 'The account whose changes it sends.',
      resolve: ({ accountId }, _args, { caller }) => {
        const account = caller.accounts.find(({ id }) => id === accountId);
        if (account === undefined) throw new Error('a webhook was found without its account');
        return account;
      },
    }),
    workspace: t.field({
      type: WorkspaceType,
      description: 'The workspace whose changes alone it sends; null for those of the whole account.',
      resolve: ({ workspace }, _args, { caller }) =>
        workspace === null ? null : caller.workspaces.get(workspace.name),
    }),
    filter: t.field({ type: FilterType, nullable: false, resolve: storedFilter }),
    previousSecretEndsAt: t.field({
      type: 'DateTime',
      description: 'Until when what is sent is signed with the secret before as well.',
      resolve: ({ previousEndsAt }) => previousEndsAt?.toISOString(),
    }),
    version: t.exposeInt('version', { nullable: false, description: versionDescription }),
    createdAt: t.field({
      type: 'DateTime',
      nullable: false,
      description: 'When it was made.',
      resolve: ({ createdAt }) => createdAt.toISOString(),
    }),
    createdBy: t.exposeString('createdBy', { description: 'Who made it.' }),
    updatedAt: t.field({
      type: 'DateTime',
      nullable: false,
      description: 'When it was changed last.',
      resolve: ({ updatedAt }) => updatedAt.toISOString(),
    }),
  }),
});

const connection = builder.connectionObject(
  { type: WebhookType, name: 'WebhookConnection', description: 'A page of webhooks.' },
  { name: 'WebhookEdge', description: 'One of a page of webhooks, with its cursor.' },
);

const listArguments = {
  ...sortArgument,
  ...searchArgument('name and address'),
  ...builder.args((t) => ({ status: t.field({ type: StatusEnum, description: 'Only webhooks of this status.' }) })),
};

builder.objectField(AccountType, 'webhooks', (t) =>
  t.connection(
    {
      type: WebhookType,
      nullable: true,
      description: 'Its webhooks, with those of its workspaces, that the caller manages. Needs the scope admin.',
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
      description: 'Webhooks of it alone, for its admins. Needs the scope admin.',
      args: listArguments,
      complexity: connectionComplexity,
      resolve: ({ id }, args, ctx, info) =>
        resolveList(args, info, (input) => listWebhooks(ctx, { workspaceId: id }, { ...input, status: args.status })),
    },
    connection,
  ),
);

const place = 'an admin of its place: of the account, or of the workspace that it belongs to';

const secretField = {
  nullable: false,
  description: 'What receivers verify by (whsec_ and Base64). It is not shown again: keep it now.',
} as const;

type GivenFilter = typeof ChangeFilterInput.$inferInput;

/** Absent and null differ in an update. */
function filterOf(given: GivenFilter | null | undefined): WebhookFilterInput | null | undefined {
  if (given == null) return given;
  return { ...filterFromInput(given), resource: given.resource };
}

const CreateResult = resultType<WebhookWithSecret>('CreateWebhook', 'What createWebhook made', (t) => ({
  webhook: t.expose('webhook', { type: WebhookType, nullable: false }),
  secret: t.exposeString('secret', secretField),
}));

const filterDescription =
  'Which changes are sent; all of its place without it. `time` has no meaning here, and `workspaces` and `addresses` ' +
  'only for a webhook of the whole account.';

const CreateInput = builder.inputType('CreateWebhookInput', {
  description: 'A new webhook.',
  fields: (t) => ({
    workspace: t.string({
      description: 'Name of the workspace whose changes are sent; those of the whole account without it.',
    }),
    name: t.string({ required: true, description: 'What it is for; 1 to 63 characters.' }),
    url: t.string({
      required: true,
      description: 'Where to: an https address of the public Internet, without a user name and password.',
    }),
    filter: t.field({ type: ChangeFilterInput, description: filterDescription }),
  }),
});

builder.mutationField('createWebhook', (t) =>
  t.field({
    type: CreateResult,
    nullable: false,
    description: `Makes a webhook, which is sent what happens from then on. Needs the scope admin, and ${place}.`,
    args: { input: t.arg({ type: CreateInput, required: true, description: 'What it is to be.' }) },
    resolve: (_root, { input }, ctx) =>
      resultOf(async () => createWebhook(ctx, { ...input, filter: filterOf(input.filter) })),
  }),
);

interface WebhookPayload {
  webhook: StoredWebhook;
}

const UpdateResult = resultType<WebhookPayload>('UpdateWebhook', 'What updateWebhook changed', (t) => ({
  webhook: t.expose('webhook', { type: WebhookType, nullable: false, description: 'As it now is.' }),
}));

const UpdateInput = builder.inputType('UpdateWebhookInput', {
  description: 'Which webhook to change, and what of it. What is absent stays.',
  fields: (t) => ({
    ...versionArgument(t),
    id: t.id({ required: true, description: 'Its global id.' }),
    name: t.string({ description: 'What it is for; 1 to 63 characters.' }),
    url: t.string({ description: 'Where to.' }),
    filter: t.field({
      type: ChangeFilterInput,
      description: `${filterDescription} It is replaced as a whole, and null removes it.`,
    }),
    paused: t.boolean({
      description: 'True pauses it; false has it go on, first with what it missed as far as that is kept.',
    }),
    skipMissed: t.boolean({ description: 'With paused: false, leaves out what it missed.' }),
  }),
});

builder.mutationField('updateWebhook', (t) =>
  t.field({
    type: UpdateResult,
    nullable: false,
    description: `Changes a webhook, pauses it, or has it go on. Needs the scope admin, and ${place}.`,
    args: { input: t.arg({ type: UpdateInput, required: true, description: 'Which one, and what of it.' }) },
    resolve: (_root, { input }, ctx) =>
      resultOf(async () => {
        const id = resourceIdOf('Webhook', input.id);
        return { webhook: await updateWebhook(ctx, { ...input, id, filter: filterOf(input.filter) }) };
      }),
  }),
);

const DeleteResult = resultType<WebhookPayload>('DeleteWebhook', 'What deleteWebhook removed', (t) => ({
  webhook: t.expose('webhook', { type: WebhookType, nullable: false, description: 'As it was.' }),
}));

const DeleteInput = builder.inputType('DeleteWebhookInput', {
  description: 'Which webhook to delete.',
  fields: (t) => ({ ...versionArgument(t), id: t.id({ required: true, description: 'Its global id.' }) }),
});

builder.mutationField('deleteWebhook', (t) =>
  t.field({
    type: DeleteResult,
    nullable: false,
    description: `Deletes a webhook with its deliveries. Needs the scope admin, and ${place}.`,
    args: { input: t.arg({ type: DeleteInput, required: true, description: 'Which one.' }) },
    resolve: (_root, { input }, ctx) =>
      resultOf(async () => ({
        webhook: await deleteWebhook(ctx, { ...input, id: resourceIdOf('Webhook', input.id) }),
      })),
  }),
);

const RotateResult = resultType<WebhookWithSecret>('RotateWebhookSecret', 'What rotateWebhookSecret made', (t) => ({
  webhook: t.expose('webhook', { type: WebhookType, nullable: false }),
  secret: t.exposeString('secret', secretField),
}));

const RotateInput = builder.inputType('RotateWebhookSecretInput', {
  description: 'Which webhook to give a new secret.',
  fields: (t) => ({ id: t.id({ required: true, description: 'Its global id.' }) }),
});

builder.mutationField('rotateWebhookSecret', (t) =>
  t.field({
    type: RotateResult,
    nullable: false,
    description:
      `Gives a webhook a new secret; for a day what is sent is signed with the old one as well. Needs the scope admin, ` +
      `and ${place}.`,
    args: { input: t.arg({ type: RotateInput, required: true, description: 'Which one.' }) },
    resolve: (_root, { input }, ctx) =>
      resultOf(async () => rotateWebhookSecret(ctx, resourceIdOf('Webhook', input.id))),
  }),
);
