import { builder } from '../builder.js';
import { versionArgument } from '../change-arguments.js';
import { resourceIdOf } from '../global-id.js';
import { keepsAnswer, keepsPayload, resultOf, resultType } from '../mutation.js';
import { ChangeFilterInput, filterFromInput } from '../changes/graphql-filter.js';
import { WebhookType } from './graphql.js';
import type { StoredWebhook } from '../../../webhooks/webhook.js';
import { createWebhook, deleteWebhook, rotateWebhookSecret, updateWebhook } from '../../../webhooks/webhook-changes.js';
import type { WebhookFilterInput, WebhookWithSecret } from '../../../webhooks/webhook-changes.js';

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
    extensions: keepsAnswer('webhook'),
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
    extensions: keepsAnswer('webhook'),
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
    extensions: keepsPayload,
    args: { input: t.arg({ type: RotateInput, required: true, description: 'Which one.' }) },
    resolve: (_root, { input }, ctx) =>
      resultOf(async () => rotateWebhookSecret(ctx, resourceIdOf('Webhook', input.id))),
  }),
);
