// Nested lists: the same paging, sorting and search as at the root, with a constant number of statements, and no more
// rows read than requested.
import { beforeAll, describe, expect, it } from 'vitest';
import { insertImages } from '../../src/demo/rows/image-input.js';
import { insertExecutions, insertJobs } from '../../src/demo/rows/job-input.js';
import { insertEgressGateways, insertEgressIps, insertVpcs } from '../../src/demo/rows/network-input.js';
import { insertPreviews, insertSandboxes } from '../../src/demo/rows/sandbox-input.js';
import { addAgents, anAgent, createKey, createTenant, frozenNow, graphql, useApp } from '../harness.js';
import { anExecution, aPreview } from '../platform.js';

const running = useApp({}, { ownDatabase: true });
let key: string;
const owners = 50;
const children = 7;

const at = (minute: number) => new Date(frozenNow.getTime() - minute * 60_000).toISOString();
const uuid = (owner: number, child = 0) => `00000000-0000-4000-8000-${String(owner * 1000 + child).padStart(12, '0')}`;
const named = (name: string, minute: number) => ({ metadata: { name, createdAt: at(minute), updatedAt: at(minute) } });

beforeAll(async () => {
  const { app } = running;
  const { db, encryption } = app.services;
  const tenant = await createTenant(app, { account: 'northwind', workspaces: ['main', 'second'] });
  ({ key } = await createKey(app, tenant));
  const main = tenant.workspaces['main'] ?? '';
  const each = Array.from({ length: owners }, (_, index) => index);
  const every = each.flatMap((owner) => Array.from({ length: children }, (_, child) => ({ owner, child })));
  await insertSandboxes(
    db,
    encryption,
    main,
    each.map((owner) => ({ id: uuid(owner), ...named(`box-${owner}`, owner), spec: {} })),
  );
  // Pairs of them share an instant, so that ties are broken by id.
  await insertPreviews(
    db,
    encryption,
    main,
    every.map(({ owner, child }) => ({
      ...aPreview(uuid(owner), `view-${child}`, at(Math.floor(child / 2))),
      id: uuid(owner, child + 1),
    })),
  );
  await insertJobs(
    db,
    encryption,
    main,
    each.slice(0, 10).map((job) => ({ id: uuid(job), ...named(`job-${job}`, job), spec: {} })),
  );
  await insertExecutions(
    db,
    encryption,
    main,
    every
      .filter(({ owner }) => owner < 10)
      .map(({ owner, child }) => anExecution(uuid(owner), uuid(owner, child + 1), at(child))),
  );
  await insertVpcs(
    db,
    encryption,
    main,
    each.slice(0, 4).map((vpc) => ({ id: uuid(vpc), ...named(`vpc-${vpc}`, vpc), spec: {} })),
  );
  await insertEgressGateways(
    db,
    encryption,
    main,
    each.slice(0, 4).map((vpc) => ({ id: uuid(vpc, 1), vpcId: uuid(vpc), ...named('gateway', vpc), spec: {} })),
  );
  await insertEgressIps(
    db,
    encryption,
    main,
    each.slice(0, 4).map((vpc) => ({
      gatewayId: uuid(vpc, 1),
      ...named('address', vpc),
      spec: { ipFamily: 'ipv4' as const, publicIp: `203.0.113.${vpc}` },
    })),
  );
  await insertImages(
    db,
    main,
    each.slice(0, 5).map((image) => ({
      id: uuid(image),
      resourceType: 'jobs' as const,
      name: `image-${image}`,
      createdAt: at(image),
      updatedAt: at(image),
      tags: Array.from({ length: children }, (_, tag) => ({
        name: `r${tag}`,
        size: tag,
        createdAt: at(tag),
        updatedAt: at(tag),
      })),
    })),
  );
  await addAgents(app, main, [anAgent('first'), anAgent('other')]);
  await addAgents(app, tenant.workspaces['second'], [anAgent('elsewhere')]);
});

async function ask(query: string, variables: Record<string, unknown> = {}) {
  const { app } = running;
  app.statements.length = 0;
  const { body } = await graphql(app, key, query, variables, { 'x-service-workspace': 'main' });
  expect(body.errors).toBeUndefined();
  // Neither the statements that identify the caller nor those of the list of workspaces read resources.
  const isOfResources = (sql: string) =>
    /json_agg|json_object_agg/.test(sql) && !/"account_member"|FROM "workspace" AS w\)/.test(sql);
  const statements = app.statements.filter(isOfResources);
  return { data: body.data, statements };
}

interface Box {
  metadata: { name: string };
  previews: {
    totalCount: number;
    nodes: { metadata: { name: string } }[];
    pageInfo: { endCursor: string; startCursor: string; hasNextPage: boolean; hasPreviousPage: boolean };
  };
}

const names = (box: Box) => box.previews.nodes.map(({ metadata }) => metadata.name);

describe('A nested list', () => {
  it('takes as many statements for fifty lists as for one', async () => {
    const query = `query ($first: Int) { sandboxes(first: $first) { nodes {
      metadata { name } previews(first: 3) { totalCount nodes { id metadata { name } events { type } } pageInfo { hasNextPage } }
    } } }`;
    const one = await ask(query, { first: 1 });
    const fifty = await ask(query, { first: owners });
    expect(fifty.statements).toHaveLength(one.statements.length);
    expect(one.statements).toHaveLength(3);
    expect(fifty.data.sandboxes.nodes).toHaveLength(owners);
    for (const box of fifty.data.sandboxes.nodes) {
      expect(names(box)).toEqual(['view-1', 'view-0', 'view-3']);
      expect(box.previews).toMatchObject({ totalCount: children, pageInfo: { hasNextPage: true } });
    }
  });

  it('reads only the requested rows of each', async () => {
    const { statements } = await ask('{ sandboxes { nodes { previews(first: 3) { nodes { id } } } } }');
    const sql = statements.find((each) => each.includes('"sandbox_preview"'));
    const { app } = running;
    // A server does that by itself after a while; without it the planner knows nothing of the table.
    await app.services.db.$executeRaw`ANALYZE "sandbox_preview"`;
    const sandboxes = await app.services.db.sandbox.findMany({ select: { id: true, workspaceId: true } });
    const plan = await app.services.db.$queryRawUnsafe<{ 'QUERY PLAN': [{ Plan: PlanNode }] }[]>(
      `EXPLAIN (ANALYZE, FORMAT JSON) ${sql}`,
      sandboxes.map(({ workspaceId }) => workspaceId),
      sandboxes.map(({ id }) => id),
    );
    const scans = scansOf(plan[0]?.['QUERY PLAN'][0].Plan, 'sandbox_preview');
    expect(scans.length).toBeGreaterThan(0);
    for (const scan of scans) {
      expect(scan['Actual Loops']).toBe(owners);
      expect(scan['Actual Rows']).toBeLessThanOrEqual(3);
      expect(scan['Rows Removed by Filter'] ?? 0).toBe(0);
    }
  });

  it.each([
    ['CREATED_AT', 'DESC', ['view-1', 'view-0', 'view-3', 'view-2', 'view-5', 'view-4', 'view-6']],
    ['CREATED_AT', 'ASC', ['view-6', 'view-4', 'view-5', 'view-2', 'view-3', 'view-0', 'view-1']],
    ['NAME', 'ASC', ['view-0', 'view-1', 'view-2', 'view-3', 'view-4', 'view-5', 'view-6']],
    ['NAME', 'DESC', ['view-6', 'view-5', 'view-4', 'view-3', 'view-2', 'view-1', 'view-0']],
  ])(
    'ordered by %s %s contains every row once, page by page, forward and backward',
    async (field, direction, expected) => {
      const orderBy = { field, direction };
      const query = `query ($orderBy: ResourceOrder, $first: Int, $after: String, $last: Int, $before: String) {
      sandbox(name: "box-7") { metadata { name } previews(orderBy: $orderBy, first: $first, after: $after, last: $last, before: $before) {
        totalCount nodes { metadata { name } } pageInfo { endCursor startCursor hasNextPage hasPreviousPage }
      } }
    }`;
      for (const size of [1, 2, 3, 7, 200]) {
        const forward: string[] = [];
        for (let after: string | null = null, isLast = false; !isLast;) {
          const box: Box = (await ask(query, { orderBy, first: size, after })).data.sandbox;
          forward.push(...names(box));
          after = box.previews.pageInfo.endCursor;
          isLast = !box.previews.pageInfo.hasNextPage;
        }
        expect(forward).toEqual(expected);
        const backward: string[] = [];
        for (let before: string | null = null, isFirst = false; !isFirst;) {
          const box: Box = (await ask(query, { orderBy, last: size, before })).data.sandbox;
          backward.unshift(...names(box));
          before = box.previews.pageInfo.startCursor;
          isFirst = !box.previews.pageInfo.hasPreviousPage;
        }
        expect(backward).toEqual(expected);
      }
    },
  );

  it('supports search, with a total that ignores it', async () => {
    const { data, statements } = await ask(
      '{ sandboxes(first: 5) { nodes { previews(search: "VIEW-3") { totalCount nodes { metadata { name } } } } } }',
    );
    for (const box of data.sandboxes.nodes) {
      expect(names(box)).toEqual(['view-3']);
      expect(box.previews.totalCount).toBe(children);
    }
    expect(statements).toHaveLength(3);
  });

  it('rejects a cursor of another list of the same kind', async () => {
    const first = await ask('{ sandbox(name: "box-1") { previews(first: 1) { pageInfo { endCursor } } } }');
    const after = first.data.sandbox.previews.pageInfo.endCursor;
    const { body } = await graphql(
      running.app,
      key,
      'query ($after: String) { sandbox(name: "box-2", workspace: "main") { previews(after: $after) { nodes { id } } } }',
      { after },
    );
    expect(body.errors[0].extensions).toMatchObject({ code: 'cursor_mismatch', field: 'after' });
  });

  it('returns one by its name, with as many statements for fifty as for one', async () => {
    const query = `query ($first: Int) { sandboxes(first: $first) { nodes {
      there: preview(name: "view-2") { metadata { name resourceName } } missing: preview(name: "no-such") { id }
    } } }`;
    const one = await ask(query, { first: 1 });
    const fifty = await ask(query, { first: owners });
    expect(fifty.statements).toHaveLength(one.statements.length);
    expect(fifty.data.sandboxes.nodes[3]).toEqual({
      there: { metadata: { name: 'view-2', resourceName: 'box-3' } },
      missing: null,
    });
  });

  it('can be selected twice with different arguments', async () => {
    const { data } = await ask(
      '{ sandbox(name: "box-3") { a: previews(first: 1) { nodes { metadata { name } } } b: previews(last: 1) { nodes { metadata { name } } } } }',
    );
    expect(data.sandbox.a.nodes[0].metadata.name).toBe('view-1');
    expect(data.sandbox.b.nodes[0].metadata.name).toBe('view-6');
  });
});

describe('A search in several workspaces at once', () => {
  it('finds matches in each, with as many statements as in one', async () => {
    const { data, statements } = await ask(
      '{ workspaces(orderBy: { field: NAME, direction: ASC }) { totalCount nodes { name agents(search: "e") { totalCount } found: agents(search: "el") { nodes { metadata { name } } } } } }',
    );
    expect(data.workspaces.totalCount).toBe(2);
    const [main, second] = data.workspaces.nodes;
    expect([main.name, second.name]).toEqual(['main', 'second']);
    expect(main.found.nodes).toEqual([]);
    expect(second.found.nodes).toEqual([{ metadata: { name: 'elsewhere' } }]);
    expect([main.agents.totalCount, second.agents.totalCount]).toEqual([2, 1]);
    // The totals, a walk, and a look-up in the index for both.
    expect(statements).toHaveLength(3);
  });
});

const dashboard = `query ($rows: Int!, $few: Int!) {
  workspaces(first: $rows) {
    nodes {
      name
      agents(first: $rows) { totalCount nodes { id metadata { name } status } }
      sandboxes(first: $rows) { nodes { metadata { name } previews(first: $few) { nodes { spec { url } } } } }
      jobs(first: $rows) {
        nodes { metadata { name } executions(first: $few) { nodes { status stats { total } tasks { metadata { name } } } } }
      }
      volumes(first: $few) { nodes { spec { sizeMb } } }
      images(first: $few) { nodes { spec { size tags(first: $few) { nodes { name } } } } }
      vpcs(first: $few) {
        nodes { metadata { name } egressGateways(first: $few) { nodes { ips(first: $few) { nodes { spec { publicIp } } } } } }
      }
    }
  }
}`;

describe('The complete dashboard', () => {
  it('is one round trip of eleven lists, with one statement each, for any number of rows', async () => {
    const small = await ask(dashboard, { rows: 2, few: 1 });
    const large = await ask(dashboard, { rows: 10, few: 5 });
    // Agents with their total, sandboxes, previews, jobs, executions, volumes, images, tags, VPCs, gateways, IPs.
    expect(large.statements).toHaveLength(12);
    expect(small.statements).toHaveLength(12);
    const main = large.data.workspaces.nodes.find(({ name }: { name: string }) => name === 'main');
    expect(main.sandboxes.nodes[0].previews.nodes).toHaveLength(5);
    expect(main.jobs.nodes[0].executions.nodes[0].tasks).toEqual([{ metadata: { name: 'task-0' } }]);
    expect(main.vpcs.nodes[0].egressGateways.nodes[0].ips.nodes[0].spec.publicIp).toBe('203.0.113.0');
    expect(main.images.nodes[0].spec.tags.nodes).toHaveLength(5);
  });
});

interface PlanNode {
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: PlanNode[];
}

function scansOf(node: PlanNode | undefined, relation: string): PlanNode[] {
  if (node === undefined) return [];
  const below = (node.Plans ?? []).flatMap((each) => scansOf(each, relation));
  return node['Relation Name'] === relation ? [node, ...below] : below;
}
