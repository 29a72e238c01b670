// Agents created, updated and deleted through GraphQL: validation, expected versions, and change records.
import { beforeEach, describe, expect, it } from 'vitest';
import { insertVolumes } from '../../../src/demo/rows/volume-input.js';
import { createKey, createTenant, createToken, frozenNow, graphql, useApp } from '../../harness.js';
import type { Answer, Tenant } from '../../harness.js';
import { problemsOf } from '../mutations.js';

const running = useApp();
let tenant: Tenant;
let key: string;
let count = 0;
let main: string;

beforeEach(async () => {
  const { app } = running;
  const mark = `m${count++}`;
  main = `${mark}-main`;
  tenant = await createTenant(app, { account: mark, workspaces: [main, `${mark}-side`] });
  ({ key } = await createKey(app, tenant));
  const { db } = app.services;
  await db.continent.upsert({ where: { name: 'EU' }, update: {}, create: { name: 'EU', displayName: 'Europe' } });
  await db.country.upsert({ where: { name: 'DE' }, update: {}, create: { name: 'DE', displayName: 'Germany' } });
  for (const [name, isRestricted] of [
    ['eu-open', false],
    ['eu-closed', true],
  ] as const) {
    const create = { name, continentName: 'EU', countryName: 'DE', isRestricted };
    await db.region.upsert({ where: { name }, update: {}, create });
  }
});

const selection = `{ __typename
  ... on InvalidInputError { code problems { path code message } }
  ... on Error { code message }
  ... on ConflictError { currentVersion updatedBy updatedAt changedFields }`;
const agentFields = `{ agent { id version status metadata { name displayName externalId labels { key value } createdAt updatedAt createdBy updatedBy }
  events { type status message time }
  spec { enabled public region runtime { memory generation envs { name value secret } }
    triggers { id type configuration { callbackSecret callbackUrl } } volumes { name mountPath } } } }`;

async function mutate(verb: 'create' | 'update' | 'delete', input: object, by = key): Promise<Answer['body']> {
  const name = `${verb}Agent`;
  const type = `${verb[0]?.toUpperCase()}${verb.slice(1)}Agent`;
  const query = `mutation ($input: ${type}Input!) {
    result: ${name}(input: $input) ${selection} ... on ${type}Payload ${agentFields} } }`;
  const { body } = await graphql(running.app, by, query, { input: { workspace: main, ...input } });
  expect(body.errors).toBeUndefined();
  return body.data.result;
}

async function read(name: string): Promise<Answer['body']> {
  const query = `query ($name: String!, $workspace: String!) { agent(name: $name, workspace: $workspace)
    ${agentFields.replace(/^\{ agent /, '').replace(/\}$/, '')} agents(workspace: $workspace) { totalCount } }`;
  const { body } = await graphql(running.app, key, query, { name, workspace: main });
  return body.data;
}

const history = () =>
  running.app.services.db.change.findMany({ where: { accountId: tenant.accountId }, orderBy: { sequence: 'asc' } });

describe('createAgent', () => {
  it('creates an agent that is found, counted and recorded immediately', async () => {
    const metadata = { name: 'one', displayName: 'The One', labels: [{ key: 'team', value: 'blue' }] };
    const made = await mutate('create', { metadata, spec: { runtime: { generation: 'MK3', memory: 2048 } } });
    const owner = `owner@${main.replace('-main', '')}.example.com`;
    expect(made).toMatchObject({
      __typename: 'CreateAgentPayload',
      agent: {
        version: 1,
        status: 'DEPLOYED',
        metadata: { ...metadata, createdBy: owner, updatedBy: owner, createdAt: frozenNow.toISOString() },
        spec: { enabled: true, public: false, runtime: { memory: 2048, generation: 'MK3' } },
        events: [{ type: 'creation', status: 'CREATED', message: `Created by ${owner}` }],
      },
    });
    expect(await read('one')).toEqual({ agent: made.agent, agents: { totalCount: 1 } });
    const search = `{ agents(workspace: "${main}", search: "BLUE") { nodes { metadata { name } } } }`;
    expect((await graphql(running.app, key, search)).body.data.agents.nodes).toEqual([{ metadata: { name: 'one' } }]);
    expect(await history()).toMatchObject([
      { kind: 'AGENT', verb: 'created', name: 'one', version: 1, before: null, actorName: owner, api: 'graphql' },
    ]);
  });

  it('returns all validation errors with their paths, and creates nothing', async () => {
    const spec = {
      public: true,
      revision: { canaryPercent: 20 },
      runtime: { minScale: 3, maxScale: 1 },
      volumes: [{ type: 'EPHEMERAL', name: 'scratch', mountPath: 'tmp' }],
    };
    const refused = await mutate('create', { metadata: { name: 'Not A Name', externalId: '!' }, spec });
    expect(refused.__typename).toBe('InvalidInputError');
    const paths = refused.problems.map(({ path }: { path: string[] }) => path.join('.'));
    expect(paths).toEqual(
      expect.arrayContaining([
        'metadata.name',
        'metadata.externalId',
        'spec.revision.canaryPercent',
        'spec.runtime.minScale',
        'spec.volumes.0.mountPath',
        'spec.volumes.0.sizeMb',
      ]),
    );
    expect(await history()).toEqual([]);
  });

  it('rejects a name in use, and accepts it again when it is free', async () => {
    await mutate('create', { metadata: { name: 'one' } });
    expect(await mutate('create', { metadata: { name: 'one' } })).toMatchObject({
      __typename: 'ConflictError',
      code: 'name_taken',
    });
    await mutate('delete', { name: 'one' });
    expect((await mutate('create', { metadata: { name: 'one' } })).__typename).toBe('CreateAgentPayload');
    expect((await history()).map(({ verb }) => verb)).toEqual(['created', 'deleted', 'created']);
  });

  it('creates one agent for twelve concurrent callers of the same name', async () => {
    const results = await Promise.all(
      Array.from({ length: 12 }, () => mutate('create', { metadata: { name: 'one' } })),
    );
    const typenames = results.map(({ __typename }: { __typename: string }) => __typename).toSorted();
    expect(typenames).toEqual([...Array.from({ length: 11 }, () => 'ConflictError'), 'CreateAgentPayload']);
    expect((await read('one')).agents.totalCount).toBe(1);
    expect(await history()).toHaveLength(1);
  });

  it('counts concurrent creations', async () => {
    const names = Array.from({ length: 24 }, (_, index) => `agent-${index}`);
    await Promise.all(names.map((name) => mutate('create', { metadata: { name } })));
    await Promise.all(names.slice(0, 9).map((name) => mutate('delete', { name })));
    expect((await read('agent-23')).agents.totalCount).toBe(15);
    expect((await history()).map(({ sequence }) => sequence)).toEqual(
      Array.from({ length: 33 }, (_, index) => BigInt(index + 1)),
    );
  });

  it('accepts regions of the account, and volumes of the same region and workspace', async () => {
    const { db, encryption } = running.app.services;
    const times = { createdAt: frozenNow.toISOString(), updatedAt: frozenNow.toISOString() };
    await insertVolumes(db, encryption, tenant.workspaces[main] ?? '', [
      { metadata: { name: 'here', ...times }, spec: { region: 'eu-open', sizeMb: 1 } },
      { metadata: { name: 'there', ...times }, spec: { region: 'eu-closed', sizeMb: 1 } },
    ]);
    const volume = (name: string) => ({ type: 'PERSISTENT', name, mountPath: `/${name}` });
    const refused = await mutate('create', {
      metadata: { name: 'one' },
      spec: { region: 'eu-closed', volumes: [volume('here'), volume('nowhere')] },
    });
    expect(refused.problems).toMatchObject([
      { path: ['spec', 'region'], code: 'not_available' },
      { path: ['spec', 'volumes', '0', 'name'], code: 'not_available' },
      { path: ['spec', 'volumes', '1', 'name'], code: 'not_available' },
    ]);
    const alsoWrong = await mutate('create', {
      metadata: { name: 'Not A Name' },
      spec: {
        region: 'eu-open',
        volumes: [volume('here'), { ...volume('nowhere'), mountPath: 'a' }, { ...volume('here'), mountPath: '/h' }],
        runtime: { memory: 0, envs: [{ name: 'A', value: '***', secret: true }] },
      },
    });
    expect(problemsOf(alsoWrong)).toEqual([
      'metadata.name invalid_format',
      'spec.runtime.memory too_small',
      'spec.volumes.1.mountPath invalid_format',
      'spec.runtime.envs.0.value invalid_value',
      'spec.volumes.1.name not_available',
    ]);
    expect(
      problemsOf(await mutate('create', { metadata: { name: 'one' }, spec: { volumes: [volume('here')] } })),
    ).toEqual(['spec.region required']);
    await db.regionAccount.create({ data: { regionName: 'eu-closed', accountId: tenant.accountId } });
    const spec = { region: 'eu-closed', volumes: [volume('there')] };
    expect((await mutate('create', { metadata: { name: 'one' }, spec })).__typename).toBe('CreateAgentPayload');
  });

  it('requires its scope, and an accessible workspace', async () => {
    const { token } = await createToken(running.app, tenant, 'agents:update agents:get');
    const refused = await mutate('create', { metadata: { name: 'one' } }, token);
    expect(refused).toMatchObject({ __typename: 'ForbiddenError', code: 'forbidden' });
    const { token: enough } = await createToken(running.app, tenant, 'agents:create agents:get');
    expect((await mutate('create', { metadata: { name: 'one' } }, enough)).__typename).toBe('CreateAgentPayload');
    const stranger = await createTenant(running.app, { account: `${main}-other`, workspaces: [`${main}-other`] });
    const { key: foreign } = await createKey(running.app, stranger);
    expect((await mutate('create', { metadata: { name: 'two' } }, foreign)).__typename).toBe('ForbiddenError');
    expect((await mutate('update', { name: 'one', metadata: {} }, foreign)).__typename).toBe('ForbiddenError');
    expect((await mutate('delete', { name: 'one' }, foreign)).__typename).toBe('ForbiddenError');
  });

  it('changes nothing in a dry run', async () => {
    const would = await mutate('create', { metadata: { name: 'one' }, validateOnly: true });
    expect(would).toMatchObject({ __typename: 'CreateAgentPayload', agent: { version: 1 } });
    expect(await history()).toEqual([]);
    expect((await read('one')).agent).toBeNull();
    await mutate('create', { metadata: { name: 'one' } });
    expect((await mutate('create', { metadata: { name: 'one' }, validateOnly: true })).code).toBe('name_taken');
    const update = { name: 'one', spec: { enabled: false }, validateOnly: true };
    expect(await mutate('update', update)).toMatchObject({ agent: { version: 2, status: 'DEACTIVATED' } });
    expect((await mutate('delete', { name: 'one', validateOnly: true })).__typename).toBe('DeleteAgentPayload');
    expect(await history()).toHaveLength(1);
    expect((await read('one')).agent).toMatchObject({ version: 1, status: 'DEPLOYED' });
  });
});

describe('updateAgent', () => {
  it('keeps omitted fields, clears null fields, replaces lists, and increments the version', async () => {
    const labels = [{ key: 'team', value: 'blue' }];
    const runtime = { memory: 512, envs: [{ name: 'A', value: '1' }] };
    await mutate('create', {
      metadata: { name: 'one', displayName: 'One', externalId: 'x-1', labels },
      spec: { runtime },
    });
    const changed = await mutate('update', {
      name: 'one',
      metadata: { displayName: null, labels: [{ key: 'tier', value: 'gold' }] },
      spec: { runtime: { memory: 1024 } },
    });
    expect(changed.agent).toMatchObject({
      version: 2,
      metadata: { name: 'one', displayName: null, externalId: 'x-1', labels: [{ key: 'tier', value: 'gold' }] },
      spec: { runtime: { memory: 1024, envs: [{ name: 'A', value: '1' }] } },
      events: [{ type: 'creation' }, { type: 'update' }],
    });
    expect((await read('one')).agent).toEqual(changed.agent);
    const [, update] = await history();
    expect(update).toMatchObject({ verb: 'updated', version: 2 });
    expect(update?.fields.toSorted()).toEqual([
      'metadata.displayName',
      'metadata.labels.team',
      'metadata.labels.tier',
      'spec.runtime.memory',
    ]);
  });

  it('without changes keeps the version and the change log', async () => {
    await mutate('create', { metadata: { name: 'one', displayName: 'One' }, spec: { runtime: { memory: 512 } } });
    const same = await mutate('update', {
      name: 'one',
      metadata: { displayName: 'One' },
      spec: { runtime: { memory: 512 } },
    });
    expect(same.agent.version).toBe(1);
    expect(await history()).toHaveLength(1);
  });

  it('accepts one of two editors, and tells the other who changed which fields', async () => {
    await mutate('create', { metadata: { name: 'one' } });
    const edits = ['first', 'second'].map((displayName) =>
      mutate('update', { name: 'one', metadata: { displayName }, ifVersion: 1 }),
    );
    const results = await Promise.all(edits);
    const lost = results.find(({ __typename }: { __typename: string }) => __typename === 'ConflictError');
    expect(
      results.filter(({ __typename }: { __typename: string }) => __typename === 'UpdateAgentPayload'),
    ).toHaveLength(1);
    expect(lost).toMatchObject({
      code: 'version_mismatch',
      currentVersion: 2,
      updatedBy: expect.stringContaining('owner@'),
      updatedAt: running.app.clock.now.toISOString(),
      changedFields: ['metadata.displayName'],
    });
    expect((await mutate('delete', { name: 'one', ifVersion: 1 })).code).toBe('version_mismatch');
  });

  it('encrypts secrets, masks them, keeps them if the mask is sent back, and records none', async () => {
    const envs = [
      { name: 'TOKEN', value: 'the first secret', secret: true },
      { name: 'PLAIN', value: 'open' },
    ];
    await mutate('create', { metadata: { name: 'one' }, spec: { runtime: { envs } } });
    const stored = async () => {
      const { spec } = await running.app.services.db.agent.findFirstOrThrow({
        where: { workspaceId: tenant.workspaces[main] ?? '' },
      });
      return JSON.stringify(spec);
    };
    const before = await stored();
    expect(before).not.toContain('first secret');
    const back = [
      { name: 'TOKEN', value: '***', secret: true },
      { name: 'NEW', value: 'x' },
    ];
    const kept = await mutate('update', { name: 'one', spec: { runtime: { envs: back } } });
    expect(kept.agent.spec.runtime.envs).toEqual([
      { name: 'TOKEN', value: '***', secret: true },
      { name: 'NEW', value: 'x', secret: null },
    ]);
    const encryptedText = (text: string) =>
      /"TOKEN"[^}]*"value":"([^"]+)"|"value":"([^"]+)"[^}]*"TOKEN"/.exec(text)?.slice(1).join('');
    expect(encryptedText(await stored())).toBe(encryptedText(before));
    const other = [{ name: 'TOKEN', value: 'the other secret', secret: true }];
    expect((await mutate('update', { name: 'one', spec: { runtime: { envs: other } } })).agent.version).toBe(3);
    expect(encryptedText(await stored())).not.toBe(encryptedText(before));
    // The same value again is no change.
    expect((await mutate('update', { name: 'one', spec: { runtime: { envs: other } } })).agent.version).toBe(3);
    const told = JSON.stringify(await history(), (_, value) => (typeof value === 'bigint' ? String(value) : value));
    expect(told).not.toContain('secret"}');
    expect(told).not.toContain('first secret');
    expect(told).not.toContain('other secret');
    expect(told).not.toContain(encryptedText(before));
    const nothing = [{ name: 'OTHER', value: '***', secret: true }];
    expect((await mutate('update', { name: 'one', spec: { runtime: { envs: nothing } } })).problems).toMatchObject([
      { path: ['spec', 'runtime', 'envs', '0', 'value'] },
    ]);
    const plain = [{ name: 'TOKEN', value: '***', secret: false }];
    expect((await mutate('update', { name: 'one', spec: { runtime: { envs: plain } } })).problems).toMatchObject([
      { path: ['spec', 'runtime', 'envs', '0', 'secret'] },
    ]);
  });

  it('keeps generated ids of triggers within their length, so that the agent can be changed', async () => {
    for (const id of ['a'.repeat(63), '🚚'.repeat(63)]) {
      const name = `long-${[...id].length}-${id.length}`;
      const made = await mutate('create', {
        metadata: { name },
        spec: {
          triggers: [
            { id, type: 'HTTP' },
            { id, type: 'HTTP' },
          ],
        },
      });
      expect(made.agent.spec.triggers.map((each: { id: string }) => [...each.id].length)).toEqual([63, 63]);
      expect((await mutate('update', { name, metadata: { displayName: 'Changed' } })).agent.version).toBe(2);
    }
  });

  it('without labels stays as it is when its labels are set to none', async () => {
    await mutate('create', { metadata: { name: 'one' } });
    const same = await mutate('update', { name: 'one', metadata: { labels: [] } });
    expect(same.agent).toMatchObject({ version: 1, metadata: { labels: [] } });
    expect((await mutate('create', { metadata: { name: 'two', labels: [] } })).agent.version).toBe(1);
    expect((await mutate('update', { name: 'two', metadata: { labels: null } })).agent.version).toBe(1);
  });

  it('keeps no more secrets than a page can have, however they are added', async () => {
    await mutate('create', { metadata: { name: 'one' } });
    const kept: { name: string; value: string; secret: boolean }[] = [];
    const answers: Answer['body'][] = [];
    for (let index = 0; index < 10; index++) {
      const envs = [...kept, { name: `S${index}`, value: 'x'.repeat(30_000), secret: true }];
      answers.push(await mutate('update', { name: 'one', spec: { runtime: { envs } } }));
      kept.push({ name: `S${index}`, value: '***', secret: true });
    }
    const refused = answers.filter(({ code }) => code !== undefined);
    expect(refused.length).toBeGreaterThan(0);
    expect(problemsOf(refused[0])).toEqual(['spec too_large']);
    const { agent } = await read('one');
    expect(agent.spec.runtime.envs.length).toBeLessThan(10);
  });

  it('generates a secret for each http-async trigger, keeps it, and accepts none from a caller', async () => {
    const trigger = { type: 'HTTP_ASYNC', configuration: { callbackUrl: 'https://example.com/done' } };
    const made = await mutate('create', { metadata: { name: 'one' }, spec: { triggers: [trigger, trigger] } });
    const [first, second] = made.agent.spec.triggers;
    expect([first.id, second.id]).toEqual(['http-async', 'http-async-2']);
    expect(first.configuration.callbackSecret).toMatch(/^[\w-]{43}$/);
    expect(second.configuration.callbackSecret).not.toBe(first.configuration.callbackSecret);
    const again = { id: 'http-async', ...trigger };
    const changed = await mutate('update', { name: 'one', spec: { triggers: [again] } });
    expect(changed.agent.spec.triggers[0].configuration.callbackSecret).toBe(first.configuration.callbackSecret);
    const untouched = await mutate('update', { name: 'one', spec: { enabled: false } });
    expect(untouched.agent.spec.triggers[0].configuration.callbackSecret).toBe(first.configuration.callbackSecret);
    const told = JSON.stringify((await history()).map(({ before, after }) => [before, after]));
    expect(told).not.toContain(first.configuration.callbackSecret);
    expect(told).toContain('"callbackSecret":"***"');
  });

  it('validates the resulting agent', async () => {
    await mutate('create', { metadata: { name: 'one' }, spec: { public: true, runtime: { generation: 'MK3' } } });
    const refused = await mutate('update', { name: 'one', spec: { runtime: { generation: 'MK2' } } });
    expect(refused.problems).toMatchObject([{ path: ['spec', 'public'], code: 'not_available' }]);
    expect((await mutate('update', { name: 'one', spec: { runtime: null } })).__typename).toBe('InvalidInputError');
  });

  it('returns 404 for an unknown name', async () => {
    expect((await mutate('update', { name: 'nobody', metadata: {} })).__typename).toBe('NotFoundError');
    expect((await mutate('delete', { name: 'nob\u0000ody' })).__typename).toBe('NotFoundError');
  });
});
