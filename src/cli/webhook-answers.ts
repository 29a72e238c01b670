// Reads webhooks from a gateway, and shows them. A webhook is named by its name or its id.
import { isMap } from '../manifests/shape-document.js';
import { UsageError } from './command.js';
import type { Option } from './command.js';
import { option } from './gateway-command.js';
import type { GatewaySession, Given } from './gateway-command.js';
import { nodesOf } from './gateway-mutation.js';
import type { Answer } from './gateway-mutation.js';
import { createPrint } from './print.js';
import type { CommandResult, Print } from './print.js';

export const webhookFields =
  'id name url format status pauseReason createdAt version account { name } workspace { name } ' +
  'filter { kinds actions names workspaces actors clients addresses resource }';

export const webhookArgument: Option = {
  flag: 'webhook',
  placeholder: 'WEBHOOK',
  description: 'Name or id of the webhook.',
  isRequired: true,
};

export const accountOption = option(
  'account',
  'ACCOUNT',
  'Only webhooks of this account. Default: all accounts of the key.',
);

export async function printed(given: Given, act: (print: Print) => Promise<void>): Promise<CommandResult> {
  const { print, result } = createPrint(given.has('json'));
  await act(print);
  return result;
}

/** The webhooks of all accounts of the key, or of one. An account has at most 100. */
export async function listWebhooks(gateway: GatewaySession['gateway'], given: Given): Promise<Answer[]> {
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
  const query = `query Accounts($after: String) {
    accounts(first: 200, after: $after) { pageInfo { hasNextPage endCursor } nodes { name } } }`;
  const names: string[] = [];
  let after: string | null = null;
  do {
    const data: Answer = await gateway.query(query, { after });
    names.push(...nodesOf(data, 'accounts').map(({ name }) => String(name)));
    const { hasNextPage, endCursor } = mapOf(mapOf(data['accounts'])['pageInfo']);
    after = hasNextPage === true ? textIn(endCursor) : null;
  } while (after !== null);
  return names;
}

/** @throws {Error} if none or several have the name. */
export async function findWebhook(gateway: GatewaySession['gateway'], given: Given): Promise<Answer> {
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

/** The enum value of a word of a list. */
export function wordOf(given: Given, flag: string, words: string[]): string | undefined {
  const word = given.text(flag)?.toLowerCase();
  if (word !== undefined && !words.includes(word)) {
    throw new UsageError(`--${flag}: must be one of: ${words.join(', ')}`);
  }
  return word?.toUpperCase();
}

export const mapOf = (value: unknown): Answer => (isMap(value) ? value : {});
export const nameIn = (value: unknown): string | null => textIn(mapOf(value)['name']);
export const textIn = (value: unknown): string | null => (value == null ? null : String(value));

export function webhookRow({ id, name, url, format, status, pauseReason, createdAt, account, workspace }: Answer) {
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
