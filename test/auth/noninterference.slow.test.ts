// What happens where a caller may not look changes none of the caller's answers: every field that can be reached from
// Query is read before and after changes in a workspace of the same account that the caller does not see, and in another
// account.
import {
  getNamedType,
  getNullableType,
  isAbstractType,
  isEnumType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import type { GraphQLField, GraphQLNamedType, GraphQLObjectType } from 'graphql';
import { beforeAll, expect, it } from 'vitest';
import { schema } from '../../src/api/graphql/server/schema.js';
import { recordUsage } from '../../src/metering/usage.js';
import { createKey, graphql, useApp } from '../harness.js';
import { createOwner, mixedUsage } from '../metering/usage-mixture.js';
import type { Owner } from '../metering/usage-mixture.js';
import { addPlatform } from '../platform.js';

const running = useApp();
const period = { startTime: '2026-10-01T00:00:00Z', endTime: '2026-11-20T00:00:00Z' };
/** Cursors are encrypted positions; a key is used by reading with it. */
const notCompared = new Set(['startCursor', 'endCursor', 'changeCursor', 'requestId', 'lastUsedAt']);

let owner: Owner;
let foreign: Owner;
const keys: Record<string, string> = {};

beforeAll(async () => {
  const { app } = running;
  owner = await createOwner(app, 'northwind', ['main', 'dark']);
  foreign = await createOwner(app, 'southwind', ['south']);
  await recordUsage(owner.ctx, mixedUsage(50, 'northwind', ['main', 'dark']));
  const { accountId, tenant } = owner;
  for (const workspace of ['main', 'dark']) await addPlatform(app, tenant.workspaces[workspace] ?? '', workspace);
  for (const role of ['member', 'admin'] as const) {
    const { db } = app.services;
    const { id } = await db.principal.create({ data: { kind: 'user', name: `${role}@northwind.example.com` } });
    await db.accountMember.create({ data: { accountId, principalId: id, role: 'member' } });
    await db.workspaceMember.create({ data: { workspaceId: tenant.workspaces['main'] ?? '', principalId: id, role } });
    const { key } = await createKey(app, { accountId, principalId: id });
    keys[`a workspace ${role}`] = key;
  }
  const confined = await createKey(app, { ...tenant, workspaceId: tenant.workspaces['main'] ?? '' });
  keys['a key of an account admin that is confined to a workspace'] = confined.key;
});

/** A document for each field of an object type, by a short path from Query: the fields without arguments of what it answers. */
function documents(): string[] {
  const query = schema.getQueryType();
  if (query == null) return [];
  const paths = new Map<GraphQLObjectType, string[]>([[query, []]]);
  const found: string[] = [];
  for (const [type, path] of paths) {
    const fields = Object.values(type.getFields()).filter(isPassable);
    const leaves = fields.filter((field) => isLeafType(getNamedType(field.type)));
    if (type === query) found.push(documentOf(path, leaves.map(stepOf)));
    for (const field of fields) {
      for (const to of objectTypesOf(getNamedType(field.type)).filter(({ name }) => !name.endsWith('Edge'))) {
        const fragment = isAbstractType(getNamedType(field.type)) ? [`... on ${to.name}`] : [];
        const steps = [...path, stepOf(field), ...fragment];
        const selected = Object.values(to.getFields()).filter(
          (each) => isPassable(each) && isLeafType(getNamedType(each.type)),
        );
        if (selected.length > 0) found.push(documentOf(steps, selected.map(stepOf)));
        if (!paths.has(to)) paths.set(to, steps);
      }
    }
  }
  return found;
}

function documentOf(path: string[], leaves: string[]): string {
  return `{ ${path.map((step) => `${step} { `).join('')}${leaves.join(' ')}${' }'.repeat(path.length)} }`;
}

function objectTypesOf(type: GraphQLNamedType): readonly GraphQLObjectType[] {
  if (isObjectType(type)) return [type];
  return isAbstractType(type) ? schema.getPossibleTypes(type) : [];
}

function isPassable({ args }: GraphQLField<unknown, unknown>): boolean {
  return args.every(
    ({ type, name, defaultValue }) =>
      !isNonNullType(type) ||
      defaultValue !== undefined ||
      name in period ||
      name in lookups ||
      isEnumType(getNullableType(type)),
  );
}

const lookups: Record<string, string> = { query: '"a"', accountName: '"northwind"', workspaceName: '"main"' };

function stepOf({ name, args, type }: GraphQLField<unknown, unknown>): string {
  const values = args.flatMap((arg) => {
    if (name === 'account' && arg.name === 'name') return ['name: "northwind"'];
    if (arg.name === 'first' && !isListType(getNullableType(type))) return ['first: 20'];
    if (arg.name in period) return [`${arg.name}: "${period[arg.name === 'startTime' ? 'startTime' : 'endTime']}"`];
    const named = getNullableType(arg.type);
    const value = isEnumType(named) ? named.getValues()[0]?.name : lookups[arg.name];
    return value === undefined || !isNonNullType(arg.type) ? [] : [`${arg.name}: ${value}`];
  });
  return values.length === 0 ? name : `${name}(${values.join(', ')})`;
}

async function answers(key: string): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const document of documents()) {
    const { body } = await graphql(running.app, key, document);
    const text = JSON.stringify(body, (name, value) => (notCompared.has(name) ? undefined : value));
    found.set(document, text);
  }
  return found;
}

/** Changes of an admin of the account where no other caller of the test may look. */
const elsewhere: Record<string, Record<string, unknown>> = {
  createAgent: {
    workspace: 'dark',
    metadata: { name: 'hidden', labels: [{ key: 'hidden', value: 'x' }] },
  },
  updateAgent: { workspace: 'dark', name: 'dark-agent', metadata: { displayName: 'Hidden' } },
  updateJob: { workspace: 'dark', name: 'dark-job', metadata: { displayName: 'Hidden' } },
  runJob: { workspace: 'dark', name: 'dark-job' },
  deleteVolume: { workspace: 'dark', name: 'dark-volume' },
  deleteSandbox: { workspace: 'dark', name: 'dark-sandbox' },
  createWebhook: { workspace: 'dark', name: 'Hidden', url: 'https://hidden.example.com' },
  createApiKey: { workspace: 'dark', name: 'hidden', scopes: ['agents:list'] },
  inviteMember: { workspace: 'dark', email: 'hidden@example.com', role: 'MEMBER' },
  createServiceAccount: { account: 'northwind', name: 'hidden' },
  createOauthClient: { account: 'northwind', name: 'hidden', grants: ['CLIENT_CREDENTIALS'], scopes: ['agents:list'] },
  createBudget: {
    account: 'northwind',
    name: 'hidden',
    amount: '1',
    period: 'MONTHLY',
    thresholds: [{ measure: 'ACTUAL', percent: 80 }],
  },
  setMember: { account: 'northwind', workspace: 'dark', name: 'admin@southwind.example.com', role: 'MEMBER' },
  setQuotas: { workspace: 'dark', limits: [{ resource: 'AGENT', limit: 7 }] },
  createWorkspace: { metadata: { name: 'hidden' } },
};

async function changeElsewhere(key: string): Promise<void> {
  const { app } = running;
  for (const [name, input] of Object.entries(elsewhere)) {
    const mutation = `mutation ($input: ${name.charAt(0).toUpperCase()}${name.slice(1)}Input!) { ${name}(input: $input) { __typename } }`;
    const { body } = await graphql(app, key, mutation, { input });
    expect([name, body.errors]).toEqual([name, undefined]);
  }
  await recordUsage(owner.ctx, mixedUsage(60, 'northwind', ['dark']));
  await recordUsage(foreign.ctx, mixedUsage(60, 'southwind', ['south']));
  await addPlatform(app, foreign.tenant.workspaces['south'] ?? '', 'south');
}

it('A caller gets the same answers after changes where the caller may not look', async () => {
  const { key } = await createKey(running.app, owner.tenant);
  const readers = Object.entries({ ...keys, owner: key });
  const read = async () => Promise.all(readers.map(async ([name, each]) => [name, await answers(each)] as const));
  const { owner: seenBefore, ...before } = Object.fromEntries(await read());
  await changeElsewhere(key);
  const { owner: seen, ...after } = Object.fromEntries(await read());
  expect(seen).not.toEqual(seenBefore);
  expect(after).toEqual(before);
});
