// Two tenants with one of everything each, in one database. Each walks the whole schema: whatever it can
// reach by fields, ids and names must be its own, and the other's things must look as if they did not exist.
import {
  getNamedType,
  isCompositeType,
  isEnumType,
  isInterfaceType,
  isObjectType,
  isRequiredArgument,
  isUnionType,
} from 'graphql';
import type { GraphQLField, GraphQLObjectType } from 'graphql';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { requiredScopesOf } from '../../src/api/graphql/required-scopes.js';
import { schema } from '../../src/api/graphql/server/schema.js';
import { replaceConfiguration } from '../../src/resources/configuration/configuration-input.js';
import { createKey, createTenant, createToken, frozenNow, graphql, rest, useApp } from '../harness.js';
import type { Tenant } from '../harness.js';
import { addPlatform } from '../platform.js';
import type { Platform } from '../platform.js';
import { mutate } from './mutations.js';

const running = useApp();

interface Side {
  mark: string;
  tenant: Tenant;
  key: string;
  /** The id of one of each type that is a node. */
  ids: Platform & Record<'Account' | 'ApiKey' | 'Invitation' | 'Workspace' | 'Webhook' | 'WebhookDelivery', string>;
}

const sides: Side[] = [];

beforeAll(async () => {
  const { app } = running;
  for (const mark of ['alpha', 'omega']) {
    const tenant = await createTenant(app, { account: mark, workspaces: [`${mark}-main`, `${mark}-side`] });
    const { key, id: ApiKey } = await createKey(app, tenant);
    const main = tenant.workspaces[`${mark}-main`] ?? '';
    const platform = await addPlatform(app, main, mark);
    await addPlatform(app, tenant.workspaces[`${mark}-side`] ?? '', mark);
    await addBudget(tenant.accountId, mark);
    await addClient(tenant, mark);
    await addGroupRole(tenant.accountId, mark);
    await addQuota(tenant.accountId);
    await addUsage(tenant, mark);
    const Invitation = await addInvitation(tenant.accountId, main, mark);
    const frame = { Account: tenant.accountId, ApiKey, Invitation, Workspace: main };
    sides.push({ mark, tenant, key, ids: { ...platform, ...frame, ...(await addWebhook(mark, tenant)) } });
  }
  await app.services.db.$transaction((tx) =>
    replaceConfiguration(tx, {
      continents: [{ name: 'EU', displayName: 'Europe' }],
      countries: [{ name: 'DE', displayName: 'Germany' }],
      regions: [{ name: 'eu-1', continent: 'EU', country: 'DE', accounts: ['alpha'] }],
      privateLocations: [
        { name: 'alpha-cellar', account: 'alpha' },
        { name: 'omega-cellar', account: 'omega' },
      ],
    }),
  );
});

/** A webhook of a tenant, with something that was sent to it. */
async function addWebhook(mark: string, { accountId, workspaces }: Tenant) {
  const { db } = running.app.services;
  const webhook = await db.webhook.create({
    data: {
      accountId,
      workspaceId: workspaces[`${mark}-main`] ?? null,
      name: `${mark}-webhook`,
      url: `https://${mark}.example.com`,
      origin: `https://${mark}.example.com`,
      secret: 'do not tell',
      filter: { names: [mark] },
      createdAt: frozenNow,
      updatedAt: frozenNow,
      position: 0,
    },
  });
  const sent = { accountId, webhookId: webhook.id, reason: 'test', eventType: 'webhook.test', askedBy: mark };
  const first = await db.webhookDelivery.create({ data: sent });
  const delivery = await db.webhookDelivery.create({
    data: {
      ...sent,
      redeliveryOf: first.id,
      attempts: { create: { number: 1, time: frozenNow, latencyMs: 1, statusCode: 200, answer: `${mark} has it` } },
    },
  });
  return { Webhook: webhook.id, WebhookDelivery: delivery.id };
}

/** An OAuth client that acts for the owner of the account. */
async function addClient({ accountId, principalId, workspaces }: Tenant, mark: string): Promise<void> {
  const workspaceId = workspaces[`${mark}-main`] ?? null;
  const registered = { id: `${mark}-client`, displayName: `${mark} client`, scope: 'agents:list', redirectUris: [] };
  await running.app.services.db.oauthClient.create({
    data: { ...registered, grantTypes: ['client_credentials'], accountId, principalId, workspaceId },
  });
}

/** A role that a provider gives to a group. */
async function addGroupRole(accountId: string, mark: string): Promise<void> {
  const data = { accountId, provider: 'default', name: `${mark}-group`, role: 'member' as const };
  await running.app.services.db.groupRole.create({ data });
}

async function addQuota(accountId: string): Promise<void> {
  const data = { subject: `account ${accountId}`, accountId, limits: { AGENT: 100 }, updatedAt: frozenNow };
  await running.app.services.db.quota.create({ data });
}

/** A usage event that was corrected. */
async function addUsage(tenant: Tenant, mark: string): Promise<void> {
  const { app } = running;
  const meter = await createKey(app, { ...tenant, scope: 'usage:write admin' });
  const usage = { account: mark, workspace: `${mark}-main`, resourceType: 'sandbox', resourceName: `${mark}-box` };
  const amount = { billingDimension: 'sandbox_compute_runtime_gbs', usage: '1', cost: '1' };
  const event = { source: mark, id: '1', time: frozenNow.toISOString(), ...usage, ...amount };
  await rest(app, '/usage/events', { method: 'POST', key: meter.key, json: [event] });
  const input = { account: mark, source: mark, ids: ['1'], reason: `${mark} counted twice` };
  await mutate(app, meter.key, 'voidUsage', 'count', input);
}

/** A budget that was crossed. */
async function addBudget(accountId: string, mark: string): Promise<void> {
  const crossing = { version: 1, period: '2026-04-01', measure: 'actual', percent: 80, cost: 9 };
  const data = {
    accountId,
    name: `${mark}-budget`,
    amount: 10,
    period: 'monthly',
    thresholds: [{ percent: 80, measure: 'actual' }],
  };
  await running.app.services.db.budget.create({ data: { ...data, crossings: { create: crossing } } });
}

async function addInvitation(accountId: string, workspaceId: string, mark: string): Promise<string> {
  const expiresAt = new Date(frozenNow.getTime() + 60_000);
  const data = { accountId, workspaceId, name: `guest@${mark}.example.com`, role: 'member' as const, expiresAt };
  return (await running.app.services.db.invitation.create({ data })).id;
}

function sideOf(mark: string): { own: Side; other: Side } {
  const own = sides.find((side) => side.mark === mark);
  const other = sides.find((side) => side.mark !== mark);
  if (own === undefined || other === undefined) throw new Error('there are two sides');
  return { own, other };
}

const globalId = (type: string, id: string) => Buffer.from(`1:${type}:${id}`).toString('base64url');

/** Everything below a type, so many levels down; lists without arguments, two items of each. */
function selectionOf(type: GraphQLObjectType, levels: number, trail: string[] = []): string {
  return `{ __typename ${fieldsBelow(type, levels, trail).join(' ')} }`;
}

function fieldsBelow(type: GraphQLObjectType, levels: number, trail: string[] = []): string[] {
  return Object.values(type.getFields()).flatMap((field) => selected(field, levels, [...trail, type.name]));
}

/** The same, split into parts that are within the limits of a query. */
function partsOf(type: GraphQLObjectType, levels: number): string[] {
  const parts: string[] = [];
  for (const field of fieldsBelow(type, levels)) {
    const last = parts.at(-1);
    if (last === undefined || last.length + field.length > partLengthMax) parts.push(`{ __typename ${field} }`);
    else parts[parts.length - 1] = last.replace(/\}$/, `${field} }`);
  }
  return parts;
}

const partLengthMax = 12_000;

/** @param trail the visited types, because edges go in both directions */
function selected(field: GraphQLField<unknown, unknown>, levels: number, trail: string[]): string[] {
  // Objects in an own list can also be found by name.
  if (field.args.some(isRequiredArgument)) return [];
  const type = getNamedType(field.type);
  const size = field.args.some(({ name }) => name === 'first') ? '(first: 2)' : '';
  // Each response has new cursors.
  if (!isCompositeType(type)) return /cursor$/i.test(field.name) ? [] : [field.name];
  if (isUnionType(type) || isInterfaceType(type) || levels === 0 || trail.includes(type.name)) return [];
  // Objects in a workspace link back to it, and accounts link to workspaces; those are walked separately.
  const isBelow = trail.some((name) => !/(Connection|Edge)$/.test(name));
  if (isBelow && /^(Account|Workspace)$/.test(type.name)) return [`${field.name} { __typename id name }`];
  // So are images, and members: from their lists.
  if (isBelow && /^(image|creator|updater)$/.test(field.name)) return [`${field.name} { __typename }`];
  return [`${field.name}${size} ${selectionOf(type, levels - 1, trail)}`];
}

/** One value of a groupBy argument that needs no further arguments. */
function groupingOf(field: GraphQLField<unknown, unknown> | undefined): string {
  const type = field?.args.find(({ name }) => name === 'by')?.type;
  const named = type && getNamedType(type);
  const values = isEnumType(named) ? named.getValues().map((value) => value.name) : [];
  return values.find((value) => value !== 'LABEL') ?? '';
}

const objectTypes = Object.values(schema.getTypeMap()).filter(isObjectType);
const nodeTypes = objectTypes.filter((type) => type.getInterfaces().some(({ name }) => name === 'Node'));
const isPlumbing = (name: string) =>
  /^__|Connection$|Edge$|^PageInfo$|^Mutation$|Payload$|Error$|^(?:InputProblem|ResourceUser|ContentCount)$|^Query$|^Subscription$/.test(
    name,
  );

function typenamesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(typenamesIn);
  if (typeof value !== 'object' || value === null) return [];
  const here = '__typename' in value ? [String(value.__typename)] : [];
  return [...here, ...Object.values(value).flatMap(typenamesIn)];
}

/**
 * Belong to executors and admins of the platform, and are denied to everybody else: test/lifecycle/observed-status.test.ts,
 * test/accounts/principals.test.ts and test/accounts/platform-access.test.ts.
 */
const notOfTenants = ['accessTokens', 'executorAssignments', 'serviceAccount', 'serviceAccounts', 'user', 'users'];

describe.each(['alpha', 'omega'])('The tenant %s', (mark) => {
  const walked = new Set<string>();

  it.each(nodeTypes.map(({ name }) => name))(
    'reads its own %s by id with all nested fields, and not the other’s',
    async (name) => {
      const { own, other } = sideOf(mark);
      const type = nodeTypes.find((each) => each.name === name);
      const ids = new Map(Object.entries(own.ids)).get(name);
      const foreign = new Map(Object.entries(other.ids)).get(name);
      if (type === undefined || ids === undefined || foreign === undefined) throw new Error(`no ${name} in this test`);
      for (const part of partsOf(type, 6)) {
        const query = `query ($ids: [ID!]!) { nodes(ids: $ids) { ... on ${name} ${part} } }`;
        const { body } = await graphql(running.app, own.key, query, {
          ids: [globalId(name, foreign), globalId(name, ids)],
        });
        expect(body.errors).toBeUndefined();
        const [hidden, mine] = body.data.nodes;
        expect(hidden).toBeNull();
        expect(mine.__typename).toBe(name);
        expect(JSON.stringify(mine)).not.toContain(other.mark);
        for (const typename of typenamesIn(mine)) walked.add(typename);
      }
    },
  );

  it.each(Object.keys(schema.getQueryType()?.getFields() ?? {}).filter((name) => !notOfTenants.includes(name)))(
    'sees no data of the other through %s',
    async (name) => {
      const { own, other } = sideOf(mark);
      const field = schema.getQueryType()?.getFields()[name];
      const type = field && getNamedType(field.type);
      if (!isObjectType(type)) return;
      const values: Record<string, string> = {
        id: `"${globalId('Account', own.ids.Account)}"`,
        resourceType: 'AGENTS',
        by: groupingOf(field),
        text: `"${mark}"`,
        // All that is below two accounts costs more than a query may; there is only one to be seen.
        first: name === 'accounts' ? '1' : '2',
      };
      const theirs: Record<string, string> = {
        ...values,
        id: `"${globalId('Account', other.ids.Account)}"`,
        text: `"${other.mark}"`,
      };
      const takes = new Set(field?.args.map((argument) => argument.name));
      // By the one or the other.
      if (takes.has('id')) takes.delete('name');
      const ask = async (given: Record<string, string>) => {
        const entries = Object.entries(given).filter(([argument]) => takes.has(argument));
        const written = entries.map(([argument, value]) => `${argument}: ${value}`).join(', ');
        return graphql(
          running.app,
          own.key,
          `{ ${name}${written === '' ? '' : `(${written})`} ${selectionOf(type, 5)} }`,
        );
      };
      const kind = name === 'workspace' ? '-main' : `-${name}`;
      const mine = await ask({ ...values, workspace: `"${mark}-main"`, name: `"${mark}${kind}"` });
      expect(mine.body.errors).toBeUndefined();
      expect(mine.body.data[name]).not.toBeNull();
      expect(JSON.stringify(mine.body)).not.toContain(other.mark);
      for (const typename of typenamesIn(mine.body.data)) walked.add(typename);
      // The other tenant's name in the own workspace, the own name in the other's, and an unknown name.
      const id = `"${globalId('Account', crypto.randomUUID())}"`;
      // Recent denied requests may be recorded between the two.
      await vi.waitFor(
        async () => {
          const crossed = await ask({ ...theirs, workspace: `"${mark}-main"`, name: `"${other.mark}${kind}"` });
          const nobody = await ask({ ...theirs, id, workspace: `"${mark}-main"`, name: '"nobody"' });
          expect(answerOf(crossed)).toEqual(answerOf(nobody));
        },
        { timeout: 30_000 },
      );
      const abroad = await ask({ ...values, workspace: `"${other.mark}-main"`, name: '"nobody"' });
      const nowhere = await ask({ ...values, workspace: '"nowhere"', name: '"nobody"' });
      expect(answerOf(abroad)).toEqual(answerOf(nowhere));
      const code = abroad.body.errors?.[0].extensions.code;
      expect(code).toBe(takes.has('workspace') ? 'forbidden' : undefined);
    },
  );

  it('has walked every type of the schema', () => {
    const missed = objectTypes.map(({ name }) => name).filter((name) => !isPlumbing(name) && !walked.has(name));
    // Kinds that the small platform of this test does not contain.
    const unused = [
      'Repository',
      'RevisionConfiguration',
      'AgentRuntime',
      'Trigger',
      'TriggerConfiguration',
      'BudgetLabel',
    ];
    // These need a window: the metrics tests cover them. Recording and correcting usage is tested there too.
    const windowed = /^AccountMetrics|^Cost(Bucket)?$|^Usage(Event|Correction)Result$|^UsedLabel$/;
    // These belong to the platform, not to a tenant. Executors and providers have their own tests, and prices are public.
    const platform =
      /^(AccessToken|Assignment|BillingPrice|DesiredResource|Executor|Membership|ObservedStatus|Principal|SignInProvider)$/;
    // Of a person: test/accounts/self.test.ts and member-access.test.ts.
    const personal = /^(Authorization|MemberAccess|Session|WorkspaceRole)$/;
    // Part of the result of a mutation: test/accounts/access-end.test.ts.
    const mutated = /^CreatedResources$/;
    const holes = missed.filter((name) => ![windowed, platform, personal, mutated].some((others) => others.test(name)));
    expect(holes.filter((name) => ![...unused, 'Label', 'VolumeAttachment', 'Attachment'].includes(name))).toEqual([]);
  });

  it('sees no data of the other by REST', async () => {
    const { own, other } = sideOf(mark);
    const paths = [
      '/accounts',
      '/agents',
      '/configuration',
      `/images/agents/${other.mark}-image`,
      `/jobs/${other.mark}-job/executions/${other.ids.JobExecution}`,
      `/jobs/${own.mark}-job/executions/${other.ids.JobExecution}`,
    ];
    for (const path of paths) {
      for (const workspace of [`${own.mark}-main`, `${other.mark}-main`]) {
        const { body } = await rest(running.app, path, { key: own.key, headers: { 'x-service-workspace': workspace } });
        const text = JSON.stringify(body)
          .replaceAll(`"${other.mark}-image"`, '')
          .replaceAll(`\\"${other.mark}-image\\"`, '');
        expect(text).not.toContain(other.mark);
      }
    }
  });

  it('never sees its own secrets', async () => {
    const { own } = sideOf(mark);
    const type = schema.getType('Workspace');
    if (!isObjectType(type)) throw new Error('there is no Workspace');
    let told = '';
    for (const part of partsOf(type, 6)) {
      const { body } = await graphql(running.app, own.key, `{ workspaces(first: 1) { nodes ${part} } }`);
      expect(body.errors).toBeUndefined();
      told += JSON.stringify(body);
    }
    expect(told).not.toContain('do not tell');
    expect(told).not.toContain(`secret of ${mark}`);
    expect(told).toContain('***');
  });
});

describe('A token without a scope', () => {
  it.each(Object.entries(schema.getQueryType()?.getFields() ?? {}).map(([name, field]) => ({ name, field })))(
    'is denied $name, unless it requires none',
    async ({ name, field }) => {
      const { own } = sideOf('alpha');
      // A scope that depends on the kind of resource is in the description.
      const [[scope] = []] = requiredScopesOf(field) ?? [[/scope (\S+?)\.?( |$)/.exec(field.description ?? '')?.[1]]];
      if (['node', 'nodes', 'viewer', ...notOfTenants].includes(name)) return;
      expect(scope).toBeDefined();
      const { token } = await createToken(running.app, own.tenant, 'agents:create');
      const type = getNamedType(field.type);
      const values: Record<string, string> = {
        id: `"${globalId('Account', own.ids.Account)}"`,
        resourceType: 'AGENTS',
        text: '"alpha"',
        by: groupingOf(field),
        name: '"alpha-main"',
        workspace: '"alpha-main"',
      };
      const written = field.args.flatMap((argument) => {
        const isOther = argument.name === 'name' && field.args.some((each) => each.name === 'id');
        const value = isOther ? undefined : values[argument.name];
        return value === undefined ? [] : [`${argument.name}: ${value}`];
      });
      const selection = isCompositeType(type) ? ' { __typename }' : '';
      const query = `{ ${name}${written.length === 0 ? '' : `(${written.join(', ')})`}${selection} }`;
      const { body } = await graphql(running.app, token, query);
      expect(body.errors[0].extensions).toMatchObject({ code: 'forbidden', status: 403 });
      const { token: wider } = await createToken(running.app, own.tenant, scope ?? '');
      expect((await graphql(running.app, wider, query)).body.errors).toBeUndefined();
    },
  );
});

/** The content of a response, without the request id and the caller's own names. */
function answerOf({
  status,
  body,
}: {
  status: number;
  body: { data?: unknown; errors?: { message: string; extensions: object }[] };
}) {
  const errors = body.errors?.map(({ message, extensions }) => ({
    message: message.replaceAll(/"[^"]*"/g, '""'),
    extensions: { ...extensions, requestId: '' },
  }));
  return { status, data: body.data, errors };
}
