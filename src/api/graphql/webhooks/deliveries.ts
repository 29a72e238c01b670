import { builder } from '../builder.js';
import { connectionComplexity } from '../connection.js';
import { enumValues } from '../enums.js';
import { resourceIdOf } from '../global-id.js';
import { resultOf, resultType } from '../mutation.js';
import { resolveList } from '../resource-list.js';
import { selectedPaths } from '../selection.js';
import { changesByNumber } from '../../../changes/changes.js';
import { ChangeType } from '../changes/change.js';
import {
  deliveryReasons,
  deliveryStatuses,
  eventIdOfDelivery,
  findDeliveries,
  listDeliveries,
  redeliver,
  redeliverAll,
  testWebhook,
} from '../../../webhooks/deliveries.js';
import type {
  DeliveryReason,
  DeliveryStatus,
  QueuedRedeliveries,
  StoredDelivery,
} from '../../../webhooks/deliveries.js';
import { WebhookType } from './webhooks.js';
import { findWebhooks } from '../../../webhooks/webhooks.js';

const DeliveryStatusEnum = builder.enumType('WebhookDeliveryStatus', {
  description: 'What became of a delivery.',
  values: enumValues(deliveryStatuses),
});

const ReasonEnum = builder.enumType('WebhookDeliveryReason', {
  description: 'Why something is sent.',
  values: enumValues(deliveryReasons),
});

const AttemptType = builder.objectRef<StoredDelivery['attempts'][number]>('WebhookAttempt').implement({
  description: 'One time that a delivery was sent, and what came of it.',
  fields: (t) => ({
    number: t.exposeInt('number', { nullable: false, description: 'From 1.' }),
    time: t.field({
      type: 'DateTime',
      nullable: false,
      description: 'When it was sent.',
      resolve: ({ time }) => time.toISOString(),
    }),
    latencyMs: t.exposeInt('latencyMs', { nullable: false, description: 'How long it took, in milliseconds.' }),
    statusCode: t.exposeInt('statusCode', {
      description: 'The HTTP status that was answered; null without an answer.',
    }),
    answer: t.exposeString('answer', { description: 'The first 1,024 bytes of the answer.' }),
    error: t.exposeString('error', { description: 'Why it is not taken, for people; null where it is.' }),
  }),
});

const isStatus = (word: string): word is DeliveryStatus => Object.hasOwn(deliveryStatuses, word);
const isReason = (word: string): word is DeliveryReason => Object.hasOwn(deliveryReasons, word);

const DeliveryRef = builder.objectRef<StoredDelivery>('WebhookDelivery');

const DeliveryType = builder.node(DeliveryRef, {
  description: 'One event on its way to one webhook. Needs the scope admin, and an admin of the place of the webhook.',
  id: { resolve: ({ id }) => id },
  loadManyWithoutCache: (ids, ctx) => findDeliveries(ctx, ids),
  fields: (t) => ({
    webhook: t.field({
      type: WebhookType,
      complexity: 2,
      resolve: async ({ webhookId }, _args, ctx) => (await findWebhooks(ctx, [webhookId]))[0],
    }),
    eventId: t.string({
      nullable: false,
      description: 'The id of the event, by which a receiver knows what it has taken before: that of the change.',
      resolve: eventIdOfDelivery,
    }),
    change: t.field({
      type: ChangeType,
      complexity: 2,
      description:
        'What it tells; null for a test, once the history no longer keeps it, and for what the credential may not see.',
      resolve: ({ accountId, sequence }, _args, ctx, info) => {
        if (sequence === null || accountId !== ctx.caller.accounts[0]?.id) return null;
        const paths = selectedPaths(info);
        const { whole, plain } = changesByNumber(ctx);
        return (paths.has('before') || paths.has('after') ? whole : plain).load(Number(sequence));
      },
    }),
    eventType: t.exposeString('eventType', { nullable: false, description: 'Such as agent.updated.' }),
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
    createdAt: t.field({
      type: 'DateTime',
      nullable: false,
      description: 'Since when it waits, or waited.',
      resolve: ({ createdAt }) => createdAt.toISOString(),
    }),
    nextAttemptAt: t.field({
      type: 'DateTime',
      description: 'When it is sent next, at the earliest; null once it is over.',
      resolve: ({ status, nextAt }) => (status === 'waiting' ? nextAt.toISOString() : null),
    }),
    attemptCount: t.exposeInt('attemptCount', { nullable: false, description: 'How often it was sent.' }),
    attempts: t.field({
      type: [AttemptType],
      nullable: { list: false, items: false },
      description: 'Each time that it was sent, the first one first.',
      resolve: ({ attempts }) => attempts,
    }),
    statusCode: t.int({
      description: 'The HTTP status that was answered last.',
      resolve: ({ attempts }) => attempts.at(-1)?.statusCode,
    }),
    latencyMs: t.int({
      description: 'How long the last attempt took, in milliseconds.',
      resolve: ({ attempts }) => attempts.at(-1)?.latencyMs,
    }),
    answer: t.string({
      description: 'The first 1,024 bytes of the last answer.',
      resolve: ({ attempts }) => attempts.at(-1)?.answer,
    }),
    error: t.string({
      description: 'Why the last attempt was not taken, for people.',
      resolve: ({ attempts }) => attempts.at(-1)?.error,
    }),
    askedBy: t.exposeString('askedBy', { description: 'Who asked for it; null for what is sent by itself.' }),
    redeliveryOf: t.field({
      type: DeliveryRef,
      complexity: 2,
      description: 'The delivery that it sends again; null when that is no longer listed.',
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
      description: 'What was sent and is to be sent to it, the newest first.',
      args: { status: t.arg({ type: DeliveryStatusEnum, description: 'Only deliveries of this status.' }) },
      complexity: connectionComplexity,
      resolve: (webhook, args, ctx, info) =>
        resolveList(args, info, (input) => listDeliveries(ctx, webhook, { ...input, status: args.status })),
    },
    { name: 'WebhookDeliveryConnection', description: 'A page of deliveries.' },
    { name: 'WebhookDeliveryEdge', description: 'One of a page of deliveries, with its cursor.' },
  ),
);

interface DeliveryPayload {
  delivery: StoredDelivery;
}

const TestResult = resultType<DeliveryPayload>('TestWebhook', 'What testWebhook is to send', (t) => ({
  delivery: t.expose('delivery', {
    type: DeliveryType,
    nullable: false,
    description: 'Ask for it again: it is sent now.',
  }),
}));

const TestInput = builder.inputType('TestWebhookInput', {
  description: 'Which webhook to test.',
  fields: (t) => ({ id: t.id({ required: true, description: 'Its global id.' }) }),
});

builder.mutationField('testWebhook', (t) =>
  t.field({
    type: TestResult,
    nullable: false,
    description:
      'Sends a test to a webhook, once, paused or not. Needs the scope admin, and an admin of the place of the webhook.',
    args: { input: t.arg({ type: TestInput, required: true, description: 'Which one.' }) },
    resolve: (_root, { input }, ctx) =>
      resultOf(async () => ({ delivery: await testWebhook(ctx, resourceIdOf('Webhook', input.id)) })),
  }),
);

const RedeliverResult = resultType<DeliveryPayload>('Redeliver', 'What redeliver is to send', (t) => ({
  delivery: t.expose('delivery', {
    type: DeliveryType,
    nullable: false,
    description: 'The new delivery, of the same event: ask for it again, it is sent now.',
  }),
}));

const RedeliverInput = builder.inputType('RedeliverInput', {
  description: 'Which delivery to send again.',
  fields: (t) => ({ id: t.id({ required: true, description: 'Its global id.' }) }),
});

builder.mutationField('redeliver', (t) =>
  t.field({
    type: RedeliverResult,
    nullable: false,
    description:
      'Sends the event of a delivery that is over again, once, as a new delivery. Needs the scope admin, and an admin of ' +
      'the place of the webhook.',
    args: { input: t.arg({ type: RedeliverInput, required: true, description: 'Which one.' }) },
    resolve: (_root, { input }, ctx) =>
      resultOf(async () => ({ delivery: await redeliver(ctx, resourceIdOf('WebhookDelivery', input.id)) })),
  }),
);

const RedeliverAllResult = resultType<QueuedRedeliveries>(
  'RedeliverWebhookDeliveries',
  'What redeliverWebhookDeliveries is to send',
  (t) => ({
    count: t.exposeInt('count', { nullable: false, description: 'How many new deliveries were created (0 to 1000).' }),
    hasMore: t.exposeBoolean('hasMore', {
      nullable: false,
      description: 'Whether there are more than can wait at a time. Call the mutation again once these were sent.',
    }),
  }),
);

const RedeliverAllInput = builder.inputType('RedeliverWebhookDeliveriesInput', {
  description: 'Which deliveries of a webhook to send again.',
  fields: (t) => ({
    id: t.id({ required: true, description: 'The global id of the webhook.' }),
    since: t.field({
      type: 'DateTime',
      required: true,
      description: 'Only deliveries that were created at this time or later.',
    }),
    until: t.field({ type: 'DateTime', description: 'Only deliveries that were created before this time.' }),
    includeDelivered: t.boolean({
      description: 'Also send deliveries again that were delivered or skipped (default: false, only failed ones).',
    }),
  }),
});

builder.mutationField('redeliverWebhookDeliveries', (t) =>
  t.field({
    type: RedeliverAllResult,
    nullable: false,
    description:
      'Sends the events of all failed deliveries of a webhook from a time on again, once each, as new deliveries. Events ' +
      'that have a waiting delivery are left out, so a second call creates no duplicates. Needs the scope admin, and an ' +
      'admin of the place of the webhook.',
    args: { input: t.arg({ type: RedeliverAllInput, required: true, description: 'Which ones.' }) },
    resolve: (_root, { input: { id, since, until, includeDelivered } }, ctx) =>
      resultOf(() =>
        redeliverAll(ctx, resourceIdOf('Webhook', id), {
          since: new Date(since),
          until: until == null ? undefined : new Date(until),
          includesDelivered: includeDelivered === true,
        }),
      ),
  }),
);
