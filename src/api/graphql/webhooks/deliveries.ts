import { builder } from '../builder.js';
import { requiresScopes } from '../required-scopes.js';
import { dryRunArgument } from '../change-arguments.js';
import { connectionComplexity } from '../connection.js';
import { enumValues } from '../enums.js';
import { idField, withId } from '../reference.js';
import { resourceIdOf } from '../global-id.js';
import { addMutation, nonNull } from '../mutation.js';
import { resolveList } from '../resource-list.js';
import { selectedPaths } from '../selection.js';
import { changesByNumber } from '../../../changes/changes.js';
import { ChangeType } from '../changes/change.js';
import {
  deliveryReasons,
  eventIdOfDelivery,
  findDeliveries,
  listDeliveries,
  redeliver,
  redeliverAll,
  testWebhook,
} from '../../../webhooks/deliveries.js';
import type { DeliveryReason, StoredDelivery } from '../../../webhooks/deliveries.js';
import { deliveryStatuses } from '../../../webhooks/webhook.js';
import type { DeliveryStatus } from '../../../webhooks/webhook.js';
import { WebhookType } from './webhooks.js';
import { findWebhooks } from '../../../webhooks/webhooks.js';
import { timeField } from '../time-fields.js';

const DeliveryStatusEnum = builder.enumType('WebhookDeliveryStatus', {
  description: 'Status of a delivery.',
  values: enumValues(deliveryStatuses),
});

const ReasonEnum = builder.enumType('WebhookDeliveryReason', {
  description: 'The reason for a delivery.',
  values: enumValues(deliveryReasons),
});

const AttemptType = builder.objectRef<StoredDelivery['attempts'][number]>('WebhookAttempt').implement({
  description: 'One attempt to send a delivery, and its result.',
  fields: (t) => ({
    number: t.exposeInt('number', { nullable: false, description: 'Number of the attempt, starting at 1.' }),
    time: t.field(timeField('time', 'The time the request was sent.')),
    latencyMs: t.exposeInt('latencyMs', { nullable: false, description: 'Duration of the attempt (ms).' }),
    statusCode: t.exposeInt('statusCode', {
      description: 'HTTP status of the response, or null if there was no response.',
    }),
    responseBody: t.exposeString('answer', {
      description: 'First 1,024 bytes of the response body, or null if there was no response.',
    }),
    error: t.exposeString('error', {
      description: 'Human-readable reason for the failure, or null if the attempt succeeded.',
    }),
  }),
});

const isStatus = (word: string): word is DeliveryStatus => Object.hasOwn(deliveryStatuses, word);
const isReason = (word: string): word is DeliveryReason => Object.hasOwn(deliveryReasons, word);

const DeliveryRef = builder.objectRef<StoredDelivery>('WebhookDelivery');

const DeliveryType = builder.node(DeliveryRef, {
  description: 'The delivery of one event to one webhook. Needs an admin of the account or workspace of the webhook.',
  id: { resolve: ({ id }) => id },
  loadManyWithoutCache: (ids, ctx) => findDeliveries(ctx, ids),
  fields: (t) => ({
    webhook: t.field({
      type: WebhookType,
      complexity: 2,
      description: 'The webhook of the delivery, or null if it was deleted.',
      resolve: async ({ webhookId }, _args, ctx) => (await findWebhooks(ctx, [webhookId]))[0],
    }),
    eventId: t.string({
      nullable: false,
      description: 'ID of the event, equal to the ID of the change. Receivers use it to detect duplicates.',
      resolve: eventIdOfDelivery,
    }),
    change: t.field({
      type: ChangeType,
      complexity: 2,
      description:
        'The delivered change. Null for a test, if the change log no longer keeps the change, or if the credential ' +
        'cannot read it.',
      resolve: ({ accountId, sequence }, _args, ctx, info) => {
        if (sequence === null || accountId !== ctx.caller.accounts[0]?.id) return null;
        const paths = selectedPaths(info);
        const { whole, plain } = changesByNumber(ctx);
        return (paths.has('before') || paths.has('after') ? whole : plain).load(Number(sequence));
      },
    }),
    eventType: t.exposeString('eventType', {
      nullable: false,
      description: 'Type of the event, such as agent.updated.',
    }),
    reason: t.field({
      type: ReasonEnum,
      nullable: false,
      resolve: ({ reason }) => (isReason(reason) ? reason : 'change'),
    }),
    status: t.field({
      type: DeliveryStatusEnum,
      nullable: false,
      resolve: ({ status }) => (isStatus(status) ? status : 'waiting'),
    }),
    createdAt: t.field(timeField('createdAt', 'The time the delivery was queued.')),
    nextAttemptAt: t.field({
      type: 'DateTime',
      description: 'The earliest time of the next attempt, or null if the delivery has ended.',
      resolve: ({ status, nextAt }) => (status === 'waiting' ? nextAt.toISOString() : null),
    }),
    attemptCount: t.exposeInt('attemptCount', { nullable: false, description: 'Number of attempts.' }),
    attempts: t.field({
      type: [AttemptType],
      nullable: { list: false, items: false },
      description: 'All attempts, oldest first.',
      resolve: ({ attempts }) => attempts,
    }),
    statusCode: t.int({
      description: 'HTTP status of the last response, or null if there was no response.',
      resolve: ({ attempts }) => attempts.at(-1)?.statusCode,
    }),
    latencyMs: t.int({
      description: 'Duration of the last attempt (ms), or null before the first.',
      resolve: ({ attempts }) => attempts.at(-1)?.latencyMs,
    }),
    responseBody: t.string({
      description: 'First 1,024 bytes of the last response body, or null if there was no response.',
      resolve: ({ attempts }) => attempts.at(-1)?.answer,
    }),
    error: t.string({
      description: 'Human-readable reason for the failure of the last attempt, or null if it succeeded.',
      resolve: ({ attempts }) => attempts.at(-1)?.error,
    }),
    requestedBy: t.exposeString('askedBy', {
      description: 'Name of the caller who requested the delivery, or null for automatic deliveries.',
    }),
    redeliveryOf: t.field({
      type: DeliveryRef,
      complexity: 2,
      description: 'The delivery that this one repeats, or null if that delivery is no longer listed.',
      resolve: async ({ redeliveryOf }, _args, ctx) =>
        redeliveryOf === null ? null : (await findDeliveries(ctx, [redeliveryOf]))[0],
    }),
  }),
});

builder.objectField(WebhookType, 'deliveries', (t) =>
  t.connection(
    {
      type: DeliveryType,
      nullable: true,
      extensions: requiresScopes([['admin']]),
      description: 'Deliveries of the webhook, newest first.',
      args: { status: t.arg({ type: DeliveryStatusEnum, description: 'Only deliveries of this status.' }) },
      complexity: connectionComplexity,
      resolve: (webhook, args, ctx, info) =>
        resolveList(args, info, (input) => listDeliveries(ctx, webhook, { ...input, status: args.status })),
    },
    { name: 'WebhookDeliveryConnection', description: 'A page of deliveries.' },
    { name: 'WebhookDeliveryEdge', description: 'A delivery and its cursor.' },
  ),
);

addMutation('testWebhook', {
  description:
    'Sends a test event to a webhook, without retries, even if the webhook is paused. Needs an admin of the ' +
    'account or workspace of the webhook.',
  scopes: [['admin']],
  inputDescription: 'The webhook to test.',
  input: (t) => ({ ...dryRunArgument(t), ...idField(t, 'webhook') }),
  run: async (ctx, input) => ({ delivery: await testWebhook(ctx, withId('Webhook', input)) }),
  payloadDescription: 'The queued test delivery',
  payload: (t) => ({
    delivery: t.expose('delivery', nonNull(DeliveryType, 'The queued delivery. Query it again for the result.')),
  }),
});

addMutation('redeliverWebhookDelivery', {
  description:
    'Sends the event of a delivery that has ended again, without retries, as a new delivery. Needs an admin ' +
    'of the account or workspace of the webhook.',
  scopes: [['admin']],
  inputDescription: 'The delivery to send again.',
  input: (t) => ({ ...dryRunArgument(t), ...idField(t, 'delivery') }),
  run: async (ctx, input) => ({ delivery: await redeliver(ctx, withId('WebhookDelivery', input)) }),
  payloadDescription: 'The queued delivery',
  payload: (t) => ({
    delivery: t.expose(
      'delivery',
      nonNull(DeliveryType, 'The new delivery of the same event. Query it again for the result.'),
    ),
  }),
});

addMutation('redeliverWebhookDeliveries', {
  description:
    'Sends the events of all failed deliveries of a webhook since a time again, without retries, as new ' +
    'deliveries. Events that have a waiting delivery are omitted, so a second call creates no duplicates. ' +
    'Needs an admin of the account or workspace of the webhook.',
  scopes: [['admin']],
  inputDescription: 'The deliveries of a webhook to send again.',
  argumentDescription: 'The deliveries to send again.',
  input: (t) => ({
    ...dryRunArgument(t),
    ...idField(t, 'webhook'),
    since: t.field({
      type: 'DateTime',
      required: true,
      description: 'Only deliveries created at this time or later.',
    }),
    until: t.field({ type: 'DateTime', description: 'Only deliveries created before this time.' }),
    includeDelivered: t.boolean({
      description: 'Also sends events again that were delivered or skipped (default: false, only failed ones).',
    }),
  }),
  run: (ctx, { id, since, until, includeDelivered, validateOnly }) =>
    redeliverAll(ctx, resourceIdOf('Webhook', id), {
      since,
      until,
      includesDelivered: includeDelivered === true,
      validateOnly,
    }),
  payloadDescription: 'The number of queued deliveries',
  payload: (t) => ({
    count: t.exposeInt('count', { nullable: false, description: 'Number of new deliveries (0 to 1000).' }),
    hasMore: t.exposeBoolean('hasMore', {
      nullable: false,
      description:
        'True if more deliveries match than can be queued at a time. Call the mutation again after these are sent.',
    }),
  }),
});
