// Accounts and executors, as admins of the platform manage them.
import { beforeAll, describe, expect, it } from 'vitest';
import { createKey, createTenant, graphql, useApp } from '../harness.js';
import type { Tenant } from '../harness.js';
import { keyOfSomebody, mutate } from '../resources/mutations.js';

const running = useApp({
  PLATFORM_ACCOUNT: 'platform',
  SIGN_IN_ISSUER: 'http://127.0.0.1:1',
  SIGN_IN_CLIENT_ID: 'control-plane',
  SIGN_IN_ACCOUNTS: 'acme',
});
const db = () => running.app.services.db;
let platform: Tenant;
let acme: Tenant;
let key: string;
/** Keys of callers who are no admins of the platform. */
let others: string[];

beforeAll(async () => {
  const { app } = running;
  platform = await createTenant(app, { account: 'platform', workspaces: ['ops'] });
  acme = await createTenant(app, { account: 'acme', workspaces: ['acme-main'] });
  ({ key } = await createKey(app, platform));
  others = [
    (await createKey(app, acme)).key,
    await keyOfSomebody(app, platform, { account: 'viewer' }),
    (await createKey(app, { ...platform, workspaceId: platform.workspaces['ops'] ?? '' })).key,
  ];
});

const account = 'account { id name displayName plan version viewerRole }';
const change = (mutation: string, input: object, by = key) => mutate(running.app, by, mutation, account, input);
const recorded = async (accountId: string, name: string) =>
  (await db().change.findMany({ where: { accountId, name }, orderBy: { sequence: 'asc' } })).map(
    ({ kind, verb, address, before, after }) => ({ kind, verb, address, before, after }),
  );

describe('An account', () => {
  it('is created with its first admin, who can create a workspace in it', async () => {
    const { app } = running;
    const metadata = { name: 'globex', displayName: 'Globex' };
    const created = await change('createAccount', { metadata, plan: 'enterprise' });
    expect(created.account).toMatchObject({ ...metadata, plan: 'enterprise', version: 1, viewerRole: 'ADMIN' });
    const admin = { name: 'ada@globex.example.com', account: 'globex', role: 'ADMIN' };
    await mutate(app, key, 'createUser', 'user { name }', admin);
    const row = await db().account.findUniqueOrThrow({ where: { name: 'globex' }, include: { members: true } });
    const owner = { accountId: row.id, principalId: row.members[0]?.principalId ?? '', workspaces: {} };
    const { key: theirs } = await createKey(app, owner);
    const made = await mutate(app, theirs, 'createWorkspace', 'workspace { name account { name } }', {
      metadata: { name: 'globex-main' },
    });
    expect(made.workspace).toEqual({ name: 'globex-main', account: { name: 'globex' } });
    expect(await recorded(platform.accountId, 'globex')).toEqual([
      {
        kind: 'ACCOUNT',
        verb: 'created',
        address: '127.0.0.1',
        before: null,
        after: { ...metadata, plan: 'enterprise' },
      },
    ]);
    expect(await change('deleteAccount', { name: 'globex' })).toMatchObject({
      code: 'not_deletable',
      message: 'The account globex has 1 workspace. Delete its workspaces first.',
    });
  });

  it('changes its plan and its display name, with a version, in both change logs', async () => {
    const input = { name: 'acme', plan: 'pro', metadata: { displayName: 'Acme Ltd' } };
    const dry = await change('updateAccount', { ...input, validateOnly: true });
    expect(dry.account).toMatchObject({ plan: 'pro', version: 2 });
    const { account: changed } = await change('updateAccount', input);
    expect(changed).toMatchObject({ plan: 'pro', displayName: 'Acme Ltd', version: 2 });
    expect((await change('updateAccount', { id: changed.id, plan: 'pro' })).account.version).toBe(2);
    expect(await change('updateAccount', { name: 'acme', plan: 'free', ifVersion: 1 })).toMatchObject({
      code: 'version_mismatch',
      currentVersion: 2,
    });
    const states = {
      before: { name: 'acme', plan: 'enterprise' },
      after: { name: 'acme', displayName: 'Acme Ltd', plan: 'pro' },
    };
    const update = { kind: 'ACCOUNT', verb: 'updated', ...states };
    expect(await recorded(platform.accountId, 'acme')).toEqual([{ ...update, address: '127.0.0.1' }]);
    expect(await recorded(acme.accountId, 'acme')).toEqual([{ ...update, address: null }]);
  });

  it('requires a sign-in with a provider that serves it, in the same change as its plan', async () => {
    const input = { name: 'acme', plan: 'free', requiredSignInProvider: 'default' };
    const { account: changed } = await mutate(
      running.app,
      key,
      'updateAccount',
      'account { plan requiredSignInProvider }',
      input,
    );
    expect(changed).toEqual({ plan: 'free', requiredSignInProvider: 'default' });
    const { message, fields } = await db().change.findFirstOrThrow({
      where: { accountId: acme.accountId, kind: 'ACCOUNT' },
      orderBy: { sequence: 'desc' },
    });
    expect({ message, fields }).toEqual({
      message: 'Updated by owner@platform.example.com',
      fields: ['plan', 'requiredSignInProvider'],
    });
    for (const wrong of [
      { name: 'acme', requiredSignInProvider: 'nobody' },
      { name: 'platform', requiredSignInProvider: 'default' },
    ])
      expect(await change('updateAccount', wrong)).toMatchObject({ code: 'invalid_parameter' });
    await change('updateAccount', { name: 'acme', requiredSignInProvider: null });
  });

  it('is listed for admins of the platform, with search and pages', async () => {
    const query = `query ($after: String) { accounts(all: true, first: 1, after: $after, orderBy: { field: NAME, direction: ASC }) {
      nodes { name viewerRole } pageInfo { endCursor } totalCount } }`;
    const seen: string[] = [];
    let after: string | undefined;
    let total: number;
    do {
      const { body } = await graphql(running.app, key, query, { after });
      const { nodes, pageInfo, totalCount } = body.data.accounts;
      seen.push(nodes[0].name);
      after = pageInfo.endCursor;
      total = totalCount;
    } while (seen.length < total);
    expect(seen).toEqual((await db().account.findMany({ orderBy: { name: 'asc' } })).map(({ name }) => name));
    const own = await graphql(running.app, key, '{ accounts { nodes { name } } }');
    expect(own.body.data.accounts.nodes).toEqual([{ name: 'platform' }]);
  });

  it('is deleted without workspaces, and its change log has the deletion', async () => {
    const { account: made } = await change('createAccount', { metadata: { name: 'initech' } });
    expect(made.plan).toBe('free');
    const { id } = await db().account.findUniqueOrThrow({ where: { name: 'initech' } });
    expect((await change('deleteAccount', { id: made.id, ifVersion: 1 })).account.name).toBe('initech');
    expect((await recorded(id, 'initech')).map(({ verb }) => verb)).toEqual(['deleted']);
    expect(await change('deleteAccount', { name: 'initech' })).toMatchObject({ code: 'not_found' });
    expect(await change('deleteAccount', { name: 'platform' })).toMatchObject({ code: 'not_deletable' });
  });

  it.each([
    [{ metadata: { name: 'Acme' } }, 'metadata.name'],
    [{ metadata: { name: 'a\u0000' } }, 'metadata.name'],
    [{ metadata: { name: 'x', displayName: '' } }, 'metadata.displayName'],
    [{ metadata: { name: 'x' }, plan: 'p'.repeat(64) }, 'plan'],
    [{ metadata: { name: 'x' }, plan: 'pro\u202E' }, 'plan'],
  ])('is not created from %j', async (input, field) => {
    const refused = await change('createAccount', input);
    expect(refused).toMatchObject({ code: 'invalid_input', problems: [{ path: field.split('.') }] });
  });

  it('is managed by admins of the platform only', async () => {
    const before = await db().account.findMany({ orderBy: { id: 'asc' } });
    for (const by of others) {
      for (const [mutation, input] of [
        ['createAccount', { metadata: { name: 'mine' } }],
        ['updateAccount', { name: 'acme', plan: 'free' }],
        ['deleteAccount', { name: 'acme' }],
        ['deleteAccount', { name: 'nowhere' }],
      ] as const)
        expect(await change(mutation, input, by)).toMatchObject({ code: 'forbidden' });
      const { body } = await graphql(
        running.app,
        by,
        '{ accounts(all: true) { totalCount } executors(all: true) { totalCount } }',
      );
      expect(body.data).toEqual({ accounts: null, executors: null });
    }
    expect(await db().account.findMany({ orderBy: { id: 'asc' } })).toEqual(before);
  });
});

describe('An executor', () => {
  const fields = 'executor { name regions kinds addressRanges expiresAt revokedAt keyPrefix }';
  const by = (mutation: string, input: object, more = '', who = key) =>
    mutate(running.app, who, mutation, `${fields} ${more}`, input);

  it('is not registered with a key that was just revoked', async () => {
    const { key: who, id } = await createKey(running.app, platform);
    await graphql(running.app, who, '{ viewer { name } }');
    await db().apiKey.update({ where: { id }, data: { revokedAt: running.app.clock.now } });
    const document = `mutation { createExecutor(input: { name: "late", regions: ["*"], kinds: [AGENT] }) { __typename } }`;
    const { body } = await graphql(running.app, who, document);
    expect(JSON.stringify(body)).toMatch(/UnauthorizedError|"unauthorized"/);
    expect(await db().executor.count({ where: { name: 'late' } })).toBe(0);
  });

  it('is registered, updated, revoked and deleted', async () => {
    const input = { name: 'eu', regions: ['*'], kinds: ['AGENT', 'JOB_EXECUTION'], addressRanges: ['203.0.113.0/24'] };
    const dry = await by('createExecutor', { ...input, validateOnly: true }, 'secret');
    expect(dry.secret).toBe('***');
    const { executor, secret } = await by('createExecutor', { ...input, neverExpires: true }, 'secret');
    expect(executor).toMatchObject({ ...input, expiresAt: null, revokedAt: null });
    expect(secret.startsWith(executor.keyPrefix)).toBe(true);
    const claim = async () =>
      (await mutate(running.app, secret, 'executorClaimAssignments', '__typename', { first: 1 })).code;
    const expiresAt = '2027-01-01T00:00:00.000Z';
    const updated = await by('updateExecutor', { name: 'eu', expiresAt, addressRanges: [] });
    expect(updated.executor).toMatchObject({ expiresAt, addressRanges: [] });
    // An update that changes nothing is not recorded.
    expect(await by('updateExecutor', { name: 'eu', expiresAt, addressRanges: [] })).toEqual(updated);
    expect(await claim()).toBe(undefined);
    expect(await by('deleteExecutor', { name: 'eu' })).toMatchObject({ code: 'conflict' });
    const { executor: revoked } = await by('revokeExecutor', { name: 'eu' });
    expect(revoked.revokedAt).toBe('2026-11-20T12:00:00.000Z');
    const listed = await graphql(running.app, key, '{ executors(all: true) { nodes { name } } }');
    expect(listed.body.data.executors.nodes).toContainEqual({ name: 'eu' });
    expect((await by('deleteExecutor', { name: 'eu' })).executor.name).toBe('eu');
    expect(await by('deleteExecutor', { name: 'eu' })).toMatchObject({ code: 'not_found' });
    const history = await recorded(platform.accountId, 'eu');
    expect(history.map(({ kind, verb }) => `${kind} ${verb}`)).toEqual([
      'EXECUTOR created',
      'EXECUTOR updated',
      'EXECUTOR revoked',
      'EXECUTOR deleted',
    ]);
    expect(JSON.stringify(history)).not.toContain(secret);
  });

  it.each([
    [{ regions: ['nowhere'] }, 'not_found'],
    [{ regions: [] }, 'invalid_input'],
    [{ regions: ['eu\u0000'] }, 'invalid_input'],
    [{ addressRanges: ['nonsense'] }, 'invalid_input'],
    [{ addressRanges: Array.from({ length: 101 }, (_, index) => `10.0.0.${index}/32`) }, 'invalid_input'],
    [{ expiresAt: '2020-01-01T00:00:00Z' }, 'invalid_parameter'],
    [{ expiresAt: '2027-01-01T00:00:00Z', neverExpires: true }, 'invalid_parameter'],
    [{ name: 'Not A Name' }, 'invalid_input'],
  ])('is not registered with %j', async (wrong, code) => {
    const input = { name: 'wrong', regions: ['*'], kinds: ['AGENT'], ...wrong };
    expect(await by('createExecutor', input)).toMatchObject({ code });
    expect(await db().executor.count({ where: { name: 'wrong' } })).toBe(0);
  });

  it('is managed by admins of the platform only', async () => {
    for (const who of others) {
      const input = { name: 'mine', regions: ['*'], kinds: ['AGENT'] };
      expect(await by('createExecutor', input, '', who)).toMatchObject({ code: 'forbidden' });
      for (const mutation of ['updateExecutor', 'revokeExecutor', 'deleteExecutor'])
        expect(await by(mutation, { name: 'nothing' }, '', who)).toMatchObject({ code: 'forbidden' });
    }
  });
});
