// Members, keys, clients and tokens of any account, as admins of the platform manage them.
import { beforeAll, describe, expect, it } from 'vitest';
import { encodeGlobalId } from '../../src/api/graphql/global-id.js';
import { callEndpoint } from '../api/oauth/visitor.js';
import { createKey, createTenant, createToken, graphql, rest, useApp } from '../harness.js';
import type { Answer, Tenant } from '../harness.js';
import { keyOfSomebody, mutate } from '../resources/mutations.js';

const running = useApp({ PLATFORM_ACCOUNT: 'platform' });
const db = () => running.app.services.db;
let platform: Tenant;
let acme: Tenant;
let globex: Tenant;
let key: string;
/** Keys of callers who are no admins of the platform. */
let others: string[];

beforeAll(async () => {
  const { app } = running;
  platform = await createTenant(app, { account: 'platform', workspaces: ['ops'] });
  acme = await createTenant(app, { account: 'acme', workspaces: ['acme-main'] });
  globex = await createTenant(app, { account: 'globex', workspaces: ['globex-main'] });
  ({ key } = await createKey(app, platform));
  others = [
    (await createKey(app, globex)).key,
    await keyOfSomebody(app, platform, { account: 'viewer' }),
    (await createKey(app, { ...platform, workspaceId: platform.workspaces['ops'] ?? '' })).key,
  ];
});

const change = (mutation: string, fields: string, input: object, by = key) =>
  mutate(running.app, by, mutation, fields, input);

const person = async (name: string): Promise<string> =>
  (await db().principal.create({ data: { kind: 'user', name: `${name}@example.com` } })).name;

/** The records of a subject in the change logs of the account and of the platform. */
async function recorded(name: string, { accountId }: Tenant = acme) {
  const of = async (id: string) =>
    (await db().change.findMany({ where: { accountId: id, name }, orderBy: { sequence: 'asc' } })).map(
      ({ kind, verb, actorName, address }) => ({ change: `${kind} ${verb}`, actorName, address }),
    );
  return { account: await of(accountId), platform: await of(platform.accountId) };
}

const by = (address: string | null, ...changes: string[]) =>
  changes.map((each) => ({ change: each, actorName: 'owner@platform.example.com', address }));

async function list(query: string, by = key): Promise<Answer['body']> {
  return (await graphql(running.app, by, query)).body;
}

const statusWith = async (credential: string) => (await rest(running.app, '/accounts', { key: credential })).status;

describe('A member of any account', () => {
  const fields = 'member { name role isInherited origin }';

  it('is added without an invitation, changed and removed, in both change logs', async () => {
    const name = await person('ada');
    const input = { name: 'Ada@example.com', account: 'acme', role: 'ADMIN' };
    await change('setMember', fields, { ...input, validateOnly: true });
    expect(await db().accountMember.count({ where: { principal: { name } } })).toBe(0);
    const { member } = await change('setMember', fields, input);
    expect(member).toEqual({ name, role: 'ADMIN', isInherited: false, origin: 'MANUAL' });
    await change('setMember', fields, input);
    await change('updateMember', fields, { name, account: 'acme', role: 'VIEWER' });
    expect(await recorded(name)).toEqual({
      account: by(null, 'MEMBER created', 'MEMBER updated'),
      platform: by('127.0.0.1', 'MEMBER created', 'MEMBER updated'),
    });
    expect((await change('removeMember', fields, { name, account: 'acme' })).member.role).toBe('VIEWER');
    expect(await change('removeMember', fields, { name, account: 'acme' })).toMatchObject({
      code: 'not_found',
      message: `${name} is not a member of the account acme.`,
    });
  });

  it('of a workspace is also a member of its account', async () => {
    const name = await person('bob');
    await change('setMember', fields, { name, workspace: 'acme-main', role: 'MEMBER' });
    const roles = async () => [
      await db().accountMember.findMany({ where: { principal: { name } }, select: { accountId: true, role: true } }),
      await db().workspaceMember.findMany({ where: { principal: { name } }, select: { role: true } }),
    ];
    expect(await roles()).toEqual([[{ accountId: acme.accountId, role: 'member' }], [{ role: 'member' }]]);
    await change('removeMember', fields, { name, account: 'acme', workspace: 'acme-main' });
    expect(await roles()).toEqual([[{ accountId: acme.accountId, role: 'member' }], []]);
  });

  it('can be its last admin, whom an admin of the platform replaces', async () => {
    const name = 'owner@globex.example.com';
    expect((await change('removeMember', fields, { name, account: 'globex' })).member.role).toBe('ADMIN');
    expect((await change('setMember', fields, { name, account: 'globex', role: 'ADMIN' })).member.role).toBe('ADMIN');
    ({ key: others[0] = '' } = await createKey(running.app, globex));
  });

  it.each([
    [{ name: 'nobody@example.com', account: 'acme' }, 'not_found'],
    [{ name: 'nul\0', account: 'acme' }, 'not_found'],
    [{ name: 'owner@acme.example.com', account: 'nowhere' }, 'not_found'],
    [{ name: 'owner@acme.example.com', workspace: 'nul\0' }, 'not_found'],
    [{ name: 'owner@acme.example.com', account: 'acme', workspace: 'globex-main' }, 'conflict'],
  ])('is not added for %j', async (input, code) => {
    expect(await change('setMember', fields, { ...input, role: 'ADMIN' })).toMatchObject({ code });
  });

  it('is managed by no other caller', async () => {
    const before = await db().accountMember.findMany({ orderBy: { principalId: 'asc' } });
    for (const other of others) {
      for (const account of ['acme', 'nowhere']) {
        const input = { name: 'owner@acme.example.com', account };
        for (const mutation of ['setMember', 'updateMember'])
          expect(await change(mutation, fields, { ...input, role: 'VIEWER' }, other)).toMatchObject({
            code: 'forbidden',
          });
        expect(await change('removeMember', fields, input, other)).toMatchObject({ code: 'forbidden' });
      }
    }
    expect(await db().accountMember.findMany({ orderBy: { principalId: 'asc' } })).toEqual(before);
  });
});

describe('An API key of any account', () => {
  const fields = 'apiKey { id name owner accountName workspaceName createdBy revokedAt }';
  const owner = 'owner@acme.example.com';

  it('is created, listed, rotated and revoked, in both change logs', async () => {
    const input = { account: 'acme', owner, name: 'first', scopes: ['admin'] };
    const { apiKey, secret } = await change('createApiKey', `${fields} secret`, input);
    expect(apiKey).toMatchObject({
      owner,
      accountName: 'acme',
      workspaceName: null,
      createdBy: 'owner@platform.example.com',
    });
    expect(await statusWith(secret)).toBe(200);
    const names = async (args: string) => {
      const { data } = await list(`{ apiKeys(${args}) { nodes { name accountName } } }`);
      return data.apiKeys.nodes.map(
        (each: { name: string; accountName: string }) => `${each.accountName} ${each.name}`,
      );
    };
    expect(await names('account: "acme"')).toEqual(['acme first']);
    expect(await names('all: true, search: "first"')).toEqual(['acme first']);
    expect(await names('search: "first"')).toEqual([]);
    expect(await names('account: "acme", workspace: "acme-main"')).toEqual([]);
    const rotated = await change('rotateApiKey', `${fields} secret`, { id: apiKey.id, overlapSeconds: 0 });
    expect(await statusWith(rotated.secret)).toBe(200);
    const { apiKey: revoked } = await change('revokeApiKey', fields, { id: rotated.apiKey.id });
    expect(revoked.revokedAt).toBe(running.app.clock.now.toISOString());
    const changes = ['API_KEY created', 'API_KEY created', 'API_KEY updated', 'API_KEY revoked'];
    expect(await recorded('first')).toEqual({ account: by(null, ...changes), platform: by('127.0.0.1', ...changes) });
  });

  it('is revoked with the key of the platform that created it, and its account has the record', async () => {
    const parent = await change('createApiKey', `${fields} secret`, { name: 'parent', scopes: ['admin'] });
    const input = { account: 'acme', owner, name: 'child', scopes: ['admin'] };
    const { secret } = await change('createApiKey', 'secret', input, parent.secret);
    const ended = await change('revokeApiKey', 'descendants { name accountName }', {
      id: parent.apiKey.id,
      includeDescendants: true,
    });
    expect(ended.descendants).toEqual([{ name: 'child', accountName: 'acme' }]);
    await expect.poll(() => statusWith(secret), { timeout: 2_000, interval: 50 }).toBe(401);
    expect(await recorded('child')).toEqual({
      account: by(null, 'API_KEY created', 'API_KEY revoked'),
      platform: by('127.0.0.1', 'API_KEY created', 'API_KEY revoked'),
    });
  });

  it.each([
    [{}, 'invalid_parameter'],
    [{ owner: 'owner@globex.example.com' }, 'not_found'],
    [{ owner: 'nobody' }, 'not_found'],
    [{ owner, workspace: 'globex-main' }, 'conflict'],
    [{ owner, workspace: 'nowhere' }, 'not_found'],
    [{ owner, account: 'nowhere' }, 'not_found'],
  ])('is not created with %j', async (input, code) => {
    const wrong = { account: 'acme', name: 'wrong', scopes: ['admin'], ...input };
    expect(await change('createApiKey', fields, wrong)).toMatchObject({ code });
    expect(await db().apiKey.count({ where: { name: 'wrong' } })).toBe(0);
  });

  it('is managed by no other caller', async () => {
    const { id } = await createKey(running.app, acme);
    const global = encodeGlobalId('ApiKey', id);
    for (const other of others) {
      const input = { account: 'acme', owner, name: 'mine', scopes: ['admin'] };
      expect(await change('createApiKey', fields, input, other)).toMatchObject({ code: 'forbidden' });
      for (const args of ['all: true', 'account: "acme"', 'account: "nowhere"']) {
        const { data, errors } = await list(`{ apiKeys(${args}) { totalCount } }`, other);
        expect({ data, code: errors[0].extensions.code }).toEqual({ data: { apiKeys: null }, code: 'forbidden' });
      }
      expect((await list(`{ node(id: "${global}") { id } }`, other)).data.node).toBeNull();
      for (const mutation of ['rotateApiKey', 'revokeApiKey'])
        expect((await change(mutation, fields, { id: global }, other)).code).toMatch(/^(forbidden|not_found)$/);
    }
    // Without the scope admin, an admin of the platform manages keys of the own account only.
    const { key: narrow } = await createKey(running.app, { ...platform, scope: 'apiKey:list apiKey:write' });
    expect((await change('revokeApiKey', fields, { id: global }, narrow)).code).toBe('not_found');
    expect((await list(`{ node(id: "${global}") { id } }`, narrow)).data.node).toBeNull();
    expect(await db().apiKey.findUnique({ where: { id } })).toMatchObject({ revokedAt: null, successorId: null });
  });
});

describe('An OAuth client of any account', () => {
  const fields =
    'oauthClient { name displayName accountName owner grants redirectUris isPublic scopes isManagedByOperator revokedAt }';
  const owner = 'owner@acme.example.com';
  const tokenOf = async (name: string, secret: string) =>
    (
      await callEndpoint(running.app, 'token', {
        grant_type: 'client_credentials',
        client_id: name,
        client_secret: secret,
      })
    ).status;

  it('is created, updated, rotated, revoked and deleted, in both change logs', async () => {
    const name = 'acme-meter';
    const input = { account: 'acme', owner, name, scopes: ['agents:list'] };
    const { oauthClient, secret } = await change('createOauthClient', `${fields} secret`, input);
    expect(oauthClient).toMatchObject({ accountName: 'acme', owner, grants: ['CLIENT_CREDENTIALS'], isPublic: false });
    expect(await tokenOf(name, secret)).toBe(200);
    await change('updateOauthClient', fields, { name, displayName: 'Meter' });
    const rotated = await change('rotateOauthClientSecret', 'secret', { name, overlapSeconds: 0 });
    expect([await tokenOf(name, secret), await tokenOf(name, rotated.secret)]).toEqual([401, 200]);
    await change('revokeOauthClient', fields, { name });
    expect((await change('deleteOauthClient', fields, { name })).oauthClient.name).toBe(name);
    const changes = ['created', 'updated', 'updated', 'revoked', 'deleted'].map((verb) => `OAUTH_CLIENT ${verb}`);
    expect(await recorded(name)).toEqual({ account: by(null, ...changes), platform: by('127.0.0.1', ...changes) });
  });

  it('to which users sign in has no account, and the change log of the platform has its changes', async () => {
    const name = 'sign-in-page';
    const redirectUris = ['https://app.example.com/callback'];
    const input = {
      name,
      grants: ['AUTHORIZATION_CODE'],
      redirectUris,
      scopes: ['openid', 'agents:list'],
      isPublic: true,
    };
    const { oauthClient, secret } = await change('createOauthClient', `${fields} secret`, input);
    expect({ ...oauthClient, secret }).toMatchObject({
      accountName: null,
      grants: ['AUTHORIZATION_CODE'],
      redirectUris,
      isPublic: true,
      isManagedByOperator: true,
      scopes: ['openid', 'agents:list'],
      secret: '',
    });
    const moved = ['https://app.example.com/other'];
    const { oauthClient: updated } = await change('updateOauthClient', fields, { name, redirectUris: moved });
    expect(updated.redirectUris).toEqual(moved);
    expect(await change('updateOauthClient', fields, { name, redirectUris: [] })).toMatchObject({
      code: 'invalid_parameter',
    });
    expect(await change('rotateOauthClientSecret', fields, { name })).toMatchObject({ code: 'conflict' });
    const listed = await list('{ oauthClients(all: true, search: "sign-in-page") { nodes { name isPublic } } }');
    expect(listed.data.oauthClients.nodes).toEqual([{ name, isPublic: true }]);
    expect((await list('{ oauthClients { totalCount } }')).data.oauthClients.totalCount).toBe(0);
    await change('deleteOauthClient', fields, { name });
    expect((await recorded(name)).platform.map(({ change: each }) => each)).toEqual([
      'OAUTH_CLIENT created',
      'OAUTH_CLIENT updated',
      'OAUTH_CLIENT deleted',
    ]);
  });

  it.each([
    [{ grants: ['AUTHORIZATION_CODE'] }, 'invalid_parameter'],
    [{ grants: ['DEVICE_CODE'], owner }, 'invalid_parameter'],
    [{ grants: ['DEVICE_CODE'], scopes: ['nonsense'] }, 'invalid_parameter'],
    [{ account: 'acme' }, 'invalid_parameter'],
    [{ account: 'acme', owner: 'owner@globex.example.com' }, 'not_found'],
    [{ account: 'acme', owner, isPublic: true }, 'invalid_parameter'],
    [{ grants: ['AUTHORIZATION_CODE'], redirectUris: ['http://app.example.com/'] }, 'invalid_parameter'],
  ])('is not created with %j', async (input, code) => {
    const wrong = { name: 'wrong', scopes: ['agents:list'], ...input };
    expect(await change('createOauthClient', fields, wrong)).toMatchObject({ code });
    expect(await db().oauthClient.count({ where: { id: 'wrong' } })).toBe(0);
  });

  it('is managed by no other caller', async () => {
    const scopes = ['agents:list'];
    await change('createOauthClient', fields, { account: 'acme', owner, name: 'theirs', scopes });
    const grants = ['DEVICE_CODE'];
    await change('createOauthClient', fields, { name: 'for-users', scopes, grants });
    const before = await db().oauthClient.findMany({ orderBy: { id: 'asc' } });
    for (const other of others) {
      for (const input of [{ account: 'acme', owner }, { account: 'nowhere', owner }, { grants }])
        expect(await change('createOauthClient', fields, { name: 'mine', scopes, ...input }, other)).toMatchObject({
          code: 'forbidden',
        });
      expect((await list('{ oauthClients(all: true) { totalCount } }', other)).data.oauthClients).toBeNull();
      for (const name of ['theirs', 'for-users'])
        for (const mutation of [
          'updateOauthClient',
          'rotateOauthClientSecret',
          'revokeOauthClient',
          'deleteOauthClient',
        ])
          expect((await change(mutation, fields, { name }, other)).code).toMatch(/^(forbidden|not_found)$/);
    }
    expect(await db().oauthClient.findMany({ orderBy: { id: 'asc' } })).toEqual(before);
  });
});

describe('An access token of any account', () => {
  const fields = 'accessToken { tokenId revokedAt }';

  it('is listed and revoked, in both change logs', async () => {
    const { token, id } = await createToken(running.app, acme, 'admin');
    await createToken(running.app, globex, 'admin');
    const query = `{ accessTokens(account: "acme", search: "test") {
      totalCount nodes { tokenId owner accountName workspaceName clientName scopes expiresAt revokedAt } } }`;
    const { accessTokens } = (await list(query)).data;
    expect(accessTokens.nodes).toMatchObject([
      { tokenId: id, owner: 'owner@acme.example.com', accountName: 'acme', clientName: 'test', scopes: ['admin'] },
    ]);
    expect(JSON.stringify(accessTokens)).not.toContain(token);
    expect(await statusWith(token)).toBe(200);
    await change('revokeAccessToken', fields, { tokenId: id, validateOnly: true });
    expect((await change('revokeAccessToken', fields, { tokenId: id })).accessToken.revokedAt).not.toBeNull();
    await change('revokeAccessToken', fields, { tokenId: id });
    await expect.poll(() => statusWith(token), { timeout: 2_000, interval: 50 }).toBe(401);
    const of = await recorded('owner@acme.example.com');
    expect(of.account).toEqual(by(null, 'ACCESS revoked'));
    expect(of.platform).toEqual(by('127.0.0.1', 'ACCESS revoked'));
    for (const unknown of ['nonsense', 'nul\0', '01a1fcec-a6c3-7443-9c60-52b1128c86f4'])
      expect(await change('revokeAccessToken', fields, { tokenId: unknown })).toMatchObject({ code: 'not_found' });
  });

  it('is managed by no other caller', async () => {
    const { token, id } = await createToken(running.app, acme, 'admin');
    for (const other of others) {
      expect((await list('{ accessTokens { totalCount } }', other)).data.accessTokens).toBeNull();
      expect(await change('revokeAccessToken', fields, { tokenId: id }, other)).toMatchObject({ code: 'forbidden' });
    }
    expect(await statusWith(token)).toBe(200);
  });
});
