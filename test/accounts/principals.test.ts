// Users and service accounts, as admins of the platform manage them.
import { beforeAll, describe, expect, it } from 'vitest';
import { createKey, createTenant, graphql, rest, useApp } from '../harness.js';
import type { Tenant } from '../harness.js';
import { keyOfSomebody, mutate } from '../resources/mutations.js';

const running = useApp({ PLATFORM_ACCOUNT: 'platform' });
const db = () => running.app.services.db;
let platform: Tenant;
let acme: Tenant;
let key: string;
let count = 0;

const shown = 'name displayName kind disabledAt memberships { accountName workspaceName role }';
const change = (mutation: string, field: string, input: object, by = key) =>
  mutate(running.app, by, mutation, `${field} { ${shown} }`, input);
const changeUser = (mutation: string, input: object, by = key) => change(mutation, 'user', input, by);
const newName = () => `person-${++count}@acme.example.com`;

beforeAll(async () => {
  const { app } = running;
  platform = await createTenant(app, { account: 'platform', workspaces: ['ops'] });
  acme = await createTenant(app, { account: 'acme', workspaces: ['acme-main'] });
  ({ key } = await createKey(app, platform));
});

async function historyOf(accountId: string, name: string) {
  const rows = await db().change.findMany({ where: { accountId, name }, orderBy: { sequence: 'asc' } });
  return rows.map(({ kind, verb, actorName, address, before, after }) => ({
    kind,
    verb,
    actorName,
    address,
    before,
    after,
  }));
}

describe('A user', () => {
  it('is created in a workspace of a customer, and can then sign in there', async () => {
    const name = newName();
    const input = {
      name: ` ${name.toUpperCase()} `,
      displayName: 'Ada',
      workspace: 'acme-main',
      workspaceRole: 'ADMIN',
    };
    const { user } = await changeUser('createUser', input);
    expect(user).toEqual({
      name,
      displayName: 'Ada',
      kind: 'USER',
      disabledAt: null,
      memberships: [
        { accountName: 'acme', workspaceName: null, role: 'MEMBER' },
        { accountName: 'acme', workspaceName: 'acme-main', role: 'ADMIN' },
      ],
    });
    const own = await historyOf(platform.accountId, name);
    const { name: actorName } = await db().principal.findUniqueOrThrow({ where: { id: platform.principalId } });
    expect(own).toEqual([
      {
        kind: 'USER',
        verb: 'created',
        actorName,
        address: '127.0.0.1',
        before: null,
        after: { name, displayName: 'Ada' },
      },
    ]);
    const theirs = await historyOf(acme.accountId, name);
    expect(theirs.map(({ kind, verb, address }) => [kind, verb, address])).toEqual([
      ['MEMBER', 'created', null],
      ['MEMBER', 'created', null],
    ]);
  });

  it('is found by name and listed, with search and pages', async () => {
    const names = [newName(), newName(), newName()];
    for (const name of names) await changeUser('createUser', { name, displayName: `Listed ${count}` });
    const query = `query ($after: String, $name: String!) {
      user(name: $name) { name }
      users(first: 2, after: $after, search: "listed", orderBy: { field: NAME, direction: ASC }) {
        nodes { name } totalCount pageInfo { endCursor hasNextPage } } }`;
    const first = await graphql(running.app, key, query, { name: names[1] });
    expect(first.body.data.user).toEqual({ name: names[1] });
    expect(first.body.data.users.nodes).toEqual(names.slice(0, 2).map((name) => ({ name })));
    const { endCursor } = first.body.data.users.pageInfo;
    const second = await graphql(running.app, key, query, { name: names[1], after: endCursor });
    expect(second.body.data.users.nodes).toEqual([{ name: names[2] }]);
    const { body } = await graphql(running.app, key, '{ serviceAccounts(first: 100) { nodes { kind } } }');
    expect(body.data.serviceAccounts.nodes.every(({ kind }: { kind: string }) => kind === 'SERVICE_ACCOUNT')).toBe(
      true,
    );
  });

  it('is counted apart from service accounts in the same request', async () => {
    await mutate(running.app, key, 'createServiceAccount', 'serviceAccount { name }', {
      name: 'counted',
      account: 'acme',
    });
    const query = '{ users { totalCount filteredCount } serviceAccounts { totalCount filteredCount } }';
    const { body } = await graphql(running.app, key, query);
    const countOf = async (kind: 'user' | 'service_account') => {
      const total = await db().principal.count({ where: { kind } });
      return { totalCount: total, filteredCount: total };
    };
    const [users, serviceAccounts] = [await countOf('user'), await countOf('service_account')];
    expect(users).not.toEqual(serviceAccounts);
    expect(body.data).toEqual({ users, serviceAccounts });
  });

  it('is renamed; null removes the display name, and omitted fields stay', async () => {
    const [name, renamed] = [newName(), newName()];
    await changeUser('createUser', { name, displayName: 'Ada', account: 'acme' });
    expect((await changeUser('updateUser', { name, newName: renamed })).user).toMatchObject({
      name: renamed,
      displayName: 'Ada',
    });
    expect((await changeUser('updateUser', { name: renamed, displayName: null })).user.displayName).toBeNull();
    expect((await historyOf(acme.accountId, renamed)).map(({ verb, after }) => [verb, after])).toEqual([
      ['updated', { name: renamed, displayName: 'Ada' }],
      ['updated', { name: renamed }],
    ]);
    const changes = await db().change.count();
    await changeUser('updateUser', { name: renamed });
    expect(await db().change.count()).toBe(changes);
  });

  it('keeps the pending invitations under a new name', async () => {
    const [name, renamed] = [newName(), newName()];
    const host = await createTenant(running.app, { account: 'host', workspaces: ['host-main'] });
    const { key: hostKey } = await createKey(running.app, host);
    const invite = (email: string, workspace?: string) =>
      mutate(running.app, hostKey, 'inviteMember', 'invitation { id }', { email, role: 'MEMBER', workspace });
    await changeUser('createUser', { name, account: 'acme' });
    const { invitation: toAccount } = await invite(name);
    const { invitation: repeated } = await invite(name, 'host-main');
    const { invitation: toWorkspace } = await invite(renamed, 'host-main');
    await changeUser('updateUser', { name, newName: renamed });
    const { id: principalId } = await db().principal.findUniqueOrThrow({ where: { name: renamed } });
    const { key: theirs } = await createKey(running.app, { ...acme, principalId });
    const { body } = await graphql(running.app, theirs, '{ viewer { invitations { id email } } }');
    expect(body.data.viewer.invitations).toHaveLength(2);
    expect(body.data.viewer.invitations).toEqual(
      expect.arrayContaining([toAccount, toWorkspace].map(({ id }) => ({ id, email: renamed }))),
    );
    const accepted = await mutate(running.app, theirs, 'acceptInvitation', 'invitation { status }', {
      id: toAccount.id,
    });
    expect(accepted.invitation.status).toBe('ACCEPTED');
    const answered = await mutate(running.app, theirs, 'acceptInvitation', '__typename', { id: repeated.id });
    expect(answered).toMatchObject({ code: 'conflict' });
    // A new user of the old name is not invited.
    expect(await db().invitation.count({ where: { name } })).toBe(0);
  });

  it('loses access when disabled, gets it back for its keys when enabled, and is deleted with everything', async () => {
    const name = newName();
    await changeUser('createUser', { name, account: 'acme', role: 'ADMIN' });
    const { id: principalId } = await db().principal.findUniqueOrThrow({ where: { name } });
    const { key: theirs } = await createKey(running.app, { ...acme, principalId });
    const status = async () => (await rest(running.app, '/accounts', { key: theirs })).status;
    expect(await status()).toBe(200);
    const { user } = await changeUser('disableUser', { name });
    expect(user.disabledAt).toBe('2026-11-20T12:00:00.000Z');
    await expect.poll(status).toBe(401);
    const changes = await db().change.count();
    expect((await changeUser('disableUser', { name })).user).toEqual(user);
    expect(await db().change.count()).toBe(changes);
    expect((await changeUser('enableUser', { name })).user.disabledAt).toBeNull();
    await expect.poll(status).toBe(200);
    expect((await changeUser('deleteUser', { name })).user.name).toBe(name);
    await expect.poll(status).toBe(401);
    expect(await changeUser('deleteUser', { name })).toMatchObject({ code: 'not_found' });
    expect(await db().accountMember.count({ where: { principalId } })).toBe(0);
  });

  it('gets a password that is in no change record and no error', async () => {
    const name = newName();
    const password = 'correct horse battery staple';
    await changeUser('createUser', { name, account: 'acme' });
    const { body } = await graphql(
      running.app,
      key,
      'mutation ($input: SetUserPasswordInput!) { setUserPassword(input: $input) { __typename } }',
      { input: { name, password } },
      { 'idempotency-key': 'a password' },
    );
    expect(body.data.setUserPassword.__typename).toBe('SetUserPasswordPayload');
    for (const wrong of ['short', 'x'.repeat(201)]) {
      const refused = await changeUser('setUserPassword', { name, password: wrong });
      expect(refused).toMatchObject({ code: 'invalid_parameter', problems: [{ path: ['password'] }] });
      expect(JSON.stringify(refused)).not.toContain(wrong);
    }
    const stored = JSON.stringify(await db().change.findMany(), (_, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    );
    expect(stored).toContain('Password set');
    expect(stored).not.toContain(password);
    const [answer] = await db().idempotencyKey.findMany({ where: { key: 'a password' } });
    expect(Buffer.from(answer?.answer ?? '').toString()).not.toContain(password);
  });

  it.each([
    [{ name: 'nobody' }, ['name'], 'name must be an email address'],
    [{ name: 'a\u0000@example.com' }, ['name'], 'name must be an email address'],
    [{ name: `${'a'.repeat(300)}@example.com` }, ['name'], 'name must be an email address'],
    [{ name: 'x@example.com', displayName: 'a\u202Eb' }, ['displayName'], expect.stringContaining('must not contain')],
    [
      { name: 'x@example.com', displayName: 'x'.repeat(64) },
      ['displayName'],
      'displayName must be at most 63 characters',
    ],
    [{ name: 'x@example.com', role: 'ADMIN' }, ['role'], 'role requires account'],
    [{ name: 'x@example.com', workspaceRole: 'ADMIN' }, ['workspaceRole'], 'workspaceRole requires workspace'],
  ])('is refused for %j', async (input, path, message) => {
    const refused = await changeUser('createUser', input);
    expect(refused).toMatchObject({ code: 'invalid_input', problems: [{ path, message }] });
  });

  it.each([
    [{ account: 'nowhere' }, 'not_found'],
    [{ account: 'a\u0000' }, 'not_found'],
    [{ workspace: 'nowhere' }, 'not_found'],
    [{ account: 'platform', workspace: 'acme-main' }, 'conflict'],
  ])('is not created in %j', async (place, code) => {
    expect(await changeUser('createUser', { name: newName(), ...place })).toMatchObject({ code });
  });

  it('has a unique name, also among service accounts', async () => {
    const name = newName();
    await changeUser('createUser', { name });
    expect(await changeUser('createUser', { name })).toMatchObject({ code: 'name_taken' });
    const other = newName();
    await changeUser('createUser', { name: other });
    expect(await changeUser('updateUser', { name: other, newName: name })).toMatchObject({
      code: 'name_taken',
    });
    expect(await change('updateServiceAccount', 'serviceAccount', { name })).toMatchObject({ code: 'not_found' });
  });
});

describe('A service account', () => {
  it('is created, renamed and deleted', async () => {
    const by = (mutation: string, input: object) => change(mutation, 'serviceAccount', input);
    const { serviceAccount } = await by('createServiceAccount', { name: 'acme-ci', account: 'acme', role: 'VIEWER' });
    expect(serviceAccount).toMatchObject({
      name: 'acme-ci',
      kind: 'SERVICE_ACCOUNT',
      memberships: [{ role: 'VIEWER' }],
    });
    expect(await by('createServiceAccount', { name: 'Acme CI' })).toMatchObject({ code: 'invalid_input' });
    expect((await by('updateServiceAccount', { name: 'acme-ci', newName: 'acme-cd' })).serviceAccount.name).toBe(
      'acme-cd',
    );
    expect((await by('deleteServiceAccount', { name: 'acme-cd' })).serviceAccount.memberships).toHaveLength(1);
    expect(await by('deleteServiceAccount', { name: 'acme-cd' })).toMatchObject({ code: 'not_found' });
  });
});

describe('Users of the platform', () => {
  it('are managed by its admins only', async () => {
    const { app } = running;
    const name = newName();
    await changeUser('createUser', { name, account: 'acme' });
    const keys = [
      (await createKey(app, acme)).key,
      await keyOfSomebody(app, platform, { account: 'viewer' }),
      await keyOfSomebody(app, platform, { account: 'member', workspace: 'ops', role: 'admin' }),
      (await createKey(app, { ...platform, workspaceId: platform.workspaces['ops'] ?? '' })).key,
    ];
    const before = await db().principal.findMany({ orderBy: { id: 'asc' } });
    for (const by of keys) {
      for (const [mutation, input] of [
        ['createUser', { name: newName() }],
        ['updateUser', { name, displayName: 'Mine' }],
        ['disableUser', { name }],
        ['deleteUser', { name }],
        ['setUserPassword', { name, password: 'short' }],
      ] as const) {
        expect(await changeUser(mutation, input, by)).toMatchObject({ code: 'forbidden' });
        expect(await changeUser(mutation, { ...input, name: newName() }, by)).toMatchObject({ code: 'forbidden' });
      }
      const { body } = await graphql(app, by, `{ users { totalCount } user(name: "${name}") { name } }`);
      expect(body.data).toEqual({ users: null, user: null });
    }
    expect(await db().principal.findMany({ orderBy: { id: 'asc' } })).toEqual(before);
  });

  it('do not disable or delete themselves', async () => {
    const { name } = await db().principal.findUniqueOrThrow({ where: { id: platform.principalId } });
    for (const mutation of ['disableUser', 'deleteUser'])
      expect(await changeUser(mutation, { name: name.toUpperCase() })).toMatchObject({ code: 'invalid_parameter' });
  });
});
