import { beforeAll, describe, expect, it } from 'vitest';
import { createKey, createTenant, createToken, frozenNow, graphql, rest, useApp } from '../harness.js';
import type { Tenant } from '../harness.js';
import { registerClient } from '../api/oauth/visitor.js';

const running = useApp();
let tenant: Tenant;
let admin: string;
let other: Tenant;

beforeAll(async () => {
  const { app } = running;
  tenant = await createTenant(app, { account: 'northwind', workspaces: ['northwind-main', 'northwind-lab'] });
  other = await createTenant(app, { account: 'contoso', workspaces: ['contoso-main'] });
  admin = (await createKey(app, tenant)).key;
});

const globalId = (id: string) => Buffer.from(`1:ApiKey:${id}`).toString('base64url');

const shown = `__typename ... on Error { code message path }`;

async function create(key: string, input: Record<string, unknown>): Promise<ReturnType<typeof JSON.parse>> {
  const { body } = await graphql(
    running.app,
    key,
    `mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) {
      ... on CreateApiKeyPayload { secret apiKey { id name prefix status scopes owner ownerKind addressRanges createdAt
        createdBy expiresAt lastUsedAt revokedAt account { name } workspace { name } } }
      ${shown} } }`,
    { input },
  );
  expect(body.errors).toBeUndefined();
  return body.data.createApiKey;
}

async function act(
  name: 'rotateApiKey' | 'revokeApiKey',
  key: string,
  input: Record<string, unknown>,
): Promise<ReturnType<typeof JSON.parse>> {
  const type = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  const fields =
    name === 'rotateApiKey'
      ? 'secret apiKey { id expiresAt scopes name } previous { expiresAt status }'
      : 'apiKey { status revokedAt } descendants { name status }';
  const { body } = await graphql(
    running.app,
    key,
    `mutation ($input: ${type}Input!) { ${name}(input: $input) { ... on ${type}Payload { ${fields} } ${shown} } }`,
    { input },
  );
  expect(body.errors).toBeUndefined();
  return body.data[name];
}

async function namesSeen(key: string, filters = ''): Promise<string[]> {
  const { body } = await graphql(
    running.app,
    key,
    `{ apiKeys(first: 200, orderBy: { field: NAME, direction: ASC } ${filters}) { nodes { name } } }`,
  );
  expect(body.errors).toBeUndefined();
  return body.data.apiKeys.nodes.map(({ name }: { name: string }) => name);
}

/** A key of a user with these roles. */
async function memberKey(
  name: string,
  roles: { account: 'admin' | 'member'; workspace?: 'admin' | 'member'; kind?: 'user' | 'service_account' },
  scope = 'admin',
): Promise<{ key: string; id: string; principalId: string }> {
  const { db } = running.app.services;
  const { id: principalId } = await db.principal.create({ data: { kind: roles.kind ?? 'user', name } });
  await db.accountMember.create({ data: { accountId: tenant.accountId, principalId, role: roles.account } });
  const workspaceId = tenant.workspaces['northwind-main'] ?? '';
  if (roles.workspace !== undefined)
    await db.workspaceMember.create({ data: { workspaceId, principalId, role: roles.workspace } });
  return { ...(await createKey(running.app, { accountId: tenant.accountId, principalId, scope })), principalId };
}

const statusWith = async (key: string, path = '/accounts'): Promise<number> =>
  (await rest(running.app, path, { key })).status;

describe('createApiKey', () => {
  it('returns the secret once, and every other field of the key again', async () => {
    const made = await create(admin, { name: ' laptop ', scopes: ['agents:list', 'agents:get', 'agents:list'] });
    expect(made).toEqual({
      __typename: 'CreateApiKeyPayload',
      secret: expect.stringMatching(/^wcp_[0-9A-Za-z]{46}$/),
      apiKey: {
        id: expect.any(String),
        name: 'laptop',
        prefix: made.secret.slice(0, 10),
        status: 'ACTIVE',
        scopes: ['agents:get', 'agents:list'],
        owner: 'owner@northwind.example.com',
        ownerKind: 'USER',
        addressRanges: [],
        createdAt: frozenNow.toISOString(),
        createdBy: 'owner@northwind.example.com',
        expiresAt: '2027-11-20T12:00:00.000Z',
        lastUsedAt: null,
        revokedAt: null,
        account: { name: 'northwind' },
        workspace: null,
      },
    });
    const { body } = await graphql(
      running.app,
      admin,
      `{ node(id: "${made.apiKey.id}") { ... on ApiKey { name prefix } } }`,
    );
    expect(body.data.node).toEqual({ name: 'laptop', prefix: made.apiKey.prefix });
    expect(JSON.stringify(body)).not.toContain(made.secret);
    expect(await statusWith(made.secret, '/agents?limit=1')).toBe(400);
    const inMain = { key: made.secret, headers: { 'x-service-workspace': 'northwind-main' } };
    expect((await rest(running.app, '/agents', inMain)).status).toBe(200);
    expect(await statusWith(made.secret)).toBe(403);
  });

  it.each([
    ['🚀'.repeat(63), undefined],
    ['🚀'.repeat(64), 'name must be 1 to 63 characters, without control characters'],
    [' ', 'name must be 1 to 63 characters, without control characters'],
    ['a\uD800', 'name must be 1 to 63 characters, without control characters'],
    ['a\u202Eb', 'name must not contain characters that change the direction of text, such as U+202E'],
  ])('counts the characters of a name as people do: %j', async (name, message) => {
    const made = await create(admin, { name, scopes: ['agents:list'] });
    expect([made.apiKey?.name, made.message]).toEqual([message === undefined ? name : undefined, message]);
  });

  it('confines a key to a workspace, a service account and addresses', async () => {
    await memberKey('deploy-bot', { account: 'member', workspace: 'member', kind: 'service_account' });
    const made = await create(admin, {
      name: 'deploy',
      scopes: ['admin'],
      workspace: 'northwind-main',
      owner: 'deploy-bot',
      addressRanges: ['127.0.0.0/8', '::1', '127.0.0.0/8'],
      neverExpires: true,
    });
    expect(made.apiKey).toMatchObject({
      owner: 'deploy-bot',
      ownerKind: 'SERVICE_ACCOUNT',
      workspace: { name: 'northwind-main' },
      addressRanges: ['127.0.0.0/8', '::1/128'],
      expiresAt: null,
    });
    const { body } = await graphql(running.app, made.secret, '{ viewer { name workspaces { name } } }');
    expect(body.data.viewer).toEqual({ name: 'deploy-bot', workspaces: [{ name: 'northwind-main' }] });
    const elsewhere = await create(admin, { name: 'elsewhere', scopes: ['admin'], addressRanges: ['203.0.113.0/24'] });
    expect(await statusWith(elsewhere.secret)).toBe(403);
    expect((await graphql(running.app, elsewhere.secret, '{ viewer { name } }')).status).toBe(403);
  });

  it.each([
    [{ name: '' }, 'name'],
    [{ name: 'x'.repeat(64) }, 'name'],
    [{ name: 'a\u0000b' }, 'name'],
    [{ name: 'a\u202Eb' }, 'name'],
    [{ name: 'a\u200Bb' }, 'name'],
    [{ name: '\u3164' }, 'name'],
    [{ scopes: [] }, 'scopes'],
    [{ scopes: ['agents:fly'] }, 'scopes'],
    [{ scopes: ['agents:list', 'models:list'] }, 'scopes'],
    [{ scopes: ['admin agents:list'] }, 'scopes'],
    [{ addressRanges: ['10.0.0.0/33'] }, 'addressRanges'],
    [{ addressRanges: Array.from({ length: 51 }, (_, index) => `10.0.${index}.0/24`) }, 'addressRanges'],
    [{ expiresAt: '2026-11-20T12:00:00Z' }, 'expiresAt'],
    [{ addressRanges: [] }, 'addressRanges'],
    [{ expiresAt: '2027-01-01T00:00:00Z', neverExpires: true }, 'neverExpires'],
  ])('rejects %j with the path of the invalid field', async (input, field) => {
    const refused = await create(admin, { name: 'x', scopes: ['admin'], ...input });
    expect(refused).toMatchObject({ __typename: 'InvalidInputError', code: 'invalid_parameter', path: [field] });
  });

  it('rejects scopes that the calling credential does not have', async () => {
    const narrow = await createToken(running.app, tenant, 'apiKey:write agents:list');
    expect(await create(narrow.token, { name: 'x', scopes: ['agents:list'] })).toMatchObject({
      secret: expect.any(String),
    });
    for (const scopes of [['admin'], ['agents:get'], ['agents:list', 'usage:write']]) {
      expect(await create(narrow.token, { name: 'x', scopes })).toMatchObject({ __typename: 'ForbiddenError' });
    }
    const addressRanges = ['127.0.0.0/8', '::/0'];
    const { key } = await createKey(running.app, { ...tenant, addressRanges });
    const heir = await create(key, { name: 'heir', scopes: ['admin'] });
    expect(heir.apiKey.addressRanges).toEqual(addressRanges);
    for (const ranges of [['0.0.0.0/0'], ['127.0.0.1', '203.0.113.0/24']]) {
      const refused = await create(key, { name: 'x', scopes: ['admin'], addressRanges: ranges });
      expect(refused).toMatchObject({ __typename: 'ForbiddenError' });
    }
    const workspaceId = tenant.workspaces['northwind-main'] ?? '';
    const confined = await createKey(running.app, { ...tenant, workspaceId });
    expect(await create(confined.key, { name: 'x', scopes: ['admin'] })).toMatchObject({
      __typename: 'ForbiddenError',
    });
    const outside = { name: 'x', scopes: ['admin'], workspace: 'northwind-lab' };
    expect(await create(confined.key, outside)).toMatchObject({ __typename: 'ForbiddenError' });
  });

  it('requires the scope, and an admin of the account or workspace', async () => {
    const member = await memberKey('mia@northwind.example.com', { account: 'member', workspace: 'member' });
    const lead = await memberKey('lee@northwind.example.com', { account: 'member', workspace: 'admin' });
    const { token } = await createToken(running.app, tenant, 'apiKey:list agents:list');
    const account = { name: 'x', scopes: ['agents:list'] };
    const main = { ...account, workspace: 'northwind-main' };
    const forbidden = { __typename: 'ForbiddenError', code: 'forbidden' };
    expect(await create(token, account)).toMatchObject(forbidden);
    expect(await create(member.key, account)).toMatchObject(forbidden);
    expect(await create(member.key, main)).toMatchObject(forbidden);
    expect(await create(lead.key, account)).toMatchObject(forbidden);
    expect(await create(lead.key, { ...account, workspace: 'northwind-lab' })).toMatchObject(forbidden);
    expect(await create(lead.key, { ...account, workspace: 'contoso-main' })).toMatchObject(forbidden);
    expect(await create(lead.key, main)).toMatchObject({ secret: expect.any(String) });
  });

  it('rejects other users, service accounts of another tenant, and admin scope for callers who are not admins', async () => {
    await memberKey('root-bot', { account: 'admin', kind: 'service_account' });
    await memberKey('idle-bot', { account: 'member', kind: 'service_account' });
    const { db } = running.app.services;
    const foreign = await db.principal.create({ data: { kind: 'service_account', name: 'contoso-bot' } });
    await db.accountMember.create({ data: { accountId: other.accountId, principalId: foreign.id, role: 'member' } });
    const input = { name: 'x', scopes: ['agents:list'] };
    const missing = { __typename: 'NotFoundError', path: ['owner'] };
    for (const owner of ['mia@northwind.example.com', 'contoso-bot', 'no-such-bot', 'a\0b']) {
      expect(await create(admin, { ...input, owner })).toMatchObject(missing);
    }
    expect(await create(admin, { ...input, owner: 'idle-bot', workspace: 'northwind-main' })).toMatchObject(missing);
    expect(await create(admin, { ...input, owner: 'root-bot' })).toMatchObject({ secret: expect.any(String) });
    const lead = await memberKey('lena@northwind.example.com', { account: 'member', workspace: 'admin' });
    const asRoot = { ...input, owner: 'root-bot', workspace: 'northwind-main' };
    expect(await create(lead.key, asRoot)).toMatchObject({ __typename: 'ForbiddenError' });
  });
});

describe('apiKeys', () => {
  it('shows the account’s keys to its admin, a workspace’s keys to its admin, and every caller their own keys', async () => {
    const { db } = running.app.services;
    const lead = await memberKey('ann@northwind.example.com', { account: 'member', workspace: 'admin' });
    const member = await memberKey('ben@northwind.example.com', { account: 'member', workspace: 'member' });
    const workspaceId = tenant.workspaces['northwind-main'] ?? '';
    const confined = await createKey(running.app, { ...tenant, workspaceId });
    const mine = await createKey(running.app, other);
    await db.apiKey.update({ where: { id: lead.id }, data: { name: 'of-ann' } });
    await db.apiKey.update({ where: { id: member.id }, data: { name: 'of-ben' } });
    await db.apiKey.update({ where: { id: confined.id }, data: { name: 'of-main' } });
    await db.apiKey.update({ where: { id: mine.id }, data: { name: 'of-contoso' } });
    const marked = async (key: string) =>
      (await namesSeen(key, 'search: "of-"')).filter((name) => name.startsWith('of-'));
    expect(await marked(admin)).toEqual(['of-ann', 'of-ben', 'of-main']);
    expect(await marked(lead.key)).toEqual(['of-ann', 'of-main']);
    expect(await marked(member.key)).toEqual(['of-ben']);
    expect(await marked(confined.key)).toEqual(['of-main']);
    expect(await marked(mine.key)).toEqual(['of-contoso']);
    const { body } = await graphql(
      running.app,
      mine.key,
      `{ nodes(ids: ["${globalId(lead.id)}", "${globalId(mine.id)}"]) { id } }`,
    );
    expect(body.data.nodes).toEqual([null, { id: globalId(mine.id) }]);
  });

  it('supports filters by workspace, owner and status, search, and counts', async () => {
    const made = await create(admin, { name: 'to-be-revoked', scopes: ['agents:list'] });
    await act('revokeApiKey', admin, { id: made.apiKey.id });
    await createKey(running.app, { ...tenant, expiresAt: new Date(frozenNow.getTime() - 1000) });
    expect(await namesSeen(admin, 'status: REVOKED')).toEqual(['to-be-revoked']);
    expect(await namesSeen(admin, 'status: EXPIRED')).toEqual(['test']);
    expect(await namesSeen(admin, 'search: "BE-REV"')).toEqual(['to-be-revoked']);
    expect(await namesSeen(admin, 'owner: "Mia@Northwind.example.com"')).toEqual(['test']);
    expect(await namesSeen(admin, 'workspace: "northwind-lab"')).toEqual([]);
    const abroad = await graphql(running.app, admin, '{ apiKeys(workspace: "contoso-main") { totalCount } }');
    expect(abroad.body.errors[0].extensions).toMatchObject({ code: 'forbidden', status: 403 });
    const { body } = await graphql(
      running.app,
      admin,
      '{ apiKeys(first: 1, status: REVOKED) { totalCount } all: apiKeys { totalCount } }',
    );
    expect(body.data.apiKeys.totalCount).toBe(body.data.all.totalCount);
  });

  it('returns every key once, page by page', async () => {
    const seen: string[] = [];
    let after: string | null = null;
    do {
      const page = `{ apiKeys(first: 3, after: ${JSON.stringify(after)}) { nodes { id } pageInfo { hasNextPage endCursor } } }`;
      const { body } = await graphql(running.app, admin, page);
      seen.push(...body.data.apiKeys.nodes.map(({ id }: { id: string }) => id));
      after = body.data.apiKeys.pageInfo.hasNextPage ? body.data.apiKeys.pageInfo.endCursor : null;
    } while (after !== null);
    const { body } = await graphql(running.app, admin, '{ apiKeys(first: 200) { nodes { id } totalCount } }');
    expect(seen).toEqual(body.data.apiKeys.nodes.map(({ id }: { id: string }) => id));
    expect(new Set(seen).size).toBe(body.data.apiKeys.totalCount);
  });

  it('requires the scope apiKey:list', async () => {
    const { token } = await createToken(running.app, tenant, 'apiKey:write agents:list');
    const { body } = await graphql(running.app, token, '{ apiKeys { totalCount } }');
    expect(body.errors[0].extensions).toMatchObject({ code: 'forbidden', status: 403 });
  });
});

describe('A key that another credential creates', () => {
  const inMinutes = (minutes: number) => new Date(frozenNow.getTime() + minutes * 60_000);

  it('expires with that credential at the latest, when it is created and when it is rotated', async () => {
    const { token } = await createToken(running.app, tenant, 'admin');
    const ending = await createKey(running.app, { ...tenant, expiresAt: inMinutes(10) });
    for (const [credential, end] of [
      [token, inMinutes(15)],
      [ending.key, inMinutes(10)],
    ] as const) {
      const made = await create(credential, { name: 'capped', scopes: ['admin'] });
      expect(made.apiKey.expiresAt).toBe(end.toISOString());
      const rotated = await act('rotateApiKey', credential, { id: made.apiKey.id });
      expect(rotated.apiKey.expiresAt).toBe(end.toISOString());
      const because = 'because the credential of this request expires then';
      const beyond: [Record<string, unknown>, string][] = [
        [{ neverExpires: true }, `must not be true: the key expires by ${end.toISOString()}, ${because}`],
        [{ expiresAt: inMinutes(16).toISOString() }, `must be at most ${end.toISOString()}, ${because}`],
      ];
      for (const [asked, rule] of beyond) {
        const [field = ''] = Object.keys(asked);
        const refused = { __typename: 'InvalidInputError', path: [field], message: `${field} ${rule}` };
        expect(await create(credential, { name: 'longer', scopes: ['admin'], ...asked })).toMatchObject(refused);
        const full = await create(admin, { name: 'full', scopes: ['admin'], neverExpires: true });
        expect(await act('rotateApiKey', credential, { id: full.apiKey.id, ...asked })).toMatchObject(refused);
        expect((await act('rotateApiKey', credential, { id: full.apiKey.id })).apiKey.expiresAt).toBe(
          end.toISOString(),
        );
      }
    }
  });

  it('can outlive the access token of a user who signed in within the last hour, and otherwise lasts a day', async () => {
    const { db } = running.app.services;
    const { token, id } = await createToken(running.app, tenant, 'admin');
    const { id: clientId } = await registerClient(running.app);
    const authorization = await db.oauthAuthorization.create({
      data: {
        clientId,
        principalId: tenant.principalId,
        accountId: tenant.accountId,
        scope: 'admin',
        createdAt: frozenNow,
        lastUsedAt: frozenNow,
        signedInAt: inMinutes(-60),
      },
    });
    await db.accessToken.update({ where: { id }, data: { authorizationId: authorization.id } });
    const asked = { name: 'mine', scopes: ['admin'], neverExpires: true };
    expect((await create(token, asked)).apiKey.expiresAt).toBeNull();
    for (const signedInAt of [inMinutes(-61), null]) {
      await db.oauthAuthorization.update({ where: { id: authorization.id }, data: { signedInAt } });
      expect((await create(token, asked)).message).toMatch(/sign in again/);
      const made = await create(token, { name: 'mine', scopes: ['admin'] });
      expect(made.apiKey.expiresAt).toBe(inMinutes(24 * 60).toISOString());
    }
  });

  it('names the credential that created it, and is revoked with it on request', async () => {
    const root = await create(admin, { name: 'root', scopes: ['admin'] });
    const child = await create(root.secret, { name: 'child', scopes: ['admin'] });
    const rotated = await act('rotateApiKey', admin, { id: child.apiKey.id });
    const grandchild = await create(rotated.secret, { name: 'grandchild', scopes: ['agents:list'] });
    const { body } = await graphql(
      running.app,
      admin,
      `{ node(id: "${grandchild.apiKey.id}") { ... on ApiKey { createdWith } } }`,
    );
    expect(body.data.node.createdWith).toBe(`api_key ${rotated.secret.slice(0, 10)}`);
    expect(await act('revokeApiKey', admin, { id: root.apiKey.id })).toMatchObject({ descendants: [] });
    expect(await statusWith(grandchild.secret, '/agents?limit=1')).not.toBe(401);
    const { descendants } = await act('revokeApiKey', admin, { id: root.apiKey.id, includeDescendants: true });
    expect(descendants.map(({ name, status }: Record<string, string>) => `${name} ${status}`).toSorted()).toEqual([
      'child REVOKED',
      'child REVOKED',
      'grandchild REVOKED',
    ]);
    for (const { secret } of [root, child, rotated, grandchild]) {
      await expect.poll(() => statusWith(secret), { timeout: 5_000 }).toBe(401);
    }
    expect(await statusWith(admin)).toBe(200);
  });
});

describe('A key that is revoked with its descendants', () => {
  it('cannot create further keys, even while its caller is still cached', async () => {
    const parent = await create(admin, { name: 'parent', scopes: ['admin'] });
    await create(parent.secret, { name: 'early', scopes: ['admin'] });
    const late = () =>
      graphql(
        running.app,
        parent.secret,
        'mutation { createApiKey(input: { name: "late", scopes: ["admin"] }) { __typename ... on Error { code } } }',
      );
    const created = Promise.all(Array.from({ length: 5 }, late));
    await act('revokeApiKey', admin, { id: parent.apiKey.id, includeDescendants: true });
    await created;
    expect(JSON.stringify((await late()).body)).toContain('unauthorized');
    expect(await namesSeen(admin, 'search: "late", status: ACTIVE')).toEqual([]);
  });
});

describe('A key without an expiry', () => {
  const ends = (days: number) => new Date(frozenNow.getTime() + days * 86_400_000).toISOString();

  it('is created only by name: null and a variable that is not sent mean the default lifetime', async () => {
    const sent = async (credential: string, variables: Record<string, unknown>) => {
      const { body } = await graphql(
        running.app,
        credential,
        `
          mutation ($expiresAt: DateTime, $neverExpires: Boolean) {
            createApiKey(
              input: { name: "x", scopes: ["agents:list"], expiresAt: $expiresAt, neverExpires: $neverExpires }
            ) {
              ... on CreateApiKeyPayload {
                apiKey {
                  id
                  expiresAt
                }
              }
            }
          }
        `,
        variables,
      );
      expect(body.errors).toBeUndefined();
      return body.data.createApiKey.apiKey;
    };
    for (const variables of [{}, { expiresAt: null }, { neverExpires: null }, { neverExpires: false }]) {
      expect((await sent(admin, variables)).expiresAt).toBe(ends(365));
    }
    const { id, expiresAt } = await sent(admin, { neverExpires: true });
    expect(expiresAt).toBeNull();
    const { body } = await graphql(
      running.app,
      admin,
      `
        mutation ($id: ID!, $expiresAt: DateTime) {
          rotateApiKey(input: { id: $id, expiresAt: $expiresAt }) {
            ... on RotateApiKeyPayload {
              apiKey {
                expiresAt
              }
            }
          }
        }
      `,
      { id },
    );
    expect(body.data.rotateApiKey.apiKey.expiresAt).toBe(ends(365));
  });

  it('is replaced by one that expires, unless the rotation asks for one that never does', async () => {
    const made = async () => (await create(admin, { name: 'x', scopes: ['agents:list'], neverExpires: true })).apiKey;
    const rotated = async (input: Record<string, unknown>) =>
      (await act('rotateApiKey', admin, { id: (await made()).id, ...input })).apiKey.expiresAt;
    expect(await rotated({})).toBe(ends(365));
    expect(await rotated({ expiresAt: null })).toBe(ends(365));
    expect(await rotated({ neverExpires: true })).toBeNull();
  });
});

describe('rotateApiKey', () => {
  it('returns a key like the old one; both work until the overlap ends', async () => {
    const { app } = running;
    const made = await create(admin, { name: 'ci', scopes: ['agents:list'], workspace: 'northwind-main' });
    const rotated = await act('rotateApiKey', admin, { id: made.apiKey.id, overlapSeconds: 3600 });
    expect(rotated).toMatchObject({
      apiKey: { name: 'ci', scopes: ['agents:list'], expiresAt: '2027-11-20T12:00:00.000Z' },
      previous: { expiresAt: '2026-11-20T13:00:00.000Z', status: 'ACTIVE' },
    });
    const statuses = async () => [
      await statusWith(made.secret, '/agents'),
      await statusWith(rotated.secret, '/agents'),
    ];
    expect(await statuses()).toEqual([200, 200]);
    app.clock.now = new Date(frozenNow.getTime() + 3_600_000);
    expect(await statuses()).toEqual([401, 200]);
    app.clock.now = frozenNow;
    const again = await act('rotateApiKey', admin, { id: made.apiKey.id });
    expect(again).toMatchObject({ __typename: 'ConflictError', code: 'conflict' });
  });

  it('creates one key for many concurrent attempts', async () => {
    const made = await create(admin, { name: 'raced', scopes: ['agents:list'] });
    const tries = await Promise.all(
      Array.from({ length: 5 }, () => act('rotateApiKey', admin, { id: made.apiKey.id })),
    );
    expect(tries.filter(({ secret }) => secret !== undefined)).toHaveLength(1);
    expect(await namesSeen(admin, 'search: "raced"')).toEqual(['raced', 'raced']);
  });

  it('does not extend the permissions of the caller', async () => {
    const lead = await memberKey('zoe@northwind.example.com', { account: 'member', workspace: 'admin' });
    const full = await create(admin, { name: 'full', scopes: ['admin'] });
    const { token } = await createToken(running.app, tenant, 'apiKey:write apiKey:list');
    const forbidden = { __typename: 'ForbiddenError' };
    expect(await act('rotateApiKey', token, { id: full.apiKey.id })).toMatchObject(forbidden);
    // An admin may revoke the key of another user, and not become them.
    expect(await act('rotateApiKey', admin, { id: globalId(lead.id) })).toMatchObject(forbidden);
    expect(await act('rotateApiKey', lead.key, { id: full.apiKey.id })).toMatchObject({ __typename: 'NotFoundError' });
    expect(await act('rotateApiKey', lead.key, { id: globalId(lead.id) })).toMatchObject({
      secret: expect.any(String),
    });
  });

  it('does nothing with a token that was just revoked', async () => {
    const made = await create(admin, { name: 'kept', scopes: ['agents:list'] });
    const { token, id } = await createToken(running.app, tenant, 'admin');
    expect(await namesSeen(token, 'search: "kept"')).toEqual(['kept']);
    const revokedAt = running.app.clock.now;
    await running.app.services.db.accessToken.update({ where: { id }, data: { revokedAt } });
    const document = 'mutation ($id: ID!) { rotateApiKey(input: { id: $id }) { __typename } }';
    const { body } = await graphql(running.app, token, document, { id: made.apiKey.id });
    expect(JSON.stringify(body)).toMatch(/UnauthorizedError|"unauthorized"/);
    expect(await namesSeen(admin, 'search: "kept"')).toEqual(['kept']);
  });

  it('does not make an admin of a workspace an admin of the account', async () => {
    const lead = await memberKey('kai@northwind.example.com', { account: 'member', workspace: 'admin' });
    await memberKey('ops', { account: 'admin', kind: 'service_account' });
    const ofOps = { name: 'of ops', scopes: ['agents:list'], workspace: 'northwind-main', owner: 'ops' };
    const forbidden = { __typename: 'ForbiddenError', message: expect.stringContaining('acts as an admin') };
    expect(await create(lead.key, ofOps)).toMatchObject(forbidden);
    const made = await create(admin, ofOps);
    expect(await act('rotateApiKey', lead.key, { id: made.apiKey.id })).toMatchObject(forbidden);
    const disable = async (disabledAt: Date | null) =>
      running.app.services.db.principal.update({ where: { name: 'ops' }, data: { disabledAt } });
    await disable(frozenNow);
    expect(await act('rotateApiKey', lead.key, { id: made.apiKey.id })).toMatchObject(forbidden);
    await disable(null);
    expect(await act('rotateApiKey', admin, { id: made.apiKey.id })).toMatchObject({ secret: expect.any(String) });
  });

  it.each([{ overlapSeconds: -1 }, { overlapSeconds: 2_592_001 }, { expiresAt: '2020-01-01T00:00:00Z' }])(
    'rejects %j',
    async (input) => {
      const made = await create(admin, { name: 'x', scopes: ['agents:list'] });
      const refused = await act('rotateApiKey', admin, { id: made.apiKey.id, ...input });
      expect(refused).toMatchObject({ __typename: 'InvalidInputError', path: Object.keys(input) });
    },
  );
});

describe('revokeApiKey', () => {
  it('ends a key within one second, and is idempotent', async () => {
    const made = await create(admin, { name: 'x', scopes: ['admin'] });
    expect(await statusWith(made.secret)).toBe(200);
    const revoked = await act('revokeApiKey', admin, { id: made.apiKey.id });
    expect(revoked.apiKey).toEqual({ status: 'REVOKED', revokedAt: frozenNow.toISOString() });
    await expect.poll(() => statusWith(made.secret), { timeout: 1_000, interval: 50 }).toBe(401);
    expect(await act('revokeApiKey', admin, { id: made.apiKey.id })).toEqual(revoked);
    expect(await act('rotateApiKey', admin, { id: made.apiKey.id })).toMatchObject({ __typename: 'ConflictError' });
  });

  it('requires the scope, and rejects keys of other callers', async () => {
    const made = await create(admin, { name: 'x', scopes: ['admin'] });
    const foreign = (await createKey(running.app, other)).key;
    const member = await memberKey('max@northwind.example.com', { account: 'member', workspace: 'member' });
    const { token } = await createToken(running.app, tenant, 'apiKey:list');
    const { id } = made.apiKey;
    expect(await act('revokeApiKey', token, { id })).toMatchObject({ __typename: 'ForbiddenError' });
    expect(await act('revokeApiKey', foreign, { id })).toMatchObject({ __typename: 'NotFoundError' });
    expect(await act('revokeApiKey', member.key, { id })).toMatchObject({ __typename: 'NotFoundError' });
    expect(await act('revokeApiKey', member.key, { id: globalId(member.id) })).toMatchObject({
      apiKey: { status: 'REVOKED' },
    });
    for (const wrong of ['x', globalId('no-such'), Buffer.from(`1:Agent:${member.id}`).toString('base64url')]) {
      expect(await act('revokeApiKey', admin, { id: wrong })).toMatchObject({ __typename: 'InvalidInputError' });
    }
    expect(await statusWith(made.secret)).toBe(200);
  });
});

describe('The change log', () => {
  it('records who created, replaced and revoked a key, and never the key', async () => {
    const { db } = running.app.services;
    const made = await create(admin, { name: 'told', scopes: ['agents:list'] });
    const rotated = await act('rotateApiKey', admin, { id: made.apiKey.id });
    await act('revokeApiKey', admin, { id: rotated.apiKey.id });
    await act('revokeApiKey', admin, { id: rotated.apiKey.id });
    const rows = await db.change.findMany({ where: { kind: 'API_KEY', name: 'told' }, orderBy: { sequence: 'asc' } });
    expect(rows.map(({ verb, fields }) => [verb, fields])).toEqual([
      ['created', []],
      ['created', []],
      ['updated', ['expiresAt']],
      ['revoked', ['revokedAt']],
    ]);
    for (const row of rows) {
      expect(row).toMatchObject({
        actorName: 'owner@northwind.example.com',
        accountId: tenant.accountId,
        address: '127.0.0.1',
      });
    }
    const told = JSON.stringify(rows, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
    for (const secret of [made.secret, rotated.secret]) expect(told).not.toContain(secret);
  });

  it('contains no trace of rejected requests', async () => {
    const { db } = running.app.services;
    const before = await db.change.count();
    await create(admin, { name: 'refused', scopes: ['agents:fly'] });
    await create(admin, { name: 'refused', scopes: ['admin'], owner: 'no-such-bot' });
    expect(await db.change.count()).toBe(before);
  });
});

describe('The maximum lifetime of keys', () => {
  const limited = useApp({ API_KEY_DAYS_DEFAULT: '365', API_KEY_DAYS_MAX: '30' });

  it('bounds every new key', async () => {
    const owner = await createTenant(limited.app, { account: 'fabrikam', workspaces: [] });
    const { key } = await createKey(limited.app, owner);
    const expiryOf = async (input: object) => {
      const query = `mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) {
        ... on CreateApiKeyPayload { apiKey { expiresAt } } ... on Error { message } } }`;
      const { body } = await graphql(limited.app, key, query, { input: { name: 'x', scopes: ['admin'], ...input } });
      return body.data.createApiKey.apiKey?.expiresAt ?? body.data.createApiKey.message;
    };
    expect(await expiryOf({})).toBe('2026-12-20T12:00:00.000Z');
    expect(await expiryOf({ expiresAt: '2026-12-20T12:00:00Z' })).toBe('2026-12-20T12:00:00.000Z');
    expect(await expiryOf({ expiresAt: '2026-12-20T12:00:01Z' })).toBe('expiresAt must be at most 30 days from now');
    expect(await expiryOf({ neverExpires: true })).toBe(
      'neverExpires must not be true: the maximum lifetime of keys is 30 days',
    );
    for (const unset of [{ expiresAt: null }, { neverExpires: false }, { expiresAt: null, neverExpires: null }]) {
      expect(await expiryOf(unset)).toBe('2026-12-20T12:00:00.000Z');
    }
  });
});
