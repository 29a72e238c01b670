// Ending everything that a person can do, in an account or everywhere.
import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { encodeGlobalId } from '../../src/api/graphql/global-id.js';
import { runCommandLine } from '../../src/cli/run.js';
import { tokenSettings } from '../../src/server/create-services.js';
import { createKey, createTenant, createToken, frozenNow, graphql, rest, useApp } from '../harness.js';
import type { Tenant } from '../harness.js';
import { givePassword, obtainCode, redeem, registerClient, registerService } from '../api/oauth/visitor.js';
import { historyOf, keyOfSomebody, mutate } from '../resources/mutations.js';

const running = useApp({ PLATFORM_ACCOUNT: 'platform' });
const db = () => running.app.services.db;
let count = 0;
let mark: string;
let tenant: Tenant;
let admin: string;
let platform: string;
/** The person who leaves: an admin of the account with a key, a session, a program and a token. */
let leaver: Tenant;
let name: string;

const fields = `name isDisabled memberships apiKeys createdApiKeys oauthClients authorizations accessTokens invitations
  sessions keptAccounts created { kind accountName workspaceName count }`;

const end = (by: string, more: object = {}) => mutate(running.app, by, 'endAccess', fields, { name, ...more });

const statusOf = async (key: string, workspace = `${mark}-main`) =>
  (await rest(running.app, '/agents?limit=1', { key, headers: { 'x-service-workspace': workspace } })).status;

interface Access {
  key: string;
  token: string;
  access: string;
  refresh: () => Promise<string | undefined>;
}

/** What the person can use now. */
async function giveAccess(): Promise<Access> {
  const { app } = running;
  const { key } = await createKey(app, leaver);
  const { token } = await createToken(app, leaver, 'admin');
  const client = await registerClient(app, { id: `${mark}-program` });
  await givePassword(app, `${mark}-leaver`);
  const { code, verifier } = await obtainCode(app, name, { client_id: client.id, scope: 'admin' });
  const { body } = await redeem(app, client, { code, verifier });
  await registerService(app, { ...leaver, workspaceId: null }, { id: `${mark}-ci` });
  const refresh = async () => {
    const response = await fetch(`${app.origin}/v0/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'refresh_token',
        refresh_token: body.refresh_token,
        ...client.credentials,
      }),
    });
    return JSON.parse(await response.text()).error;
  };
  return { key, token, access: body.access_token, refresh };
}

beforeEach(async () => {
  const { app } = running;
  mark = `tenant-${++count}`;
  if (count === 1)
    platform = (await createKey(app, await createTenant(app, { account: 'platform', workspaces: [] }))).key;
  tenant = await createTenant(app, { account: mark, workspaces: [`${mark}-main`, `${mark}-side`] });
  admin = (await createKey(app, tenant)).key;
  name = `owner@${mark}-leaver.example.com`;
  const { id: principalId } = await db().principal.create({ data: { kind: 'user', name } });
  leaver = { ...tenant, principalId };
  await db().accountMember.create({ data: { accountId: tenant.accountId, principalId, role: 'admin' } });
  const workspaceId = tenant.workspaces[`${mark}-side`] ?? '';
  await db().workspaceMember.create({ data: { workspaceId, principalId, role: 'member' } });
});

/** What the person creates: two agents, a sandbox, a webhook, a key of somebody else, and an invitation. */
async function create(by: string): Promise<string> {
  const { app } = running;
  for (const [workspace, agent] of [
    ['main', 'one'],
    ['main', 'two'],
    ['side', 'one'],
  ]) {
    await mutate(app, by, 'createAgent', 'agent { id }', {
      workspace: `${mark}-${workspace}`,
      metadata: { name: agent },
    });
  }
  await mutate(app, by, 'createSandbox', 'sandbox { id }', { workspace: `${mark}-side`, metadata: { name: 'box' } });
  await mutate(app, by, 'createWebhook', 'webhook { id }', { name: 'hook', url: 'https://example.com/in' });
  await mutate(app, by, 'inviteMember', 'invitation { id }', { email: `friend@${mark}.example.com`, role: 'ADMIN' });
  const service = await db().principal.create({ data: { kind: 'service_account', name: `${mark}-service` } });
  await db().accountMember.create({ data: { accountId: tenant.accountId, principalId: service.id, role: 'admin' } });
  const owner = service.name;
  const made = await mutate(app, by, 'createApiKey', 'secret', { name: 'of a service', owner, scopes: ['admin'] });
  expect(made.secret).toMatch(/^wcp_/);
  return made.secret;
}

const created = (...more: object[]) => [
  ...more,
  { kind: 'WEBHOOK', accountName: mark, workspaceName: null, count: 1 },
  { kind: 'AGENT', accountName: mark, workspaceName: `${mark}-main`, count: 2 },
  { kind: 'AGENT', accountName: mark, workspaceName: `${mark}-side`, count: 1 },
  { kind: 'SANDBOX', accountName: mark, workspaceName: `${mark}-side`, count: 1 },
];

const keysOfOthers = () => ({ kind: 'API_KEY', accountName: mark, workspaceName: null, count: 1 });

describe('Ending the access of a member to an account', () => {
  it('ends keys, tokens, authorizations, clients, invitations and memberships within a second', async () => {
    const access = await giveAccess();
    const ofService = await create(access.key);
    const dry = await end(admin, { validateOnly: true });
    expect(await statusOf(access.key)).toBe(200);
    const result = await end(admin);
    expect(result).toEqual({
      __typename: 'EndAccessPayload',
      name,
      isDisabled: false,
      memberships: 2,
      apiKeys: 1,
      createdApiKeys: 0,
      oauthClients: 1,
      authorizations: 1,
      accessTokens: 2,
      invitations: 1,
      sessions: 0,
      keptAccounts: [],
      created: created(keysOfOthers()),
    });
    expect(dry).toEqual(result);
    const statuses = () => Promise.all([access.key, access.token, access.access].map((each) => statusOf(each)));
    await expect.poll(statuses, { timeout: 1_000, interval: 50 }).toEqual([401, 401, 401]);
    expect(await access.refresh()).toBe('invalid_grant');
    expect(await statusOf(ofService)).toBe(200);
    expect(await db().invitation.count({ where: { accountId: tenant.accountId, status: 'pending' } })).toBe(0);
    const [last] = (await historyOf(running.app, tenant)).toReversed();
    expect(last).toMatchObject({ kind: 'MEMBER', verb: 'deleted', name });
    expect(last?.message).toBe(
      `No longer a member of the account ${mark} (2 memberships, 1 API key, 1 OAuth client, 1 authorization, 2 access tokens, 1 invitation)`,
    );
    expect(await end(admin)).toMatchObject({ __typename: 'NotFoundError' });
  });

  it('can revoke the keys of others that the member created, and keys created with these', async () => {
    const { key } = await createKey(running.app, leaver);
    const ofService = await create(key);
    const child = await mutate(running.app, ofService, 'createApiKey', 'secret', { name: 'child', scopes: ['admin'] });
    const result = await end(admin, { revokeCreatedKeys: true });
    expect(result).toMatchObject({ apiKeys: 1, createdApiKeys: 2, created: created() });
    const statuses = () => Promise.all([ofService, child.secret].map((each) => statusOf(each)));
    await expect.poll(statuses, { timeout: 1_000, interval: 50 }).toEqual([401, 401]);
    expect(await statusOf(admin)).toBe(200);
  });

  it('revokes a key that the member rotated, and keeps one with which somebody else replaced a key of the member', async () => {
    const { key } = await createKey(running.app, leaver);
    const ofService = await create(key);
    const owner = `${mark}-service`;
    const input = { name: 'of the admin', owner, scopes: ['admin'] };
    const { secret: ofAdmin } = await mutate(running.app, admin, 'createApiKey', 'secret', input);
    const rotate = async (by: string, where: object): Promise<string> => {
      const { id } = await db().apiKey.findFirstOrThrow({ where: { principal: { name: owner }, ...where } });
      return (await mutate(running.app, by, 'rotateApiKey', 'secret', { id: encodeGlobalId('ApiKey', id) })).secret;
    };
    const byAdmin = await rotate(admin, { createdBy: name });
    const byLeaver = await rotate(key, { name: 'of the admin' });
    expect(await end(admin, { revokeCreatedKeys: true })).toMatchObject({ createdApiKeys: 2 });
    const statuses = () => Promise.all([ofService, byLeaver].map((each) => statusOf(each)));
    await expect.poll(statuses, { timeout: 1_000, interval: 50 }).toEqual([401, 401]);
    expect(await Promise.all([byAdmin, ofAdmin].map((each) => statusOf(each)))).toEqual([200, 200]);
  });

  it('also revokes a key that is created meanwhile with a key of others that the member created', async () => {
    const { key } = await createKey(running.app, leaver);
    await create(key);
    const parent = await db().apiKey.findFirstOrThrow({ where: { createdBy: name } });
    const child = { ...parent, id: randomUUID(), hash: randomBytes(32), createdBy: 'a service', parentId: parent.id };
    // An embedded database has one connection, so there the end of the access begins after this transaction.
    const ending = await db().$transaction(async (tx) => {
      await tx.$queryRaw`SELECT "id" FROM "api_key" WHERE "id" = ${parent.id}::uuid FOR NO KEY UPDATE`;
      await tx.apiKey.create({ data: child });
      const result = end(admin, { revokeCreatedKeys: true });
      await setTimeout(500);
      return { result };
    });
    expect(await ending.result).toMatchObject({ createdApiKeys: 2 });
    expect((await db().apiKey.findUniqueOrThrow({ where: { id: child.id } })).revokedAt).not.toBeNull();
  });

  it('does not count keys and invitations that have expired', async () => {
    const { key } = await createKey(running.app, leaver);
    await create(key);
    const { accountId } = tenant;
    const expired = { expiresAt: new Date(frozenNow.getTime() - 1) };
    await db().invitation.updateMany({ where: { accountId }, data: expired });
    await db().apiKey.updateMany({ where: { accountId, createdBy: name }, data: expired });
    const result = await end(admin, { revokeCreatedKeys: true });
    expect(result).toMatchObject({ apiKeys: 1, createdApiKeys: 0, invitations: 0 });
  });

  it('finds the keys that the member created under an earlier name', async () => {
    const { key } = await createKey(running.app, leaver);
    const ofService = await create(key);
    const newName = `renamed@${mark}-leaver.example.com`;
    await mutate(running.app, platform, 'updateUser', 'user { name }', { name, newName });
    const result = await mutate(running.app, admin, 'endAccess', fields, { name: newName, revokeCreatedKeys: true });
    expect(result).toMatchObject({ name: newName, createdApiKeys: 1 });
    await expect.poll(() => statusOf(ofService), { timeout: 1_000, interval: 50 }).toBe(401);
  });

  it('finds the keys that the member created by an index, as does a new name', async () => {
    const { statements } = running.app;
    await createKey(running.app, leaver);
    statements.length = 0;
    const newName = `renamed@${mark}-leaver.example.com`;
    await mutate(running.app, platform, 'updateUser', 'user { name }', { name, newName });
    await mutate(running.app, admin, 'endAccess', fields, { name: newName, revokeCreatedKeys: true });
    const [renaming = '', ending = ''] = statements.filter((sql) => /^\s*(UPDATE|WITH).*"created_by" = /s.test(sql));
    await db().$transaction(async (tx) => {
      await tx.$executeRaw`SET LOCAL enable_seqscan = off`;
      for (const [sql, values] of [
        [renaming, [newName, name]],
        [ending, [name, null, null, frozenNow]],
      ] as const) {
        const plan = await tx.$queryRawUnsafe(`EXPLAIN ${sql}`, ...values);
        expect(JSON.stringify(plan)).toContain('api_key_created_by_idx');
      }
    });
  });

  it('keeps the access to other accounts, and their sessions', async () => {
    const other = await createTenant(running.app, { account: `${mark}-other`, workspaces: [`${mark}-elsewhere`] });
    const { principalId } = leaver;
    await db().accountMember.create({ data: { accountId: other.accountId, principalId, role: 'member' } });
    const { key } = await createKey(running.app, { ...other, principalId });
    await giveAccess();
    expect(await end(admin)).toMatchObject({ sessions: 0, memberships: 2 });
    expect(await db().signInSession.count({ where: { principalId } })).toBe(1);
    expect((await graphql(running.app, key, '{ viewer { name } }')).status).toBe(200);
  });

  it('is for admins of the account, not for oneself, and not for the last admin', async () => {
    const member = await keyOfSomebody(running.app, tenant, {
      account: 'member',
      workspace: `${mark}-main`,
      role: 'admin',
    });
    expect(await end(member)).toMatchObject({ __typename: 'ForbiddenError' });
    const stranger = await createTenant(running.app, { account: `${mark}-stranger`, workspaces: [] });
    const { key } = await createKey(running.app, stranger);
    expect(await end(key)).toMatchObject({ __typename: 'NotFoundError' });
    expect(await end(admin, { name: `owner@${mark}.example.com` })).toMatchObject({ __typename: 'InvalidInputError' });
    for (const unknown of ['nobody@example.com', '', 'a\u0000b', 'x'.repeat(5_000)]) {
      expect(await end(admin, { name: unknown })).toMatchObject({ __typename: 'NotFoundError' });
    }
    await db().accountMember.deleteMany({ where: { accountId: tenant.accountId, principalId: tenant.principalId } });
    await db().accountMember.create({
      data: { accountId: tenant.accountId, principalId: tenant.principalId, role: 'viewer' },
    });
    const service = await db().principal.create({ data: { kind: 'service_account', name: `${mark}-boss` } });
    await db().accountMember.create({ data: { accountId: tenant.accountId, principalId: service.id, role: 'admin' } });
    const boss = await createKey(running.app, { ...tenant, principalId: service.id });
    expect(await end(boss.key)).toMatchObject({ __typename: 'ConflictError', code: 'last_admin' });
  });
});

describe('Ending the access everywhere', () => {
  it('disables the user, and ends sessions and all accounts, except the membership of a last admin', async () => {
    const access = await giveAccess();
    await create(access.key);
    const { principalId } = leaver;
    const only = await createTenant(running.app, { account: `${mark}-only`, workspaces: [`${mark}-lonely`] });
    await db().accountMember.deleteMany({ where: { accountId: only.accountId } });
    await db().accountMember.create({ data: { accountId: only.accountId, principalId, role: 'admin' } });
    // With the membership of the account, those of its workspaces are kept.
    const lonely = { workspaceId: only.workspaces[`${mark}-lonely`] ?? '', principalId };
    await db().workspaceMember.create({ data: { ...lonely, role: 'member' } });
    const { key: onlyKey } = await createKey(running.app, { ...only, principalId });
    for (const by of [admin, access.key]) {
      expect(await end(by, { everywhere: true })).toMatchObject({
        __typename: by === admin ? 'ForbiddenError' : 'InvalidInputError',
      });
    }
    expect(await end(platform, { everywhere: true })).toMatchObject({
      isDisabled: true,
      memberships: 2,
      apiKeys: 2,
      sessions: 1,
      authorizations: 1,
      keptAccounts: [`${mark}-only`],
      created: created(keysOfOthers()),
    });
    const statuses = () =>
      Promise.all([access.key, access.token, access.access, onlyKey].map((each) => statusOf(each, `${mark}-lonely`)));
    await expect.poll(statuses, { timeout: 1_000, interval: 50 }).toEqual([401, 401, 401, 401]);
    expect(await access.refresh()).toBe('invalid_grant');
    expect(await db().signInSession.count({ where: { principalId } })).toBe(0);
    // An admin of the account sees who did it, and not from where.
    const [last] = (await historyOf(running.app, tenant)).toReversed();
    expect(last).toMatchObject({ kind: 'USER', name, actorName: 'owner@platform.example.com', address: null });
    // Enabled again, the user has nothing back but the membership that was kept.
    await db().principal.update({ where: { id: principalId }, data: { disabledAt: null } });
    await expect.poll(statuses, { timeout: 1_500, interval: 50 }).toEqual([401, 401, 401, 401]);
    expect(await db().accountMember.count({ where: { principalId } })).toBe(1);
  });

  it('works from the command line, in one account or everywhere, with a dry run', async () => {
    const { key } = await createKey(running.app, leaver);
    await create(key);
    const context = { ...running.app.services, tokens: tokenSettings(running.app.config), folder: '.' };
    const run = async (line: string) => {
      const { stdout, stderr, exitCode } = await runCommandLine(context, line.split(' '));
      expect([exitCode, stderr]).toEqual([0, '']);
      return stdout;
    };
    const counts = await run(`users end-access ${name} --account ${mark} --dry-run`);
    expect(counts).toMatch(/^ended: memberships .*\b2\s*$/m);
    expect(counts).toMatch(/^created: AGENT .*-main .*\b2\s*$/m);
    expect(await statusOf(key)).toBe(200);
    await run(`users end-access ${name}`);
    await expect.poll(() => statusOf(key), { timeout: 1_000, interval: 50 }).toBe(401);
    expect((await db().principal.findUniqueOrThrow({ where: { name } })).disabledAt).not.toBeNull();
    const unknown = await runCommandLine(context, ['users', 'end-access', 'nobody@example.com']);
    expect(unknown).toMatchObject({ exitCode: 1 });
  });
});
