// Webhooks and their deliveries, as a client of a gateway. A webhook is named by its name or its id.
import { changeActions, changeKindName, changeKindSpelled, isKind } from '../changes/change-subjects.js';
import { isMap } from '../manifests/shape-document.js';
import { deliveryStatuses } from '../webhooks/deliveries.js';
import { webhookFormats, webhookStatuses } from '../webhooks/webhook.js';
import { UsageError } from './command.js';
import type { Option } from './command.js';
import { dryRunOption, jsonOption, option, switchOption } from './gateway-command.js';
import type { GatewayCommand, GatewayOption, GatewaySession, Given } from './gateway-command.js';
import { callMutation, nodesOf } from './gateway-mutation.js';
import type { Answer } from './gateway-mutation.js';
import { counted, createPrint } from './print.js';
import type { CommandResult, Print } from './print.js';

const webhookFields =
  'id name url format status pauseReason createdAt version account { name } workspace { name } ' +
  'filter { kinds actions names workspaces actors clients addresses resource }';
const deliveryFields = 'id eventType reason status createdAt attemptCount statusCode latencyMs nextAttemptAt error';

/** How long `webhooks test` and `webhooks redeliver` wait for the result. */
const resultPollsMax = 30;
const resultPollMs = 500;

const webhookArgument: Option = {
  flag: 'webhook',
  placeholder: 'WEBHOOK',
  description: 'Name or id of the webhook.',
  isRequired: true,
};

const accountOption = option('account', 'ACCOUNT', 'Only webhooks of this account. Default: all accounts of the key.');

const settings: GatewayOption[] = [
  option(
    'format',
    'FORMAT',
    `Format of the messages: ${Object.keys(webhookFormats).join(', ')}.`,
    Object.keys(webhookFormats),
  ),
  option('kinds', 'KINDS', 'Send only changes of these kinds, separated by commas, such as agent,job.'),
  option('actions', 'ACTIONS', 'Send only these actions, separated by commas, such as created,deleted.'),
];

export const webhookCommands: GatewayCommand[] = [
  {
    name: 'webhooks list',
    summary: 'List webhooks.',
    arguments: [],
    options: [
      accountOption,
      option('workspace', 'WORKSPACE', 'Only webhooks of this workspace.'),
      option('status', 'STATUS', 'Only webhooks of this status: active or paused.', Object.keys(webhookStatuses)),
      jsonOption,
    ],
    run: ({ gateway }, given) =>
      printed(given, async (print) => {
        const status = wordOf(given, 'status', Object.keys(webhookStatuses));
        const workspace = given.text('workspace');
        const found = (await listWebhooks(gateway, given)).filter(
          (each) =>
            (status === undefined || each['status'] === status) &&
            (workspace === undefined || nameIn(each['workspace']) === workspace),
        );
        const columns = ['name', 'account', 'workspace', 'url', 'format', 'status', 'createdAt', 'id'] as const;
        print.table(columns, found.map(webhookRow));
      }),
  },
  {
    name: 'webhooks get',
    summary: 'Print a webhook with its filter.',
    arguments: [webhookArgument],
    options: [accountOption, jsonOption],
    run: ({ gateway }, given) =>
      printed(given, async (print) => {
        const found = await findWebhook(gateway, given);
        const rows = Object.entries({ ...webhookRow(found), ...filterRow(found['filter']) });
        if (given.has('json')) print.done('', Object.fromEntries(rows));
        else
          print.table(
            ['field', 'value'],
            rows.map(([field, value]) => ({ field, value })),
          );
      }),
  },
  {
    name: 'webhooks create',
    summary: 'Create a webhook, and print its secret. The secret is shown only once.',
    arguments: [{ flag: 'name', placeholder: 'NAME', description: 'Name, such as its purpose.', isRequired: true }],
    options: [
      { ...option('url', 'URL', 'URL to send changes to.'), isRequired: true },
      option('workspace', 'WORKSPACE', 'Send the changes of this workspace. Default: of the whole account.'),
      ...settings,
      dryRunOption,
      jsonOption,
    ],
    run: ({ gateway }, given) =>
      printed(given, async (print) => {
        const input = {
          name: given.text('name'),
          url: given.text('url'),
          workspace: given.text('workspace'),
          ...settingsOf(given, {}, undefined),
          validateOnly: given.has('dry-run'),
        };
        const { webhook, secret } = await callMutation(
          gateway,
          'createWebhook',
          input,
          `secret webhook { ${webhookFields} }`,
        );
        if (input.validateOnly)
          return print.done(`Would create the webhook ${input.name}.`, webhookRow(mapOf(webhook)));
        print.secret(
          `Created the webhook ${input.name}. Save its secret now. It is not shown again.`,
          { secret: String(secret) },
          webhookRow(mapOf(webhook)),
        );
      }),
  },
  {
    name: 'webhooks update',
    summary: 'Update, pause or resume a webhook.',
    arguments: [webhookArgument],
    options: [
      accountOption,
      option('name', 'NAME', 'New name.'),
      option('url', 'URL', 'New URL.'),
      ...settings,
      switchOption('all-changes', 'Send all changes: remove the filter.'),
      switchOption('pause', 'Pause the webhook. Its changes wait.'),
      switchOption('resume', 'Resume the webhook. It first sends the missed changes.'),
      switchOption('skip-missed', 'With --resume: skip the missed changes.'),
      dryRunOption,
      jsonOption,
    ],
    run: ({ gateway }, given) =>
      printed(given, async (print) => {
        if (given.has('pause') && given.has('resume')) throw new UsageError('--pause and --resume exclude each other');
        if (given.has('skip-missed') && !given.has('resume')) throw new UsageError('--skip-missed requires --resume');
        const found = await findWebhook(gateway, given);
        const input = {
          id: found['id'],
          name: given.text('name'),
          url: given.text('url'),
          ...settingsOf(given, mapOf(found['filter']), found['version']),
          ...(given.has('pause') ? { paused: true } : {}),
          ...(given.has('resume') ? { paused: false, skipMissed: given.has('skip-missed') } : {}),
          validateOnly: given.has('dry-run'),
        };
        const { webhook } = await callMutation(gateway, 'updateWebhook', input, `webhook { ${webhookFields} }`);
        const row = webhookRow(mapOf(webhook));
        print.done(
          `${input.validateOnly ? 'Would update' : 'Updated'} the webhook ${row.name}. It is ${row.status}.`,
          row,
        );
      }),
  },
  {
    name: 'webhooks delete',
    summary: 'Delete a webhook and its deliveries.',
    arguments: [webhookArgument],
    options: [accountOption, dryRunOption, jsonOption],
    run: ({ gateway }, given) =>
      printed(given, async (print) => {
        const { id, name } = await findWebhook(gateway, given);
        const validateOnly = given.has('dry-run');
        await callMutation(gateway, 'deleteWebhook', { id, validateOnly }, 'webhook { id }');
        const verb = validateOnly ? 'Would delete' : 'Deleted';
        print.done(`${verb} the webhook ${String(name)}.`, {
          id: String(id),
          name: String(name),
          dryRun: validateOnly,
        });
      }),
  },
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
    name: 'webhooks rotate-secret',
    summary: 'Give a webhook a new secret, and print it. For one day, requests are also signed with the old one.',
    arguments: [webhookArgument],
    options: [accountOption, jsonOption],
    run: ({ gateway }, given) =>
      printed(given, async (print) => {
        const { id, name } = await findWebhook(gateway, given);
        const { secret } = await callMutation(gateway, 'rotateWebhookSecret', { id }, 'secret');
        print.secret(
          `The webhook ${String(name)} has a new secret. Save it now. It is not shown again.`,
          { secret: String(secret) },
          { id: String(id), name: String(name) },
        );
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

async function printed(given: Given, act: (print: Print) => Promise<void>): Promise<CommandResult> {
  const { print, result } = createPrint(given.has('json'));
  await act(print);
  return result;
}

/** The webhooks of all accounts of the key, or of one. An account has at most 100. */
async function listWebhooks(gateway: GatewaySession['gateway'], given: Given): Promise<Answer[]> {
  const account = given.text('account');
  const accounts = account === undefined ? await accountNames(gateway) : [account];
  const found: Answer[] = [];
  for (const name of accounts) {
    const data = await gateway.query(
      `query Webhooks($name: String!) { account(name: $name) { webhooks(first: 100) { nodes { ${webhookFields} } } } }`,
      { name },
    );
    if (!isMap(data['account'])) throw new Error(`There is no account named ${JSON.stringify(name)} here.`);
    found.push(...nodesOf(data, 'account', 'webhooks'));
  }
  return found;
}

async function accountNames(gateway: GatewaySession['gateway']): Promise<string[]> {
  const data = await gateway.query('query Accounts { accounts(first: 200) { nodes { name } } }', {});
  return nodesOf(data, 'accounts').map(({ name }) => String(name));
}

/** @throws {Error} if none or several have the name. */
async function findWebhook(gateway: GatewaySession['gateway'], given: Given): Promise<Answer> {
  const word = given.text('webhook');
  const all = await listWebhooks(gateway, given);
  const byId = all.filter(({ id }) => id === word);
  const [found, ...others] = byId.length > 0 ? byId : all.filter(({ name }) => name === word);
  if (found === undefined) throw new Error(`There is no webhook named ${JSON.stringify(word)} here.`);
  if (others.length > 0) {
    throw new Error(
      `${others.length + 1} webhooks are named ${JSON.stringify(word)}. Use the id, from "webhooks list".`,
    );
  }
  return found;
}

/** The format and the filter of an input. The filter keeps the conditions that no option changes. */
/** @param version of the webhook that has the filter: a new filter contains conditions of the stored one. */
function settingsOf(given: Given, { kinds, actions, ...others }: Answer, version: unknown): Answer {
  const format = wordOf(given, 'format', Object.keys(webhookFormats));
  const newKinds = given.text('kinds');
  const newActions = given.text('actions');
  if (given.has('all-changes') && (newKinds !== undefined || newActions !== undefined)) {
    throw new UsageError('--all-changes cannot be combined with --kinds or --actions');
  }
  const filter = {
    ...others,
    kinds: newKinds === undefined ? kinds : listOf(newKinds, '--kinds', changeKindSpelled),
    actions: newActions === undefined ? actions : listOf(newActions, '--actions', actionOf),
  };
  const conditions = Object.fromEntries(Object.entries(filter).filter(([, value]) => value != null));
  return {
    ...(format === undefined ? {} : { format }),
    ...(newKinds === undefined && newActions === undefined ? {} : { filter: conditions, ifVersion: version }),
    ...(given.has('all-changes') ? { filter: null } : {}),
  };
}

function listOf(text: string, flag: string, find: (word: string) => string | undefined): string[] {
  return text.split(',').map((word) => {
    const found = find(word.trim());
    if (found === undefined) throw new UsageError(`${flag}: unknown value ${JSON.stringify(word.trim())}`);
    return found;
  });
}

function actionOf(word: string): string | undefined {
  const typed = word.toLowerCase().replaceAll('-', '_');
  return Object.hasOwn(changeActions, typed) ? typed.toUpperCase() : undefined;
}

/** The enum value of a word of a list. */
function wordOf(given: Given, flag: string, words: string[]): string | undefined {
  const word = given.text(flag)?.toLowerCase();
  if (word !== undefined && !words.includes(word)) {
    throw new UsageError(`--${flag}: must be one of: ${words.join(', ')}`);
  }
  return word?.toUpperCase();
}

const mapOf = (value: unknown): Answer => (isMap(value) ? value : {});
const nameIn = (value: unknown): string | null => textIn(mapOf(value)['name']);
const textIn = (value: unknown): string | null => (value == null ? null : String(value));

function webhookRow({ id, name, url, format, status, pauseReason, createdAt, account, workspace }: Answer) {
  return {
    name: String(name),
    account: nameIn(account),
    workspace: nameIn(workspace),
    url: textIn(url),
    format: textIn(format)?.toLowerCase() ?? null,
    status: textIn(status)?.toLowerCase() ?? null,
    pauseReason: textIn(pauseReason),
    createdAt: textIn(createdAt),
    id: textIn(id),
  };
}

function filterRow(filter: unknown) {
  const { kinds, actions, names, workspaces, actors, clients, addresses, resource } = mapOf(filter);
  const list = (value: unknown, print: (item: unknown) => string = String) =>
    Array.isArray(value) ? value.map(print).join(',') : null;
  const kindName = (kind: unknown) => (typeof kind === 'string' && isKind(kind) ? changeKindName(kind) : String(kind));
  return {
    kinds: list(kinds, kindName),
    actions: list(actions, (action) => String(action).toLowerCase()),
    names: list(names),
    workspaces: list(workspaces),
    actors: list(actors),
    clients: list(clients),
    addresses: list(addresses),
    resource: textIn(resource),
  };
}

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
