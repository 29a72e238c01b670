// Webhooks, as a client of a gateway.
import { changeActions, changeKindName, changeKindSpelled, isKind } from '../changes/change-subjects.js';
import { webhookFormats, webhookStatuses } from '../webhooks/webhook.js';
import { UsageError } from './command.js';
import { dryRunOption, jsonOption, option, switchOption } from './gateway-command.js';
import type { GatewayCommand, GatewayOption, Given } from './gateway-command.js';
import { callMutation } from './gateway-mutation.js';
import type { Answer } from './gateway-mutation.js';
import {
  accountOption,
  findWebhook,
  listWebhooks,
  mapOf,
  nameIn,
  printed,
  textIn,
  webhookArgument,
  webhookFields,
  webhookRow,
  wordOf,
} from './webhook-answers.js';

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
];

/**
 * The format and the filter of an input. The filter keeps the conditions that no option changes.
 *
 * @param version of the webhook that has the filter: a new filter contains conditions of the stored one.
 */
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
