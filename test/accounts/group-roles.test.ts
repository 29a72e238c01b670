// Group roles, the identity providers of an account, and the requirement of one, by its admins.
import { beforeAll, describe, expect, it } from 'vitest';
import { groupRolesMax } from '../../src/accounts/group-roles.js';
import { encodeGlobalId } from '../../src/api/graphql/global-id.js';
import { createKey, createTenant, createToken, frozenNow, graphql, useApp } from '../harness.js';
import type { Answer, Tenant } from '../harness.js';
import { keyOfSomebody, mutate } from '../resources/mutations.js';

const running = useApp({
  SIGN_IN_ISSUER: 'http://127.0.0.1:1',
  SIGN_IN_CLIENT_ID: 'control-plane',
  SIGN_IN_CLIENT_SECRET: 'a secret of the provider',
  SIGN_IN_NAME: 'Example Login',
  SIGN_IN_ACCOUNTS: 'northwind',
  SIGN_IN_CREATE_USERS_OF: 'northwind.example',
});
let northwind: Tenant;
let southwind: Tenant;
let owner: string;
let foreigner: string;

const db = () => running.app.services.db;
const fields = 'groupRole { name provider workspaceName role version }';
const group = (name: string, more: object = {}) => ({ provider: 'default', name, role: 'MEMBER', ...more });
const create = (input: object, key = owner) => mutate(running.app, key, 'createGroupRole', fields, input);
const update = (input: object, key = owner) => mutate(running.app, key, 'updateGroupRole', fields, input);
const remove = (input: object, key = owner) => mutate(running.app, key, 'deleteGroupRole', fields, input);
const requireProvider = (requiredSignInProvider: string | null, key = owner, more: object = {}) =>
  mutate(running.app, key, 'updateAccount', 'account { requiredSignInProvider version }', {
    name: 'northwind',
    requiredSignInProvider,
    ...more,
  });

beforeAll(async () => {
  const { app } = running;
  northwind = await createTenant(app, { account: 'northwind', workspaces: ['main', 'side'] });
  southwind = await createTenant(app, { account: 'southwind', workspaces: ['elsewhere'] });
  ({ key: owner } = await createKey(app, northwind));
  ({ key: foreigner } = await createKey(app, southwind));
});

async function listed(key: string, id = northwind.accountId): Promise<Answer['body']> {
  const account = encodeGlobalId('Account', id);
  const query = `query ($id: ID!) { account(id: $id) {
    signInProviders { providerId name issuer domains createsUsersOf groupsClaim }
    groupRoles(orderBy: { field: NAME, direction: ASC }) { totalCount nodes { name provider workspaceName role } } } }`;
  return (await graphql(running.app, key, query, { id: account })).body;
}

describe('A group role', () => {
  it('is created, changed and deleted by an admin of the account, and each step is recorded', async () => {
    expect((await create(group('writers', { workspace: 'main' }))).groupRole).toEqual({
      name: 'writers',
      provider: 'default',
      workspaceName: 'main',
      role: 'MEMBER',
      version: 1,
    });
    const same = { provider: 'default', name: 'writers', workspace: 'main' };
    expect((await update({ ...same, role: 'ADMIN', ifVersion: 1 })).groupRole).toMatchObject({
      role: 'ADMIN',
      version: 2,
    });
    expect((await update({ ...same, role: 'ADMIN' })).groupRole.version).toBe(2);
    expect(await update({ ...same, role: 'VIEWER', ifVersion: 1 })).toMatchObject({ code: 'version_mismatch' });
    expect((await remove({ ...same, ifVersion: 2 })).groupRole.name).toBe('writers');
    expect(await remove(same)).toMatchObject({ code: 'not_found' });
    const changes = await db().change.findMany({
      where: { accountId: northwind.accountId, kind: 'GROUP_ROLE' },
      orderBy: { sequence: 'asc' },
    });
    expect(changes.map(({ verb, name, fields: changed }) => [verb, name, changed])).toEqual([
      ['created', 'writers', []],
      ['updated', 'writers', ['role']],
      ['deleted', 'writers', []],
    ]);
  });

  it('exists once for a group in an account or workspace', async () => {
    await create(group('once'));
    expect(await create(group('once', { role: 'ADMIN' }))).toMatchObject({ code: 'name_taken' });
    expect((await create(group('once', { workspace: 'main' }))).groupRole.workspaceName).toBe('main');
    expect((await create(group('Once'))).groupRole.name).toBe('Once');
    const racing = await Promise.all(Array.from({ length: 6 }, () => create(group('race'))));
    expect(racing.filter(({ code }) => code === undefined)).toHaveLength(1);
  });

  it.each<[string, object, string]>([
    ['an empty name', { name: '' }, 'invalid_input'],
    ['a long name', { name: 'x'.repeat(257) }, 'invalid_input'],
    ['a NUL', { name: 'a\0b' }, 'invalid_input'],
    ['a change of direction', { name: 'a\u202Eb' }, 'invalid_input'],
    ['an unknown provider', { provider: 'nobody' }, 'invalid_parameter'],
    ['a provider with a NUL', { provider: 'default\0' }, 'invalid_parameter'],
    ['a workspace of another account', { workspace: 'elsewhere' }, 'forbidden'],
    ['a workspace that does not exist', { workspace: 'nowhere' }, 'forbidden'],
  ])('is not created with %s', async (_what, more, code) => {
    const before = await db().groupRole.count();
    expect((await create(group('refused', more))).code).toBe(code);
    expect(await db().groupRole.count()).toBe(before);
  });

  it('is neither changed nor found with an impossible name', async () => {
    for (const name of ['a\0b', 'x'.repeat(10_000), '']) {
      expect(await update(group(name))).toMatchObject({ code: 'not_found' });
      expect(await remove({ provider: 'default', name })).toMatchObject({ code: 'not_found' });
    }
  });

  it('is managed by nobody else', async () => {
    await create(group('guarded'));
    const refused = [
      await keyOfSomebody(running.app, northwind, { account: 'viewer' }),
      await keyOfSomebody(running.app, northwind, { account: 'member', workspace: 'main', role: 'admin' }),
      (await createKey(running.app, { ...northwind, workspaceId: northwind.workspaces['main'] ?? '' })).key,
    ];
    for (const key of refused) {
      for (const act of [create, update, remove]) {
        const input = act === remove ? { provider: 'default', name: 'guarded' } : group('guarded');
        expect(await act(input, key)).toMatchObject({ code: 'forbidden' });
      }
      const body = await listed(key);
      expect(JSON.stringify(body)).not.toContain('guarded');
      expect(JSON.stringify(body)).not.toContain('Example Login');
    }
    // The provider does not serve the other account, which sees nothing of the first one.
    expect(await create(group('guarded'), foreigner)).toMatchObject({ code: 'invalid_parameter' });
    expect(await update(group('guarded'), foreigner)).toMatchObject({ code: 'not_found' });
    expect(await remove({ provider: 'default', name: 'guarded' }, foreigner)).toMatchObject({ code: 'not_found' });
    expect(JSON.stringify(await listed(foreigner))).not.toContain('guarded');
    const own = await listed(foreigner, southwind.accountId);
    expect(own.data.account).toEqual({ signInProviders: [], groupRoles: { totalCount: 0, nodes: [] } });
  });

  it('is listed with the providers of the account, without their secrets', async () => {
    await db().groupRole.deleteMany();
    await create(group('b'));
    await create(group('a', { workspace: 'side', role: 'VIEWER' }));
    const body = await listed(owner);
    expect(body.data.account).toEqual({
      signInProviders: [
        {
          providerId: 'default',
          name: 'Example Login',
          issuer: 'http://127.0.0.1:1',
          domains: null,
          createsUsersOf: ['northwind.example'],
          groupsClaim: 'groups',
        },
      ],
      groupRoles: {
        totalCount: 2,
        nodes: [
          { name: 'a', provider: 'default', workspaceName: 'side', role: 'VIEWER' },
          { name: 'b', provider: 'default', workspaceName: null, role: 'MEMBER' },
        ],
      },
    });
    expect(JSON.stringify(body)).not.toContain('secret');
  });

  it('exists up to a limit', async () => {
    await db().groupRole.deleteMany();
    const rows = Array.from({ length: groupRolesMax }, (_, index) => ({
      accountId: northwind.accountId,
      provider: 'default',
      name: `group ${index}`,
      role: 'viewer' as const,
    }));
    await db().groupRole.createMany({ data: rows });
    expect(await create(group('one more'))).toMatchObject({ code: 'conflict', limit: groupRolesMax });
    await db().groupRole.deleteMany();
  });

  it('is deleted with its workspace, and recorded', async () => {
    const { id } = await db().workspace.create({ data: { name: 'short-lived', accountId: northwind.accountId } });
    await db().groupRole.create({
      data: { accountId: northwind.accountId, workspaceId: id, provider: 'default', name: 'gone', role: 'admin' },
    });
    const { key } = await createKey(running.app, northwind);
    await mutate(running.app, key, 'deleteWorkspace', '__typename', { name: 'short-lived' });
    expect(await db().groupRole.count({ where: { name: 'gone' } })).toBe(0);
    const where = { accountId: northwind.accountId, kind: 'GROUP_ROLE', name: 'gone' };
    expect((await db().change.findMany({ where })).map(({ verb }) => verb)).toEqual(['deleted']);
  });
});

describe('The required provider of an account', () => {
  it('is set and removed by an admin of the account, with its version', async () => {
    const set = await requireProvider('default');
    expect(set.account.requiredSignInProvider).toBe('default');
    const { version } = set.account;
    expect(await requireProvider(null, owner, { ifVersion: version - 1 })).toMatchObject({ code: 'version_mismatch' });
    const dry = await requireProvider(null, owner, { validateOnly: true });
    expect(dry.account.requiredSignInProvider).toBeNull();
    const kept = await mutate(running.app, owner, 'updateAccount', 'account { requiredSignInProvider }', {
      name: 'northwind',
      metadata: { displayName: 'Northwind' },
    });
    expect(kept.account.requiredSignInProvider).toBe('default');
    expect((await requireProvider(null)).account.requiredSignInProvider).toBeNull();
    const changes = await db().change.findMany({
      where: { accountId: northwind.accountId, kind: 'ACCOUNT' },
      orderBy: { sequence: 'asc' },
    });
    expect(changes.map(({ fields: changed }) => changed)).toEqual([
      ['requiredSignInProvider'],
      ['displayName'],
      ['requiredSignInProvider'],
    ]);
  });

  it('is a provider that serves the account', async () => {
    for (const id of ['nobody', '', 'default\0']) {
      expect(await requireProvider(id)).toMatchObject({ code: 'invalid_parameter' });
    }
    const input = { name: 'southwind', requiredSignInProvider: 'default' };
    const other = await mutate(running.app, foreigner, 'updateAccount', 'account { name }', input);
    expect(other).toMatchObject({ code: 'invalid_parameter' });
    expect(await requireProvider('default', foreigner)).toMatchObject({ code: 'access_denied' });
    const viewer = await keyOfSomebody(running.app, northwind, { account: 'viewer' });
    expect(await requireProvider('default', viewer)).toMatchObject({ code: 'forbidden' });
  });

  it('cannot be set by an admin who signed in with another', async () => {
    const { app } = running;
    const { token, id } = await createToken(app, northwind, 'admin');
    await db().oauthClient.create({
      data: { id: 'program', displayName: 'A program', scope: 'admin', grantTypes: [], redirectUris: [] },
    });
    const times = { createdAt: frozenNow, lastUsedAt: frozenNow };
    const { accountId, principalId } = northwind;
    const authorization = { clientId: 'program', accountId, principalId, scope: 'admin', ...times };
    const { id: authorizationId } = await db().oauthAuthorization.create({ data: authorization });
    await db().accessToken.update({ where: { id }, data: { authorizationId } });
    expect(await requireProvider('default', token)).toMatchObject({ code: 'forbidden' });
    await db().oauthAuthorization.update({ where: { id: authorizationId }, data: { provider: 'default' } });
    expect((await requireProvider('default', token)).account.requiredSignInProvider).toBe('default');
    expect((await requireProvider(null, token)).account.requiredSignInProvider).toBeNull();
  });
});

describe('A member', () => {
  it('has an origin, which becomes manual when an admin sets the role', async () => {
    const name = 'given@northwind.example';
    const { id: principalId } = await db().principal.create({ data: { kind: 'user', name } });
    const { accountId } = northwind;
    await db().accountMember.create({ data: { accountId, principalId, role: 'viewer', origin: 'provider' } });
    const id = encodeGlobalId('Account', accountId);
    const query = `query ($id: ID!) { account(id: $id) { members(search: "given@") { nodes { origin } } } }`;
    const origins = async () => (await graphql(running.app, owner, query, { id })).body.data.account.members.nodes;
    expect(await origins()).toEqual([{ origin: 'PROVIDER' }]);
    await mutate(running.app, owner, 'updateMember', 'member { role }', { name, role: 'VIEWER' });
    expect(await origins()).toEqual([{ origin: 'MANUAL' }]);
  });
});
