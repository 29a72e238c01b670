// Volumes created, updated and deleted through GraphQL. An attached volume cannot be deleted, also concurrently.
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { insertSandboxes } from '../../../src/demo/rows/sandbox-input.js';
import { addAgents, anAgent, createKey, createTenant, createToken } from '../../harness.js';
import { frozenNow, graphql, useApp } from '../../harness.js';
import type { Answer, Tenant } from '../../harness.js';
import { addRegions, keyOfSomebody, mutate, problemsOf, startedInTurn } from '../mutations.js';

const running = useApp();
let tenant: Tenant;
let key: string;
let count = 0;
let main: string;

beforeAll(() => addRegions(running.app));

beforeEach(async () => {
  const mark = `m${count++}`;
  main = `${mark}-main`;
  tenant = await createTenant(running.app, { account: mark, workspaces: [main, `${mark}-side`] });
  ({ key } = await createKey(running.app, tenant));
});

type Verb = 'create' | 'update' | 'delete';

const fields = `volume { id version status spec { region sizeMb } events { type status message }
  metadata { name displayName externalId labels { key value } createdAt updatedAt createdBy } }`;
const spec = { region: 'eu-open', sizeMb: 1024 };
const aVolume = { metadata: { name: 'data' }, spec };

const change = (verb: Verb, input: object, by = key) =>
  mutate(running.app, by, `${verb}Volume`, fields, { workspace: main, ...input });

const attach = (name: string, kind = 'Agent', volume = 'data') =>
  mutate(running.app, key, `create${kind}`, '__typename', {
    workspace: main,
    metadata: { name },
    spec: { region: 'eu-open', volumes: [{ type: 'PERSISTENT', name: volume, mountPath: '/data' }] },
  });

async function read(name = 'data'): Promise<Answer['body']> {
  const query = `query ($name: String!, $workspace: String!) {
    volume(name: $name, workspace: $workspace) { ${fields.replace(/^volume \{/, '')} volumes(workspace: $workspace) { totalCount } }`;
  const { body } = await graphql(running.app, key, query, { name, workspace: main });
  expect(body.errors).toBeUndefined();
  return body.data;
}

const history = () =>
  running.app.services.db.change.findMany({
    where: { accountId: tenant.accountId, kind: 'VOLUME' },
    orderBy: { sequence: 'asc' },
  });

describe('createVolume', () => {
  it('creates a volume that is readable, counted and recorded immediately', async () => {
    const metadata = { name: 'data', displayName: 'The data', labels: [{ key: 'team', value: 'blue' }] };
    const made = await change('create', { metadata, spec });
    const owner = `owner@${main.replace('-main', '')}.example.com`;
    expect(made).toMatchObject({
      __typename: 'CreateVolumePayload',
      volume: {
        version: 1,
        status: 'DEPLOYED',
        spec,
        metadata: { ...metadata, createdBy: owner, createdAt: frozenNow.toISOString() },
        events: [{ type: 'creation', status: 'CREATED', message: `Created by ${owner}` }],
      },
    });
    expect(await read()).toEqual({ volume: made.volume, volumes: { totalCount: 1 } });
    expect(await history()).toMatchObject([{ verb: 'created', version: 1, before: null, after: { spec } }]);
  });

  it.each([
    ['names', { metadata: { name: 'Not A Name' }, spec }, ['metadata.name invalid_format']],
    [
      'metadata',
      { metadata: { name: 'data', externalId: '!', displayName: 'x'.repeat(64) }, spec },
      ['metadata.displayName too_long', 'metadata.externalId invalid_format'],
    ],
    [
      'sizes and regions',
      { metadata: { name: 'data' }, spec: { region: '', sizeMb: 0 } },
      ['spec.region too_short', 'spec.sizeMb too_small'],
    ],
    [
      'regions of others',
      { metadata: { name: 'data' }, spec: { region: 'eu-closed', sizeMb: 1 } },
      ['spec.region not_available'],
    ],
    [
      'regions that there are not',
      { metadata: { name: 'data' }, spec: { region: 'moon', sizeMb: 1 } },
      ['spec.region not_available'],
    ],
    [
      'restricted regions, and other errors',
      { metadata: { name: 'Not A Name' }, spec: { region: 'eu-closed', sizeMb: 0 } },
      ['metadata.name invalid_format', 'spec.sizeMb too_small', 'spec.region not_available'],
    ],
  ])('returns all validation errors of %s together, and creates nothing', async (_, input, problems) => {
    expect(problemsOf(await change('create', input))).toEqual(problems);
    expect(await read()).toEqual({ volume: null, volumes: { totalCount: 0 } });
    expect(await history()).toEqual([]);
  });

  it('accepts a restricted region once the account can use it', async () => {
    const input = { ...aVolume, spec: { region: 'eu-closed', sizeMb: 1 } };
    await running.app.services.db.regionAccount.create({
      data: { regionName: 'eu-closed', accountId: tenant.accountId },
    });
    expect((await change('create', input)).__typename).toBe('CreateVolumePayload');
  });

  it('gives a name to one of twelve concurrent callers, and again when it is free', async () => {
    const results = await Promise.all(Array.from({ length: 12 }, () => change('create', aVolume)));
    expect(results.filter(({ code }: Answer['body']) => code === 'name_taken')).toHaveLength(11);
    expect(await history()).toHaveLength(1);
    await change('delete', { name: 'data' });
    expect((await change('create', aVolume)).__typename).toBe('CreateVolumePayload');
  });
});

describe('updateVolume', () => {
  it('keeps omitted fields, clears null fields, replaces labels, and increments the version', async () => {
    const labels = [{ key: 'team', value: 'blue' }];
    await change('create', { metadata: { name: 'data', displayName: 'Data', externalId: 'x-1', labels }, spec });
    const input = {
      name: 'data',
      metadata: { displayName: null, labels: [{ key: 'tier', value: 'a' }] },
      spec: { sizeMb: 2048 },
    };
    const changed = await change('update', input);
    expect(changed.volume).toMatchObject({
      version: 2,
      spec: { region: 'eu-open', sizeMb: 2048 },
      metadata: { displayName: null, externalId: 'x-1', labels: [{ key: 'tier', value: 'a' }] },
      events: [{ type: 'creation' }, { type: 'update' }],
    });
    expect((await read()).volume).toEqual(changed.volume);
    expect((await history())[1]).toMatchObject({
      verb: 'updated',
      before: { spec: { sizeMb: 1024 } },
      after: { spec: { sizeMb: 2048 } },
    });
    expect((await change('update', input)).volume.version).toBe(2);
    expect(problemsOf(await change('update', { name: 'data', spec: { sizeMb: null } }))).toEqual([
      'spec.sizeMb required',
    ]);
  });

  it('has no field for the region, which never changes', async () => {
    const query = `mutation { updateVolume(input: {name: "data", spec: {region: "eu-egress"}}) { __typename } }`;
    const { body } = await graphql(running.app, key, query);
    expect(body.errors[0].message).toContain('"region" is not defined');
  });

  it('accepts one of two editors, and tells the other', async () => {
    await change('create', aVolume);
    const edits = [1, 2].map((size) => change('update', { name: 'data', spec: { sizeMb: size }, ifVersion: 1 }));
    const lost = (await Promise.all(edits)).filter(({ code }: Answer['body']) => code === 'version_mismatch');
    expect(lost).toMatchObject([{ currentVersion: 2, changedFields: ['spec.sizeMb'] }]);
    expect((await change('delete', { name: 'data', ifVersion: 1 })).code).toBe('version_mismatch');
  });
});

describe('deleteVolume', () => {
  it.each(['Agent', 'Sandbox'])(
    'keeps a volume that a workload has attached (%s), and lists the workloads',
    async (kind) => {
      await change('create', aVolume);
      const { app } = running;
      const workspaceId = tenant.workspaces[main] ?? '';
      const workload = anAgent('user', {
        spec: { region: 'eu-open', volumes: [{ name: 'data', mountPath: '/data' }] },
      });
      if (kind === 'Agent') await addAgents(app, workspaceId, [workload]);
      else await insertSandboxes(app.services.db, app.services.encryption, workspaceId, [workload]);
      expect(await change('delete', { name: 'data' })).toMatchObject({
        __typename: 'ConflictError',
        code: 'in_use',
        message: `The volume "data" is in use by the ${kind.toLowerCase()} "user".`,
        usedBy: [{ kind: kind.toUpperCase(), name: 'user' }],
        usedByCount: 1,
      });
      expect((await read()).volumes.totalCount).toBe(1);
    },
  );

  it('lists the first twenty and counts the rest, and deletes the volume when it is detached', async () => {
    await change('create', aVolume);
    await change('create', { metadata: { name: 'other' }, spec });
    const names = Array.from({ length: 23 }, (_, index) => `a-${String(index).padStart(2, '0')}`);
    await Promise.all(names.map((name) => attach(name)));
    const { usedBy, usedByCount, message } = await change('delete', { name: 'data' });
    expect(usedByCount).toBe(23);
    expect(usedBy.map(({ name }: { name: string }) => name)).toEqual(names.slice(0, 20));
    expect(message).toContain('and 20 more');
    expect((await change('delete', { name: 'other' })).__typename).toBe('DeleteVolumePayload');
    const detach = (name: string) =>
      mutate(running.app, key, 'updateAgent', '__typename', { workspace: main, name, spec: { volumes: null } });
    await Promise.all(names.map(detach));
    expect((await change('delete', { name: 'data' })).volume.events.at(-1)).toMatchObject({ type: 'deletion' });
    expect((await history()).at(-1)).toMatchObject({ verb: 'deleted', version: 1, before: { spec }, after: null });
  });

  it('ignores temporary volumes of the same name', async () => {
    await change('create', aVolume);
    const scratch = { type: 'EPHEMERAL', name: 'data', mountPath: '/data', sizeMb: 1 };
    await mutate(running.app, key, 'createAgent', '__typename', {
      workspace: main,
      metadata: { name: 'user' },
      spec: { region: 'eu-open', volumes: [scratch] },
    });
    expect((await change('delete', { name: 'data' })).__typename).toBe('DeleteVolumePayload');
  });

  it('waits for a concurrent attachment, and then keeps the volume', async () => {
    await change('create', aVolume);
    const [agent, deletion] = await startedInTurn<Answer['body']>(running.app, tenant.accountId, [
      () => attach('user'),
      () => change('delete', { name: 'data' }),
    ]);
    expect(agent.__typename).toBe('CreateAgentPayload');
    expect(deletion.code).toBe('in_use');
  });

  it('makes a concurrent attachment wait, and then fail with 404', async () => {
    await change('create', aVolume);
    const [deletion, agent] = await startedInTurn<Answer['body']>(running.app, tenant.accountId, [
      () => change('delete', { name: 'data' }),
      () => attach('user'),
    ]);
    expect(deletion.__typename).toBe('DeleteVolumePayload');
    expect(problemsOf(agent)).toEqual(['spec.volumes.0.name not_available']);
  });
});

describe('Every change of a volume', () => {
  const changes: [Verb, object][] = [
    ['create', { metadata: { name: 'second' }, spec }],
    ['update', { name: 'data', spec: { sizeMb: 7 } }],
    ['delete', { name: 'data' }],
  ];

  it.each(changes)('(%s) requires its scope, and rejects viewers and other accounts', async (verb, input) => {
    await change('create', aVolume);
    const { app } = running;
    const scope = verb === 'delete' ? 'volumes:delete' : 'volumes:create';
    const other = verb === 'delete' ? 'volumes:create' : 'volumes:delete';
    const stranger = await createTenant(app, { account: `${main}-x`, workspaces: [`${main}-x`] });
    const refused = [
      (await createToken(app, tenant, `${other} volumes:get volumes:list`)).token,
      await keyOfSomebody(app, tenant, { account: 'viewer' }),
      await keyOfSomebody(app, tenant, { account: 'member', workspace: main, role: 'viewer' }),
      await keyOfSomebody(app, tenant, { account: 'member' }),
      (await createKey(app, stranger)).key,
    ];
    for (const by of refused) expect((await change(verb, input, by)).__typename).toBe('ForbiddenError');
    expect(await history()).toHaveLength(1);
    const { token } = await createToken(app, tenant, `${scope} volumes:get`);
    expect((await change(verb, input, token)).__typename).toMatch(/Payload$/);
  });

  it.each(changes)('(%s) leaves no trace after a dry run', async (verb, input) => {
    await change('create', aVolume);
    const before = await read();
    expect((await change(verb, { ...input, validateOnly: true })).__typename).toMatch(/Payload$/);
    expect(await read()).toEqual(before);
    expect(await history()).toHaveLength(1);
  });

  it('by name returns 404 for an unknown volume', async () => {
    expect((await change('update', { name: 'nobody' })).__typename).toBe('NotFoundError');
    expect((await change('delete', { name: 'nob\u0000ody' })).__typename).toBe('NotFoundError');
  });
});
