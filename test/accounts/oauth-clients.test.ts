// OAuth clients that act for a principal of an account: management by its members, and attacks by others.
import { setTimeout } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { findClient } from '../../src/auth/grants/oauth-client.js';
import { grantToClient } from '../../src/auth/grants/token-grant.js';
import { endMembership } from '../../src/auth/membership.js';
import { insertClient } from '../../src/auth/stored-client.js';
import { tokenSettings } from '../../src/server/create-services.js';
import { callEndpoint } from '../api/oauth/visitor.js';
import { createKey, createTenant, frozenNow, graphql, rest, useApp } from '../harness.js';
import type { Answer, Tenant } from '../harness.js';
import { keyOfSomebody, mutate } from '../resources/mutations.js';

const running = useApp();
const db = () => running.app.services.db;
let count = 0;
let mark: string;
let tenant: Tenant;
let other: Tenant;
let admin: string;
let stranger: string;

const fields = `oauthClient { name displayName scopes owner ownerKind isManagedByOperator account { name }
  workspace { name } createdAt previousSecretExpiresAt revokedAt }`;

beforeEach(async () => {
  mark = `c${count++}`;
  tenant = await createTenant(running.app, { account: mark, workspaces: [`${mark}-main`, `${mark}-lab`] });
  other = await createTenant(running.app, { account: `${mark}-other`, workspaces: [`${mark}-elsewhere`] });
  ({ key: admin } = await createKey(running.app, tenant));
  ({ key: stranger } = await createKey(running.app, other));
});

async function act(key: string, mutation: string, input: object): Promise<Answer['body']> {
  const selected = /^(create|rotate)/.test(mutation) ? `${fields} secret` : fields;
  return mutate(running.app, key, mutation, selected, input);
}

const create = (input: object = {}, key = admin) =>
  act(key, 'createOauthClient', { name: mark, scopes: ['agents:list'], ...input });

async function listed(key = admin, args = ''): Promise<Answer['body']> {
  const { body } = await graphql(
    running.app,
    key,
    `{ oauthClients${args} { totalCount nodes { name workspace { name } isManagedByOperator revokedAt } } }`,
  );
  expect(body.errors).toBeUndefined();
  return body.data.oauthClients;
}

const names = async (key = admin, args = ''): Promise<string[]> =>
  (await listed(key, args)).nodes.map(({ name }: { name: string }) => name);

/** A token of a client, if its secret gets one. */
async function tokenOf(secret: string, name = mark): Promise<Answer> {
  const form = { grant_type: 'client_credentials', client_id: name, client_secret: secret };
  return callEndpoint(running.app, 'token', form);
}

const statusWith = async (token: string) =>
  (await rest(running.app, '/agents', { key: token, headers: { 'x-service-workspace': `${mark}-main` } })).status;

async function serviceAccount(name: string, workspace?: string): Promise<string> {
  const { id: principalId } = await db().principal.create({ data: { kind: 'service_account', name } });
  await db().accountMember.create({ data: { accountId: tenant.accountId, principalId, role: 'member' } });
  const workspaceId = tenant.workspaces[workspace ?? ''];
  if (workspaceId !== undefined) {
    await db().workspaceMember.create({ data: { workspaceId, principalId, role: 'member' } });
  }
  return principalId;
}

const workspaceAdmin = (workspace: string) =>
  keyOfSomebody(running.app, tenant, { account: 'member', workspace, role: 'admin' });

describe('A client', () => {
  it('is registered, and exchanges its secret for tokens with its scopes', async () => {
    await serviceAccount(`${mark}-bot`, `${mark}-main`);
    const made = await create({ owner: `${mark}-bot`, workspace: `${mark}-main`, displayName: 'The bot' });
    expect(made.oauthClient).toEqual({
      name: mark,
      displayName: 'The bot',
      scopes: ['agents:list'],
      owner: `${mark}-bot`,
      ownerKind: 'SERVICE_ACCOUNT',
      isManagedByOperator: false,
      account: { name: mark },
      workspace: { name: `${mark}-main` },
      createdAt: running.app.clock.now.toISOString(),
      previousSecretExpiresAt: null,
      revokedAt: null,
    });
    const { body } = await tokenOf(made.secret);
    expect(body).toMatchObject({ scope: 'agents:list', token_type: 'Bearer' });
    expect(await statusWith(body.access_token)).toBe(200);
    expect((await tokenOf(`${made.secret}x`)).body.error).toBe('invalid_client');
    const stored = JSON.stringify(await db().oauthClient.findMany({ where: { id: mark } }));
    expect(stored).not.toContain(made.secret);
  });

  it('keeps the omitted fields in an update', async () => {
    const { secret } = await create();
    const changed = await act(admin, 'updateOauthClient', { name: mark, scopes: ['jobs:get', 'agents:get'] });
    expect(changed.oauthClient).toMatchObject({ displayName: mark, scopes: ['agents:get', 'jobs:get'] });
    const named = await act(admin, 'updateOauthClient', { name: mark, displayName: 'Named' });
    expect(named.oauthClient).toMatchObject({ displayName: 'Named', scopes: ['agents:get', 'jobs:get'] });
    expect((await tokenOf(secret)).body.scope).toBe('agents:get jobs:get');
  });

  it('gets another secret; both work for the requested overlap', async () => {
    const { app } = running;
    const { now } = app.clock;
    const { secret: first } = await create();
    const { secret: second, oauthClient } = await act(admin, 'rotateOauthClientSecret', {
      name: mark,
      overlapSeconds: 60,
    });
    expect(oauthClient.previousSecretExpiresAt).toBe(new Date(now.getTime() + 60_000).toISOString());
    for (const secret of [first, second]) expect((await tokenOf(secret)).status).toBe(200);
    app.clock.now = new Date(now.getTime() + 60_000);
    expect((await tokenOf(first)).body.error).toBe('invalid_client');
    expect((await tokenOf(second)).status).toBe(200);
    app.clock.now = now;
    const { secret: third } = await act(admin, 'rotateOauthClientSecret', { name: mark, overlapSeconds: 0 });
    expect((await tokenOf(second)).body.error).toBe('invalid_client');
    expect((await tokenOf(third)).status).toBe(200);
    for (const overlapSeconds of [-1, 2_592_001]) {
      const refused = await act(admin, 'rotateOauthClientSecret', { name: mark, overlapSeconds });
      expect(refused).toMatchObject({ code: 'invalid_parameter' });
    }
  });

  it('loses its tokens when it is revoked; its name is free after deletion', async () => {
    const { secret } = await create();
    const { access_token: token } = (await tokenOf(secret)).body;
    expect(await statusWith(token)).toBe(200);
    const revoked = await act(admin, 'revokeOauthClient', { name: mark });
    expect(revoked.oauthClient.revokedAt).not.toBeNull();
    await expect.poll(() => statusWith(token), { timeout: 30_000, interval: 50 }).toBe(401);
    expect((await tokenOf(secret)).body.error).toBe('invalid_client');
    expect(await act(admin, 'revokeOauthClient', { name: mark })).toEqual(revoked);
    expect(await act(admin, 'rotateOauthClientSecret', { name: mark })).toMatchObject({ code: 'conflict' });
    expect(await create()).toMatchObject({ code: 'name_taken' });
    expect((await act(admin, 'deleteOauthClient', { name: mark })).oauthClient.name).toBe(mark);
    expect(await act(admin, 'deleteOauthClient', { name: mark })).toMatchObject({ code: 'not_found' });
    const again = await create();
    expect((await tokenOf(again.secret)).status).toBe(200);
    expect((await tokenOf(secret)).body.error).toBe('invalid_client');
  });

  it('gets no token from a request that began before it was revoked', async () => {
    await create();
    const { services, config } = running.app;
    const client = await findClient(db(), mark, config.PUBLIC_URL);
    if (client === undefined) throw new Error('the client does not exist');
    await act(admin, 'revokeOauthClient', { name: mark });
    const issuer = { ...services, tokens: tokenSettings(config) };
    await expect(grantToClient(issuer, client, undefined)).rejects.toMatchObject({
      code: 'invalid_client',
    });
    expect(await db().accessToken.count({ where: { clientId: mark } })).toBe(0);
  });

  it('cannot be changed once it is revoked', async () => {
    await create();
    await act(admin, 'revokeOauthClient', { name: mark });
    for (const mutation of ['rotateOauthClientSecret', 'updateOauthClient'])
      expect(await act(admin, mutation, { name: mark })).toMatchObject({ code: 'conflict' });
  });

  it('is not created with a key that was just revoked', async () => {
    const { key, id } = await createKey(running.app, tenant);
    expect(await names(key)).toEqual([]);
    await db().apiKey.update({ where: { id }, data: { revokedAt: running.app.clock.now } });
    const input = { name: mark, scopes: ['agents:list'] };
    const document = 'mutation ($input: CreateOauthClientInput!) { createOauthClient(input: $input) { __typename } }';
    const { body } = await graphql(running.app, key, document, { input });
    expect(JSON.stringify(body)).toMatch(/UnauthorizedError|"unauthorized"/);
    expect(await names()).toEqual([]);
  });

  it('ends with the membership of its principal, and does not return with it', async () => {
    const { now } = running.app.clock;
    const principalId = await serviceAccount(`${mark}-bot`, `${mark}-main`);
    const { secret } = await create({ owner: `${mark}-bot` });
    const { accountId } = tenant;
    await db().$transaction((tx) => endMembership(tx, { accountId, workspaceId: null }, principalId, now));
    await db().accountMember.create({ data: { accountId, principalId, role: 'member' } });
    expect((await tokenOf(secret)).body.error).toBe('invalid_client');
  });

  it('gets no token while its principal is deleted', async () => {
    const principalId = await serviceAccount(`${mark}-bot`, `${mark}-main`);
    const { secret } = await create({ owner: `${mark}-bot` });
    const granted = await db().$transaction(async (tx) => {
      await tx.$queryRaw`SELECT "id" FROM "principal" WHERE "id" = ${principalId}::uuid FOR UPDATE`;
      const granting = tokenOf(secret);
      // On a server, the grant has locked the client by now, and waits for the principal: a deadlock.
      await setTimeout(300);
      await tx.principal.delete({ where: { id: principalId } });
      return { granting };
    });
    expect((await granted.granting).body.error).toBe('invalid_client');
  });

  it('is recorded at each step in the change log of its account, without its secrets', async () => {
    const { secret } = await create({ workspace: `${mark}-main` });
    const { secret: next } = await act(admin, 'rotateOauthClientSecret', { name: mark });
    await act(admin, 'updateOauthClient', { name: mark, displayName: 'Named' });
    await act(admin, 'updateOauthClient', { name: mark, displayName: 'Named' });
    await act(admin, 'revokeOauthClient', { name: mark });
    await act(admin, 'deleteOauthClient', { name: mark });
    const query =
      '{ changes(filter: {kinds: [OAUTH_CLIENT]}) { nodes { action name workspaceName fields actor { name } before after } } }';
    const { body } = await graphql(running.app, admin, query);
    expect(body.errors).toBeUndefined();
    const told = body.data.changes.nodes.map(
      ({ action, name, workspaceName, fields: changed, actor }: Answer['body']) => [
        action,
        name,
        workspaceName,
        changed,
        actor.name,
      ],
    );
    const owner = `owner@${mark}.example.com`;
    const at = `${mark}-main`;
    expect(told).toEqual([
      ['CREATED', mark, at, [], owner],
      ['UPDATED', mark, at, ['previousSecretEndsAt', 'secret'], owner],
      ['UPDATED', mark, at, ['displayName'], owner],
      ['REVOKED', mark, at, ['revokedAt'], owner],
      ['DELETED', mark, at, [], owner],
    ]);
    for (const each of [secret, next, 'hash']) expect(JSON.stringify(body)).not.toContain(each);
    const { body: others } = await graphql(running.app, stranger, query);
    expect(others.data.changes.nodes).toEqual([]);
  });

  it.each([
    [{ name: 'Not A Name' }, 'invalid_input'],
    [{ name: '' }, 'invalid_input'],
    [{ name: 'x'.repeat(50) }, 'invalid_input'],
    [{ name: 'a\0b' }, 'invalid_input'],
    [{ displayName: 'x'.repeat(64) }, 'invalid_input'],
    [{ scopes: [] }, 'invalid_parameter'],
    [{ scopes: ['agents:fly'] }, 'invalid_parameter'],
    [{ scopes: ['models:list'] }, 'invalid_parameter'],
    [{ scopes: ['openid'] }, 'invalid_parameter'],
    [{ owner: 'nobody' }, 'not_found'],
    [{ workspace: 'nowhere' }, 'forbidden'],
    [{ name: 'command-line' }, 'name_taken'],
    [{ name: 'console' }, 'name_taken'],
    [{ name: 'graphiql' }, 'name_taken'],
  ])('rejects %j', async (input, code) => {
    expect(await create(input)).toMatchObject({ code });
    expect(await names()).toEqual([]);
  });

  it('is listed by name and by creation time, page by page', async () => {
    const made = ['b', 'a', 'c'].map((letter) => `${mark}-${letter}`);
    for (const [index, name] of made.entries()) {
      await create({ name });
      await db().oauthClient.update({ where: { id: name }, data: { createdAt: new Date(1_700_000_000_000 + index) } });
    }
    const pages = async (field: string, direction: string) => {
      const found: string[] = [];
      for (let after = ''; ;) {
        const query = `{ oauthClients(first: 1, orderBy: { field: ${field}, direction: ${direction} }${after}) { edges { node { name } } pageInfo { hasNextPage endCursor } } }`;
        const { body } = await graphql(running.app, admin, query);
        const { edges, pageInfo } = body.data.oauthClients;
        found.push(...edges.map(({ node }: Answer['body']) => node.name));
        if (!pageInfo.hasNextPage) return found;
        after = `, after: "${pageInfo.endCursor}"`;
      }
    };
    expect(await pages('NAME', 'ASC')).toEqual(made.toSorted());
    expect(await pages('NAME', 'DESC')).toEqual(made.toSorted().toReversed());
    expect(await pages('CREATED_AT', 'ASC')).toEqual(made);
    expect(await pages('CREATED_AT', 'DESC')).toEqual(made.toReversed());
    expect(await names(admin, `(search: "${mark}-b")`)).toEqual([`${mark}-b`]);
  });
});

describe('Permission to manage clients', () => {
  it('is denied to callers of another account', async () => {
    await create();
    expect(await names(stranger)).toEqual([]);
    for (const mutation of ['update', 'revoke', 'delete']) {
      const answer = await act(stranger, `${mutation}OauthClient`, { name: mark });
      expect(answer).toMatchObject({ code: 'not_found' });
      // As of one that there is none of.
      const nobody = await act(stranger, `${mutation}OauthClient`, { name: 'nobody' });
      expect(answer.message.replace(mark, 'nobody')).toBe(nobody.message);
    }
    expect(await act(stranger, 'rotateOauthClientSecret', { name: mark })).toMatchObject({ code: 'not_found' });
    // Names are of all accounts, as those of workspaces are.
    expect(await create({}, stranger)).toMatchObject({ code: 'name_taken' });
    expect(await names()).toEqual([mark]);
  });

  it('requires an admin of the account or, for clients of a workspace, an admin of the workspace', async () => {
    const ofMain = await workspaceAdmin(`${mark}-main`);
    const ofLab = await workspaceAdmin(`${mark}-lab`);
    const member = await keyOfSomebody(running.app, tenant, {
      account: 'member',
      workspace: `${mark}-main`,
      role: 'member',
    });
    await create({ name: `${mark}-all` });
    expect(await create({}, ofMain)).toMatchObject({ code: 'forbidden' });
    expect(await create({ workspace: `${mark}-lab` }, ofMain)).toMatchObject({ code: 'forbidden' });
    const { oauthClient, secret } = await create({ workspace: `${mark}-main`, scopes: ['admin'] }, ofMain);
    expect(oauthClient.workspace.name).toBe(`${mark}-main`);
    // It is confined like the key of an admin of that workspace only.
    const { access_token: token } = (await tokenOf(secret)).body;
    expect(await names(token)).toEqual([mark]);
    expect(await names(ofMain)).toEqual([mark]);
    expect(await names(admin, '(orderBy: { field: NAME, direction: ASC })')).toEqual([mark, `${mark}-all`]);
    expect(await names(admin, `(workspace: "${mark}-main")`)).toEqual([mark]);
    for (const key of [ofLab, member]) {
      expect(await names(key)).toEqual([]);
      expect(await act(key, 'revokeOauthClient', { name: mark })).toMatchObject({ code: 'not_found' });
      expect(await create({ workspace: `${mark}-main` }, key)).toMatchObject({ code: 'forbidden' });
    }
    expect(await act(ofMain, 'deleteOauthClient', { name: `${mark}-all` })).toMatchObject({ code: 'not_found' });
  });

  it('does not allow taking over the client of another owner, but allows revoking it', async () => {
    const ofMain = await workspaceAdmin(`${mark}-main`);
    await create({ workspace: `${mark}-main` });
    for (const mutation of ['rotateOauthClientSecret', 'updateOauthClient']) {
      const answer = await act(ofMain, mutation, { name: mark });
      expect(answer).toMatchObject({ code: 'forbidden', message: expect.stringContaining('acts as') });
    }
    expect((await act(ofMain, 'revokeOauthClient', { name: mark })).oauthClient.revokedAt).not.toBeNull();
  });

  it('does not exceed the scopes of the credential', async () => {
    const { key: confined } = await createKey(running.app, {
      ...tenant,
      workspaceId: tenant.workspaces[`${mark}-main`] ?? '',
    });
    expect(await create({}, confined)).toMatchObject({ code: 'forbidden' });
    const { key: local } = await createKey(running.app, { ...tenant, addressRanges: ['127.0.0.0/8', '::1/128'] });
    expect(await create({}, local)).toMatchObject({
      code: 'forbidden',
      message: expect.stringContaining('from any address'),
    });
    await create();
    expect(await act(local, 'rotateOauthClientSecret', { name: mark })).toMatchObject({ code: 'forbidden' });
    const { key: narrow } = await createKey(running.app, { ...tenant, scope: 'agents:list apiKey:write' });
    expect(await create({ name: `${mark}-x` }, narrow)).toMatchObject({ code: 'forbidden' });
    // An admin of the account registers clients that act as one.
    const bot = await serviceAccount(`${mark}-boss`);
    await db().accountMember.updateMany({ where: { principalId: bot }, data: { role: 'admin' } });
    const ofMain = await workspaceAdmin(`${mark}-main`);
    const asBoss = { name: `${mark}-y`, workspace: `${mark}-main`, owner: `${mark}-boss` };
    expect(await create(asBoss, ofMain)).toMatchObject({ code: 'forbidden' });
    await create(asBoss);
    for (const mutation of ['rotateOauthClientSecret', 'updateOauthClient']) {
      const refused = { code: 'forbidden', message: expect.stringContaining('acts as an admin') };
      expect(await act(ofMain, mutation, { name: asBoss.name })).toMatchObject(refused);
    }
  });

  it('requires a credential without expiry, because client secrets do not expire', async () => {
    const { key } = await createKey(running.app, { ...tenant, expiresAt: new Date(frozenNow.getTime() + 600_000) });
    const refused = {
      __typename: 'ForbiddenError',
      message: expect.stringContaining('expire by 2026-11-20T12:10:00.000Z'),
    };
    expect(await create({}, key)).toMatchObject(refused);
    expect(await names()).toEqual([]);
    await create();
    expect(await act(key, 'rotateOauthClientSecret', { name: mark })).toMatchObject(refused);
    const change = (more: object) => act(key, 'updateOauthClient', { name: mark, ...more });
    expect(await change({ scopes: ['agents:list', 'jobs:list'] })).toMatchObject(refused);
    const renamed = await change({ scopes: ['agents:list'], displayName: 'Renamed' });
    expect(renamed.oauthClient).toMatchObject({ displayName: 'Renamed' });
  });

  it('for clients that users sign in to belongs to the operator; the account can only read them', async () => {
    const { accountId, principalId } = tenant;
    await insertClient(
      db(),
      {
        id: mark,
        displayName: 'Both',
        isPublic: false,
        grantTypes: ['authorization_code', 'client_credentials'],
        redirectUris: ['https://app.example.com/callback'],
        scope: 'agents:list',
        owner: { accountId, principalId, workspaceId: null },
      },
      running.app.clock.now,
    );
    expect((await listed()).nodes).toMatchObject([{ name: mark, isManagedByOperator: true }]);
    for (const mutation of ['updateOauthClient', 'rotateOauthClientSecret', 'revokeOauthClient', 'deleteOauthClient']) {
      expect(await act(admin, mutation, { name: mark })).toMatchObject({ code: 'forbidden' });
    }
  });
});
