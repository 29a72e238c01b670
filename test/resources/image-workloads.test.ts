// The edges between images and their workloads in both directions: with a constant number of statements, and never into
// another tenant.
import { beforeAll, describe, expect, it } from 'vitest';
import { Prisma } from '../../src/database/client/client.js';
import { imageNameOf } from '../../src/resources/images/image-workloads.js';
import { insertImages } from '../../src/demo/rows/image-input.js';
import type { ImageInput } from '../../src/demo/rows/image-input.js';
import { insertJobs } from '../../src/demo/rows/job-input.js';
import { insertSandboxes } from '../../src/demo/rows/sandbox-input.js';
import { addAgents, anAgent, createKey, createTenant, frozenNow, graphql, useApp } from '../harness.js';
import type { Tenant } from '../harness.js';

const running = useApp();
let tenant: Tenant;
let key: string;
const times = { createdAt: frozenNow.toISOString(), updatedAt: frozenNow.toISOString() };
const runs = (image: string) => ({ spec: { runtime: { image, memory: 1024 } } });
const anImage = (resourceType: ImageInput['resourceType'], name: string): ImageInput => ({
  resourceType,
  name,
  ...times,
  tags: [{ name: 'v1', size: 7, ...times }],
});

beforeAll(async () => {
  const { app } = running;
  const { db, encryption } = app.services;
  tenant = await createTenant(app, { account: 'northwind', workspaces: ['main', 'side'] });
  const other = await createTenant(app, { account: 'southwind', workspaces: ['south'] });
  ({ key } = await createKey(app, tenant));
  const { main = '', side = '' } = tenant.workspaces;
  for (const workspaceId of [main, side, other.workspaces['south'] ?? '']) {
    await insertImages(db, workspaceId, [
      anImage('agents', 'planner'),
      anImage('agents', 'idle'),
      anImage('sandboxes', 'planner'),
      anImage('jobs', 'planner'),
      anImage('functions', 'planner'),
    ]);
  }
  await addAgents(app, main, [
    anAgent('b', runs('registry.example.com:5000/agents/planner:r7')),
    anAgent('a', runs('planner')),
    anAgent('c', runs('registry.example.com/planner@sha256:0123')),
    anAgent('elsewhere', runs('docker.io/library/planner-2:v1')),
    anAgent('bare'),
  ]);
  await addAgents(app, side, [anAgent('of-side', runs('planner:v1'))]);
  await addAgents(app, other.workspaces['south'], [anAgent('of-south', runs('planner:v1'))]);
  const named = (name: string) => ({ metadata: { name, ...times } });
  await insertSandboxes(db, encryption, main, [{ ...named('box'), ...runs('planner:v2') }]);
  await insertJobs(db, encryption, main, [{ ...named('nightly'), ...runs('planner:v3') }]);
});

async function ask(query: string, variables: Record<string, unknown> = {}, as = key) {
  const { body } = await graphql(running.app, as, query, variables, { 'x-service-workspace': 'main' });
  return body;
}

const nameOf = ({ metadata }: { metadata: { name: string } }) => metadata.name;

describe('An image', () => {
  it.each([
    ['AGENTS', 'Agent', ['a', 'b', 'c']],
    ['SANDBOXES', 'Sandbox', ['box']],
    ['JOBS', 'Job', ['nightly']],
    ['FUNCTIONS', '', []],
  ])('of %s links to its workloads in its own workspace', async (resourceType, typename, names) => {
    const body = await ask(`{ image(resourceType: ${resourceType}, name: "planner") {
      workloads { totalCount filteredCount nodes { __typename metadata { name } status workspace { name } } } } }`);
    expect(body.errors).toBeUndefined();
    const { workloads } = body.data.image;
    expect(workloads.nodes.map(nameOf)).toEqual(names);
    expect(workloads).toMatchObject({ totalCount: names.length, filteredCount: names.length });
    for (const node of workloads.nodes)
      expect(node).toMatchObject({ __typename: typename, workspace: { name: 'main' } });
  });

  it('without workloads has an empty page', async () => {
    const body = await ask('{ image(resourceType: AGENTS, name: "idle") { workloads { totalCount nodes { id } } } }');
    expect(body.data.image.workloads).toEqual({ totalCount: 0, nodes: [] });
  });

  it('paginates its workloads in both directions, each once', async () => {
    const query = `query ($first: Int, $after: String, $last: Int, $before: String) {
      image(resourceType: AGENTS, name: "planner") {
        workloads(first: $first, after: $after, last: $last, before: $before) {
          nodes { metadata { name } } pageInfo { startCursor endCursor hasNextPage hasPreviousPage } } } }`;
    const first = (await ask(query, { first: 2 })).data.image.workloads;
    expect(first.nodes.map(nameOf)).toEqual(['a', 'b']);
    expect(first.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: false });
    const second = (await ask(query, { first: 2, after: first.pageInfo.endCursor })).data.image.workloads;
    expect(second.nodes.map(nameOf)).toEqual(['c']);
    expect(second.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true });
    const back = (await ask(query, { last: 1, before: second.pageInfo.startCursor })).data.image.workloads;
    expect(back.nodes.map(nameOf)).toEqual(['b']);
  });

  it('rejects a cursor of another image', async () => {
    const one = await ask(
      '{ image(resourceType: AGENTS, name: "planner") { workloads(first: 1) { pageInfo { endCursor } } } }',
    );
    const after = one.data.image.workloads.pageInfo.endCursor;
    const query = `query ($after: String) { image(resourceType: AGENTS, name: "idle") { workloads(after: $after) { nodes { id } } } }`;
    const body = await ask(query, { after });
    expect(body.errors).toMatchObject([{ extensions: { code: 'cursor_mismatch', status: 400 } }]);
    expect(body.data.image.workloads).toBeNull();
  });

  it('takes as many statements for many images as for one', async () => {
    const count = async (first: number, direction: string) => {
      running.app.statements.length = 0;
      const body = await ask(
        `{ images(first: ${first}, orderBy: { field: NAME, direction: ${direction} }, filter: { resourceType: { in: [AGENTS] } }) { nodes {
          workloads(first: 2) { totalCount nodes { metadata { name } workspace { name } } } } } }`,
      );
      expect(body.errors).toBeUndefined();
      return running.app.statements.filter((sql) => !sql.includes('"api_key"')).length;
    };
    // Images without workloads need no rows of them.
    expect(await count(2, 'ASC')).toBe(await count(1, 'DESC'));
  });
});

describe('A workload', () => {
  it('links to the image of its workspace and kind by its name', async () => {
    const image = 'image { id metadata { name resourceType workspaceName } }';
    const body = await ask(`{
      agents(orderBy: { field: NAME, direction: ASC }) { nodes { metadata { name } ${image} } }
      sandbox(name: "box") { ${image} }
      job(name: "nightly") { ${image} }
    }`);
    expect(body.errors).toBeUndefined();
    const led = body.data.agents.nodes.map((agent: { metadata: { name: string }; image: unknown }) => [
      nameOf(agent),
      agent.image !== null,
    ]);
    expect(led).toEqual([
      ['a', true],
      ['b', true],
      ['bare', false],
      ['c', true],
      ['elsewhere', false],
    ]);
    expect(body.data.agents.nodes[0].image.metadata).toEqual({
      name: 'planner',
      resourceType: 'AGENTS',
      workspaceName: 'main',
    });
    expect(body.data.sandbox.image.metadata.resourceType).toBe('SANDBOXES');
    expect(body.data.job.image.metadata.resourceType).toBe('JOBS');
  });

  it('shows its image only with the scope to read images, and other fields without', async () => {
    const { key: narrow } = await createKey(running.app, { ...tenant, scope: 'agents:get' });
    const body = await ask(
      '{ agent(name: "a") { metadata { name } spec { runtime { image } } image { id } } }',
      {},
      narrow,
    );
    expect(body.data.agent).toEqual({ metadata: { name: 'a' }, spec: { runtime: { image: 'planner' } }, image: null });
    expect(body.errors).toMatchObject([{ path: ['agent', 'image'], extensions: { code: 'forbidden' } }]);
  });
});

describe('The name of an image', () => {
  it.each([
    ['planner', 'planner'],
    ['planner:v1', 'planner'],
    ['registry.example.com:5000/team/planner', 'planner'],
    ['registry.example.com:5000/team/planner:v1', 'planner'],
    ['team/planner@sha256:ab12', 'planner'],
    ['team/planner:v1@sha256:ab12', 'planner'],
    ['', undefined],
    ['team/', undefined],
    [':v1', undefined],
    ['a b/Ä:\n', 'Ä'],
    ['@sha256:ab', undefined],
  ])('of %j is %j here and in the database', async (text, name) => {
    expect(imageNameOf(text)).toBe(name);
    const [row] = await running.app.services.db.$queryRaw<{ name: string | null }[]>(
      Prisma.sql`SELECT image_name(${text}) AS "name"`,
    );
    expect(row?.name ?? undefined).toBe(name);
  });
});
