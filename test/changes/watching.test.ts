// Watches: each change as it is committed, over server-sent events, for as long as the caller may and reads.
import { execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request as httpRequest, ServerResponse } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { authorizeWorkspace } from '../../src/auth/authorize.js';
import { openContext } from '../../src/http/open-context.js';
import { createChangeHub } from '../../src/changes/change-hub.js';
import { changeChannel } from '../../src/changes/change-rows.js';
import type { ChangeKind } from '../../src/changes/change-subjects.js';
import { recordChanges } from '../../src/changes/record-changes.js';
import { watchChanges } from '../../src/changes/watch-changes.js';
import { createKey, createTenant, createToken, frozenNow, graphql, useApp } from '../harness.js';
import type { Tenant } from '../harness.js';
import { watch } from './event-stream.js';
import type { WatchClient } from './event-stream.js';

const running = useApp({
  WATCHERS_PER_ACCOUNT_MAX: '20',
  WATCH_HEARTBEAT_MS: '100',
  WATCH_BEHIND_MS_MAX: '300',
  REQUESTS_IN_FLIGHT_MAX: '2',
});
let tenant: Tenant;
let key: string;
let count = 0;
let mark: string;

beforeEach(async () => {
  mark = `w${count++}`;
  tenant = await createTenant(running.app, { account: mark, workspaces: [mark, `${mark}-side`] });
  ({ key } = await createKey(running.app, tenant));
});

const names =
  'subscription ($after: String, $filter: ChangeFilter) { changes(after: $after, filter: $filter) { cursor node { name } } }';

async function record(given: string[], workspace = mark, after?: object, kind: ChangeKind = 'AGENT') {
  const ctx = await openContext(running.app.services, { authorization: `Bearer ${key}` }, 'a-request');
  const event = { type: 'update', status: 'UPDATED', message: '' };
  await authorizeWorkspace(ctx, 'admin', workspace).transaction((tx) =>
    recordChanges(
      tx,
      given.map((name) => ({ kind, verb: 'updated', resourceId: randomUUID(), name, after, event })),
    ),
  );
}

/** The next changes that a watcher gets: their names, and the cursor of the last. */
async function take(client: WatchClient, most: number): Promise<{ names: string[]; cursor: string }> {
  const seen: string[] = [];
  let cursor = '';
  while (seen.length < most) {
    const told = await client.next();
    expect(told?.data?.errors).toBeUndefined();
    expect(told?.event).toBe('next');
    seen.push(told?.data.data.changes.node.name);
    ({ cursor } = told?.data.data.changes ?? {});
  }
  return { names: seen, cursor };
}

/** The last `next` of a stream. */
async function endOf(client: WatchClient) {
  let last: Awaited<ReturnType<WatchClient['next']>>;
  for (;;) {
    const told = await client.next();
    if (told === undefined) throw new Error('the stream broke off');
    if (told.event === 'complete') break;
    last = told;
  }
  expect(await client.next()).toBeUndefined();
  return last?.data.errors?.[0].extensions;
}

function canRun(program: string): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

const hasCurl = canRun('curl');

const isFollowed = () => running.app.services.changeHub.followersOf(tenant.accountId) > 0;

describe('A subscription', () => {
  it.each(['GET', 'POST'] as const)('by %s delivers each change on commit, once and in order', async (method) => {
    const client = await watch(running.app, key, names, {}, method);
    expect(client.response.status).toBe(200);
    expect(client.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    await record(['one', 'two']);
    await record(['three'], `${mark}-side`);
    expect((await take(client, 3)).names).toEqual(['one', 'two', 'three']);
    client.leave();
  });

  it.skipIf(!hasCurl)('is shown by curl -N as the docs show it', async () => {
    const body = JSON.stringify({
      query: 'subscription { changes { cursor node { action kind name actor { name } } } }',
    });
    const headers = [`Authorization: Bearer ${key}`, 'Content-Type: application/json', 'Accept: text/event-stream'];
    const given = headers.flatMap((header) => ['-H', header]);
    const curl = spawn('curl', ['-sN', `${running.app.origin}/graphql`, ...given, '-d', body]);
    let shown = '';
    curl.stdout.on('data', (chunk: Buffer) => (shown += chunk.toString()));
    // It watches from when it was let in.
    await vi.waitFor(() => expect(isFollowed()).toBe(true), { timeout: 30_000 });
    await record(['by-curl']);
    await vi.waitFor(() => expect(shown).toMatch(/event: next\ndata: .*"name":"by-curl".*\nid: .+/), {
      timeout: 30_000,
    });
    curl.kill();
    await once(curl, 'close');
  });

  it('continues after a cursor of a subscription or the feed, with missed and new changes', async () => {
    await record(['before']);
    const { body } = await graphql(running.app, key, '{ changeCursor }');
    await record(['one', 'two']);
    const first = await watch(running.app, key, names, { after: body.data.changeCursor });
    const { names: told, cursor } = await take(first, 2);
    expect(told).toEqual(['one', 'two']);
    first.leave();
    await record(Array.from({ length: 150 }, (_, index) => `missed-${index}`));
    const second = await watch(running.app, key, names, { after: cursor });
    expect((await take(second, 150)).names.at(-1)).toBe('missed-149');
    await record(['live']);
    expect((await take(second, 1)).names).toEqual(['live']);
    second.leave();
  });

  it.each(['GET', 'POST'] as const)(
    'by %s loses and repeats nothing if its client reconnects with the old variables and Last-Event-ID',
    async (method) => {
      for (const hasCursor of [false, true]) {
        await record(['before']);
        const { body } = await graphql(running.app, key, '{ changeCursor }');
        const variables = hasCursor ? { after: body.data.changeCursor } : {};
        const reconnect = (id?: string) => watch(running.app, key, names, variables, method, undefined, id);
        // The connection is cut before the first event.
        const first = await reconnect();
        const cut = first.next().catch(() => undefined);
        await vi.waitFor(() => expect(first.lastEventId()).not.toBe(''));
        first.leave();
        await cut;
        let id = first.lastEventId();
        const seen: string[] = [];
        for (const round of [1, 2, 3, 4]) {
          await record([`${round} a`, `${round} b`]);
          const client = await reconnect(id);
          // The second one is cut after its first event.
          const told = await take(client, round === 2 ? 1 : 2 * round - seen.length);
          seen.push(...told.names);
          id = client.lastEventId();
          expect(id).toBe(told.cursor);
          client.leave();
        }
        expect(seen).toEqual(['1 a', '1 b', '2 a', '2 b', '3 a', '3 b', '4 a', '4 b']);
      }
    },
  );

  it('gives subscribers that share a result the same id, and each the id of its own last event', async () => {
    const clients = await Promise.all(
      [{}, {}, { filter: { names: ['two'] } }].map((variables) => watch(running.app, key, names, variables)),
    );
    await record(['one', 'two', 'three']);
    const cursors: string[] = [];
    for (const [index, client] of clients.entries()) {
      const { cursor } = await take(client, index === 2 ? 1 : 3);
      expect(client.lastEventId()).toBe(cursor);
      cursors.push(cursor);
      client.leave();
    }
    expect(cursors[0]).toBe(cursors[1]);
    expect(cursors[2]).not.toBe(cursors[0]);
  });

  it('loses and repeats nothing while many write and it is interrupted repeatedly', async () => {
    let after: string = (await graphql(running.app, key, '{ changeCursor }')).body.data.changeCursor;
    const writers = Array.from({ length: 3 }, async (_, writer) => {
      for (let round = 0; round < 12; round++) await record([`${writer} ${round}`]);
    });
    const seen: string[] = [];
    for (let size = 1; seen.length < 36; size = (size * 2) % 7) {
      const client: WatchClient = await watch(running.app, key, names, { after });
      const told = await take(client, Math.min(size, 36 - seen.length));
      seen.push(...told.names);
      after = told.cursor;
      client.leave();
    }
    await Promise.all(writers);
    const { body } = await graphql(running.app, key, '{ changes(first: 200) { nodes { name } } }');
    expect(seen).toHaveLength(36);
    expect(body.data.changes.nodes.map(({ name }: { name: string }) => name).slice(-36)).toEqual(seen);
  });

  it('delivers only changes that match its filter and are visible to its caller', async () => {
    const other = await createTenant(running.app, { account: `${mark}-other`, workspaces: [`${mark}-else`] });
    const { key: foreign } = await createKey(running.app, other);
    const { token } = await createToken(running.app, tenant, 'jobs:get');
    const clients = await Promise.all([
      watch(running.app, key, names, { filter: { names: ['two', 'last'] } }),
      watch(running.app, key, names, { filter: { workspaces: [`${mark}-side`] } }),
      watch(running.app, key, names, { filter: { time: { to: '2026-11-20T12:00:00.000001Z' } } }),
      watch(running.app, foreign, names),
      watch(running.app, token, names),
      watch(running.app, key, names, { filter: { time: { from: '2026-11-20T12:00:00.000001Z' } } }),
    ]);
    await record(['one', 'two']);
    await record(['last'], `${mark}-side`);
    const [filtered, side, timely, alien, narrow, late] = clients;
    expect((await take(filtered, 2)).names).toEqual(['two', 'last']);
    expect((await take(side, 1)).names).toEqual(['last']);
    expect((await take(timely, 3)).names).toEqual(['one', 'two', 'last']);
    await setTimeout(50);
    for (const silent of [alien, narrow, late]) {
      const told = await Promise.race([silent.next(), setTimeout(20, 'nothing')]);
      expect(told).toBe('nothing');
    }
    for (const client of clients) client.leave();
  });

  it('delivers the changes of a new workspace to a viewer of the account, as the feed does', async () => {
    const { db } = running.app.services;
    const principal = await db.principal.create({ data: { kind: 'user', name: `v@${mark}.example.com` } });
    const { accountId } = tenant;
    await db.accountMember.create({ data: { accountId, principalId: principal.id, role: 'viewer' } });
    const { key: viewer } = await createKey(running.app, { accountId, principalId: principal.id });
    const { body } = await graphql(running.app, viewer, '{ changes { pageInfo { endCursor } } }');
    const client = await watch(running.app, viewer, names);
    const name = `${mark}-new`;
    // From now on, this process remembers for half a second what the viewer can access.
    await graphql(running.app, viewer, '{ viewer { name } }');
    const create = `mutation { createWorkspace(input: { metadata: { name: "${name}" } }) { ... on Error { message } } }`;
    expect((await graphql(running.app, key, create)).body.data).toEqual({ createWorkspace: {} });
    await record(['one'], name);
    const feed = `{ changes(after: "${body.data.changes.pageInfo.endCursor}") { nodes { name } } }`;
    const polled = await graphql(running.app, viewer, feed);
    expect(polled.body.data.changes.nodes).toEqual([{ name }, { name: 'one' }]);
    expect((await take(client, 2)).names).toEqual([name, 'one']);
    client.leave();
  });

  it('delivers the changes of a workspace that its caller got access to while missed changes were read', async () => {
    const { db } = running.app.services;
    const { accountId } = tenant;
    const { id: principalId } = await db.principal.create({ data: { kind: 'user', name: `m@${mark}.example.com` } });
    await db.accountMember.create({ data: { accountId, principalId, role: 'member' } });
    const { key: member } = await createKey(running.app, { accountId, principalId });
    const { body } = await graphql(running.app, key, '{ changeCursor }');
    const ctx = await openContext(running.app.services, { authorization: `Bearer ${member}` }, 'a-request');
    const workspaceId = tenant.workspaces[mark] ?? '';
    await db.workspaceMember.create({ data: { workspaceId, principalId, role: 'member' } });
    await record(['one']);
    const renewed = { ...ctx };
    await renewed.renew(true);
    const watcher = await watchChanges(ctx, { after: body.data.changeCursor });
    const step = watcher.next();
    // A check of the caller's access ends while the changes are read.
    ctx.caller = renewed.caller;
    expect((await step).value?.name).toBe('one');
    await watcher.return();
  });

  it('delivers a change of a workspace that its caller got access to while missed changes were read again', async () => {
    const { db } = running.app.services;
    const { accountId } = tenant;
    const { id: principalId } = await db.principal.create({ data: { kind: 'user', name: `m@${mark}.example.com` } });
    await db.accountMember.create({ data: { accountId, principalId, role: 'member' } });
    const third = await db.workspace.create({ data: { accountId, name: `${mark}-third` } });
    const join = (workspaceId = '') =>
      db.workspaceMember.create({ data: { workspaceId, principalId, role: 'member' } });
    const { body } = await graphql(running.app, key, '{ changeCursor }');
    await record(['hidden']);
    const { key: member } = await createKey(running.app, { accountId, principalId });
    const ctx = await openContext(running.app.services, { authorization: `Bearer ${member}` }, 'a-request');
    const renew = ctx.renew.bind(ctx);
    let reads = 0;
    vi.spyOn(ctx, 'renew').mockImplementation(async (isFresh) => {
      if (isFresh !== true || reads++ > 0) return renew(isFresh);
      await join(tenant.workspaces[`${mark}-side`]);
      await renew(isFresh);
      await join(third.id);
      return record(['late'], third.name);
    });
    const watcher = await watchChanges(ctx, { after: body.data.changeCursor });
    expect((await watcher.next()).value?.name).toBe('late');
    await watcher.return();
  });

  it('does not authenticate an admin of the account again for the members that its filter skips', async () => {
    const ctx = await openContext(running.app.services, { authorization: `Bearer ${key}` }, 'a-request');
    const renew = vi.spyOn(ctx, 'renew');
    const watcher = await watchChanges(ctx, { filter: { names: ['last'] } });
    const step = watcher.next();
    await record(['one', 'two'], mark, undefined, 'MEMBER');
    await record(['last']);
    expect((await step).value?.name).toBe('last');
    expect(renew).not.toHaveBeenCalledWith(true);
    await watcher.return();
  });

  it('delivers no changes and addresses any more that the lowered role of its caller does not see', async () => {
    const { db } = running.app.services;
    const principal = await db.principal.create({ data: { kind: 'user', name: `a@${mark}.example.com` } });
    const own = { accountId: tenant.accountId, principalId: principal.id };
    await db.accountMember.create({ data: { ...own, role: 'admin' } });
    await db.workspaceMember.create({
      data: { workspaceId: tenant.workspaces[mark] ?? '', principalId: principal.id, role: 'member' },
    });
    const { key: lowered } = await createKey(running.app, own);
    const query = 'subscription { changes { cursor node { name address } } }';
    const client = await watch(running.app, lowered, query);
    await record(['of the account'], `${mark}-side`);
    expect((await client.next())?.data.data.changes.node).toEqual({ name: 'of the account', address: 'unknown' });
    await db.accountMember.updateMany({ where: own, data: { role: 'member' } });
    const addressOfNext = async () => {
      await record(['seen']);
      return (await client.next())?.data.data.changes.node.address;
    };
    await expect.poll(addressOfNext, { timeout: 20_000 }).toBeNull();
    await record(['of another workspace'], `${mark}-side`);
    await record(['of its workspace']);
    expect((await client.next())?.data.data.changes.node).toEqual({ name: 'of its workspace', address: null });
    client.leave();
  });

  it('resolves a resource in a workspace that another credential has just created', async () => {
    const { key: other } = await createKey(running.app, tenant);
    const query =
      'subscription ($filter: ChangeFilter) { changes(filter: $filter) { node { workspaceName resource { __typename } } } }';
    const [workspaces, agents] = await Promise.all(
      ['WORKSPACE', 'AGENT'].map((kind) => watch(running.app, key, query, { filter: { kinds: [kind] } })),
    );
    const name = `${mark}-new`;
    // From now on, this process remembers for half a second what the subscriber can access.
    await graphql(running.app, key, '{ viewer { name } }');
    const create = `mutation {
      createWorkspace(input: { metadata: { name: "${name}" } }) { ... on Error { message } }
      createAgent(input: { workspace: "${name}", metadata: { name: "one" } }) { ... on Error { message } } }`;
    expect((await graphql(running.app, other, create)).body.data).toEqual({ createWorkspace: {}, createAgent: {} });
    for (const [client, __typename] of [
      [workspaces, 'Workspace'],
      [agents, 'Agent'],
    ] as const) {
      expect((await client?.next())?.data.data.changes.node).toEqual({ workspaceName: name, resource: { __typename } });
      client?.leave();
    }
  });

  it('resolves an edge to the changed resource in its present state', async () => {
    const query = 'subscription { changes { node { kind resource { id } actor { name } after } } }';
    const client = await watch(running.app, key, query);
    await record(['one'], mark, { spec: { enabled: true } });
    const told = await client.next();
    expect(told?.data.data.changes.node).toEqual({
      kind: 'AGENT',
      resource: null,
      actor: { name: `owner@${mark}.example.com` },
      after: { spec: { enabled: true } },
    });
    client.leave();
  });

  it('answers HEAD with the headers of its stream, and follows nothing', async () => {
    const search = new URLSearchParams({ query: names });
    const headers = { authorization: `Bearer ${key}`, accept: 'text/event-stream' };
    const response = await fetch(`${running.app.origin}/graphql?${search}`, { method: 'HEAD', headers });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(isFollowed()).toBe(false);
  });

  it('sends heartbeats while nothing happens', async () => {
    const client = await watch(running.app, key, names);
    const nothing = client.next().catch(() => undefined);
    await vi.waitUntil(() => client.beats() >= 3, { timeout: 20_000 });
    client.leave();
    expect(await nothing).toBeUndefined();
  });

  it('sends changes of one commit together, each event complete and in order', async () => {
    const client = await watch(running.app, key, `${names.replace('{ name }', '{ name after }')}`);
    const given = Array.from({ length: 30 }, (_, index) => `many-${index}`);
    await record(given, mark, { spec: { text: 'é'.repeat(10_000) } });
    expect((await take(client, 30)).names).toEqual(given);
    client.leave();
  });

  it('sends each result before it waits for the next one, which takes a read of its own', async () => {
    const { app } = running;
    const client = await watch(app, key, 'subscription { changes { cursor node { name resource { id } } } }');
    const write: (this: ServerResponse, piece: string) => boolean = ServerResponse.prototype.write;
    const readsBefore: number[] = [];
    const spy = vi.spyOn(ServerResponse.prototype, 'write').mockImplementation(function (this: ServerResponse, piece) {
      const reads = app.statements.filter((sql) => sql.includes('FROM "agent"'));
      if (String(piece).includes('event: next')) readsBefore.push(reads.length);
      return write.call(this, piece);
    });
    app.statements.length = 0;
    await record(['one', 'two', 'three', 'four']);
    expect((await take(client, 4)).names).toEqual(['one', 'two', 'three', 'four']);
    spy.mockRestore();
    expect(readsBefore).toEqual([1, 2, 3, 4]);
    client.leave();
  });

  it('takes one statement for all subscribers', async () => {
    const { app } = running;
    const clients = await Promise.all(Array.from({ length: 4 }, () => watch(app, key, names)));
    app.statements.length = 0;
    await record(['one']);
    for (const client of clients) expect((await take(client, 1)).names).toEqual(['one']);
    const reads = app.statements.filter((sql) => sql.includes('"change" AS c'));
    expect(reads.every((sql) => sql.includes('news'))).toBe(true);
    for (const client of clients) client.leave();
  });
});

describe('A subscription is rejected', () => {
  it.each<{ what: string; variables?: object; scope?: string; code: string; status: number }>([
    { what: 'an invalid cursor', variables: { after: 'x' }, code: 'cursor_invalid', status: 400 },
    {
      what: 'a filter that breaks a rule',
      variables: { filter: { names: ['\u0000'] } },
      code: 'invalid_parameter',
      status: 400,
    },
    { what: 'a workspace out of reach', variables: { filter: { workspaces: ['x'] } }, code: 'forbidden', status: 403 },
    { what: 'a credential without a scope for any kind', scope: 'agents:list', code: 'forbidden', status: 403 },
  ])('for $what', async ({ variables = {}, scope = 'admin', code, status }) => {
    const { token } = await createToken(running.app, tenant, scope);
    const { response } = await watch(running.app, token, names, { ...variables });
    const body: { errors: { extensions: object }[] } = JSON.parse(await response.text());
    expect({ status: response.status, ...body.errors[0]?.extensions }).toMatchObject({ status, code });
    expect(isFollowed()).toBe(false);
  });

  it('for a Last-Event-ID that is no cursor of the account, with its name', async () => {
    const other = await createTenant(running.app, { account: `${mark}-other`, workspaces: [`${mark}-else`] });
    const { key: foreign } = await createKey(running.app, other);
    const theirs = (await graphql(running.app, foreign, '{ changeCursor }')).body.data.changeCursor;
    for (const [id, code] of [
      ['42', 'cursor_invalid'],
      [theirs, 'cursor_mismatch'],
    ]) {
      const { response } = await watch(running.app, key, names, {}, 'POST', undefined, id);
      const { errors } = JSON.parse(await response.text());
      expect(response.status).toBe(400);
      expect(errors[0]).toMatchObject({ message: expect.stringContaining('Last-Event-ID'), extensions: { code } });
    }
    expect(isFollowed()).toBe(false);
  });

  it.each([
    'subscription { changes @skip(if: true) { cursor } }',
    'subscription { changes @include(if: true) { cursor } }',
    'subscription { ... @include(if: false) { changes { cursor } } }',
    'subscription { ...F } fragment F on Subscription { ... { changes @skip(if: true) { cursor } } }',
    'subscription { ...F } fragment F on Subscription { ...F }',
  ])('for a root field that may be left out: %s', async (query) => {
    const { body } = await graphql(running.app, key, query);
    expect(body.errors[0]).toMatchObject({ extensions: { code: 'invalid_request', status: 400 } });
    expect(isFollowed()).toBe(false);
  });

  it('with 406 if the client accepts only a single response, and with 401 without a credential', async () => {
    for (const accept of ['application/json', 'text/event-stream;q=0', 'text/event-stream;q=0, */*']) {
      const { status } = await graphql(running.app, key, names, {}, { accept });
      expect([accept, status]).toEqual([accept, 406]);
    }
    expect((await watch(running.app, 'nobody', names)).response.status).toBe(401);
  });

  it('above the limit of its account, which does not affect ordinary requests', async () => {
    await record(['one']);
    const clients = await Promise.all(Array.from({ length: 20 }, () => watch(running.app, key, names)));
    expect(new Set(clients.map(({ response }) => response.status))).toEqual(new Set([200]));
    const refused = await watch(running.app, key, names);
    expect(refused.response.status).toBe(429);
    expect(refused.response.headers.get('retry-after')).toBe('10');
    expect((await graphql(running.app, key, '{ viewer { name } }')).status).toBe(200);
    for (const client of clients) client.leave();
    await vi.waitUntil(() => !isFollowed(), { timeout: 20_000 });
    const again = await watch(running.app, key, names);
    expect(again.response.status).toBe(200);
    again.leave();
  });
});

describe('A subscription ends', () => {
  it('within a second after its credential is revoked, with the cursor to continue from', async () => {
    const { key: short, id } = await createKey(running.app, tenant);
    const client = await watch(running.app, short, names);
    await record(['one']);
    const { cursor } = await take(client, 1);
    await running.app.services.db.apiKey.update({ where: { id }, data: { revokedAt: frozenNow } });
    // A busy machine gives this process fewer turns in a second: these tenths of a second count its turns.
    let tenths = 0;
    const counting = setInterval(() => tenths++, 100);
    expect(await endOf(client)).toMatchObject({ code: 'unauthorized', status: 401, resumeFrom: cursor });
    clearInterval(counting);
    expect(tenths).toBeLessThan(10);
  });

  it('when its credential expires', async () => {
    const expiresAt = new Date(frozenNow.getTime() + 60_000);
    const { key: short } = await createKey(running.app, { ...tenant, expiresAt });
    const client = await watch(running.app, short, names);
    running.app.clock.now = expiresAt;
    const end = await endOf(client);
    running.app.clock.now = frozenNow;
    expect(end).toMatchObject({ code: 'unauthorized' });
  });

  it('for a workspace when its caller is no longer a member', async () => {
    const { db } = running.app.services;
    const principal = await db.principal.create({ data: { kind: 'user', name: `m@${mark}.example.com` } });
    const { accountId } = tenant;
    const workspaceId = tenant.workspaces[mark] ?? '';
    await db.accountMember.create({ data: { accountId, principalId: principal.id, role: 'member' } });
    await db.workspaceMember.create({ data: { workspaceId, principalId: principal.id, role: 'viewer' } });
    const { key: member } = await createKey(running.app, { accountId, principalId: principal.id });
    const client = await watch(running.app, member, names, { filter: { workspaces: [mark] } });
    await record(['one']);
    expect((await take(client, 1)).names).toEqual(['one']);
    await db.workspaceMember.deleteMany({ where: { principalId: principal.id } });
    expect(await endOf(client)).toMatchObject({ code: 'forbidden', resumeFrom: expect.any(String) });
  });

  it('for a workspace when that is deleted, with a cursor to continue from', async () => {
    const client = await watch(running.app, key, names, { filter: { workspaces: [mark] } });
    await record(['one']);
    expect((await take(client, 1)).names).toEqual(['one']);
    const deletion = `mutation ($name: String!) { deleteWorkspace(input: { name: $name }) { __typename } }`;
    const { body } = await graphql(running.app, key, deletion, { name: mark });
    expect(body.data.deleteWorkspace.__typename).toBe('DeleteWorkspacePayload');
    expect(await endOf(client)).toMatchObject({ code: 'forbidden', resumeFrom: expect.any(String) });
  });

  it.each(['user is disabled', 'account is deleted'])(
    'when its %s, with the cursor of the last change that it delivered',
    async (what) => {
      const { db } = running.app.services;
      const { accountId, principalId } = tenant;
      const client = await watch(running.app, key, names, { filter: { workspaces: [mark] } });
      await record(['one']);
      const { cursor } = await take(client, 1);
      if (what.startsWith('user')) {
        await db.principal.update({ where: { id: principalId }, data: { disabledAt: frozenNow } });
      } else {
        await db.workspace.deleteMany({ where: { accountId } });
        await db.account.delete({ where: { id: accountId } });
      }
      expect(await endOf(client)).toMatchObject({ code: 'unauthorized', resumeFrom: cursor });
    },
  );

  it('in the process when its client disconnects', async () => {
    await record(['one']);
    const client = await watch(running.app, key, names);
    expect(isFollowed()).toBe(true);
    client.leave();
    await vi.waitUntil(() => !isFollowed(), { timeout: 20_000 });
  });

  it('for a client that does not read, with a cursor that misses nothing', async () => {
    const most = 160;
    const { body } = await graphql(running.app, key, '{ changeCursor }');
    const large = { spec: { text: 'x'.repeat(120_000) } };
    for (let batch = 0; batch < most; batch += 20) {
      await record(
        Array.from({ length: 20 }, (_, index) => String(batch + index)),
        mark,
        large,
      );
    }
    const query = `subscription { changes(after: "${body.data.changeCursor}") { cursor node { name after } } }`;
    const request = httpRequest(`${running.app.origin}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    });
    const answered = once(request, 'response');
    request.end(JSON.stringify({ query }));
    const [response]: IncomingMessage[] = await answered;
    if (response === undefined) throw new Error('there is no answer');
    response.pause();
    await vi.waitUntil(isFollowed, { timeout: 20_000 });
    await vi.waitUntil(() => !isFollowed(), { timeout: 5_000 });
    let text = '';
    for await (const piece of response.setEncoding('utf8')) text += piece;
    const told = text.split('\n\n').filter((each) => each.startsWith('event: next'));
    const events = told.map((each) => JSON.parse(/^data: (.*)$/m.exec(each)?.[1] ?? ''));
    const { extensions } = events.pop().errors[0];
    expect(extensions).toMatchObject({ code: 'reader_too_slow', status: 408 });
    expect(events.length).toBeLessThan(most);
    expect(events.at(-1).data.changes.cursor).toBe(extensions.resumeFrom);
    const rest = await watch(running.app, key, names, { after: extensions.resumeFrom });
    const missing = await take(rest, most - events.length);
    const before = events.map(({ data }) => data.changes.node.name);
    expect([...before, ...missing.names]).toEqual(Array.from({ length: most }, (_, index) => String(index)));
    rest.leave();
  });
});

describe('The reader of change notifications', () => {
  it('polls if the database sends no notification', async () => {
    const { db } = running.app.services;
    const fail = (error: unknown) => {
      throw error;
    };
    const hub = createChangeHub({ db, listen: undefined, behindMsMax: 1_000, onFailure: fail });
    const { accountId } = tenant;
    const one = { accountId, wake: () => {}, check: () => {}, end: () => {} };
    const recent = hub.join(one, 0);
    await record(['one']);
    await vi.waitUntil(() => recent.end === 1, { timeout: 20_000 });
    await record(['two']);
    await vi.waitUntil(() => recent.end === 2, { timeout: 20_000 });
    expect([0, 1, 2].map((sequence) => recent.after(sequence)?.name)).toEqual(['one', 'two', undefined]);
    hub.leave(one);
    await hub.close();
  });

  it('is notified by the transaction of a change only if there is a listener', async () => {
    const { listen, db } = running.app.database;
    await db.changeListener.deleteMany();
    const told: string[] = [];
    const listening = listen?.(changeChannel, (payload) => told.push(payload));
    await vi.waitUntil(() => listening?.isOn() === true, { timeout: 20_000 });
    await record(['unheard']);
    await db.$executeRaw`INSERT INTO "change_listener" VALUES (gen_random_uuid(), now() + interval '1 hour')`;
    await record(['heard']);
    await vi.waitUntil(() => told.length > 0, { timeout: 20_000 });
    expect(told).toEqual([tenant.accountId]);
    await listening?.close();
    await db.changeListener.deleteMany();
  });
});

describe('A process that shuts down', () => {
  it('ends its subscriptions with the cursor to continue from, and rejects new ones', async () => {
    const client = await watch(running.app, key, names);
    await record(['one']);
    const { cursor } = await take(client, 1);
    await running.app.services.changeHub.close();
    expect(await endOf(client)).toMatchObject({ code: 'unavailable', status: 503, resumeFrom: cursor });
    const late = await watch(running.app, key, names);
    expect(await endOf(late)).toMatchObject({ code: 'unavailable' });
  });
});
