// Edges from children to their parents: the number of statements does not depend on the number of rows.
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { insertExecutions } from '../../src/demo/rows/job-input.js';
import { insertEgressIps } from '../../src/demo/rows/network-input.js';
import { insertPreviews, insertSandboxes } from '../../src/demo/rows/sandbox-input.js';
import { insertVolumes } from '../../src/demo/rows/volume-input.js';
import { encodeGlobalId } from '../../src/api/graphql/global-id.js';
import { addAgents, anAgent, createKey, createTenant, frozenNow, graphql, useApp } from '../harness.js';
import type { Tenant } from '../harness.js';
import { addPlatform, anExecution, aPreview } from '../platform.js';
import type { Platform } from '../platform.js';

const running = useApp();
let tenant: Tenant;
let key: string;
let ids: Platform;
const times = { createdAt: frozenNow.toISOString(), updatedAt: frozenNow.toISOString() };
const ephemeral = { name: 'data', type: 'ephemeral', mountPath: '/tmp/data', sizeMb: 10 } as const;
const mounted = (name: string, type: 'persistent' | 'ephemeral' = 'persistent') =>
  [{ name, type, mountPath: `/mnt/${name}` }] as const;

beforeAll(async () => {
  const { app } = running;
  const { db, encryption } = app.services;
  tenant = await createTenant(app, { account: 'northwind', workspaces: ['main', 'side'] });
  ({ key } = await createKey(app, tenant));
  const main = tenant.workspaces['main'] ?? '';
  const side = tenant.workspaces['side'] ?? '';
  ids = await addPlatform(app, main, 'north');
  await insertExecutions(
    db,
    encryption,
    main,
    Array.from({ length: 20 }, () => anExecution(ids.Job, randomUUID())),
  );
  await insertPreviews(
    db,
    encryption,
    main,
    Array.from({ length: 20 }, (_, index) => aPreview(ids.Sandbox, `p-${index}`)),
  );
  await insertEgressIps(
    db,
    encryption,
    main,
    Array.from({ length: 20 }, (_, index) => ({
      gatewayId: ids.EgressGateway,
      metadata: { name: `ip-${index}`, ...times },
      spec: { ipFamily: 'ipv4', publicIp: `203.0.113.${index + 10}` },
    })),
  );
  const spec = { region: 'eu-frankfurt-1', sizeMb: 10 };
  for (const workspaceId of [main, side]) {
    await insertVolumes(db, encryption, workspaceId, [
      { metadata: { name: 'data', ...times }, spec },
      { metadata: { name: 'idle', ...times }, spec },
    ]);
  }
  const region = 'eu-frankfurt-1';
  await addAgents(app, main, [
    anAgent('reader', { spec: { region, volumes: [...mounted('data'), ...mounted('gone')] } }),
    anAgent('scratch', { spec: { region, volumes: [ephemeral] } }),
  ]);
  await addAgents(app, side, [anAgent('elsewhere', { spec: { region, volumes: [...mounted('data')] } })]);
  await insertSandboxes(db, encryption, main, [
    { metadata: { name: 'writer', ...times }, status: 'DEPLOYED', spec: { region, volumes: [...mounted('data')] } },
  ]);
});

async function ask(query: string, variables: Record<string, unknown> = {}, as = key) {
  const { body } = await graphql(running.app, as, query, variables, { 'x-service-workspace': 'main' });
  return body;
}

const path = (fields: string) => `{ node(id: $id) { ${fields} } }`;

describe('Edges to parents exist', () => {
  it.each([
    ['JobExecution', 'job { id metadata { name } executions(first: 1) { totalCount } }', 'job', 'Job', 'north-job'],
    ['SandboxPreview', 'sandbox { id metadata { name } }', 'sandbox', 'Sandbox', 'north-sandbox'],
    ['EgressIp', 'gateway { id metadata { name } }', 'gateway', 'EgressGateway', 'north-gateway'],
    ['EgressGateway', 'vpc { id metadata { name } }', 'vpc', 'Vpc', 'north-vpc'],
  ] as const)('from %s by { %s }', async (from, fields, field, to, name) => {
    const id = encodeGlobalId(from, ids[from]);
    const body = await ask(`query ($id: ID!) ${path(`... on ${from} { ${fields} workspace { name } }`)}`, { id });
    expect(body.errors).toBeUndefined();
    expect(body.data.node[field]).toMatchObject({ id: encodeGlobalId(to, ids[to]), metadata: { name } });
    expect(body.data.node.workspace).toEqual({ name: 'main' });
  });

  it('from every resource to its workspace and account, without further scopes or statements', async () => {
    const { key: narrow } = await createKey(running.app, { ...tenant, scope: 'agents:get' });
    running.app.statements.length = 0;
    const query = '{ agent(name: "reader") { workspace { name account { name } } } }';
    expect((await ask(query, {}, narrow)).data.agent).toEqual({
      workspace: { name: 'main', account: { name: 'northwind' } },
    });
    expect(running.app.statements.filter((sql) => /FROM "(workspace|account)" AS/.test(sql))).toEqual([]);
    const kinds = ['Agent', 'Sandbox', 'Job', 'Volume', 'Vpc', 'Image', 'ImageTag'] as const;
    const nodes = kinds.map((kind) => `... on ${kind} { workspace { name } }`).join(' ');
    const asked = { ids: kinds.map((kind) => encodeGlobalId(kind, ids[kind])) };
    const body = await ask(`query ($ids: [ID!]!) { nodes(ids: $ids) { ${nodes} } }`, asked);
    expect(body.data.nodes).toEqual(kinds.map(() => ({ workspace: { name: 'main' } })));
  });

  it('for created resources, too', async () => {
    const input = 'workspace: "main", name: "north-job"';
    const body = await ask(
      `mutation { runJob(input: { ${input} }) { ... on RunJobPayload { jobExecution { job { metadata { name } } } } } }`,
    );
    expect(body.errors).toBeUndefined();
    expect(body.data.runJob.jobExecution.job.metadata.name).toBe('north-job');
  });

  it('with as many statements for twenty as for one', async () => {
    const count = async (first: number, fields: string) => {
      running.app.statements.length = 0;
      expect((await ask(fields.replaceAll('FIRST', String(first)))).errors).toBeUndefined();
      return running.app.statements.filter((sql) => !sql.includes('"api_key"')).length;
    };
    const queries = [
      '{ job(name: "north-job") { executions(first: FIRST) { nodes { job { metadata { name } } } } } }',
      '{ sandbox(name: "north-sandbox") { previews(first: FIRST) { nodes { sandbox { status } } } } }',
      `{ vpc(name: "north-vpc") { egressGateway(name: "north-gateway") {
          ips(first: FIRST) { nodes { gateway { vpc { metadata { name } } } } } } } }`,
    ];
    for (const query of queries) expect(await count(20, query)).toBe(await count(1, query));
  });
});

describe('A volume and its workloads', () => {
  it('link to each other', async () => {
    const body = await ask(`{
      volumes(orderBy: { field: NAME, direction: ASC }) { nodes { metadata { name } attachedTo { __typename id metadata { name } } } }
      agent(name: "reader") { attachments { name type mountPath volume { metadata { name } } } }
      scratch: agent(name: "scratch") { attachments { type volume { id } } }
      sandbox(name: "writer") { attachments { volume { spec { sizeMb } } } }
    }`);
    expect(body.errors).toBeUndefined();
    const attached = body.data.volumes.nodes.map(
      (volume: { metadata: { name: string }; attachedTo: { __typename: string; metadata: { name: string } }[] }) => [
        volume.metadata.name,
        volume.attachedTo.map(({ __typename, metadata }) => `${__typename} ${metadata.name}`),
      ],
    );
    expect(attached).toEqual([
      ['data', ['Agent reader', 'Sandbox writer']],
      ['idle', []],
      ['north-volume', []],
    ]);
    expect(body.data.agent.attachments).toEqual([
      { name: 'data', type: 'PERSISTENT', mountPath: '/mnt/data', volume: { metadata: { name: 'data' } } },
      { name: 'gone', type: 'PERSISTENT', mountPath: '/mnt/gone', volume: null },
    ]);
    expect(body.data.scratch.attachments).toEqual([{ type: 'EPHEMERAL', volume: null }]);
    expect(body.data.sandbox.attachments).toEqual([{ volume: { spec: { sizeMb: 10 } } }]);
  });

  it('require the scopes of the other end, and otherwise leave the other fields', async () => {
    const { key: narrow } = await createKey(running.app, { ...tenant, scope: 'volumes:get agents:get' });
    const body = await ask('{ volume(name: "data") { metadata { name } attachedTo { id } } }', {}, narrow);
    expect(body.data.volume).toEqual({ metadata: { name: 'data' }, attachedTo: null });
    expect(body.errors).toMatchObject([{ path: ['volume', 'attachedTo'], extensions: { code: 'forbidden' } }]);
    const { key: other } = await createKey(running.app, { ...tenant, scope: 'agents:get' });
    const back = await ask('{ agent(name: "reader") { attachments { name volume { id } } } }', {}, other);
    expect(back.data.agent.attachments).toEqual([
      { name: 'data', volume: null },
      { name: 'gone', volume: null },
    ]);
    expect(back.errors).toHaveLength(2);
  });
});

describe('An account', () => {
  it('is found by its name, with the accessible workspaces page by page', async () => {
    const first = await ask(
      '{ account(name: "northwind") { id workspaces(first: 1, orderBy: { field: NAME, direction: ASC }) { totalCount nodes { name } pageInfo { endCursor } } } }',
    );
    expect(first.data.account).toMatchObject({
      id: encodeGlobalId('Account', tenant.accountId),
      workspaces: { totalCount: 2, nodes: [{ name: 'main' }] },
    });
    const { endCursor } = first.data.account.workspaces.pageInfo;
    const query =
      'query ($after: String) { account(name: "northwind") { workspaces(after: $after, orderBy: { field: NAME, direction: ASC }) { nodes { name } } } }';
    expect((await ask(query, { after: endCursor })).data.account.workspaces.nodes).toEqual([{ name: 'side' }]);
    const { key: confined } = await createKey(running.app, { ...tenant, workspaceId: tenant.workspaces['side'] ?? '' });
    expect((await ask(query, {}, confined)).data.account.workspaces.nodes).toEqual([{ name: 'side' }]);
  });

  it('of another tenant returns the same error as an unknown name', async () => {
    await createTenant(running.app, { account: 'southwind', workspaces: ['south'] });
    for (const name of ['southwind', 'nobody']) {
      const body = await ask(`{ account(name: "${name}") { id } }`);
      expect(body.data.account).toBeNull();
      expect(body.errors).toMatchObject([{ message: 'Access denied.', extensions: { code: 'access_denied' } }]);
    }
  });

  it.each(['account', `account(id: "${'x'}", name: "northwind")`])('requested as %s returns 400', async (field) => {
    const body = await ask(`{ ${field} { id } }`);
    expect(body.errors).toMatchObject([{ extensions: { code: 'invalid_parameter', status: 400 } }]);
  });
});
