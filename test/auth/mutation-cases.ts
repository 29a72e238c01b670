// A successful case for each mutation of the schema: its prerequisites, and who may run it. The tests for all mutations
// iterate over these; a missing mutation fails.
import type { Scope } from '../../src/auth/scopes.js';
import { encodeGlobalId } from '../../src/api/graphql/global-id.js';
import { createKey, createTenant, createToken, frozenNow } from '../harness.js';
import type { Tenant, TestApp } from '../harness.js';
import { addPlatform } from '../platform.js';
import type { Platform } from '../platform.js';
import { addRegions, keyOfSomebody, mutate } from '../resources/mutations.js';

let app: TestApp;
let tenant: Tenant;
let memberId: string;
let setUp: string;

/** Where the cases are tried: the workspaces main, side and left of an account, with a member of main. */
export interface CaseGround {
  tenant: Tenant;
  memberId: string;
}

/** The account of the cases is the platform's, and an identity provider serves it. */
export const settingsOfCases = {
  PLATFORM_ACCOUNT: 'northwind',
  SIGN_IN_ISSUER: 'http://127.0.0.1:1',
  SIGN_IN_CLIENT_ID: 'control-plane',
  SIGN_IN_ACCOUNTS: 'northwind',
};

/** Before any case gives its input. */
export async function prepareCases(of: TestApp): Promise<CaseGround> {
  app = of;
  tenant = await createTenant(app, { account: 'northwind', workspaces: ['main', 'side', 'left'] });
  ({ key: setUp } = await createKey(app, tenant));
  await addRegions(app);
  const member = { account: 'member', workspace: 'main', role: 'member' } as const;
  const { principalId } = await db().apiKey.findFirstOrThrow({
    where: { prefix: (await keyOfSomebody(app, tenant, member)).slice(0, 10) },
  });
  memberId = principalId;
  await db().principal.update({ where: { id: memberId }, data: { name: 'member@northwind.example.com' } });
  return { tenant, memberId };
}

/** Whether a statement belongs to authentication, and not to the mutation. */
export function isOfCaller(sql: string): boolean {
  return /'label', [cx]\."prefix"/.test(sql) || sql.includes('SET "last_used_at"');
}

/** Creates the prerequisites of a case, with a mark in their names, and returns its input. */
export async function inputOf({ input }: Case, mark: string): Promise<object> {
  return input({ mark, platform: await addPlatform(app, tenant.workspaces['main'] ?? '', mark) });
}

/** Mutations that end the credential of their caller (test/accounts/members.test.ts tests them). */
export const endingCaller = ['leaveAccount'];

/** Mutations that only executors may call (test/lifecycle/assignments.test.ts tests them). */
export const ofExecutors = [
  'executorClaimAssignments',
  'executorReportAssignment',
  'executorReleaseAssignment',
  'executorReportStatus',
];

/** One of each resource in the workspace main, with the mark in its name. */
export interface Place {
  mark: string;
  platform: Platform;
}

export interface Case {
  /** The scope is sufficient. */
  scope: Scope;
  /** The least that does: a member of the workspace unless something else is said. */
  needs?: 'an admin of the workspace' | 'an admin of the account' | 'an admin of the platform';
  /** Creates its prerequisites, and returns its input. */
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
  thresholds: [{ percent: 80, measure: 'ACTUAL' }],
});
const groupRole = (name: string) => ({ provider: 'default', name, role: 'MEMBER' });
const addGroupRole = (name: string) =>
  db().groupRole.create({ data: { accountId: tenant.accountId, provider: 'default', name, role: 'member' } });
const addBudget = (name: string) =>
  db().budget.create({ data: { accountId: tenant.accountId, name, amount: 1n, period: 'monthly', thresholds: [] } });
/** Long enough ago that unused rows are deleted. */
const retiredAt = new Date('2026-01-01T00:00:00Z');
const addDimension = (name: string, more: { retiredAt?: Date } = {}) =>
  db().billingDimension.create({ data: { name, unit: 'tokens', resourceTypes: ['agent'], ...more } });
const addResourceType = (name: string, more: { retiredAt?: Date } = {}) =>
  db().billedResourceType.create({ data: { name, ...more } });
/** The mark in the format of billing names. */
const billed = (mark: string) => `m_${mark.toLowerCase().replaceAll('-', '_')}`;
const laterPrice = { from: '2099-01-01T00:00:00Z', unitPrice: '0.5' };
const usageEvent = {
  source: 'meter',
  id: '1',
  account: 'northwind',
  workspace: 'main',
  resourceType: 'sandbox',
  resourceName: 'one',
  billingDimension: 'sandbox_compute_runtime_gbs',
  time: '2026-11-20T09:30:00Z',
  usage: '1',
  cost: '1',
};
const failed = { status: 'FAILED' } as const;
const inGateway = (mark: string) => ({ ...main, vpcName: `${mark}-vpc`, gatewayName: `${mark}-gateway` });
const db = () => app.services.db;

/** A webhook of the workspace main, and its deliveries. */
async function webhook(): Promise<{ id: string; rowId: string; deliveryId: string }> {
  const hook = { ...main, name: 'a webhook', url: 'https://hooks.example.com/in' };
  const { webhook: made } = await mutate(app, setUp, 'createWebhook', 'webhook { id }', hook);
  const [, , webhookId = ''] = Buffer.from(made.id, 'base64url').toString().split(':');
  const sent = { webhookId, accountId: tenant.accountId, reason: 'test', eventType: 'webhook.test', status: 'failed' };
  const { id } = await db().webhookDelivery.create({ data: sent });
  return { id: made.id, rowId: webhookId, deliveryId: encodeGlobalId('WebhookDelivery', id) };
}

/** A webhook that failed to take a change. */
async function failingWebhook(): Promise<{ id: string }> {
  const { id, rowId } = await webhook();
  const { accountId } = tenant;
  const { sequence } = await db().change.findFirstOrThrow({ where: { accountId }, orderBy: { sequence: 'desc' } });
  const failed = { webhookId: rowId, accountId, reason: 'change', eventType: 'webhook.created', status: 'failed' };
  await db().webhookDelivery.create({ data: { ...failed, sequence } });
  return { id };
}

async function webhookId(): Promise<object> {
  const { id } = await webhook();
  return { id };
}

async function ownKey(): Promise<object> {
  const { id } = await createKey(app, { ...tenant, scope: 'apiKey:write' });
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

/** A pending invitation into a separate tenant. */
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

/** A user without an account. */
async function aUser(mark: string, more: { disabledAt?: Date } = {}): Promise<string> {
  const name = `user-${mark.toLowerCase()}@example.com`;
  await db().principal.create({ data: { kind: 'user', name, ...more } });
  return name;
}

async function aServiceAccount(mark: string, more: { disabledAt?: Date } = {}): Promise<string> {
  const name = `service-${mark.toLowerCase()}`;
  await db().principal.create({ data: { kind: 'service_account', name, ...more } });
  return name;
}

/** An executor without regions, which has no work. */
async function anExecutor(mark: string, more: { revokedAt?: Date } = {}): Promise<string> {
  const name = `executor-${mark.toLowerCase()}`;
  const row = { name, regions: [], kinds: ['AGENT'], prefix: 'wcx_', hash: Buffer.from(name) };
  await db().executor.create({ data: { ...row, ...more } });
  return name;
}

/** An offer of an image of one workspace to another one of the account. */
async function offer(from: string, to: string, name: string): Promise<object> {
  const image = { workspace: from, resourceType: 'AGENTS' };
  await mutate(app, setUp, 'registerImageTag', '__typename', {
    ...image,
    imageName: name,
    tag: { name: 'v1', size: 1 },
  });
  const answer = await mutate(app, setUp, 'shareImage', 'imageShare { id }', { ...image, name, targetWorkspace: to });
  return { id: answer.imageShare.id };
}

export const cases: Record<string, Case> = {
  createAgent: { scope: 'agents:create', input: ({ mark }) => ({ ...main, ...named(mark) }) },
  updateAgent: { scope: 'agents:update', input: ({ mark }) => ({ ...main, name: `${mark}-agent`, ...displayName }) },
  deleteAgent: { scope: 'agents:delete', input: ({ mark }) => ({ ...main, name: `${mark}-agent` }) },
  redeployAgent: {
    scope: 'agents:update',
    input: async ({ mark, platform: { Agent: id } }) => {
      await db().agent.update({ where: { id }, data: failed });
      return { ...main, name: `${mark}-agent` };
    },
  },

  createSandbox: { scope: 'sandboxes:create', input: ({ mark }) => ({ ...main, ...named(mark) }) },
  updateSandbox: {
    scope: 'sandboxes:update',
    input: ({ mark }) => ({ ...main, name: `${mark}-sandbox`, ...displayName }),
  },
  deleteSandbox: { scope: 'sandboxes:delete', input: ({ mark }) => ({ ...main, name: `${mark}-sandbox` }) },
  redeploySandbox: {
    scope: 'sandboxes:update',
    input: async ({ mark, platform: { Sandbox: id } }) => {
      await db().sandbox.update({ where: { id }, data: failed });
      return { ...main, name: `${mark}-sandbox` };
    },
  },
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
    input: ({ mark }) => ({ ...main, sandboxName: `${mark}-sandbox`, name: `${mark}-preview` }),
  },

  createJob: { scope: 'jobs:create', input: ({ mark }) => ({ ...main, ...named(mark) }) },
  updateJob: { scope: 'jobs:update', input: ({ mark }) => ({ ...main, name: `${mark}-job`, ...displayName }) },
  deleteJob: { scope: 'jobs:delete', input: ({ mark }) => ({ ...main, name: `${mark}-job` }) },
  redeployJob: {
    scope: 'jobs:update',
    input: async ({ mark, platform: { Job: id } }) => {
      await db().job.update({ where: { id }, data: failed });
      return { ...main, name: `${mark}-job` };
    },
  },
  runJob: { scope: 'jobs:update', input: ({ mark }) => ({ ...main, name: `${mark}-job` }) },
  cancelJobExecution: {
    scope: 'jobs:update',
    input: async ({ platform: { JobExecution: id } }) => {
      await db().jobExecution.update({ where: { id }, data: { status: 'running' } });
      return { id: encodeGlobalId('JobExecution', id) };
    },
  },
  deleteJobExecution: {
    scope: 'jobs:update',
    input: ({ platform }) => ({ id: encodeGlobalId('JobExecution', platform.JobExecution) }),
  },

  createVolume: {
    scope: 'volumes:create',
    input: ({ mark }) => ({ ...main, ...named(mark), spec: { region: 'eu-open', sizeMb: 1024 } }),
  },
  updateVolume: { scope: 'volumes:create', input: ({ mark }) => ({ ...main, name: `${mark}-volume`, ...displayName }) },
  deleteVolume: { scope: 'volumes:delete', input: ({ mark }) => ({ ...main, name: `${mark}-volume` }) },
  redeployVolume: {
    scope: 'volumes:create',
    input: async ({ mark, platform: { Volume: id } }) => {
      await db().volume.update({ where: { id }, data: failed });
      return { ...main, name: `${mark}-volume` };
    },
  },

  createVpc: { scope: 'admin', input: ({ mark }) => ({ ...main, ...named(mark) }) },
  updateVpc: { scope: 'admin', input: ({ mark }) => ({ ...main, name: `${mark}-vpc`, ...displayName }) },
  deleteVpc: {
    scope: 'admin',
    input: async ({ mark, platform }) => {
      await db().egressGateway.delete({ where: { id: platform.EgressGateway } });
      return { ...main, name: `${mark}-vpc` };
    },
  },
  redeployVpc: {
    scope: 'admin',
    input: async ({ mark, platform: { Vpc: id } }) => {
      await db().vpc.update({ where: { id }, data: failed });
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
      return { ...main, vpcName: `${mark}-vpc`, name: `${mark}-gateway` };
    },
  },
  redeployEgressGateway: {
    scope: 'admin',
    input: async ({ mark, platform: { EgressGateway: id } }) => {
      await db().egressGateway.update({ where: { id }, data: failed });
      return { ...main, vpcName: `${mark}-vpc`, name: `${mark}-gateway` };
    },
  },
  createEgressIp: { scope: 'admin', input: ({ mark }) => ({ ...inGateway(mark), ...named(mark) }) },
  updateEgressIp: { scope: 'admin', input: ({ mark }) => ({ ...inGateway(mark), name: `${mark}-ip`, ...displayName }) },
  deleteEgressIp: { scope: 'admin', input: ({ mark }) => ({ ...inGateway(mark), name: `${mark}-ip` }) },

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
    input: ({ mark }) => ({ ...main, resourceType: 'AGENTS', name: `${mark}-image` }),
  },
  shareImage: {
    scope: 'admin',
    needs: 'an admin of the workspace',
    input: ({ mark }) => ({ ...main, ...shared, name: `${mark}-image` }),
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
    input: ({ mark }) => ({ name: 'main', metadata: { displayName: mark } }),
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
    input: ({ mark }) => ({ name: 'northwind', metadata: { displayName: mark } }),
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
  redeliverWebhookDelivery: {
    scope: 'admin',
    needs: 'an admin of the workspace',
    input: async () => ({ id: (await webhook()).deliveryId }),
  },
  redeliverWebhookDeliveries: {
    scope: 'admin',
    needs: 'an admin of the workspace',
    input: async () => ({ ...(await failingWebhook()), since: '2026-01-01T00:00:00Z' }),
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
  endAccess: {
    scope: 'workspaces:remove',
    needs: 'an admin of the account',
    input: async ({ mark }) => ({ name: await somebodyIn('main', mark) }),
    isOwnAccount: true,
  },
  leaveWorkspace: {
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
  createGroupRole: {
    scope: 'admin',
    needs: 'an admin of the account',
    isOwnAccount: true,
    input: ({ mark }) => groupRole(mark),
  },
  updateGroupRole: {
    scope: 'admin',
    needs: 'an admin of the account',
    isOwnAccount: true,
    input: async ({ mark }) => {
      await addGroupRole(mark);
      return { ...groupRole(mark), role: 'VIEWER' };
    },
  },
  deleteGroupRole: {
    scope: 'admin',
    needs: 'an admin of the account',
    isOwnAccount: true,
    input: async ({ mark }) => {
      await addGroupRole(mark);
      return { provider: 'default', name: mark };
    },
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
  createBillingDimension: {
    scope: 'admin',
    needs: 'an admin of the platform',
    input: ({ mark }) => ({ name: billed(mark), unit: 'tokens', resourceTypes: ['agent', 'model'] }),
  },
  retireBillingDimension: {
    scope: 'admin',
    needs: 'an admin of the platform',
    input: async ({ mark }) => ({ name: (await addDimension(billed(mark))).name }),
  },
  deleteBillingDimension: {
    scope: 'admin',
    needs: 'an admin of the platform',
    input: async ({ mark }) => ({ name: (await addDimension(billed(mark), { retiredAt })).name }),
  },
  createResourceType: {
    scope: 'admin',
    needs: 'an admin of the platform',
    input: ({ mark }) => ({ name: billed(mark), description: 'Of a test' }),
  },
  retireResourceType: {
    scope: 'admin',
    needs: 'an admin of the platform',
    input: async ({ mark }) => ({ name: (await addResourceType(billed(mark))).name }),
  },
  deleteResourceType: {
    scope: 'admin',
    needs: 'an admin of the platform',
    input: async ({ mark }) => ({ name: (await addResourceType(billed(mark), { retiredAt })).name }),
  },
  setQuotas: {
    scope: 'admin',
    needs: 'an admin of the platform',
    input: ({ mark }) => ({ plan: mark, limits: [{ resource: 'AGENT', limit: 1_000 }] }),
  },
  setPrice: {
    scope: 'admin',
    needs: 'an admin of the platform',
    input: async ({ mark }) => ({ dimension: (await addDimension(billed(mark))).name, ...laterPrice }),
  },
  deletePrice: {
    scope: 'admin',
    needs: 'an admin of the platform',
    input: async ({ mark }) => {
      const { name: dimension } = await addDimension(billed(mark));
      const { from } = laterPrice;
      await db().billingPrice.create({ data: { billingDimension: dimension, from, currency: 'USD', unitPrice: 1n } });
      return { dimension, from };
    },
  },
  voidUsage: {
    scope: 'usage:correct',
    needs: 'an admin of the account',
    input: async ({ mark }) => {
      await mutate(app, setUp, 'recordUsage', '__typename', { events: [{ ...usageEvent, id: mark }] });
      return { account: 'northwind', source: 'meter', ids: [mark], reason: 'a test' };
    },
  },
  amendUsage: {
    scope: 'usage:correct',
    needs: 'an admin of the account',
    input: async ({ mark: id }) => {
      await mutate(app, setUp, 'recordUsage', '__typename', { events: [{ ...usageEvent, id }] });
      return { account: 'northwind', events: [{ ...usageEvent, id, cost: '2' }], reason: 'a test' };
    },
  },
  createUser: {
    scope: 'admin',
    needs: 'an admin of the platform',
    input: ({ mark }) => ({ name: `person-${mark}@example.com`, account: 'northwind', role: 'MEMBER' }),
  },
  updateUser: {
    scope: 'admin',
    needs: 'an admin of the platform',
    input: async ({ mark }) => ({ name: await aUser(mark), displayName: 'Another' }),
  },
  disableUser: {
    scope: 'admin',
    needs: 'an admin of the platform',
    input: async ({ mark }) => ({ name: await aUser(mark) }),
  },
  enableUser: {
    scope: 'admin',
    needs: 'an admin of the platform',
    input: async ({ mark }) => ({ name: await aUser(mark, { disabledAt: retiredAt }) }),
  },
  deleteUser: {
    scope: 'admin',
    needs: 'an admin of the platform',
    input: async ({ mark }) => ({ name: await aUser(mark) }),
  },
  createServiceAccount: {
    scope: 'admin',
    needs: 'an admin of the platform',
    input: ({ mark }) => ({ name: mark.toLowerCase(), account: 'northwind', role: 'MEMBER' }),
  },
  updateServiceAccount: {
    scope: 'admin',
    needs: 'an admin of the platform',
    input: async ({ mark }) => ({ name: await aServiceAccount(mark), displayName: 'Another' }),
  },
  disableServiceAccount: {
    scope: 'admin',
    needs: 'an admin of the platform',
    input: async ({ mark }) => ({ name: await aServiceAccount(mark) }),
  },
  enableServiceAccount: {
    scope: 'admin',
    needs: 'an admin of the platform',
    input: async ({ mark }) => ({ name: await aServiceAccount(mark, { disabledAt: retiredAt }) }),
  },
  deleteServiceAccount: {
    scope: 'admin',
    needs: 'an admin of the platform',
    input: async ({ mark }) => ({ name: await aServiceAccount(mark) }),
  },
  setUserPassword: {
    scope: 'admin',
    needs: 'an admin of the platform',
    input: async ({ mark }) => ({ name: await aUser(mark), password: 'a password that is long enough' }),
  },
  setMember: {
    scope: 'admin',
    needs: 'an admin of the platform',
    input: async ({ mark }) => ({ ...main, name: await aUser(mark), role: 'MEMBER' }),
  },
  revokeAccessToken: {
    scope: 'admin',
    needs: 'an admin of the platform',
    input: async () => ({ tokenId: (await createToken(app, { ...tenant, principalId: memberId }, 'admin')).id }),
  },
  createAccount: {
    scope: 'admin',
    needs: 'an admin of the platform',
    input: ({ mark }) => ({ metadata: { name: `account-${mark.toLowerCase()}` }, plan: 'pro' }),
  },
  deleteAccount: {
    scope: 'admin',
    needs: 'an admin of the platform',
    input: async ({ mark }) => {
      const name = `gone-${mark.toLowerCase()}`;
      await db().account.create({ data: { name, plan: 'free' } });
      return { name };
    },
  },
  createExecutor: {
    scope: 'admin',
    needs: 'an admin of the platform',
    input: ({ mark }) => ({ name: mark.toLowerCase(), regions: ['*'], kinds: ['AGENT'] }),
  },
  updateExecutor: {
    scope: 'admin',
    needs: 'an admin of the platform',
    input: async ({ mark }) => ({ name: await anExecutor(mark), addressRanges: ['203.0.113.0/24'] }),
  },
  revokeExecutor: {
    scope: 'admin',
    needs: 'an admin of the platform',
    input: async ({ mark }) => ({ name: await anExecutor(mark) }),
  },
  deleteExecutor: {
    scope: 'admin',
    needs: 'an admin of the platform',
    input: async ({ mark }) => ({ name: await anExecutor(mark, { revokedAt: retiredAt }) }),
  },
};
