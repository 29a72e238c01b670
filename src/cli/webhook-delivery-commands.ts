// The deliveries of webhooks, as a client of a gateway.
import { deliveryStatuses } from '../webhooks/webhook.js';
import { UsageError } from './command.js';
import { dryRunOption, jsonOption, option, switchOption } from './gateway-command.js';
import type { GatewayCommand, GatewaySession } from './gateway-command.js';
import { callMutation, nodesOf } from './gateway-mutation.js';
import type { Answer } from './gateway-mutation.js';
import { counted } from './print.js';
import type { Print } from './print.js';
import { accountOption, findWebhook, mapOf, printed, textIn, webhookArgument, wordOf } from './webhook-answers.js';

const deliveryFields = 'id eventType reason status createdAt attemptCount statusCode latencyMs nextAttemptAt error';

/** How long `webhooks test` and `webhooks redeliver` wait for the result. */
const resultPollsMax = 30;
const resultPollMs = 500;

export const webhookDeliveryCommands: GatewayCommand[] = [
  {
    name: 'webhooks test',
    summary: 'Send a test event to a webhook, also if it is paused, and print the result.',
    arguments: [webhookArgument],
    options: [accountOption, jsonOption],
    run: (session, given) =>
      printed(given, async (print) => {
        const { id } = await findWebhook(session.gateway, given);
        const sent = await callMutation(session.gateway, 'testWebhook', { id }, `delivery { ${deliveryFields} }`);
        await printResult(session, print, mapOf(sent['delivery']));
      }),
  },
  {
    name: 'webhooks deliveries',
    summary: 'List the newest deliveries of a webhook.',
    arguments: [webhookArgument],
    options: [
      accountOption,
      option(
        'status',
        'STATUS',
        `Only deliveries of this status: ${Object.keys(deliveryStatuses).join(', ')}.`,
        Object.keys(deliveryStatuses),
      ),
      option('limit', 'NUMBER', 'Number of deliveries, at most 200. Default: 50.'),
      jsonOption,
    ],
    run: ({ gateway }, given) =>
      printed(given, async (print) => {
        const status = wordOf(given, 'status', Object.keys(deliveryStatuses));
        const limit = Number(given.text('limit') ?? 50);
        if (!Number.isInteger(limit) || limit < 1 || limit > 200) {
          throw new UsageError('--limit: must be a number from 1 to 200');
        }
        const { id } = await findWebhook(gateway, given);
        const data = await gateway.query(
          `query Deliveries($id: ID!, $first: Int!, $status: WebhookDeliveryStatus) {
            node(id: $id) { ... on Webhook { deliveries(first: $first, status: $status) { nodes { ${deliveryFields} } } } }
          }`,
          { id: String(id), first: limit, ...(status === undefined ? {} : { status }) },
        );
        print.table(deliveryColumns, nodesOf(data, 'node', 'deliveries').map(deliveryRow));
      }),
  },
  {
    name: 'webhooks redeliver',
    summary: 'Send the event of a delivery again, and print the result.',
    arguments: [
      {
        flag: 'delivery',
        placeholder: 'DELIVERY',
        description: 'Id of the delivery, from "webhooks deliveries".',
        isRequired: true,
      },
    ],
    options: [jsonOption],
    run: (session, given) =>
      printed(given, async (print) => {
        const input = { id: given.text('delivery') };
        const selection = `delivery { ${deliveryFields} }`;
        const sent = await callMutation(session.gateway, 'redeliverWebhookDelivery', input, selection);
        await printResult(session, print, mapOf(sent['delivery']));
      }),
  },
  {
    name: 'webhooks redeliver-failed',
    summary: 'Send the events of all failed deliveries of a webhook since a time again.',
    arguments: [webhookArgument],
    options: [
      accountOption,
      { ...option('since', 'TIME', 'Only deliveries created at this time or later.'), isRequired: true },
      option('until', 'TIME', 'Only deliveries created before this time.'),
      switchOption('include-delivered', 'Also events that were delivered or skipped.'),
      dryRunOption,
      jsonOption,
    ],
    run: ({ gateway }, given) =>
      printed(given, async (print) => {
        const { id } = await findWebhook(gateway, given);
        const input = {
          id,
          since: given.text('since'),
          until: given.text('until'),
          includeDelivered: given.has('include-delivered'),
          validateOnly: given.has('dry-run'),
        };
        const queued = await callMutation(gateway, 'redeliverWebhookDeliveries', input, 'count hasMore');
        const what = counted(Number(queued['count']), 'delivery', 'deliveries');
        const more = queued['hasMore'] === true ? ' More match: run the command again after these are sent.' : '';
        print.done(`${input.validateOnly ? 'Would queue' : 'Queued'} ${what}.${more}`, {
          count: String(queued['count']),
          hasMore: queued['hasMore'] === true,
          dryRun: input.validateOnly,
        });
      }),
  },
];

const deliveryColumns = [
  'createdAt',
  'eventType',
  'reason',
  'status',
  'attempts',
  'statusCode',
  'latencyMs',
  'error',
  'id',
] as const;

function deliveryRow({ id, eventType, reason, status, createdAt, attemptCount, statusCode, latencyMs, error }: Answer) {
  return {
    createdAt: textIn(createdAt),
    eventType: textIn(eventType),
    reason: textIn(reason)?.toLowerCase() ?? null,
    status: textIn(status)?.toLowerCase() ?? null,
    attempts: textIn(attemptCount),
    statusCode: textIn(statusCode),
    latencyMs: textIn(latencyMs),
    error: textIn(error),
    id: textIn(id),
  };
}

/** Waits for a requested delivery, and prints it. The exit code is 1 if it failed. */
async function printResult({ gateway, pause }: GatewaySession, print: Print, queued: Answer): Promise<void> {
  let delivery = queued;
  for (let polls = 0; delivery['status'] === 'WAITING' && polls < resultPollsMax; polls++) {
    await pause(resultPollMs);
    const query = `query Delivery($id: ID!) { node(id: $id) { ... on WebhookDelivery { ${deliveryFields} } } }`;
    const { node } = await gateway.query(query, { id: String(queued['id']) });
    delivery = mapOf(node);
  }
  const row = deliveryRow(delivery);
  if (row.status === 'failed') print.problem(`The delivery failed: ${row.error ?? 'no reason is known'}`);
  const facts = `${row.statusCode === null ? '' : ` with the status ${row.statusCode}`} after ${row.latencyMs ?? '0'} ms`;
  print.done(row.status === 'delivered' ? `Delivered${facts}.` : `The delivery ${row.id} is ${row.status}.`, row);
}
