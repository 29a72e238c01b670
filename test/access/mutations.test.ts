// Who may change what: every mutation of the schema by its scope, by the roles that it takes, and from another account.
// Each is made under an Idempotency-Key, and sent again: whatever it answers can be kept.
import { beforeAll, describe, expect, it } from 'vitest';
import { getNamedType, isLeafType, isObjectType } from 'graphql';
import type { GraphQLObjectType } from 'graphql';
import { scopes } from '../../src/access/scopes.js';
import type { Scope } from '../../src/access/scopes.js';
import { encodeGlobalId } from '../../src/graphql/global-id.js';
import { schema } from '../../src/graphql/schema.js';
import { createKey, createTenant, frozenNow, graphql, useApp } from '../harness.js';
import type { Answer, Tenant } from '../harness.js';
import { addPlatform } from '../platform.js';
import type { Platform } from '../platform.js';
import { addRegions, keyOfSomebody, mutate } from '../resources/mutations.js';
import { wholeState } from '../resources/whole-state.js';
import { editBy, isNaming, isSecret, namingFields, otherName, takes } from './generic-cases.js';

const running = useApp();
let tenant: Tenant;
let foreign: Tenant;
let memberId: string;
let setUp: string;

/** What a mutation finds in the workspace main: one of everything, with the mark in its names. */
interface Place {
  mark: string;
  platform: Platform;
}

interface Case {
  /** It alone suffices. */
  scope: Scope;
  /** The least that does: a member of the workspace unless something else is said. */
  needs?: 'an admin of the workspace' | 'an admin of the account';
  /** Makes what it needs, and gives its input. */
  input: (place: Place) => object | Promise<object>;
  /** It says no place, so that everybody does it in their own account. */
  isOwnAccount?: boolean;
}

const main = { workspace: 'main' };
const named = (name: string) => ({ metadata: { name } });
const displayName = { metadata: { displayName: 'Another' } };
const shared = { resourceType: 'AGENTS', targetWorkspace: 'side' };
const budget = (name: string) => ({
  account: 'northwind',
  name,
  amount: '1',
  period: 'MONTHLY',
  thresholds: [{ percent: 80, of: 'ACTUAL' }],
});
const addBudget = (name: string) =>
  db().budget.create({ data: { accountId: tenant.accountId, name, amount: 1n, period: 'monthly', thresholds: [] } });
const usageEvent = {
  source: 'meter',
  id: '1',
  account: 'northwind',
  workspace: 'main',
  resourceType: 'sandbox',
  resourceName: 'one',
  billingDimension: 'SANDBOX_COMPUTE_RUNTIME_GBS',
  time: '2026-11-20T09:30:00Z',
  usage: '1',
  cost: '1',
};
const inGateway = (mark: string) => ({ ...main, vpcName: `${mark}-vpc`, gatewayName: `${mark}-gateway` });
const db = () => running.app.services.db;

/** A webhook of the workspace main, and what was sent to it. */
async function webhook(): Promise<{ id: string; deliveryId: string }> {
  const hook = { ...main, name: 'a webhook', url: 'https://hooks.example.com/in' };
  const { webhook: made } = await mutate(running.app, setUp, 'createWebhook', 'webhook { id }', hook);
  const [, , webhookId = ''] = Buffer.from(made.id, 'base64url').toString().split(':');
  const sent = { webhookId, accountId: tenant.accountId, reason: 'test', eventType: 'webhook.test', status: 'failed' };
  const { id } = await db().webhookDelivery.create({ data: sent });
  return { id: made.id, deliveryId: encodeGlobalId('WebhookDelivery', id) };
}

async function webhookId(): Promise<object> {
  const { id } = await webhook();
  return { id };
}

async function ownKey(): Promise<object> {
  const { id } = await createKey(running.app, { ...tenant, scope: 'apiKey:write' });
  return { id: encodeGlobalId('ApiKey', id) };
}

/** A client that acts as the owner of the account. */
async function ownClient(id: string): Promise<string> {
  const { accountId, principalId } = tenant;
  const registered = { id, displayName: id, scope: 'agents:list', redirectUris: [], secretHash: Buffer.from(id) };
  await db().oauthClient.create({
    data: { ...registered, grantTypes: ['client_credentials'], accountId, principalId },
  });
  return id;
}

/** An invitation that waits for somebody, into a place of its own. */
async function invitation(name: string): Promise<object> {
  const workspace = { name: `for-${crypto.randomUUID()}`, accountId: tenant.accountId };
  const { id: workspaceId } = await db().workspace.create({ data: workspace });
  const expiresAt = new Date(frozenNow.getTime() + 60_000);
  const data = { accountId: tenant.accountId, workspaceId, name, role: 'member' as const, expiresAt };
  const { id } = await db().invitation.create({ data });
  return { id: encodeGlobalId('Invitation', id) };
}

/** A new member of a workspace. */
async function somebodyIn(workspace: string, mark: string): Promise<string> {
  const { accountId, workspaces } = tenant;
  const name = `${mark}@northwind.example.com`;
  const { id: principalId } = await db().principal.create({ data: { kind: 'user', name } });
  await db().accountMember.create({ data: { accountId, principalId, role: 'member' } });
  const workspaceId = workspaces[workspace] ?? '';
  await db().workspaceMember.create({ data: { workspaceId, principalId, role: 'member' } });
  return name;
}

/** An offer of an image of one workspace to another one of the account. */
async function offer(from: string, to: string, imageName: string): Promise<object> {
  const image = { workspace: from, resourceType: 'AGENTS', imageName };
  await mutate(running.app, setUp, 'registerImageTag', '__typename', { ...image, tag: { name: 'v1', size: 1 } });
  const answer = await mutate(running.app, setUp, 'shareImage', 'imageShare { id }', { ...image, targetWorkspace: to });
  return { id: answer.imageShare.id };
}

const cases: Record<string, Case> = {
  createAgent: { scope: 'agents:create', input: ({ mark }) => ({ ...main, ...named(mark) }) },
  updateAgent: { scope: 'agents:update', input: ({ mark }) => ({ ...main, name: `${mark}-agent`, ...displayName }) },
  deleteAgent: { scope: 'agents:delete', input: ({ mark }) => ({ ...main, name: `${mark}-agent` }) },

  createSandbox: { scope: 'sandboxes:create', input: ({ mark }) => ({ ...main, ...named(mark) }) },
  updateSandbox: {
    scope: 'sandboxes:update',
    input: ({ mark }) => ({ ...main, name: `${mark}-sandbox`, ...displayName }),
  },
  deleteSandbox: { scope: 'sandboxes:delete', input: ({ mark }) => ({ ...main, name: `${mark}-sandbox` }) },
  createSandboxPreview: {
    scope: 'sandboxes:update',
    input: ({ mark }) => ({ ...main, sandboxName: `${mark}-sandbox`, ...named(mark), spec: { port: 3000 } }),
  },
  updateSandboxPreview: {
    scope: 'sandboxes:update',
    input: ({ mark }) => ({ ...main, sandboxName: `${mark}-sandbox`, name: `${mark}-preview`, ...displayName }),
  },
  deleteSandboxPreview: {
    scope: 'sandboxes:update',
    input: ({ mark }) => ({ ...main, sandboxName: `${mark}-sandbox`, previewName: `${mark}-preview` }),
  },

  createJob: { scope: 'jobs:create', input: ({ mark }) => ({ ...main, ...named(mark) }) },
  updateJob: { scope: 'jobs:update', input: ({ mark }) => ({ ...main, name: `${mark}-job`, ...displayName }) },
  deleteJob: { scope: 'jobs:delete', input: ({ mark }) => ({ ...main, name: `${mark}-job` }) },
  runJob: { scope: 'jobs:update', input: ({ mark }) => ({ ...main, jobName: `${mark}-job` }) },
  cancelJobExecution: {
    scope: 'jobs:update',
    input: async ({ mark, platform: { JobExecution: id } }) => {
      await db().jobExecution.update({ where: { id }, data: { status: 'running' } });
      return { ...main, jobName: `${mark}-job`, executionId: id };
    },
  },
  deleteJobExecution: {
    scope: 'jobs:update',
    input: ({ mark, platform }) => ({ ...main, jobName: `${mark}-job`, executionId: platform.JobExecution }),
  },

  createVolume: {
    scope: 'volumes:create',
    input: ({ mark }) => ({ ...main, ...named(mark), spec: { region: 'eu-open', sizeMb: 1024 } }),
  },
  updateVolume: { scope: 'volumes:create', input: ({ mark }) => ({ ...main, name: `${mark}-volume`, ...displayName }) },
  deleteVolume: { scope: 'volumes:delete', input: ({ mark }) => ({ ...main, name: `${mark}-volume` }) },

  createVpc: { scope: 'admin', input: ({ mark }) => ({ ...main, ...named(mark) }) },
  updateVpc: { scope: 'admin', input: ({ mark }) => ({ ...main, name: `${mark}-vpc`, ...displayName }) },
  deleteVpc: {
    scope: 'admin',
    input: async ({ mark, platform }) => {
      await db().egressGateway.delete({ where: { id: platform.EgressGateway } });
      return { ...main, name: `${mark}-vpc` };
    },
  },
  createEgressGateway: {
    scope: 'admin',
    input: ({ mark }) => ({ ...main, vpcName: `${mark}-vpc`, ...named(mark), spec: { region: 'eu-egress' } }),
  },
  updateEgressGateway: {
    scope: 'admin',
    input: ({ mark }) => ({ ...main, vpcName: `${mark}-vpc`, name: `${mark}-gateway`, ...displayName }),
  },
  deleteEgressGateway: {
    scope: 'admin',
    input: async ({ mark, platform }) => {
      await db().egressIp.delete({ where: { id: platform.EgressIp } });
      return inGateway(mark);
    },
  },
  createEgressIp: { scope: 'admin', input: ({ mark }) => ({ ...inGateway(mark), ...named(mark) }) },
  updateEgressIp: { scope: 'admin', input: ({ mark }) => ({ ...inGateway(mark), name: `${mark}-ip`, ...displayName }) },
  deleteEgressIp: { scope: 'admin', input: ({ mark }) => ({ ...inGateway(mark), ipName: `${mark}-ip` }) },

  registerImageTag: {
    scope: 'admin',
    input: ({ mark }) => ({ ...main, resourceType: 'JOBS', imageName: mark, tag: { name: 'v1', size: 1 } }),
  },
  deleteImageTag: {
    scope: 'admin',
    input: ({ mark }) => ({ ...main, resourceType: 'AGENTS', imageName: `${mark}-image`, name: `${mark}-v1.0` }),
  },
  deleteImage: {
    scope: 'admin',
    input: ({ mark }) => ({ ...main, resourceType: 'AGENTS', imageName: `${mark}-image` }),
  },
  shareImage: {
    scope: 'admin',
    needs: 'an admin of the workspace',
    input: ({ mark }) => ({ ...main, ...shared, imageName: `${mark}-image` }),
  },
  acceptImageShare: {
    scope: 'admin',
    needs: 'an admin of the workspace',
    input: ({ mark }) => offer('side', 'main', mark),
  },
  declineImageShare: {
    scope: 'admin',
    needs: 'an admin of the workspace',
    input: ({ platform }) => ({ id: encodeGlobalId('ImageShare', platform.ImageShare) }),
  },
  revokeImageShare: {
    scope: 'admin',
    needs: 'an admin of the workspace',
    input: ({ mark }) => offer('main', 'side', mark),
  },

  createWorkspace: {
    scope: 'workspaces:create',
    needs: 'an admin of the account',
    input: ({ mark }) => named(mark),
    isOwnAccount: true,
  },
  updateWorkspace: {
    scope: 'workspaces:update',
    needs: 'an admin of the workspace',
    input: () => ({ name: 'main', ...displayName }),
  },
  deleteWorkspace: {
    scope: 'workspaces:delete',
    needs: 'an admin of the account',
    input: async ({ mark: name }) => {
      await db().workspace.create({ data: { name, accountId: tenant.accountId } });
      return { name };
    },
  },

  createApiKey: {
    scope: 'apiKey:write',
    needs: 'an admin of the workspace',
    input: () => ({ ...main, name: 'another', scopes: ['apiKey:write'] }),
  },
  rotateApiKey: { scope: 'apiKey:write', needs: 'an admin of the account', input: ownKey },
  revokeApiKey: { scope: 'apiKey:write', needs: 'an admin of the account', input: ownKey },

  updateAccount: {
    scope: 'admin',
    needs: 'an admin of the account',
    input: () => ({ name: 'northwind', ...displayName }),
  },

  createOauthClient: {
    scope: 'admin',
    needs: 'an admin of the workspace',
    input: ({ mark: name }) => ({ ...main, name, scopes: ['agents:list'] }),
  },
  updateOauthClient: {
    scope: 'admin',
    needs: 'an admin of the account',
    input: async ({ mark }) => ({ name: await ownClient(mark), displayName: 'Another' }),
  },
  rotateOauthClientSecret: {
    scope: 'admin',
    needs: 'an admin of the account',
    input: async ({ mark }) => ({ name: await ownClient(mark) }),
  },
  revokeOauthClient: {
    scope: 'admin',
    needs: 'an admin of the account',
    input: async ({ mark }) => ({ name: await ownClient(mark) }),
  },
  deleteOauthClient: {
    scope: 'admin',
    needs: 'an admin of the account',
    input: async ({ mark }) => ({ name: await ownClient(mark) }),
  },

  createWebhook: {
    scope: 'admin',
    needs: 'an admin of the workspace',
    input: () => ({ ...main, name: 'another', url: 'https://hooks.example.com/in' }),
  },
  updateWebhook: {
    scope: 'admin',
    needs: 'an admin of the workspace',
    input: async () => ({ ...(await webhookId()), name: 'renamed' }),
  },
  deleteWebhook: { scope: 'admin', needs: 'an admin of the workspace', input: webhookId },
  rotateWebhookSecret: { scope: 'admin', needs: 'an admin of the workspace', input: webhookId },
  testWebhook: { scope: 'admin', needs: 'an admin of the workspace', input: webhookId },
  redeliver: {
    scope: 'admin',
    needs: 'an admin of the workspace',
    input: async () => ({ id: (await webhook()).deliveryId }),
  },

  inviteMember: {
    scope: 'workspaces:invite',
    needs: 'an admin of the workspace',
    input: ({ mark }) => ({ ...main, email: `${mark}@example.com`, role: 'MEMBER' }),
  },
  revokeInvitation: {
    scope: 'workspaces:invite',
    needs: 'an admin of the workspace',
    input: ({ mark }) => invitation(`${mark}@example.com`),
  },
  acceptInvitation: { scope: 'workspaces:accept', input: () => invitation('member@northwind.example.com') },
  declineInvitation: { scope: 'workspaces:decline', input: () => invitation('member@northwind.example.com') },
  updateMember: {
    scope: 'workspaces:update',
    needs: 'an admin of the workspace',
    input: async ({ mark }) => ({ ...main, name: await somebodyIn('main', mark), role: 'VIEWER' }),
  },
  removeMember: {
    scope: 'workspaces:remove',
    needs: 'an admin of the workspace',
    input: async ({ mark }) => ({ ...main, name: await somebodyIn('main', mark) }),
  },
  leave: {
    scope: 'workspaces:leave',
    input: async () => {
      const workspaceId = tenant.workspaces['left'] ?? '';
      await db().workspaceMember.create({ data: { workspaceId, principalId: memberId, role: 'member' } });
      return { workspace: 'left' };
    },
  },

  endSessions: {
    scope: 'admin',
    input: async ({ mark }) => {
      const expiresAt = new Date(frozenNow.getTime() + 60_000);
      const data = { hash: Buffer.from(mark), principalId: memberId, createdAt: frozenNow, expiresAt };
      return { sessionId: (await db().signInSession.create({ data })).id };
    },
  },
  revokeAuthorization: {
    scope: 'admin',
    input: async ({ mark: id }) => {
      await db().oauthClient.create({
        data: { id, displayName: id, scope: 'admin', grantTypes: [], redirectUris: [] },
      });
      const given = { principalId: memberId, accountId: tenant.accountId, scope: 'admin', givenAt: frozenNow };
      await db().oauthConsent.create({ data: { ...given, clientId: id } });
      return { clientId: id };
    },
  },

  recordUsage: {
    scope: 'usage:write',
    needs: 'an admin of the account',
    input: ({ mark }) => ({ events: [{ ...usageEvent, id: mark }] }),
  },
  createBudget: { scope: 'admin', needs: 'an admin of the account', input: ({ mark }) => budget(mark) },
  updateBudget: {
    scope: 'admin',
    needs: 'an admin of the account',
    input: async ({ mark }) => {
      await addBudget(mark);
      return budget(mark);
    },
  },
  deleteBudget: {
    scope: 'admin',
    needs: 'an admin of the account',
    input: async ({ mark }) => {
      await addBudget(mark);
      return { account: 'northwind', name: mark };
    },
  },
  voidUsage: {
    scope: 'admin',
    needs: 'an admin of the account',
    input: () => ({ account: 'northwind', source: 'meter', ids: ['none'], reason: 'a test' }),
  },
  amendUsage: {
    scope: 'admin',
    needs: 'an admin of the account',
    input: () => ({ account: 'northwind', events: [usageEvent], reason: 'a test' }),
  },
};

const fields = schema.getMutationType()?.getFields() ?? {};

/** No admin may them; who may is tested with them (test/lifecycle/assignments.test.ts). */
const ofExecutors = ['claimAssignments', 'reportAssignment', 'releaseAssignment'];

const inputs = new Map<string, object>();
const keys = new Map<string, string>();

/** A key of whoever has just the right role, with these scopes. */
const keyFor = (who: string, held: string) => keys.get(`${who} ${held}`) ?? '';

const without = (scope: string) => scopes.filter((name) => name !== scope && name !== 'admin').join(' ');

beforeAll(async () => {
  const { app } = running;
  tenant = await createTenant(app, { account: 'northwind', workspaces: ['main', 'side', 'left'] });
  foreign = await createTenant(app, { account: 'southwind', workspaces: ['elsewhere'] });
  ({ key: setUp } = await createKey(app, tenant));
  await addRegions(app);
  const member = { account: 'member', workspace: 'main', role: 'member' } as const;
  memberId = await principalOf(await keyOfSomebody(app, tenant, member));
  await db().principal.update({ where: { id: memberId }, data: { name: 'member@northwind.example.com' } });
  for (const [index, [mutation, { input }]] of Object.entries(cases).entries()) {
    const mark = `m${index}`;
    const platform = await addPlatform(app, tenant.workspaces['main'] ?? '', mark);
    inputs.set(mutation, await input({ mark, platform }));
  }
  const tried = Object.values(cases).flatMap(({ scope }) => [scope, without(scope)]);
  for (const scope of new Set(['admin', ...tried])) {
    keys.set(`owner ${scope}`, (await createKey(app, { ...tenant, scope })).key);
    keys.set(
      `member ${scope}`,
      (await createKey(app, { accountId: tenant.accountId, principalId: memberId, scope })).key,
    );
  }
  keys.set('viewer admin', await keyOfSomebody(app, tenant, { account: 'viewer' }));
  keys.set('foreigner admin', (await createKey(app, foreign)).key);
});

async function principalOf(key: string): Promise<string> {
  const { principalId } = await db().apiKey.findFirstOrThrow({ where: { prefix: key.slice(0, 10) } });
  return principalId;
}

/** The leaves of a type, and of its metadata. */
function leavesOf(type: GraphQLObjectType): string {
  const all = Object.values(type.getFields()).filter(({ args }) => args.length === 0);
  const leaves = all.filter((field) => isLeafType(getNamedType(field.type))).map(({ name }) => name);
  const metadata = all.find(({ name }) => name === 'metadata');
  const inner = metadata && getNamedType(metadata.type);
  return [...leaves, ...(isObjectType(inner) ? [`metadata { ${leavesOf(inner)} }`] : [])].join(' ');
}

function documentOf(mutation: string): string {
  const name = `${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}`;
  const payload = schema.getType(`${name}Payload`);
  if (!isObjectType(payload)) throw new Error(`${mutation} has no payload`);
  const selected = Object.values(payload.getFields()).map((field) => {
    const type = getNamedType(field.type);
    return isObjectType(type) ? `${field.name} { ${leavesOf(type)} }` : field.name;
  });
  return `mutation ($input: ${name}Input!) { result: ${mutation}(input: $input) {
    __typename ... on Error { code message } ... on ${name}Payload { ${selected.join(' ')} } } }`;
}

async function send(mutation: string, by: string, headers = {}, more: object = {}): Promise<Answer['body']> {
  const input = { ...inputs.get(mutation), ...more };
  const { body } = await graphql(running.app, by, documentOf(mutation), { input }, headers);
  expect(body.errors).toBeUndefined();
  return body.data.result;
}

/** Usage has a result for each event. */
const isRefused = ({ __typename, results = [] }: Answer['body']) =>
  ['ForbiddenError', 'NotFoundError'].includes(__typename) ||
  results.some(({ outcome }: { outcome: string }) => outcome === 'INVALID');

describe('The mutations of the schema', () => {
  it('are those whose scopes and roles are known here', () => {
    expect(Object.keys(fields).toSorted()).toEqual([...Object.keys(cases), ...ofExecutors].toSorted());
  });

  it.each(ofExecutors)('%s says that it is for executors', (mutation) => {
    expect(fields[mutation]?.description).toContain('For executors: needs the scope assignments:work');
  });

  it.each(Object.entries(cases))('%s says which scope it needs', (mutation, { scope }) => {
    expect(fields[mutation]?.description).toContain(`the scope ${scope}`);
  });
});

describe.each(Object.entries(cases))('%s', (mutation, { scope, needs, isOwnAccount = false }) => {
  const rightful = needs === undefined ? 'member' : 'owner';

  it('is refused without its scope, to viewers, to who has too small a role, and to another account', async () => {
    // Refusals themselves are told in the history, a moment later.
    const changes = () => db().change.count({ where: { verb: { not: 'refused' } } });
    const before = await changes();
    const lacking = await send(mutation, keyFor(rightful, without(scope)));
    expect(lacking).toMatchObject({ __typename: 'ForbiddenError', code: 'forbidden' });
    expect(lacking.message).toBe(`This credential lacks the scope ${scope}.`);
    const refused = ['viewer', ...(needs === undefined ? [] : ['member']), ...(isOwnAccount ? [] : ['foreigner'])];
    for (const who of refused) {
      const answer = await send(mutation, keyFor(who, 'admin'));
      expect([who, isRefused(answer), answer.__typename]).toEqual([who, true, answer.__typename]);
    }
    expect(await changes()).toBe(before);
  });

  it.each(takes(mutation, 'validateOnly') ? [mutation] : [])('changes nothing when it is only tried', async () => {
    const before = await wholeState(db());
    const answer = await send(mutation, keyFor(rightful, scope), {}, { validateOnly: true });
    expect(answer).toMatchObject({ __typename: expect.stringMatching(/Payload$/) });
    expect(await wholeState(db())).toEqual(before);
  });

  it.each(takes(mutation, 'ifVersion') ? [mutation] : [])(
    'is refused to who has seen another version, and changes nothing',
    async () => {
      const before = await wholeState(db());
      const answer = await send(mutation, keyFor(rightful, scope), {}, { ifVersion: 99 });
      expect(answer).toMatchObject({ __typename: 'ConflictError', code: 'version_mismatch' });
      expect(await wholeState(db())).toEqual(before);
    },
  );

  it.each(namingFields(mutation))('finds nothing where %s names nothing, and changes nothing', async (field) => {
    const named: Record<string, unknown> = { ...inputs.get(mutation) };
    // What is not given is not needed.
    if (named[field] === undefined) return;
    const before = await wholeState(db());
    const answer = await send(mutation, keyFor(rightful, scope), {}, { [field]: otherName(named[field]) });
    expect(answer.__typename).toBe(isSecret(mutation, field) ? 'ForbiddenError' : 'NotFoundError');
    expect(await wholeState(db())).toEqual(before);
  });

  it('is made with that scope alone, once for an Idempotency-Key', async () => {
    const headers = { 'idempotency-key': mutation };
    const first = await send(mutation, keyFor(rightful, scope), headers);
    expect(first).toMatchObject({ __typename: expect.stringMatching(/Payload$/) });
    expect(isRefused(first)).toBe(false);
    const again = await send(mutation, keyFor(rightful, scope), headers);
    // What is recorded is told apart by itself.
    const repeated = { results: [{ outcome: 'DUPLICATE' }], accepted: 0 };
    expect(again).toMatchObject(mutation === 'recordUsage' ? repeated : first);
  });

  it.each(isNaming(mutation) ? [mutation] : [])(
    'makes one thing of twelve callers who give it the same name',
    async () => {
      const metadata = { name: `race-${mutation.toLowerCase()}` };
      const answers = await twelveTimes(() => send(mutation, keyFor(rightful, scope), {}, { metadata }));
      expect(answers.filter(({ __typename }) => __typename.endsWith('Payload'))).toHaveLength(1);
      expect(answers.filter(({ code }) => code === 'name_taken')).toHaveLength(11);
    },
  );

  it.each(mutation.startsWith('update') && takes(mutation, 'ifVersion') ? [mutation] : [])(
    'lets one of twelve editors win who have seen the same version',
    async () => {
      const found = JSON.stringify(await send(mutation, keyFor(rightful, scope)));
      const ifVersion = Number(/"version":(\d+)/.exec(found)?.[1]);
      const answers = await twelveTimes((caller) =>
        send(mutation, keyFor(rightful, scope), {}, { ifVersion, ...editBy(caller, mutation) }),
      );
      expect(answers.filter(({ __typename }) => __typename.endsWith('Payload'))).toHaveLength(1);
      expect(answers.filter(({ code }) => code === 'version_mismatch')).toHaveLength(11);
    },
  );

  it.each(mutation.startsWith('delete') && takes(mutation, 'ifVersion') ? [mutation] : [])(
    'gives what is there to one of twelve callers who delete it, and finds nothing for the others',
    async () => {
      const mark = `race-${mutation.toLowerCase()}`;
      const platform = await addPlatform(running.app, tenant.workspaces['main'] ?? '', mark);
      const input = await cases[mutation]?.input({ mark, platform });
      // What somebody reaches is known for a moment, so whoever comes next is somebody else.
      const { key } = await createKey(running.app, { ...tenant, scope });
      const answers = await twelveTimes(() => send(mutation, key, {}, input));
      expect(answers.filter(({ __typename }) => __typename.endsWith('Payload'))).toHaveLength(1);
      const losing = isSecret(mutation, 'name') ? ['not_found', 'forbidden'] : ['not_found'];
      expect(answers.filter(({ code }) => losing.includes(code))).toHaveLength(11);
    },
  );
});

function twelveTimes(act: (caller: number) => Promise<Answer['body']>): Promise<Answer['body'][]> {
  return Promise.all(Array.from({ length: 12 }, (_, caller) => act(caller)));
}
