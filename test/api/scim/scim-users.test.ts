// Users that an identity provider provisions with SCIM: what they are, and what ends when they are disabled.
import { beforeAll, describe, expect, it } from 'vitest';
import { createKey, createToken, graphql, rest, useApp } from '../../harness.js';
import { givePassword, registerClient, obtainCode, redeem } from '../oauth/visitor.js';
import { mutate } from '../../resources/mutations.js';
import { createProvider, filtered, patchSchema, scim, userSchema } from './provider.js';
import type { Provider } from './provider.js';

const running = useApp({
  SCIM_DOMAINS: 'acme.example=acme, acme.test=acme, globex.example=globex, solo.example=solo',
  PLATFORM_ACCOUNT: 'acme',
});
const db = () => running.app.services.db;
let acme: Provider;
let globex: Provider;
let count = 0;
const address = (domain = 'acme.example') => `user${++count}@${domain}`;

beforeAll(async () => {
  acme = await createProvider(running.app, 'acme');
  globex = await createProvider(running.app, 'globex');
});

const memberOf = (id: string, { tenant }: Provider) =>
  db().accountMember.findFirst({ where: { accountId: tenant.accountId, principalId: id } });

describe('A provisioned user', () => {
  it('is created as a member of the account, and returned with every attribute', async () => {
    const userName = address();
    const { status, body, headers } = await acme.send('POST', '/Users', {
      schemas: [userSchema, 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'],
      userName,
      externalId: '00u1',
      name: { givenName: 'Ada', familyName: 'Lovelace', honorificPrefix: 'Lady' },
      displayName: 'Ada Lovelace',
      emails: [
        { value: userName, type: 'work', primary: true },
        { value: 'ada@home.example', type: 'home' },
      ],
      nickName: 'Countess',
      password: 'a secret of the provider',
      'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': { department: 'Engines' },
    });
    expect(status).toBe(201);
    expect(headers.get('content-type')).toBe('application/scim+json; charset=utf-8');
    expect(headers.get('etag')).toBe('W/"1"');
    const location = `${running.app.config.PUBLIC_URL}/scim/v2/Users/${body.id}`;
    expect(headers.get('location')).toBe(location);
    expect(body).toEqual({
      schemas: [userSchema],
      id: body.id,
      externalId: '00u1',
      userName,
      name: { givenName: 'Ada', familyName: 'Lovelace' },
      displayName: 'Ada Lovelace',
      emails: [
        { value: userName, type: 'work', primary: true },
        { value: 'ada@home.example', type: 'home' },
      ],
      active: true,
      groups: [],
      meta: {
        resourceType: 'User',
        created: '2026-11-20T12:00:00.000Z',
        lastModified: '2026-11-20T12:00:00.000Z',
        location,
        version: 'W/"1"',
      },
    });
    expect((await acme.send('GET', `/Users/${body.id}`)).body).toEqual(body);
    expect(await memberOf(body.id, acme)).toMatchObject({ role: 'member', origin: 'provider' });
    expect(await db().principal.findUnique({ where: { id: body.id } })).toMatchObject({
      name: userName,
      displayName: 'Ada Lovelace',
      kind: 'user',
      disabledAt: null,
    });
    const stored = JSON.stringify(await db().provisionedUser.findFirst({ where: { principalId: body.id } }));
    expect(stored).not.toContain('a secret');
    const changes = await db().change.findMany({ where: { resourceId: body.id }, orderBy: { sequence: 'asc' } });
    expect(changes.map(({ kind, verb, actorName, api, message }) => [kind, verb, actorName, api, message])).toEqual([
      ['USER', 'created', 'acme-directory', 'scim', 'Created'],
      ['USER', 'updated', 'acme-directory', 'scim', 'Provisioned by the identity provider'],
      ['MEMBER', 'created', 'acme-directory', 'scim', 'member of the account acme, by the identity provider'],
    ]);
  });

  it('takes over a member who exists, and keeps the role that a person gave', async () => {
    const userName = address();
    const principal = await db().principal.create({ data: { kind: 'user', name: userName } });
    await db().accountMember.create({
      data: { accountId: acme.tenant.accountId, principalId: principal.id, role: 'admin' },
    });
    expect((await acme.send('GET', filtered('/Users', `userName eq "${userName}"`))).body.totalResults).toBe(0);
    const created = await acme.create(userName.toUpperCase());
    expect(created).toMatchObject({ id: principal.id, userName: userName.toUpperCase(), active: true });
    expect(await memberOf(principal.id, acme)).toMatchObject({ role: 'admin', origin: 'manual' });
    await acme.patch(`/Users/${principal.id}`, { op: 'replace', path: 'active', value: false });
    expect(await memberOf(principal.id, acme)).toBeNull();
  });

  it('exists once: a repeated creation gets 409 uniqueness', async () => {
    const userName = address();
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => acme.send('POST', '/Users', { schemas: [userSchema], userName })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409]);
    const refused = answers.find(({ status }) => status === 409);
    expect(refused?.body).toMatchObject({
      schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
      status: '409',
      scimType: 'uniqueness',
    });
    const again = await acme.send('POST', '/Users', { schemas: [userSchema], userName: ` ${userName.toUpperCase()}` });
    expect(again.status).toBe(409);
    const robot = await acme.send('POST', '/Users', { schemas: [userSchema], userName: 'acme-directory' });
    expect(robot.body).toMatchObject({ status: '400', scimType: 'invalidValue' });
  });

  it('is replaced by PUT, which clears absent attributes and leaves active as it was', async () => {
    const userName = address();
    const { id } = await acme.create(userName, { displayName: 'Before', externalId: 'x', active: false });
    const { status, body } = await acme.send('PUT', `/Users/${id}`, {
      schemas: [userSchema],
      userName,
      name: { formatted: 'After' },
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({ name: { formatted: 'After' }, active: false, meta: { version: 'W/"2"' } });
    expect(body.displayName).toBeUndefined();
    expect(body.externalId).toBeUndefined();
    expect((await db().principal.findUnique({ where: { id } }))?.displayName).toBe('After');
  });

  it('changes nothing, and is not recorded, when a request is repeated', async () => {
    const { id } = await acme.create(address());
    const disable = () => acme.patch(`/Users/${id}`, { op: 'replace', value: { active: false } });
    const first = await disable();
    const recorded = await db().change.count({ where: { resourceId: id } });
    const second = await disable();
    expect(second.body).toEqual(first.body);
    expect(await db().change.count({ where: { resourceId: id } })).toBe(recorded);
  });

  it('is renamed, and keeps its id', async () => {
    const { id } = await acme.create(address());
    const newName = address('acme.test');
    const { body } = await acme.patch(`/Users/${id}`, { op: 'Replace', path: 'userName', value: newName });
    expect(body).toMatchObject({ id, userName: newName });
    expect((await db().principal.findUnique({ where: { id } }))?.name).toBe(newName);
    const taken = await acme.create(address());
    const refused = await acme.patch(`/Users/${taken.id}`, { op: 'replace', path: 'userName', value: newName });
    expect(refused.body).toMatchObject({ status: '409', scimType: 'uniqueness' });
  });

  it('with another member is deleted with everything, and can be created again', async () => {
    const userName = address();
    const { id } = await acme.create(userName);
    const group = await acme.group(`gone-${count}`, id);
    const deleted = await acme.send('DELETE', `/Users/${id}`);
    expect([deleted.status, deleted.body]).toEqual([204, undefined]);
    expect((await acme.send('DELETE', `/Users/${id}`)).status).toBe(404);
    expect((await acme.send('GET', `/Users/${id}`)).body).toMatchObject({ status: '404' });
    expect((await acme.send('GET', `/Groups/${group.id}`)).body.members).toEqual([]);
    expect(await db().principal.findUnique({ where: { id } })).toBeNull();
    expect((await acme.create(userName)).id).not.toBe(id);
  });

  it.each<[string, object, string]>([
    ['no userName', { userName: undefined }, 'invalidValue'],
    ['a name that is no address', { userName: 'ada' }, 'invalidValue'],
    ['an address of another domain', { userName: 'ada@globex.example' }, 'invalidValue'],
    ['an address of a subdomain', { userName: 'ada@sub.acme.example' }, 'invalidValue'],
    ['an address of a domain that looks alike', { userName: 'ada@\uFF41cme.example' }, 'invalidValue'],
    ['an address with NUL', { userName: 'a\0da@acme.example' }, 'invalidValue'],
    ['a long address', { userName: `${'a'.repeat(300)}@acme.example` }, 'invalidValue'],
    ['a display name with a change of direction', { displayName: 'a\u202Eb' }, 'invalidValue'],
    ['a number as display name', { displayName: 5 }, 'invalidValue'],
    ['an active that is no boolean', { active: 'perhaps' }, 'invalidValue'],
    ['a name that is a text', { name: 'Ada' }, 'invalidValue'],
    ['emails that are numbers', { emails: [1, 2] }, 'invalidValue'],
    [
      'many emails',
      { emails: Array.from({ length: 21 }, (_, index) => ({ value: `${index}@x.example` })) },
      'invalidValue',
    ],
    ['no schemas', { schemas: undefined }, 'invalidSyntax'],
    ['another schema', { schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'] }, 'invalidSyntax'],
  ])('is not created with %s', async (_what, more, scimType) => {
    const before = await db().principal.count();
    const input = { schemas: [userSchema], userName: address(), ...more };
    const { status, body } = await acme.send('POST', '/Users', input);
    expect([status, body.scimType]).toEqual([400, scimType]);
    expect(await db().principal.count()).toBe(before);
  });
});

describe('A disabled user', () => {
  /** A user with a role in a workspace, an API key, tokens, a session, an authorization and invitations. */
  async function equipped() {
    const { app } = running;
    const userName = address();
    const { id } = await acme.create(userName);
    await db().workspaceMember.create({
      data: { workspaceId: acme.tenant.workspaces['acme-main'] ?? '', principalId: id, role: 'member' },
    });
    const owner = { ...acme.tenant, principalId: id };
    const { key } = await createKey(app, owner);
    const { token } = await createToken(app, owner, 'admin');
    const client = await registerClient(app, { id: `program-${count}` });
    const [name = ''] = userName.split('@');
    await db().principal.update({ where: { id }, data: { name: `owner@${name}.example.com` } });
    await givePassword(app, name);
    const { code, verifier } = await obtainCode(app, `owner@${name}.example.com`, {
      client_id: client.id,
      scope: 'admin',
    });
    await db().principal.update({ where: { id }, data: { name: userName } });
    const { body } = await redeem(app, client, { code, verifier });
    await db().invitation.create({
      data: {
        accountId: acme.tenant.accountId,
        name: 'guest@elsewhere.example',
        role: 'admin',
        invitedById: id,
        expiresAt: new Date('2027-01-01'),
      },
    });
    const status = async (credential: string) =>
      (await rest(app, '/agents?limit=1', { key: credential, headers: { 'x-service-workspace': 'acme-main' } })).status;
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
    return { id, userName, key, token, access: String(body.access_token), status, refresh };
  }

  it.each(['PATCH', 'PUT', 'DELETE'])('by %s has no credential a second later', async (method) => {
    const user = await equipped();
    for (const credential of [user.key, user.token, user.access]) expect(await user.status(credential)).toBe(200);
    expect(await db().signInSession.count({ where: { principalId: user.id } })).toBe(1);
    const path = `/Users/${user.id}`;
    if (method === 'PATCH') await acme.patch(path, { op: 'Replace', path: 'active', value: 'False' });
    else if (method === 'PUT')
      await acme.send('PUT', path, { schemas: [userSchema], userName: user.userName, active: false });
    else await acme.send('DELETE', path);
    await new Promise((resolve) => setTimeout(resolve, 600));
    for (const credential of [user.key, user.token, user.access]) expect(await user.status(credential)).toBe(401);
    expect(await user.refresh()).toBe('invalid_grant');
    expect(await db().signInSession.count({ where: { principalId: user.id } })).toBe(0);
    expect(await db().invitation.count({ where: { invitedById: user.id, status: 'pending' } })).toBe(0);
    expect(await memberOf(user.id, acme)).toBeNull();
  });

  it('is activated again as a member, without the credentials and roles of before', async () => {
    const user = await equipped();
    await acme.patch(`/Users/${user.id}`, { op: 'replace', path: 'active', value: false });
    expect((await db().principal.findUnique({ where: { id: user.id } }))?.disabledAt).not.toBeNull();
    const { body } = await acme.patch(`/Users/${user.id}`, { op: 'replace', path: 'active', value: true });
    expect(body.active).toBe(true);
    expect((await db().principal.findUnique({ where: { id: user.id } }))?.disabledAt).toBeNull();
    expect(await memberOf(user.id, acme)).toMatchObject({ role: 'member', origin: 'provider' });
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(await user.status(user.key)).toBe(401);
  });

  it('stays disabled if the operator disabled the user', async () => {
    const { id } = await acme.create(address());
    await db().principal.update({ where: { id }, data: { disabledAt: new Date('2026-11-19') } });
    expect((await acme.send('GET', `/Users/${id}`)).body).toMatchObject({
      active: false,
      meta: { version: 'W/"1-disabled"' },
    });
    await acme.patch(`/Users/${id}`, { op: 'replace', path: 'active', value: false });
    const { body } = await acme.patch(`/Users/${id}`, { op: 'replace', path: 'active', value: true });
    expect(body.active).toBe(false);
    expect((await db().principal.findUnique({ where: { id } }))?.disabledAt).toEqual(new Date('2026-11-19'));
  });

  it.each(['disableUser', 'endAccess'])('stays disabled if the operator uses %s afterwards', async (mutation) => {
    const userName = address();
    const { id } = await acme.create(userName);
    await acme.patch(`/Users/${id}`, { op: 'replace', path: 'active', value: false });
    const { key } = await createKey(running.app, acme.tenant);
    const everywhere = mutation === 'endAccess' ? { everywhere: true } : {};
    const result = await mutate(running.app, key, mutation, '__typename', { name: userName, ...everywhere });
    expect(result).not.toHaveProperty('code');
    const { body } = await acme.patch(`/Users/${id}`, { op: 'replace', path: 'active', value: true });
    expect(body.active).toBe(false);
    expect((await db().principal.findUnique({ where: { id } }))?.disabledAt).not.toBeNull();
  });

  it('who is the last admin loses every credential, and stays the admin', async () => {
    const solo = await createProvider(running.app, 'solo');
    const { accountId, principalId } = solo.tenant;
    const userName = 'chief@solo.example';
    await db().principal.update({ where: { id: principalId }, data: { name: userName } });
    const { key } = await createKey(running.app, solo.tenant);
    await solo.create(userName);
    const asked = async () => (await rest(running.app, '/accounts', { key })).status;
    expect(await asked()).toBe(200);
    expect((await solo.send('DELETE', `/Users/${principalId}`)).body).toMatchObject({ status: '409' });
    await solo.patch(`/Users/${principalId}`, { op: 'replace', path: 'active', value: false });
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(await asked()).toBe(401);
    expect(await memberOf(principalId, solo)).toMatchObject({ role: 'admin' });
    await solo.patch(`/Users/${principalId}`, { op: 'replace', path: 'active', value: true });
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(await asked()).toBe(401);
    expect((await db().principal.findUnique({ where: { id: principalId } }))?.disabledAt).toBeNull();

    // The last admin who is also a member of another account cannot be disabled as a whole.
    await db().accountMember.create({ data: { accountId: acme.tenant.accountId, principalId, role: 'member' } });
    const refused = await solo.patch(`/Users/${principalId}`, { op: 'replace', path: 'active', value: false });
    expect(refused.body).toMatchObject({ status: '409', detail: expect.stringContaining('last admin') });
    expect(await db().provisionedUser.findFirst({ where: { accountId } })).toMatchObject({ deactivatedAt: null });
  });

  it('cannot accept an invitation to the account', async () => {
    const userName = address();
    const { id } = await acme.create(userName);
    await db().accountMember.create({ data: { accountId: globex.tenant.accountId, principalId: id, role: 'member' } });
    const { key } = await createKey(running.app, { accountId: globex.tenant.accountId, principalId: id });
    await acme.patch(`/Users/${id}`, { op: 'replace', path: 'active', value: false });
    const invitation = await db().invitation.create({
      data: {
        accountId: acme.tenant.accountId,
        name: userName,
        role: 'admin',
        expiresAt: new Date('2027-01-01'),
      },
    });
    const { body } = await graphql(running.app, key, '{ viewer { invitations { id } } }');
    const [invited] = body.data.viewer.invitations;
    expect(invited).toBeDefined();
    const refused = await mutate(running.app, key, 'acceptInvitation', 'invitation { id }', { id: invited.id });
    expect(refused).toMatchObject({ code: 'forbidden' });
    expect(await db().invitation.findUnique({ where: { id: invitation.id } })).toMatchObject({ status: 'pending' });
  });
});

describe('A user who is also a member of another account', () => {
  it('loses only the access to this one, and is neither renamed nor deleted', async () => {
    const userName = address();
    const { id } = await acme.create(userName, { displayName: 'Shown' });
    await db().accountMember.create({ data: { accountId: globex.tenant.accountId, principalId: id, role: 'admin' } });
    const there = await createKey(running.app, { accountId: globex.tenant.accountId, principalId: id });
    const here = await createKey(running.app, { accountId: acme.tenant.accountId, principalId: id });
    const asked = async (key: string) => (await rest(running.app, '/accounts', { key })).status;
    expect([await asked(there.key), await asked(here.key)]).toEqual([200, 200]);

    const renamed = await acme.patch(`/Users/${id}`, { op: 'replace', path: 'userName', value: address() });
    expect(renamed.body).toMatchObject({ status: '409', scimType: 'mutability' });
    await acme.patch(`/Users/${id}`, { op: 'replace', path: 'displayName', value: 'Changed' });
    expect(await db().principal.findUnique({ where: { id } })).toMatchObject({ name: userName, displayName: 'Shown' });

    await acme.patch(`/Users/${id}`, { op: 'replace', path: 'active', value: false });
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect([await asked(there.key), await asked(here.key)]).toEqual([200, 401]);
    expect((await acme.send('DELETE', `/Users/${id}`)).status).toBe(204);
    expect(await db().principal.findUnique({ where: { id } })).toMatchObject({ name: userName, disabledAt: null });
    expect(await memberOf(id, globex)).toMatchObject({ role: 'admin' });
    expect(await asked(there.key)).toBe(200);
  });
});

describe('Two accounts', () => {
  it('never meet: a provider neither sees nor changes users of the other', async () => {
    const { id, userName } = await globex.create(address('globex.example'));
    const group = await globex.group('theirs', id);
    const before = await globex.send('GET', `/Users/${id}`);
    expect((await acme.send('GET', filtered('/Users', `userName eq "${userName}"`))).body.totalResults).toBe(0);
    expect((await acme.send('GET', filtered('/Users', `groups.value eq "${group.id}"`))).body.totalResults).toBe(0);
    expect((await acme.send('GET', filtered('/Groups', `members.value eq "${id}"`))).body.totalResults).toBe(0);
    const tried = await Promise.all([
      acme.send('GET', `/Users/${id}`),
      acme.patch(`/Users/${id}`, { op: 'replace', path: 'active', value: false }),
      acme.send('PUT', `/Users/${id}`, { schemas: [userSchema], userName: address() }),
      acme.send('DELETE', `/Users/${id}`),
      acme.send('GET', `/Groups/${group.id}`),
      acme.patch(`/Groups/${group.id}`, { op: 'remove', path: 'members' }),
      acme.send('DELETE', `/Groups/${group.id}`),
    ]);
    expect(tried.map(({ status }) => status)).toEqual(tried.map(() => 404));
    const unknown = await acme.send('GET', '/Users/0198a5f0-3c1e-7d52-9b1f-6f1f6d9c2a11');
    expect(tried[0]?.body).toEqual(unknown.body);
    const create = await acme.send('POST', '/Users', { schemas: [userSchema], userName });
    expect(create.body).toMatchObject({ status: '400', scimType: 'invalidValue' });
    const own = await acme.group('ours');
    const added = await acme.patch(`/Groups/${own.id}`, { op: 'add', path: 'members', value: [{ value: id }] });
    expect(added.body).toMatchObject({ status: '400', scimType: 'invalidValue' });
    expect(await globex.send('GET', `/Users/${id}`)).toMatchObject({ body: before.body });
  });
});

describe('The credential of a provider', () => {
  it('is an API key of a service account and admin, with the scope scim', async () => {
    const { app } = running;
    const { tenant, serviceAccountId } = acme;
    const status = async (key: string | undefined) => (await scim(app, key, 'GET', '/Users')).status;
    const keyOf = async (owner: Parameters<typeof createKey>[1]) => (await createKey(app, owner)).key;
    const robot = { accountId: tenant.accountId, principalId: serviceAccountId };
    expect(await status(await keyOf({ ...robot, scope: 'scim' }))).toBe(200);
    expect(await status(await keyOf({ ...robot, scope: 'admin scim' }))).toBe(200);
    expect(await status(await keyOf({ ...robot, scope: 'admin' }))).toBe(403);
    expect(await status(await keyOf({ ...tenant, scope: 'scim' }))).toBe(403);
    const workspaceId = tenant.workspaces['acme-main'] ?? '';
    expect(await status(await keyOf({ ...robot, workspaceId, scope: 'scim' }))).toBe(403);
    expect(await status(undefined)).toBe(401);
    expect(await status('wcp_nonsense')).toBe(401);
    const member = await db().principal.create({ data: { kind: 'service_account', name: 'acme-member' } });
    await db().accountMember.create({
      data: { accountId: tenant.accountId, principalId: member.id, role: 'member' },
    });
    expect(await status(await keyOf({ ...robot, principalId: member.id, scope: 'scim' }))).toBe(403);
    const { token } = await createToken(app, { ...tenant, principalId: serviceAccountId }, 'admin');
    expect(await status(token)).toBe(403);
  });

  it('is created by an admin of the account, opens nothing else, and no program can ask for it', async () => {
    const { app } = running;
    const { key: admin } = await createKey(app, acme.tenant);
    const created = await mutate(app, admin, 'createApiKey', 'secret apiKey { scopes }', {
      name: 'okta',
      owner: 'acme-directory',
      scopes: ['scim'],
    });
    expect(created.apiKey.scopes).toEqual(['scim']);
    expect((await scim(app, created.secret, 'GET', '/Users')).status).toBe(200);
    const { status } = await rest(app, '/agents?limit=1', {
      key: created.secret,
      headers: { 'x-service-workspace': 'acme-main' },
    });
    expect(status).toBe(403);
    const { key: less } = await createKey(app, { ...acme.tenant, scope: 'apiKey:write' });
    const refused = await mutate(app, less, 'createApiKey', 'secret', { name: 'x', scopes: ['scim'] });
    expect(refused).toMatchObject({ code: 'forbidden' });
    const client = await mutate(app, admin, 'createOauthClient', 'secret', {
      name: 'scim-client',
      owner: 'acme-directory',
      scopes: ['scim'],
    });
    expect(client).toMatchObject({ code: 'invalid_parameter' });
  });

  it('is of no use in an account without domains', async () => {
    const other = await createProvider(running.app, 'initech');
    const { status, body } = await other.send('GET', '/Users');
    expect([status, body.detail]).toEqual([
      403,
      'Users of this account are not provisioned. Its operator sets SCIM_DOMAINS.',
    ]);
  });
});

describe('Versions', () => {
  it('prevent a lost update with If-Match, and save a download with If-None-Match', async () => {
    const { id } = await acme.create(address());
    const path = `/Users/${id}`;
    const body = { schemas: [patchSchema], Operations: [{ op: 'replace', path: 'displayName', value: 'One' }] };
    expect((await acme.send('PATCH', path, body, { 'if-match': 'W/"7"' })).body).toMatchObject({ status: '412' });
    expect((await acme.send('PATCH', path, body, { 'if-match': 'W/"1"' })).headers.get('etag')).toBe('W/"2"');
    expect((await acme.send('DELETE', path, undefined, { 'if-match': 'W/"1"' })).status).toBe(412);
    expect((await acme.send('GET', path, undefined, { 'if-none-match': 'W/"2"' })).status).toBe(304);
    expect((await acme.send('GET', path, undefined, { 'if-none-match': 'W/"1"' })).status).toBe(200);
    await acme.group(`versions-${count}`, id);
    expect((await acme.send('GET', path, undefined, { 'if-none-match': 'W/"2"' })).status).toBe(200);
    expect((await acme.send('DELETE', path, undefined, { 'if-match': '*' })).status).toBe(204);
  });
});
