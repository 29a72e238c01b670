// Resources that an admin of the platform moves in from another platform: they keep the time and the person of their
// creation there, and the change log has those of the import.
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { applyKinds, isInWorkspace, payloadField } from '../../src/manifests/apply-kind.js';
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
import type { Tenant } from '../harness.js';
import { addRegions, keyOfSomebody, mutate, problemsOf } from './mutations.js';

const running = useApp({ PLATFORM_ACCOUNT: 'platform' });
const db = () => running.app.services.db;
let platform: Tenant;
let acme: Tenant;
/** Of the admin of the platform: for the platform's account, and for another one, in which the admin is a member. */
let own: string;
let key: string;

beforeAll(async () => {
  const { app } = running;
  await addRegions(app);
  platform = await createTenant(app, { account: 'platform', workspaces: ['ops'] });
  acme = await createTenant(app, { account: 'acme', workspaces: ['main'] });
  const { accountId } = acme;
  await db().accountMember.create({ data: { accountId, principalId: platform.principalId, role: 'admin' } });
  ({ key: own } = await createKey(app, platform));
  ({ key } = await createKey(app, { accountId, principalId: platform.principalId }));
});

const importer = 'owner@platform.example.com';
const origin = { createdAt: '2024-02-29T08:30:00.123Z', createdBy: 'ada@elsewhere.example' };
const kept = { ...origin, updatedAt: frozenNow.toISOString(), updatedBy: importer };
const metadataFields = 'metadata { createdAt createdBy updatedAt updatedBy }';

let count = 0;
const newName = () => `moved-${++count}`;
const createAgent = (more: object, by = key, fields = `agent { uuid ${metadataFields} }`) =>
  mutate(running.app, by, 'createAgent', fields, {
    workspace: 'main',
    metadata: { name: newName() },
    spec: {},
    ...more,
  });

describe('A resource that is moved in', () => {
  it('of every kind keeps its createdAt and createdBy, and its change record has the import', async () => {
    const parents = { vpcName: 'net', gatewayName: 'out', sandboxName: 'box' };
    const names: Record<string, string> = { Vpc: 'net', EgressGateway: 'out', Sandbox: 'box' };
    const specs: Record<string, object> = {
      Volume: { region: 'eu-open', sizeMb: 1024 },
      Vpc: { region: 'eu-egress' },
      EgressGateway: { region: 'eu-egress' },
    };
    const kinds = applyKinds.filter(isInWorkspace);
    expect(kinds.length).toBeGreaterThan(7);
    for (const kind of kinds) {
      const above = Object.fromEntries(kind.parents.map(({ input }) => [input, Reflect.get(parents, input)]));
      const name = names[kind.name] ?? 'moved';
      const input = { workspace: 'main', ...above, metadata: { name }, spec: specs[kind.name] ?? {}, origin };
      const fields = `${payloadField(kind)} { ${metadataFields} events { time message } }`;
      const result = await mutate(running.app, key, `create${kind.name}`, fields, input);
      const { metadata, events } = result[payloadField(kind)];
      expect([kind.name, metadata]).toEqual([kind.name, kept]);
      expect(events).toEqual([{ time: frozenNow.toISOString(), message: `Created by ${importer}` }]);
      const where = { name, verb: 'created', kind: kind.name.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase() };
      expect(await db().change.findFirstOrThrow({ where })).toMatchObject({
        time: frozenNow,
        actorName: importer,
        actorId: platform.principalId,
        after: { metadata: kept },
      });
    }
  });

  it('has the creation of the import where its origin says nothing, and can be of the platform itself', async () => {
    const bare = { ...kept, createdAt: kept.updatedAt, createdBy: importer };
    expect((await createAgent({ origin: {} })).agent.metadata).toEqual(bare);
    expect((await createAgent({ origin: null })).agent.metadata).toEqual(bare);
    const { createdAt, createdBy } = origin;
    expect((await createAgent({ origin: { createdAt } })).agent.metadata).toEqual({ ...bare, createdAt });
    expect((await createAgent({ origin: { createdBy } })).agent.metadata).toEqual({ ...bare, createdBy });
    expect((await createAgent({ workspace: 'ops', origin }, own)).agent.metadata).toEqual(kept);
    const now = { createdAt: '2026-11-20T13:00:00+01:00' };
    expect((await createAgent({ origin: now })).agent.metadata).toMatchObject({ createdAt: frozenNow.toISOString() });
  });

  it('has a creator if somebody of the workspace has the name, in any spelling', async () => {
    const creatorOf = async (createdBy: string) =>
      (await createAgent({ origin: { createdBy } }, key, 'agent { metadata { createdBy } creator { name } }')).agent;
    expect(await creatorOf(' Owner@ACME.example.com')).toEqual({
      metadata: { createdBy: 'owner@acme.example.com' },
      creator: { name: 'owner@acme.example.com' },
    });
    expect(await creatorOf('Zoë (2019)')).toEqual({ metadata: { createdBy: 'zoë (2019)' }, creator: null });
  });

  it('keeps its origin in updates, which have no such field', async () => {
    const name = newName();
    await createAgent({ metadata: { name }, origin });
    const { agent } = await mutate(running.app, key, 'updateAgent', `agent { ${metadataFields} }`, {
      workspace: 'main',
      name,
      metadata: { displayName: 'Later' },
    });
    expect(agent.metadata).toEqual(kept);
    const query = `mutation ($input: UpdateAgentInput!) { updateAgent(input: $input) { __typename } }`;
    const { body } = await graphql(running.app, key, query, { input: { workspace: 'main', name, origin } });
    expect(body.errors[0].message).toContain('field "origin" is not defined');
  });

  it('is not created by a dry run, and once with an Idempotency-Key', async () => {
    const name = newName();
    const input = { workspace: 'main', metadata: { name }, origin };
    const query = `mutation ($input: CreateAgentInput!) { createAgent(input: $input) {
      ... on CreateAgentPayload { agent { uuid ${metadataFields} } } ... on Error { code } } }`;
    const send = async (more: object, headers = {}) =>
      (await graphql(running.app, key, query, { input: { ...input, ...more } }, headers)).body;
    expect((await send({ validateOnly: true })).data.createAgent.agent.metadata).toEqual(kept);
    expect(await db().agent.count({ where: { name } })).toBe(0);
    const once = { 'idempotency-key': randomUUID() };
    const first = await send({}, once);
    expect(first.data.createAgent.agent.metadata).toEqual(kept);
    expect(await send({}, once)).toEqual(first);
    const other = await send({ origin: { ...origin, createdBy: 'eve' } }, once);
    expect(other.errors[0].extensions.code).toBe('idempotency_key_reused');
  });

  it('has its place in lists by its createdAt, and is found by it', async () => {
    const { app } = running;
    const tenant = await createTenant(app, { account: 'lists', workspaces: ['listed'] });
    const { accountId } = tenant;
    await db().accountMember.create({ data: { accountId, principalId: platform.principalId, role: 'admin' } });
    const { key: by } = await createKey(app, { accountId, principalId: platform.principalId });
    const at = (year: number) => ({ metadata: { createdAt: `${year}-01-01T00:00:00.000Z` } });
    await addAgents(app, tenant.workspaces['listed'], [anAgent('a2023', at(2023)), anAgent('a2025', at(2025))]);
    const move = (name: string, year: number) =>
      createAgent({ workspace: 'listed', metadata: { name }, origin: at(year).metadata }, by);
    await move('a2022', 2022);
    const list = async (args: string) => {
      const query = `{ agents(workspace: "listed", ${args}) { totalCount filteredCount pageInfo { endCursor } nodes { metadata { name } } } }`;
      const { agents } = (await graphql(app, by, query)).body.data;
      return { ...agents, names: agents.nodes.map(({ metadata }: { metadata: { name: string } }) => metadata.name) };
    };
    const oldestFirst = 'orderBy: { field: CREATED_AT, direction: ASC }';
    const first = await list(`first: 2, ${oldestFirst}`);
    expect(first.names).toEqual(['a2022', 'a2023']);
    // A page goes on after its last row, wherever rows are moved in meanwhile.
    await move('a2021', 2021);
    await move('a2024', 2024);
    const second = await list(`first: 9, after: "${first.pageInfo.endCursor}", ${oldestFirst}`);
    expect(second.names).toEqual(['a2024', 'a2025']);
    const filter = 'filter: { createdAt: { from: "2022-01-01T00:00:00Z", to: "2024-01-01T00:00:00Z" } }';
    expect(await list(`first: 9, ${oldestFirst}, ${filter}`)).toMatchObject({
      names: ['a2022', 'a2023'],
      totalCount: 5,
      filteredCount: 2,
    });
    const headers = { 'x-service-workspace': 'listed' };
    const { body } = await rest(app, '/agents?sort=createdAt:desc', { key: by, headers, version: '2026-04-28' });
    const shown = body.data.map(({ metadata }: { metadata: { name: string } }) => metadata.name);
    expect(shown).toEqual(['a2025', 'a2024', 'a2023', 'a2022', 'a2021']);
  });

  it('has the times of its schedules from now on, and none of the past', async () => {
    const name = newName();
    const spec = { schedule: '0 5 * * *' };
    await mutate(running.app, key, 'createJob', '__typename', { workspace: 'main', metadata: { name }, spec, origin });
    const job = await db().job.findFirstOrThrow({ where: { name } });
    const [schedule] = await db().$queryRaw<{ after_at: Date }[]>`
      SELECT "after_at" FROM "schedule" WHERE "resource_id" = ${job.id}::uuid`;
    // A trigger sets it, by the clock of the database.
    expect(Date.now() - Number(schedule?.after_at)).toBeLessThan(600_000);
  });

  it.each<[string, object, string[]]>([
    ['in the future', { createdAt: '2026-11-20T12:00:00.001Z' }, ['origin.createdAt invalid_value']],
    ['before 2000', { createdAt: '1999-12-31T23:59:59.999Z' }, ['origin.createdAt invalid_value']],
    ['without a name', { createdBy: '  ' }, ['origin.createdBy invalid_format']],
    ['with a long name', { createdBy: 'a'.repeat(255) }, ['origin.createdBy invalid_format']],
    ['with NUL', { createdBy: 'a\0da' }, ['origin.createdBy invalid_format']],
    ['with a change of direction', { createdBy: 'a\u202Eda' }, ['origin.createdBy invalid_format']],
  ])('is not created %s', async (_what, given, problems) => {
    const name = newName();
    expect(problemsOf(await createAgent({ metadata: { name }, origin: { ...origin, ...given } }))).toEqual(problems);
    expect(await db().agent.count({ where: { name } })).toBe(0);
  });

  it('is not created before the year 1, which no DateTime is', async () => {
    const input = {
      workspace: 'main',
      metadata: { name: newName() },
      origin: { createdAt: '0000-01-01T00:00:00+14:00' },
    };
    const document = 'mutation ($input: CreateAgentInput!) { createAgent(input: $input) { __typename } }';
    const { body } = await graphql(running.app, key, document, { input });
    expect(body.errors[0]).toMatchObject({ extensions: { code: 'invalid_request' } });
    expect(body.errors[0].message).toContain('createdAt');
  });

  it('is refused with all problems of the input at once', async () => {
    const refused = await createAgent({
      metadata: { name: 'No' },
      spec: { region: 'nowhere' },
      origin: { createdAt: '2027-01-01T00:00:00Z', createdBy: '' },
    });
    expect(problemsOf(refused).toSorted()).toEqual([
      'metadata.name invalid_format',
      'origin.createdAt invalid_value',
      'origin.createdBy invalid_format',
      'spec.region not_available',
    ]);
    expect(refused.problems).toContainEqual(
      expect.objectContaining({ message: 'origin.createdAt must be from the year 2000 on, and not in the future' }),
    );
  });
});

describe('An origin', () => {
  const refusal = {
    code: 'forbidden',
    message: 'Only an admin of the platform can set origin, with the scope admin and not confined to a workspace.',
  };

  it('is refused for everyone but admins of the platform, before the input is checked', async () => {
    const { app } = running;
    const workspaceId = acme.workspaces['main'] ?? '';
    const ofAdmin = { accountId: acme.accountId, principalId: platform.principalId };
    const callers = [
      (await createKey(app, acme)).key,
      await keyOfSomebody(app, acme, { account: 'member', workspace: 'main', role: 'member' }),
      (await createKey(app, { ...ofAdmin, workspaceId })).key,
      (await createKey(app, { ...ofAdmin, scope: 'agents:create agents:get' })).key,
    ];
    for (const caller of callers) {
      const before = await db().agent.count();
      expect(await createAgent({ origin }, caller)).toMatchObject(refusal);
      expect(await createAgent({ origin: {}, validateOnly: true }, caller)).toMatchObject(refusal);
      expect(await createAgent({ metadata: { name: 'No' }, origin }, caller)).toMatchObject(refusal);
      expect(await db().agent.count()).toBe(before);
      expect((await createAgent({}, caller)).agent.metadata).toMatchObject({ createdAt: frozenNow.toISOString() });
    }
    const viewer = await keyOfSomebody(app, acme, { account: 'viewer' });
    expect(await createAgent({ origin }, viewer)).toMatchObject({ code: 'forbidden' });
    // The admin of the platform has no access to accounts of which they are no member.
    await createTenant(app, { account: 'southwind', workspaces: ['south'] });
    expect(await createAgent({ workspace: 'south', origin }, own)).toMatchObject({ code: 'forbidden' });
  });

  it('can be set no more when the person is no admin of the platform', async () => {
    const member = { accountId_principalId: { accountId: platform.accountId, principalId: platform.principalId } };
    for (const role of ['member', 'viewer'] as const) {
      await db().accountMember.update({ where: member, data: { role } });
      expect(await createAgent({ origin }, key)).toMatchObject(refusal);
    }
    await db().accountMember.update({ where: member, data: { role: 'admin' } });
    expect((await createAgent({ origin }, key)).agent.metadata).toEqual(kept);
  });

  it('needs a key, where the platform requires an identity provider for sign-ins', async () => {
    const { app } = running;
    const owner = { ...acme, principalId: platform.principalId };
    const { token } = await createToken(app, owner, 'admin');
    expect((await createAgent({ origin }, token)).agent.metadata).toEqual(kept);
    const where = { id: platform.accountId };
    await db().account.update({ where, data: { requiredSignInProvider: 'okta' } });
    expect(await createAgent({ origin }, token)).toMatchObject(refusal);
    expect((await createAgent({ origin }, key)).agent.metadata).toEqual(kept);
    await db().account.update({ where, data: { requiredSignInProvider: null } });
  });

  it('cannot be given in metadata, nor with REST', async () => {
    const query = `mutation ($input: CreateAgentInput!) { createAgent(input: $input) { __typename } }`;
    const input = { workspace: 'main', metadata: { name: newName(), ...origin } };
    const { body } = await graphql(running.app, key, query, { input });
    expect(body.errors.map(({ message }: { message: string }) => message).join()).toContain(
      '"createdAt" is not defined',
    );
    const posted = await rest(running.app, '/agents', { key, method: 'POST', json: { metadata: input.metadata } });
    expect(posted.status).toBe(405);
  });
});
