// The feed: visibility, order, and continuing from a cursor.
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { authorizeOwnAccount, authorizeWorkspace } from '../../src/auth/authorize.js';
import { openContext } from '../../src/http/open-context.js';
import { allKinds } from '../../src/changes/change-subjects.js';
import type { ChangeKind } from '../../src/changes/change-subjects.js';
import { listChanges } from '../../src/changes/changes.js';
import { recordChanges } from '../../src/changes/record-changes.js';
import { watchChanges } from '../../src/changes/watch-changes.js';
import { runBackgroundTasks } from '../../src/server/run-background-tasks.js';
import { backgroundTasks } from '../../src/server/background-tasks.js';
import { createKey, createTenant, createToken, frozenNow, graphql, rest, useApp } from '../harness.js';
import type { Tenant } from '../harness.js';
import { addPlatform } from '../platform.js';
import type { Platform } from '../platform.js';

const running = useApp({ PLATFORM_ACCOUNT: 'platform' });
let tenant: Tenant;
let key: string;
let count = 0;
let mark: string;

beforeEach(async () => {
  mark = `c${count++}`;
  tenant = await createTenant(running.app, { account: mark, workspaces: [`${mark}-main`, `${mark}-side`] });
  ({ key } = await createKey(running.app, tenant));
});

const globalId = (type: string, id: string) => Buffer.from(`1:${type}:${id}`).toString('base64url');

async function contextOf(bearer = key) {
  return openContext(running.app.services, { authorization: `Bearer ${bearer}` }, 'a-request', '192.0.2.7');
}

/** Records one change for each name. */
async function record(names: string[], place: string | null = `${mark}-main`, kind: ChangeKind = 'AGENT', by = key) {
  const ctx = await contextOf(by);
  const within = place === null ? authorizeOwnAccount(ctx, 'admin') : authorizeWorkspace(ctx, 'admin', place);
  const event = { type: 'update', status: 'DEPLOYED', message: 'as told' };
  await within.transaction((tx) =>
    recordChanges(
      tx,
      names.map((name) => ({ kind, verb: 'updated', resourceId: randomUUID(), name, version: 3, event })),
    ),
  );
}

interface Page {
  names: string[];
  cursors: string[];
  endCursor: string;
  hasNextPage: boolean;
}

async function pageOf(args = '', by = key): Promise<Page> {
  const query = `{ changes${args === '' ? '' : `(${args})`} { edges { cursor node { name } } pageInfo { endCursor hasNextPage } } }`;
  const { body } = await graphql(running.app, by, query);
  expect(body.errors).toBeUndefined();
  const { edges, pageInfo } = body.data.changes;
  const names = edges.map(({ node }: { node: { name: string } }) => node.name);
  return { names, cursors: edges.map(({ cursor }: { cursor: string }) => cursor), ...pageInfo };
}

async function refusalOf(args: string, by = key) {
  const { body } = await graphql(running.app, by, `{ changes(${args}) { nodes { id } } }`);
  return body.errors?.[0].extensions;
}

const numbered = (most: number) => Array.from({ length: most }, (_, index) => `agent-${index}`);

describe('A page of changes', () => {
  it('contains each change once, in commit order, for any page size', async () => {
    await record(numbered(5));
    await record(numbered(9).slice(5), `${mark}-side`);
    for (const first of [1, 2, 3, 8, 200]) {
      const seen: string[] = [];
      let page = await pageOf(`first: ${first}`);
      for (;;) {
        seen.push(...page.names);
        if (!page.hasNextPage) break;
        page = await pageOf(`first: ${first}, after: "${page.endCursor}"`);
      }
      expect(seen).toEqual(numbered(9));
    }
  });

  it('goes backward from the end, and from a cursor', async () => {
    await record(numbered(5));
    const end = await pageOf('last: 2');
    expect(end.names).toEqual(['agent-3', 'agent-4']);
    expect((await pageOf(`last: 2, before: "${end.cursors[0]}"`)).names).toEqual(['agent-1', 'agent-2']);
  });

  it('returns a cursor to continue from, also when it is empty or its filter matches nothing', async () => {
    await record(['one']);
    const page = await pageOf('filter: { names: ["other"] }');
    expect(page).toMatchObject({ names: [], hasNextPage: false });
    await record(['two']);
    expect((await pageOf(`after: "${page.endCursor}"`)).names).toEqual(['two']);
  });

  it('has the same cursor for the same change in every list, with every filter', async () => {
    await record(['one', 'two']);
    const { cursors } = await pageOf();
    const place = `workspace(name: "${mark}-main") { changes(filter: { actions: [UPDATED] }) { edges { cursor } } }`;
    const { body } = await graphql(running.app, key, `{ ${place} }`);
    expect(body.data.workspace.changes.edges.map(({ cursor }: { cursor: string }) => cursor)).toEqual(cursors);
  });

  it('is the same for each list of a query that requests it', async () => {
    await record(numbered(3));
    const page = 'nodes { name } pageInfo { endCursor hasNextPage } totalCount filteredCount';
    const query = `{ a: changes(first: 2) { ${page} } b: changes(first: 2) { ${page} } }`;
    const { body } = await graphql(running.app, key, query);
    expect(body.errors).toBeUndefined();
    expect(body.data.a).toMatchObject({
      nodes: [{ name: 'agent-0' }, { name: 'agent-1' }],
      pageInfo: { hasNextPage: true },
      totalCount: 3,
      filteredCount: 3,
    });
    expect(body.data.b).toEqual(body.data.a);
    const counts = await graphql(running.app, key, '{ changes { totalCount filteredCount } }');
    expect(counts.body.data.changes).toEqual({ totalCount: 3, filteredCount: 3 });
  });

  it('contains the changes of workspaces that its caller got access to while it was read', async () => {
    const { db } = running.app.services;
    const { accountId } = tenant;
    const { id: principalId } = await db.principal.create({ data: { kind: 'user', name: `m@${mark}.example.com` } });
    await db.accountMember.create({ data: { accountId, principalId, role: 'member' } });
    const join = async (name: string) => {
      await db.workspaceMember.create({
        data: { workspaceId: tenant.workspaces[name] ?? '', principalId, role: 'member' },
      });
      await record([`in ${name}`], name);
    };
    const ctx = await contextOf((await createKey(running.app, { accountId, principalId })).key);
    await join(`${mark}-main`);
    const renewed = { ...ctx };
    await renewed.renew(true);
    const wanted = { items: true, columns: ['name' as const], total: false, filtered: false };
    const reading = listChanges(ctx, { size: 10, direction: 'forward', fields: { cursor: 'after' }, wanted });
    // Another field of the same query authenticates the caller again.
    ctx.caller = renewed.caller;
    const renew = ctx.renew.bind(ctx);
    vi.spyOn(ctx, 'renew').mockImplementationOnce(async (isFresh) => {
      await renew(isFresh);
      // The page is then read a second time.
      await join(`${mark}-side`);
    });
    expect((await reading).items.map(({ name }) => name)).toEqual([`in ${mark}-main`, `in ${mark}-side`]);
  });

  it('is of its own account if one query lists the changes of several accounts', async () => {
    const { app } = running;
    const other = await createTenant(app, { account: `${mark}-other`, workspaces: [`${mark}-else`] });
    const { key: foreign } = await createKey(app, other);
    const { key: platform } = await createKey(app, await createTenant(app, { account: 'platform', workspaces: [] }));
    await record(numbered(2));
    await record(['other'], `${mark}-else`, 'AGENT', foreign);
    const page = 'totalCount nodes { name workspaceName } pageInfo { endCursor }';
    const query = `{ own: changes { ${page} } a: changes(account: "${mark}") { ${page} } b: changes(account: "${mark}-other") { ${page} } }`;
    const { body } = await graphql(app, platform, query);
    expect(body.errors).toBeUndefined();
    const { own, a, b } = body.data;
    expect(own).toMatchObject({ totalCount: 0, nodes: [] });
    expect(a).toMatchObject({ totalCount: 2, nodes: [{ name: 'agent-0' }, { workspaceName: `${mark}-main` }] });
    expect(b).toMatchObject({ totalCount: 1, nodes: [{ name: 'other', workspaceName: `${mark}-else` }] });
    expect((await pageOf(`after: "${b.pageInfo.endCursor}"`, foreign)).names).toEqual([]);
    const within = (name: string) => `account: "${mark}", filter: { workspaces: ["${name}"] }`;
    expect((await pageOf(within(`${mark}-main`), platform)).names).toEqual(['agent-0', 'agent-1']);
    expect((await pageOf(within(`${mark}-side`), platform)).names).toEqual([]);
    for (const name of [`${mark}-else`, 'nowhere', '\\u0000']) {
      expect(await refusalOf(within(name), platform)).toMatchObject({ code: 'forbidden' });
    }
  });

  it('contains actor, credential, address and previous values', async () => {
    const platform = await addPlatform(running.app, tenant.workspaces[`${mark}-main`] ?? '', mark);
    const path = `/sandboxes/${mark}-sandbox/previews/${mark}-preview`;
    const headers = { 'x-service-workspace': `${mark}-main` };
    const answer = await rest(running.app, path, { key, method: 'DELETE', headers });
    const query = `{ changes(last: 1) { totalCount nodes {
      id time kind action name workspaceName actor { kind name } client requestId address version fields status message
      before after resource { id } } } }`;
    const { body } = await graphql(running.app, key, query);
    expect(body.errors).toBeUndefined();
    const [change] = body.data.changes.nodes;
    expect(change).toEqual({
      id: expect.any(String),
      time: frozenNow.toISOString(),
      kind: 'SANDBOX_PREVIEW',
      action: 'DELETED',
      name: `${mark}-preview`,
      workspaceName: `${mark}-main`,
      actor: { kind: 'USER', name: `owner@${mark}.example.com` },
      client: `api_key ${key.slice(0, 10)}`,
      requestId: answer.headers.get('x-request-id'),
      address: '127.0.0.1',
      version: 1,
      fields: [],
      status: 'DELETED',
      message: `Deleted by owner@${mark}.example.com`,
      before: expect.objectContaining({ spec: expect.objectContaining({ port: 3000 }) }),
      after: null,
      resource: null,
    });
    const volume = `{ changes(filter: { resource: "${globalId('Volume', platform.Volume)}" }) {
      filteredCount nodes { resource { id ... on Volume { metadata { name } } } } } }`;
    const found = await graphql(running.app, key, volume);
    expect(found.body.data.changes).toEqual({
      filteredCount: 1,
      nodes: [{ resource: { id: globalId('Volume', platform.Volume), metadata: { name: `${mark}-volume` } } }],
    });
  });

  it.each<[string, string[]]>([
    ['kinds: [VOLUME]', ['v']],
    ['kinds: [VOLUME, JOB]', ['v', 'j']],
    ['kinds: []', []],
    ['actions: [CREATED]', []],
    ['actions: [CREATED, UPDATED], names: ["a", "j"]', ['a', 'j']],
    ['actors: ["nobody"]', []],
    ['addresses: ["192.0.2.7"]', ['a', 'v', 'j']],
    ['addresses: ["192.0.2.8"]', []],
    ['time: { from: "2026-11-20T12:00:00Z" }', ['a', 'v', 'j']],
    ['time: { to: "2026-11-20T12:00:00Z" }', []],
    ['time: { from: "2026-11-20T12:00:00.000001Z" }', []],
    ['time: { to: "2026-11-20T12:00:00.000001Z" }', ['a', 'v', 'j']],
    ['time: { to: "9999-12-31T23:59:59.999999Z" }', ['a', 'v', 'j']],
    ['time: { from: "2026-11-20T11:59:59.999999Z", to: "2026-11-20T12:00:00.0000000Z" }', []],
    ['time: { from: "2026-11-20T13:00:00+02:00", to: "2026-11-20T14:00:01+02:00" }', ['a', 'v', 'j']],
  ])('with the filter { %s } contains %j', async (filter, names) => {
    await record(['a']);
    await record(['v'], `${mark}-main`, 'VOLUME');
    await record(['j'], `${mark}-side`, 'JOB');
    expect((await pageOf(`filter: { ${filter} }`)).names).toEqual(names);
  });

  it('can be filtered by workspaces, and rejects an inaccessible one', async () => {
    await record(['here']);
    await record(['there'], `${mark}-side`);
    expect((await pageOf(`filter: { workspaces: ["${mark}-side"] }`)).names).toEqual(['there']);
    expect(await refusalOf('filter: { workspaces: ["nowhere"] }')).toMatchObject({ code: 'forbidden' });
  });

  it.each<[string, string]>([
    ['after: "nonsense"', 'cursor_invalid'],
    ['first: 201', 'invalid_parameter'],
    ['first: 1, last: 1', 'invalid_parameter'],
    ['filter: { resource: "nonsense" }', 'invalid_parameter'],
    [`filter: { names: [${Array.from({ length: 101 }, () => '"x"').join(' ')}] }`, 'invalid_parameter'],
    ['filter: { names: ["a\\u0000"] }', 'invalid_parameter'],
  ])('is rejected for %s with %s', async (args, code) => {
    expect(await refusalOf(args)).toMatchObject({ code });
  });

  it('takes one statement, for one resource as for many', async () => {
    const { app } = running;
    await addPlatform(app, tenant.workspaces[`${mark}-main`] ?? '', mark);
    await addPlatform(app, tenant.workspaces[`${mark}-main`] ?? '', `${mark}b`);
    const statementsOf = async (query: string) => {
      app.statements.length = 0;
      const { body } = await graphql(app, key, query);
      expect(body.errors).toBeUndefined();
      return app.statements.filter((sql) => sql.includes('"change" AS c')).length;
    };
    const volumes = (first: number) =>
      `{ volumes(workspace: "${mark}-main", first: ${first}) { nodes { changes(last: 3) { nodes { name } } } } }`;
    expect(await statementsOf('{ changes(first: 1) { nodes { name before } } }')).toBe(1);
    expect(await statementsOf(volumes(1))).toBe(1);
    expect(await statementsOf(volumes(2))).toBe(1);
    expect(await statementsOf('{ workspaces { nodes { changes(last: 3) { nodes { name } } } } }')).toBe(1);
  });

  it('reads only the columns of the selected fields', async () => {
    const { app } = running;
    await record(['one']);
    const columnsOf = async (selection: string) => {
      app.statements.length = 0;
      const { body } = await graphql(app, key, `{ changes(last: 1) { ${selection} } }`);
      expect(body.errors).toBeUndefined();
      const sql = app.statements.find((each) => each.includes('"change" AS c')) ?? '';
      return Array.from(sql.matchAll(/ AS "(\w+)"/g), ([, name]) => name);
    };
    expect(await columnsOf('nodes { id }')).toEqual([]);
    expect(await columnsOf('pageInfo { endCursor }')).toEqual([]);
    expect(await columnsOf('nodes { id name } edges { node { time } }')).toEqual(['time', 'name']);
    expect(await columnsOf('nodes { actor { name } resource { id } }')).toEqual(['kind', 'resourceId', 'actorName']);
    expect(await columnsOf('nodes { after }')).toEqual(['after']);
    const fields: [string, string][] = [
      ['actor', '{ kind name }'],
      ['resource', '{ id }'],
    ];
    const own =
      'id time action kind name workspaceName client requestId address version fields status message count before after';
    for (const [name, below] of [...fields, ...own.split(' ').map((name): [string, string] => [name, ''])]) {
      await columnsOf(`nodes { ${name} ${below} }`);
    }
  });

  it('has the resources of a workspace that another credential has just created', async () => {
    const { key: other } = await createKey(running.app, tenant);
    const createdIn = async (name: string) => {
      const document = `mutation ($name: String!) {
        createWorkspace(input: { metadata: { name: $name } }) { __typename }
        createAgent(input: { workspace: $name, metadata: { name: "one" }, spec: {} }) { __typename } }`;
      const { body } = await graphql(running.app, other, document, { name });
      expect(body.data.createAgent).toEqual({ __typename: 'CreateAgentPayload' });
    };
    for (const [page, name] of [
      ['first: 9', `${mark}-new`],
      ['last: 9', `${mark}-newer`],
    ] as const) {
      await pageOf();
      await createdIn(name);
      const query = `{ changes(${page}, filter: { names: ["one", "${name}"] }) { nodes { workspaceName resource { id } } } }`;
      const { body } = await graphql(running.app, key, query);
      const nodes = body.data.changes.nodes.filter(
        ({ workspaceName }: { workspaceName: string }) => workspaceName === name,
      );
      expect(nodes).toEqual(nodes.map(() => ({ workspaceName: name, resource: { id: expect.any(String) } })));
      expect(nodes).toHaveLength(2);
    }
  });

  it('reads all linked resources of a kind with one statement', async () => {
    const { app } = running;
    const workspaceId = tenant.workspaces[`${mark}-main`] ?? '';
    for (const letter of ['a', 'b', 'c']) await addPlatform(app, workspaceId, `${mark}${letter}`);
    app.statements.length = 0;
    const query =
      '{ changes(filter: { kinds: [VOLUME] }) { nodes { resource { ... on Volume { metadata { name } } } } } }';
    const { body } = await graphql(app, key, query);
    const names = body.data.changes.nodes.map((each: { resource: { metadata: { name: string } } }) => each.resource);
    expect(names).toHaveLength(3);
    expect(app.statements.filter((sql) => sql.includes('FROM "volume"'))).toHaveLength(1);
  });
});

describe('changeCursor', () => {
  it('is the position of the change log before the lists of the same query were read', async () => {
    const { app } = running;
    await record(['before']);
    app.statements.length = 0;
    const query = `{ agents(workspace: "${mark}-main") { nodes { id } } changeCursor }`;
    const { body } = await graphql(app, key, query);
    const own = app.statements.filter((sql) => /"change_head"|FROM "agent"/.test(sql));
    expect(own.map((sql) => sql.includes('"change_head"'))).toEqual([true, false]);
    await record(['behind']);
    expect((await pageOf(`after: "${body.data.changeCursor}"`)).names).toEqual(['behind']);
  });

  it('is denied to callers without access to changes, and leaves the other fields', async () => {
    const { token } = await createToken(running.app, tenant, 'agents:list');
    const query = `{ changeCursor agents(workspace: "${mark}-main") { nodes { id } } }`;
    const { body } = await graphql(running.app, token, query);
    expect(body.errors[0].extensions).toMatchObject({ code: 'forbidden' });
    expect(body.data).toEqual({ changeCursor: null, agents: { nodes: [] } });
  });
});

describe('Visibility of changes', () => {
  const ofAccount = [
    'ACCOUNT',
    'API_KEY',
    'OAUTH_CLIENT',
    'MEMBER',
    'INVITATION',
    'USER',
    'SIGN_IN',
    'ACCESS',
    'GROUP_ROLE',
    'GROUP',
    'EXECUTOR',
  ];

  /** One change of each kind in the workspace main, one of an agent in side, one of usage in no workspace. */
  async function recordAll(): Promise<void> {
    for (const kind of allKinds) await record([kind], `${mark}-main`, kind);
    await record(['side'], `${mark}-side`);
    await record(['nowhere'], null, 'USAGE');
  }

  async function memberKey(role: 'admin' | 'member' | 'viewer', workspaceRole?: 'admin' | 'member' | 'viewer') {
    const { db } = running.app.services;
    const principal = await db.principal.create({ data: { kind: 'user', name: `${randomUUID()}@example.com` } });
    const { accountId } = tenant;
    await db.accountMember.create({ data: { accountId, principalId: principal.id, role } });
    const workspaceId = tenant.workspaces[`${mark}-main`] ?? '';
    if (workspaceRole !== undefined) {
      await db.workspaceMember.create({ data: { workspaceId, principalId: principal.id, role: workspaceRole } });
    }
    return (await createKey(running.app, { accountId, principalId: principal.id })).key;
  }

  const inWorkspace = allKinds.filter((kind) => !ofAccount.includes(kind));

  it.each<{ who: string; by: () => Promise<string>; sees: string[] }>([
    { who: 'an admin of the account', by: async () => key, sees: [...allKinds, 'side', 'nowhere'] },
    { who: 'a viewer of the account', by: () => memberKey('viewer'), sees: [...inWorkspace, 'side'] },
    { who: 'a member of one workspace', by: () => memberKey('member', 'member'), sees: inWorkspace },
    { who: 'a viewer of one workspace', by: () => memberKey('member', 'viewer'), sees: inWorkspace },
    { who: 'an admin of one workspace', by: () => memberKey('member', 'admin'), sees: inWorkspace },
    { who: 'a member of the account and of nothing in it', by: () => memberKey('member'), sees: [] },
    {
      who: 'an admin by a key for one workspace',
      by: async () => {
        const workspaceId = tenant.workspaces[`${mark}-side`] ?? '';
        return (await createKey(running.app, { ...tenant, workspaceId })).key;
      },
      sees: ['side'],
    },
    ...Object.entries({
      'agents:get': ['AGENT', 'AGENT_INVOCATION', 'side'],
      'jobs:get volumes:get': ['JOB', 'VOLUME'],
      'sandboxes:get agents:create': ['SANDBOX'],
      'workspaces:get': ['WORKSPACE'],
      'apiKey:list': ['API_KEY'],
    }).map(([scope, sees]) => ({
      who: `an admin by a token for ${scope}`,
      by: async () => (await createToken(running.app, tenant, scope)).token,
      sees,
    })),
  ])('shows $who only their own tenants', async ({ by, sees }) => {
    await recordAll();
    const page = await pageOf('', await by());
    expect(page.names.toSorted()).toEqual(sees.toSorted());
  });

  it('includes the client address for account admins only', async () => {
    await record(['one']);
    const query = '{ changes { nodes { address } } }';
    const member = await memberKey('member', 'admin');
    expect((await graphql(running.app, key, query)).body.data.changes.nodes).toEqual([{ address: '192.0.2.7' }]);
    expect((await graphql(running.app, member, query)).body.data.changes.nodes).toEqual([{ address: null }]);
    expect(await refusalOf('filter: { addresses: ["192.0.2.7"] }', member)).toMatchObject({ code: 'forbidden' });
  });

  it('requires a scope for any kind, and on a resource the scope for its kind', async () => {
    const { token } = await createToken(running.app, tenant, 'agents:list volumes:list');
    expect(await refusalOf('first: 1', token)).toMatchObject({ code: 'forbidden', status: 403 });
    await addPlatform(running.app, tenant.workspaces[`${mark}-main`] ?? '', mark);
    const { token: wider } = await createToken(running.app, tenant, 'agents:get volumes:list');
    const query = `{ volumes(workspace: "${mark}-main") { nodes { changes { nodes { id } } } } }`;
    const { body } = await graphql(running.app, wider, query);
    expect(body.errors[0]).toMatchObject({ message: expect.stringContaining('volumes:get') });
    expect(body.data.volumes.nodes).toEqual([{ changes: null }]);
  });

  it('separates the change logs of two tenants, and their cursors', async () => {
    await record(['mine']);
    const other = await createTenant(running.app, { account: `${mark}-other`, workspaces: [`${mark}-else`] });
    const { key: foreign } = await createKey(running.app, other);
    expect((await pageOf('', foreign)).names).toEqual([]);
    const { cursors } = await pageOf();
    expect(await refusalOf(`after: "${cursors[0]}"`, foreign)).toMatchObject({ code: 'cursor_mismatch' });
    const { db } = running.app.services;
    const { resourceId } = await db.change.findFirstOrThrow({ where: { accountId: tenant.accountId } });
    const resource = globalId('Agent', resourceId ?? '');
    expect((await pageOf(`filter: { resource: "${resource}" }`, foreign)).names).toEqual([]);
  });
});

describe('A change older than the retention', () => {
  const dayMs = 24 * 60 * 60_000;
  let platform: Platform;

  beforeEach(async () => {
    const { app } = running;
    app.clock.now = new Date(frozenNow.getTime() - 91 * dayMs);
    await record(['old-1', 'old-2']);
    app.clock.now = frozenNow;
    platform = await addPlatform(app, tenant.workspaces[`${mark}-main`] ?? '', mark);
    await record(['young']);
  });

  const removeOld = () =>
    runBackgroundTasks(running.app.services, running.app.config, [backgroundTasks.removeOldChanges]);

  it('is deleted, and an earlier cursor returns where to restart', async () => {
    const { cursors } = await pageOf('first: 2');
    await removeOld();
    expect((await pageOf()).names).not.toContain('old-1');
    expect((await pageOf()).names).toContain('young');
    const refusal = await refusalOf(`after: "${cursors[0]}"`);
    expect(refusal).toMatchObject({ code: 'cursor_expired', field: 'after', resumeFrom: cursors[1] });
    expect((await pageOf(`after: "${refusal.resumeFrom}"`)).names).toContain('young');
  });

  it('is deleted without effect on a reader who has read all changes', async () => {
    const { cursors } = await pageOf('first: 2');
    await removeOld();
    await removeOld();
    expect((await pageOf(`after: "${cursors[1]}"`)).names).toContain('young');
  });

  it('remains in the events of its resource, up to a hundred, without actor and address, until the deletion', async () => {
    const { app } = running;
    const { db } = app.services;
    const { accountId } = tenant;
    const ofVolume = { accountId, resourceId: platform.Volume };
    const events = `{ node(id: "${globalId('Volume', platform.Volume)}") { ... on Volume { events { type } } } }`;
    app.clock.now = new Date(frozenNow.getTime() + 100 * dayMs);
    const { key: later } = await createKey(app, tenant);
    await removeOld();
    expect((await graphql(app, later, events)).body.data.node.events).toHaveLength(1);
    expect((await pageOf('', later)).names).toEqual([]);
    // A hundred newer ones displace it; then the resource is deleted with all of them.
    const within = authorizeWorkspace(await contextOf(later), 'admin', `${mark}-main`);
    const change = {
      kind: 'VOLUME',
      verb: 'status',
      resourceId: platform.Volume,
      event: { type: 'deployment', status: 'DEPLOYED', message: 'again' },
    } as const;
    const hundred = Array.from({ length: 100 }, () => change);
    await within.transaction((tx) => recordChanges(tx, hundred));
    app.clock.now = new Date(frozenNow.getTime() + 200 * dayMs);
    await removeOld();
    const kept = await db.change.findMany({ where: ofVolume });
    expect(kept).toHaveLength(100);
    expect(new Set(kept.map(({ type }) => type))).toEqual(new Set(['deployment']));
    expect(new Set(kept.flatMap(({ address, client, requestId }) => [address, client, requestId]))).toEqual(
      new Set([null]),
    );
    await db.volume.delete({ where: { id: platform.Volume } });
    await within.transaction((tx) => recordChanges(tx, [{ ...change, verb: 'deleted' }]));
    app.clock.now = new Date(frozenNow.getTime() + 300 * dayMs);
    await removeOld();
    expect(await db.change.count({ where: ofVolume })).toBe(0);
    app.clock.now = frozenNow;
  });

  it('is reported to a reader with a cursor from before a restore', async () => {
    const { endCursor } = await pageOf();
    const { accountId } = tenant;
    await running.app.services.db.change.deleteMany({ where: { accountId, sequence: { gt: 1n } } });
    await running.app.services.db.changeHead.update({ where: { accountId }, data: { last: 1n } });
    expect(await refusalOf(`after: "${endCursor}"`)).toMatchObject({ code: 'cursor_expired' });
  });
});

describe('A change that a restore lost', () => {
  const watchError = async (cursor: string) =>
    watchChanges(await contextOf(), { after: cursor }).then(
      async (watcher) => void (await watcher.return()),
      (error: unknown) => error,
    );

  it('leaves no cursor to continue from, also after as many changes as before; all others are valid', async () => {
    const { db } = running.app.services;
    const { accountId } = tenant;
    await record(['kept-1', 'kept-2', 'lost-1', 'lost-2', 'lost-3']);
    const [kept, ...lost] = (await pageOf('last: 4')).cursors;
    expect(lost).toHaveLength(3);
    const { last } = await db.changeHead.findUniqueOrThrow({ where: { accountId } });
    await db.change.deleteMany({ where: { accountId, sequence: { gt: last - 3n } } });
    await db.changeHead.update({ where: { accountId }, data: { last: last - 3n + 1_000_000_000n } });
    const { endCursor: atRestore } = await pageOf();
    const valid = async (cursor = '') => [(await pageOf(`after: "${cursor}"`)).names, await watchError(cursor)];
    expect(await valid(kept)).toEqual([[], undefined]);
    expect(await valid(atRestore)).toEqual([[], undefined]);
    await record(['new-1', 'new-2', 'new-3']);
    const news = ['new-1', 'new-2', 'new-3'];
    expect(await valid(kept)).toEqual([news, undefined]);
    expect(await valid(atRestore)).toEqual([news, undefined]);
    for (const cursor of lost) {
      const refusal = await refusalOf(`after: "${cursor}"`);
      expect(refusal).toMatchObject({ code: 'cursor_expired', field: 'after' });
      expect((await pageOf(`after: "${refusal.resumeFrom}"`)).names).toEqual((await pageOf()).names);
      expect(await refusalOf(`last: 2, before: "${cursor}"`)).toMatchObject({ code: 'cursor_expired' });
      expect(await watchError(cursor)).toMatchObject({ error: 'cursor_expired' });
    }
    expect((await pageOf('last: 4')).names).toEqual(['kept-2', ...news]);
  });
});
