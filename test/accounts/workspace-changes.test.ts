// Workspaces in GraphQL: permissions, deletion with and without resources, and what remains.
import { beforeEach, describe, expect, it } from 'vitest';
import { updateWorkspace } from '../../src/accounts/workspace-changes.js';
import { changeOnce } from '../../src/changes/idempotent-change.js';
import { openContext } from '../../src/http/open-context.js';
import {
  addAgents,
  anAgent,
  createKey,
  createTenant,
  createToken,
  frozenNow,
  graphql,
  rest,
  useApp,
} from '../harness.js';
import type { Answer, Tenant } from '../harness.js';
import { addPlatform } from '../platform.js';
import { keyOfSomebody, mutate, problemsOf, startedInTurn } from '../resources/mutations.js';

const running = useApp();
let tenant: Tenant;
let key: string;
let count = 0;
let mark: string;
let main: string;

beforeEach(async () => {
  mark = `m${count++}`;
  main = `${mark}-main`;
  tenant = await createTenant(running.app, { account: mark, workspaces: [main, `${mark}-side`] });
  ({ key } = await createKey(running.app, tenant));
});

type Verb = 'create' | 'update' | 'delete';

const fields = 'workspace { id name displayName version viewerRole account { name } createdAt updatedAt }';

const change = (verb: Verb, input: object, by = key) => mutate(running.app, by, `${verb}Workspace`, fields, input);

const createAgent = (name: string, workspace = main) =>
  mutate(running.app, key, 'createAgent', '__typename', { workspace, metadata: { name } });

async function namesWithin(by = key): Promise<string[]> {
  const { body } = await graphql(running.app, by, '{ workspaces { nodes { name } } }');
  expect(body.errors).toBeUndefined();
  return body.data.workspaces.nodes.map(({ name }: { name: string }) => name).toSorted();
}

const history = (where: object = { kind: 'WORKSPACE' }) =>
  running.app.services.db.change.findMany({
    where: { accountId: tenant.accountId, ...where },
    orderBy: { sequence: 'asc' },
  });

/** The number of rows by table that refer to a workspace. Only the change log keeps some. */
async function rowsOf(workspaceId: string): Promise<Record<string, number>> {
  const { db } = running.app.services;
  const tables = await db.$queryRaw<{ name: string }[]>`
    SELECT "table_name" AS "name" FROM information_schema.columns JOIN information_schema.tables USING ("table_schema", "table_name")
    WHERE "column_name" = 'workspace_id' AND "table_type" = 'BASE TABLE' AND "table_schema" = current_schema() AND "table_name" <> 'change'`;
  const left: Record<string, number> = {};
  for (const { name } of tables) {
    const sql = `SELECT count(*)::int AS "rows" FROM "${name}" WHERE "workspace_id" = $1::uuid`;
    const [row] = await db.$queryRawUnsafe<{ rows: number }[]>(sql, workspaceId);
    if (row !== undefined && row.rows > 0) left[name] = row.rows;
  }
  return left;
}

describe('createWorkspace', () => {
  it('creates a workspace, which its creator can use immediately, and records it', async () => {
    const name = `${mark}-new`;
    const made = await change('create', { metadata: { name, displayName: 'New' } });
    expect(made).toMatchObject({
      __typename: 'CreateWorkspacePayload',
      workspace: { name, displayName: 'New', version: 1, viewerRole: 'ADMIN', account: { name: mark } },
    });
    expect((await createAgent('one', name)).__typename).toBe('CreateAgentPayload');
    expect(await namesWithin()).toEqual([main, name, `${mark}-side`].toSorted());
    const [record] = await history();
    expect(record).toMatchObject({ verb: 'created', name, version: 1, before: null, workspaceId: record?.resourceId });
  });

  it('provides the workspace to later mutations of the same document', async () => {
    const name = `${mark}-new`;
    const query = `mutation {
      createWorkspace(input: {metadata: {name: "${name}"}}) { ... on CreateWorkspacePayload { workspace { agents { totalCount } } } }
      createAgent(input: {workspace: "${name}", metadata: {name: "one"}}) { __typename } }`;
    const { body } = await graphql(running.app, key, query);
    expect(body.data).toEqual({
      createWorkspace: { workspace: { agents: { totalCount: 0 } } },
      createAgent: { __typename: 'CreateAgentPayload' },
    });
  });

  it('returns the workspace in a dry run, in which nothing can then be created', async () => {
    const name = `${mark}-new`;
    const query = `mutation {
      createWorkspace(input: {metadata: {name: "${name}"}, validateOnly: true}) { ... on CreateWorkspacePayload { workspace {
        name agents { totalCount nodes { id } } jobs { totalCount filteredCount nodes { executions { totalCount } } }
        sandboxes(search: "box") { filteredCount } pendingImageShares { totalCount } changes { nodes { id } } } } }
      createAgent(input: {workspace: "${name}", metadata: {name: "one"}}) { ... on Error { code } } }`;
    const { body } = await graphql(running.app, key, query);
    expect(body.errors).toBeUndefined();
    const none = { totalCount: 0, nodes: [] };
    expect(body.data).toEqual({
      createWorkspace: {
        workspace: {
          name,
          agents: none,
          jobs: { ...none, filteredCount: 0 },
          sandboxes: { filteredCount: 0 },
          pendingImageShares: { totalCount: 0 },
          changes: { nodes: [] },
        },
      },
      createAgent: { code: 'forbidden' },
    });
    expect(await namesWithin()).toEqual([main, `${mark}-side`]);
    expect(await history({})).toEqual([]);
  });

  it('returns all validation errors together, and creates nothing', async () => {
    const refused = await change('create', { metadata: { name: 'Not A Name', displayName: 'x'.repeat(64) } });
    expect(problemsOf(refused)).toEqual(['metadata.name invalid_format', 'metadata.displayName too_long']);
    expect(await history()).toEqual([]);
  });

  it('gives a name to one of twelve concurrent callers, and rejects a name of another account', async () => {
    const name = `${mark}-new`;
    const results = await Promise.all(Array.from({ length: 12 }, () => change('create', { metadata: { name } })));
    expect(results.filter(({ code }: Answer['body']) => code === 'name_taken')).toHaveLength(11);
    expect(await history()).toHaveLength(1);
    await createTenant(running.app, { account: `${mark}-x`, workspaces: [`${mark}-theirs`] });
    expect((await change('create', { metadata: { name: `${mark}-theirs` } })).code).toBe('name_taken');
  });
});

describe('updateWorkspace', () => {
  it('keeps omitted fields, clears null fields, and accepts one of several concurrent editors', async () => {
    const named = await change('update', { name: main, metadata: { displayName: 'Main' }, ifVersion: 1 });
    expect(named.workspace).toMatchObject({ name: main, displayName: 'Main', version: 2 });
    expect((await change('update', { name: main, metadata: {} })).workspace.version).toBe(2);
    expect(await change('update', { name: main, metadata: { displayName: 'Late' }, ifVersion: 1 })).toMatchObject({
      code: 'version_mismatch',
      currentVersion: 2,
      changedFields: ['metadata.displayName'],
    });
    expect((await change('delete', { name: main, ifVersion: 1 })).code).toBe('version_mismatch');
    const removed = await change('update', { name: main, metadata: { displayName: null } });
    expect(removed.workspace).toMatchObject({ displayName: null, version: 3 });
    const { body } = await graphql(running.app, key, `{ workspace(name: "${main}") { displayName version } }`);
    expect(body.data.workspace).toEqual({ displayName: null, version: 3 });
    expect((await history())[0]).toMatchObject({
      verb: 'updated',
      after: { metadata: { name: main, displayName: 'Main' } },
    });
    expect(problemsOf(await change('update', { name: main, metadata: { displayName: '' } }))).toEqual([
      'metadata.displayName too_short',
    ]);
  });

  it('has its current version after version_mismatch, whatever the caller read before', async () => {
    const version = async () =>
      (await graphql(running.app, key, `{ workspace(name: "${main}") { version } }`)).body.data.workspace.version;
    expect(await version()).toBe(1);
    // As by another process.
    await running.app.services.db.workspace.update({ where: { name: main }, data: { version: 2 } });
    const refused = await change('update', { name: main, metadata: { displayName: 'Late' }, ifVersion: 1 });
    expect(refused.code).toBe('version_mismatch');
    expect(await version()).toBe(2);
  });

  it('with an Idempotency-Key changes nothing for other requests until it commits', async () => {
    const ctx = await openContext(
      running.app.services,
      { authorization: `Bearer ${key}`, 'idempotency-key': mark },
      mark,
    );
    const failing = changeOnce(ctx, { content: [], part: '' }, async (within) => {
      await updateWorkspace(within, { name: main, metadata: { displayName: 'Main' } });
      throw new Error('not committed');
    });
    await expect(failing).rejects.toThrow('not committed');
    expect(ctx.caller.workspaces.get(main)?.displayName).toBeUndefined();
  });
});

describe('deleteWorkspace', () => {
  it('rejects a workspace with resources, and lists them', async () => {
    await addPlatform(running.app, tenant.workspaces[main] ?? '', mark);
    await addAgents(running.app, tenant.workspaces[main], [anAgent('second')]);
    const refused = await change('delete', { name: main });
    expect(refused).toMatchObject({ __typename: 'ConflictError', code: 'not_deletable' });
    expect(refused.message).toContain('agent: 2');
    const kinds = refused.contents.map(({ kind }: { kind: string }) => kind).toSorted();
    expect(kinds).toEqual([
      'AGENT',
      'EGRESS_GATEWAY',
      'EGRESS_IP',
      'IMAGE',
      'IMAGE_TAG',
      'JOB',
      'JOB_EXECUTION',
      'SANDBOX',
      'SANDBOX_PREVIEW',
      'VOLUME',
      'VPC',
    ]);
    expect(refused.contents).toContainEqual({ kind: 'AGENT', count: 2 });
    expect(await namesWithin()).toContain(main);
    expect(await history()).toEqual([]);
  });

  it('deletes all resources with force, records each, and takes as many statements for one as for a thousand', async () => {
    const { app } = running;
    const sizes: Record<string, number> = { [main]: 1000, [`${mark}-side`]: 1 };
    const statements: number[] = [];
    for (const [name, size] of Object.entries(sizes)) {
      const id = tenant.workspaces[name] ?? '';
      await addPlatform(app, id, mark);
      await addAgents(
        app,
        id,
        Array.from({ length: size }, (_, index) => anAgent(`agent-${index}`)),
      );
      await keyOfSomebody(app, tenant, { account: 'member', workspace: name, role: 'member' });
      await createKey(app, { ...tenant, workspaceId: id });
      app.statements.length = 0;
      expect((await change('delete', { name, force: true })).workspace).toMatchObject({ name, version: 1 });
      statements.push(app.statements.filter((sql) => !/"api_key" c |"last_used_at"/.test(sql)).length);
      expect(await rowsOf(id)).toEqual({});
      const records = await history({ workspaceId: id, verb: 'deleted' });
      const agents = records.filter(({ kind }) => kind === 'AGENT');
      expect(records[0]).toMatchObject({ kind: 'WORKSPACE', name, before: { metadata: { name } } });
      expect(agents).toHaveLength(size + 1);
      expect(agents.find(({ name: each }) => each === 'agent-0')).toMatchObject({
        version: 1,
        message: `Deleted by owner@${mark}.example.com`,
      });
      expect(records.map(({ kind }) => kind)).toEqual(
        expect.arrayContaining([
          'API_KEY',
          'IMAGE_SHARE',
          'JOB_EXECUTION',
          'MEMBER',
          'SANDBOX_PREVIEW',
          'VOLUME',
          'VPC',
        ]),
      );
    }
    expect(statements[0]).toBe(statements[1]);
    expect(statements[0]).toBeLessThanOrEqual(21);
    const sequences = (await history({})).map(({ sequence }) => Number(sequence));
    expect(sequences).toEqual(sequences.map((_, index) => (sequences[0] ?? 0) + index));
    expect(await namesWithin()).toEqual([]);
  });

  it('ends its keys and memberships, and keeps those of the account', async () => {
    const { app } = running;
    const id = tenant.workspaces[main] ?? '';
    const member = await keyOfSomebody(app, tenant, { account: 'member', workspace: main, role: 'admin' });
    const { key: confined } = await createKey(app, { ...tenant, workspaceId: id });
    await app.services.db.oauthClient.create({
      data: {
        id: `client-${mark}`,
        displayName: 'Its client',
        redirectUris: [],
        grantTypes: ['client_credentials'],
        scope: 'admin',
        principalId: tenant.principalId,
        accountId: tenant.accountId,
        workspaceId: id,
      },
    });
    expect((await change('delete', { name: main })).__typename).toBe('DeleteWorkspacePayload');
    expect((await graphql(app, confined, '{ viewer { name } }')).status).toBe(401);
    expect(await namesWithin(member)).toEqual([]);
    expect(await namesWithin()).toEqual([`${mark}-side`]);
    const records = (await history({})).map(({ kind, name }) => [kind, name]);
    expect(records[0]).toEqual(['WORKSPACE', main]);
    expect(records.slice(1).toSorted()).toEqual([
      ['API_KEY', 'test'],
      ['MEMBER', expect.stringContaining('@example.com')],
      ['OAUTH_CLIENT', `client-${mark}`],
    ]);
  });

  it('keeps its usage in the account exactly, and frees its name', async () => {
    const { app } = running;
    const time = new Date(frozenNow.getTime() - 3_600_000).toISOString();
    const events = [main, `${mark}-side`].map((workspace, index) => ({
      source: mark,
      id: String(index),
      account: mark,
      workspace,
      resourceType: 'sandbox',
      resourceName: 'box',
      billingDimension: 'sandbox_compute_runtime_gbs',
      time,
      usage: '100.5',
      cost: '0.123456789',
    }));
    await mutate(app, key, 'recordUsage', 'accepted', { events });
    const costs = async (by: string, accountId: string) => {
      const window = 'startTime=2026-11-20T00:00:00Z&endTime=2026-11-21T00:00:00Z';
      const { body } = await rest(app, `/accounts/${accountId}/metrics?${window}&groupBy=workspace`, { key: by });
      return {
        total: body.summary.totalCost,
        groups: body.data.map(({ workspace }: { workspace: string }) => workspace),
      };
    };
    const before = await costs(key, tenant.accountId);
    expect(before).toEqual({ total: 0.246913578, groups: [main, `${mark}-side`] });
    await change('delete', { name: main });
    expect(await costs(key, tenant.accountId)).toEqual(before);
    const other = await createTenant(app, { account: `${mark}-x`, workspaces: [] });
    const { key: theirs } = await createKey(app, other);
    expect((await change('create', { metadata: { name: main } }, theirs)).__typename).toBe('CreateWorkspacePayload');
    expect(await costs(theirs, other.accountId)).toEqual({ total: 0, groups: [] });
    expect(await costs(key, tenant.accountId)).toEqual(before);
  });

  it('waits for a concurrent creation in the workspace, and then rejects the deletion', async () => {
    const [agent, deletion] = await startedInTurn<Answer['body']>(running.app, tenant.accountId, [
      () => createAgent('late'),
      () => change('delete', { name: main }),
    ]);
    expect(agent.__typename).toBe('CreateAgentPayload');
    expect(deletion).toMatchObject({ code: 'not_deletable', contents: [{ kind: 'AGENT', count: 1 }] });
  });

  it('makes a later creation in the workspace fail with 404', async () => {
    const [deletion, agent] = await startedInTurn<Answer['body']>(running.app, tenant.accountId, [
      () => change('delete', { name: main }),
      () => createAgent('late'),
    ]);
    expect(deletion.__typename).toBe('DeleteWorkspacePayload');
    expect(agent).toMatchObject({ __typename: 'ForbiddenError', code: 'forbidden' });
    expect(await history({ kind: 'AGENT' })).toEqual([]);
  });

  it('succeeds once for many concurrent callers, while others create and change its resources', async () => {
    const names = Array.from({ length: 8 }, (_, index) => `agent-${index}`);
    await Promise.all(names.map((name) => createAgent(name)));
    const renamed = (name: string) =>
      mutate(running.app, key, 'updateAgent', '__typename', {
        workspace: main,
        name,
        metadata: { displayName: 'Changed' },
      });
    const results = await Promise.all<Answer['body']>([
      ...names.map((name) => renamed(name)),
      ...names.map((name) => createAgent(`${name}-late`)),
      ...[1, 2, 3].map(() => change('delete', { name: main, force: true })),
    ]);
    const done = results.filter(({ __typename }) => __typename === 'DeleteWorkspacePayload');
    expect(done).toHaveLength(1);
    for (const { __typename } of results) {
      expect(__typename).toMatch(/Payload$|^ForbiddenError$|^NotFoundError$/);
    }
    expect(await rowsOf(tenant.workspaces[main] ?? '')).toEqual({});
    const deleted = await history({ kind: 'AGENT', verb: 'deleted' });
    expect(deleted).toHaveLength((await history({ kind: 'AGENT', verb: 'created' })).length);
  });
});

describe('Every change of a workspace', () => {
  const changes: [Verb, () => object][] = [
    ['create', () => ({ metadata: { name: `${mark}-new` } })],
    ['update', () => ({ name: main, metadata: { displayName: 'New' } })],
    ['delete', () => ({ name: main })],
  ];

  it.each(changes)('(%s) requires its scope and role', async (verb, input) => {
    const { app } = running;
    const workspaceId = tenant.workspaces[main] ?? '';
    const others = changes.map(([each]) => each).filter((each) => each !== verb);
    const stranger = await createTenant(app, { account: `${mark}-x`, workspaces: [`${mark}-x`] });
    const admin = await keyOfSomebody(app, tenant, { account: 'member', workspace: main, role: 'admin' });
    const { key: confined } = await createKey(app, { ...tenant, workspaceId });
    const refused = [
      (await createToken(app, tenant, others.map((each) => `workspaces:${each}`).join(' '))).token,
      await keyOfSomebody(app, tenant, { account: 'viewer' }),
      await keyOfSomebody(app, tenant, { account: 'member', workspace: main, role: 'member' }),
      await keyOfSomebody(app, tenant, { account: 'member', workspace: main, role: 'viewer' }),
      // An admin of the workspace can update it; only admins of the account can create and delete one.
      ...(verb === 'update' ? [] : [admin, confined]),
      ...(verb === 'create' ? [] : [(await createKey(app, stranger)).key]),
    ];
    for (const by of refused) expect((await change(verb, input(), by)).__typename).toBe('ForbiddenError');
    expect(await history({})).toEqual([]);
    const { token } = await createToken(app, tenant, `workspaces:${verb}`);
    expect((await change(verb, input(), verb === 'update' ? admin : token)).__typename).toMatch(/Payload$/);
  });

  it.each(changes)('(%s) leaves no trace after a dry run', async (verb, input) => {
    await createAgent('one', `${mark}-side`);
    const given = verb === 'delete' ? { name: `${mark}-side`, force: true } : input();
    const state = async () => [await namesWithin(), await rowsOf(tenant.workspaces[`${mark}-side`] ?? '')];
    const before = await state();
    expect((await change(verb, { ...given, validateOnly: true })).__typename).toMatch(/Payload$/);
    expect(await state()).toEqual(before);
    expect(await history()).toEqual([]);
    expect((await createAgent('two', `${mark}-new`)).__typename).toBe('ForbiddenError');
  });

  it('returns the same error for an unknown workspace as for an inaccessible one', async () => {
    expect((await change('update', { name: 'nowhere' })).code).toBe('forbidden');
    expect((await change('delete', { name: 'nowhere' })).code).toBe('forbidden');
  });
});
