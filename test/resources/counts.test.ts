// Counts of lists by a dimension equal those in memory, with one statement for all workspaces.
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Status } from '../../src/schema/resource.js';
import { addAgents, anAgent, createKey, createTenant, graphql, useApp } from '../harness.js';
import type { Tenant } from '../harness.js';
import { addPlatform } from '../platform.js';

const running = useApp();
let tenant: Tenant;
let key: string;

interface Plain {
  workspace: string;
  name: string;
  STATUS: string | null;
  REGION: string | null;
  GENERATION: string | null;
  tier: string | null;
}

const agents: Plain[] = [];

beforeAll(async () => {
  const { app } = running;
  tenant = await createTenant(app, { account: 'northwind', workspaces: ['main', 'side'] });
  ({ key } = await createKey(app, tenant));
  const words = ['DEPLOYED', 'FAILED', 'BUILDING'] as const satisfies Status[];
  for (const [place, workspace] of ['main', 'side'].entries()) {
    const made = Array.from({ length: 60 }, (_, index): Plain => {
      const n = index * (place + 3);
      return {
        workspace,
        name: `agent-${String(index).padStart(2, '0')}`,
        STATUS: words[n % 7] ?? null,
        REGION: ['eu-1', 'us-1', 'Ü'][n % 5] ?? null,
        GENERATION: ['MK2', 'MK3'][n % 3] ?? null,
        tier: ['gold', 'null', 'a b'][n % 4] ?? null,
      };
    });
    agents.push(...made);
    await addAgents(
      app,
      tenant.workspaces[workspace],
      made.map(({ name, STATUS, REGION, GENERATION, tier }) => ({
        ...anAgent(name, { metadata: tier === null ? {} : { labels: { tier } } }),
        status: words.find((word) => word === STATUS),
        spec: {
          ...(REGION === null ? {} : { region: REGION }),
          ...(GENERATION === null ? {} : { runtime: { generation: GENERATION === 'MK2' ? 'mk2' : 'mk3' } }),
        },
      })),
    );
  }
  const other = await createTenant(app, { account: 'southwind', workspaces: ['south'] });
  await addPlatform(app, other.workspaces['south'] ?? '', 'south');
});

async function ask(query: string, as = key) {
  const { body } = await graphql(running.app, as, query);
  return body;
}

function counted(rows: Plain[], by: 'STATUS' | 'REGION' | 'GENERATION' | 'tier') {
  const counts = new Map<string | null, number>();
  for (const row of rows) counts.set(row[by], (counts.get(row[by]) ?? 0) + 1);
  const bytes = (value: string | null) => Buffer.from(value ?? '');
  return Array.from(counts, ([value, count]) => ({ value, count })).toSorted(
    (one, other) =>
      other.count - one.count ||
      Number(one.value === null) - Number(other.value === null) ||
      Buffer.compare(bytes(one.value), bytes(other.value)),
  );
}

const filters = [
  { words: '', meets: () => true },
  {
    words: 'filter: { status: { in: [FAILED, BUILDING] } }',
    meets: ({ STATUS }: Plain) => /^(FAILED|BUILDING)$/.test(STATUS ?? ''),
  },
  { words: 'filter: { labels: [{ key: "tier", in: ["gold"] }] }', meets: ({ tier }: Plain) => tier === 'gold' },
  { words: 'filter: { not: { region: { in: ["eu-1"] } } }', meets: ({ REGION }: Plain) => REGION !== 'eu-1' },
  { words: 'search: "gent-1"', meets: ({ name }: Plain) => name.includes('gent-1') },
  { words: 'filter: { name: { in: ["nobody"] } }', meets: () => false },
];

const by = fc.constantFrom('STATUS', 'REGION', 'GENERATION', 'tier');

describe('Counts of agents', () => {
  it('equal those of the list in memory, by any dimension and filter, at the root and in workspaces', async () => {
    await fc.assert(
      fc.asyncProperty(by, fc.constantFrom(...filters), async (asked, { words, meets }) => {
        const what = asked === 'tier' ? 'by: LABEL, label: "tier"' : `by: ${asked}`;
        const body = await ask(`{
          main: agentCounts(workspace: "main", ${what}, ${words}) { value count }
          workspaces { nodes { name agentCounts(${what}, ${words}) { value count } } }
        }`);
        expect(body.errors).toBeUndefined();
        const of = (workspace: string) =>
          counted(
            agents.filter((each) => each.workspace === workspace && meets(each)),
            asked,
          );
        expect(body.data.main).toEqual(of('main'));
        for (const { name, agentCounts } of body.data.workspaces.nodes) expect(agentCounts).toEqual(of(name));
      }),
      { numRuns: 24 },
    );
  });

  it('take one statement for any number of workspaces', async () => {
    const count = async (query: string) => {
      running.app.statements.length = 0;
      expect((await ask(query)).errors).toBeUndefined();
      return running.app.statements.filter((sql) => sql.includes('GROUP BY')).length;
    };
    expect(await count('{ agentCounts(workspace: "main", by: STATUS) { count } }')).toBe(1);
    expect(await count('{ workspaces { nodes { agentCounts(by: STATUS) { count } } } }')).toBe(1);
    expect(
      await count(
        '{ workspaces { nodes { agentCounts(by: STATUS) { count } again: agentCounts(by: REGION) { count } } } }',
      ),
    ).toBe(2);
  });

  it.each([
    ['by: LABEL', 'label is required by LABEL'],
    ['by: STATUS, label: "tier"', 'label is only allowed with LABEL'],
    ['by: LABEL, label: "\\u0000"', 'label must not contain control characters'],
    ['by: STATUS, filter: { labels: [{ key: "\\n" }] }', 'filter.labels'],
    [`by: STATUS, search: "${'x'.repeat(201)}"`, 'search'],
  ])('with (%s) return 400 naming the invalid argument', async (words, message) => {
    const body = await ask(`{ agentCounts(workspace: "main", ${words}) { count } }`);
    expect(body.data.agentCounts).toBeNull();
    expect(body.errors[0]).toMatchObject({ extensions: { code: 'invalid_parameter', status: 400 } });
    expect(body.errors[0].message).toContain(message);
  });

  it('require the scope of the list, and otherwise leave the other fields', async () => {
    const { key: narrow } = await createKey(running.app, { ...tenant, scope: 'workspaces:get jobs:list' });
    const query =
      '{ workspace(name: "main") { name agentCounts(by: STATUS) { count } jobCounts(by: STATUS) { count } } }';
    const body = await ask(query, narrow);
    expect(body.data.workspace).toEqual({ name: 'main', agentCounts: null, jobCounts: [] });
    expect(body.errors).toMatchObject([{ path: ['workspace', 'agentCounts'], extensions: { code: 'forbidden' } }]);
  });

  it('of another tenant’s workspace are denied', async () => {
    const body = await ask('{ agentCounts(workspace: "south", by: STATUS) { count } }');
    expect(body.data.agentCounts).toBeNull();
    expect(body.errors).toMatchObject([{ extensions: { code: 'forbidden' } }]);
  });
});

describe('Counts of every other kind', () => {
  it('are fields of its list', async () => {
    await addPlatform(running.app, tenant.workspaces['side'] ?? '', 'north');
    const kinds = ['sandbox', 'job', 'volume', 'vpc'];
    const root = kinds.map((kind) => `${kind}: ${kind}Counts(workspace: "side", by: STATUS) { count }`).join(' ');
    const nested = kinds.map((kind) => `${kind}: ${kind}Counts(by: REGION) { value count }`).join(' ');
    const body = await ask(`{
      ${root} workspace(name: "side") { ${nested} }
      one: job(workspace: "side", name: "north-job") {
        executionCounts { value count } none: executionCounts(filter: { status: { in: [SUCCEEDED] } }) { count }
      }
    }`);
    expect(body.errors).toBeUndefined();
    for (const kind of kinds) expect(body.data[kind]).toEqual([{ count: 1 }]);
    expect(body.data.workspace).toEqual({
      sandbox: [{ value: null, count: 1 }],
      job: [{ value: null, count: 1 }],
      volume: [{ value: 'eu-frankfurt-1', count: 1 }],
      vpc: [{ value: null, count: 1 }],
    });
    expect(body.data.one).toEqual({ executionCounts: [{ value: 'FAILED', count: 1 }], none: [] });
  });
});

describe('Counts of kinds without labels', () => {
  it('are fields of each list, with its filter and search, and null without the scope', async () => {
    const { app } = running;
    const plain = await createTenant(app, { account: 'westwind', workspaces: ['plain'] });
    await addPlatform(app, plain.workspaces['plain'] ?? '', 'plain');
    const { key: own } = await createKey(app, plain);
    const fields = `workspace(name: "plain") {
      imageCounts(by: RESOURCE_TYPE) { value count }
      none: imageCounts(by: RESOURCE_TYPE, search: "nothing") { value count }
      sandboxes { nodes { previewCounts(by: PUBLIC) { value count } none: previewCounts(by: REGION, filter: { public: true }) { count } } }
      vpcs { nodes { egressGatewayCounts(by: STATUS) { value count }
        egressGateways { nodes { ipCounts(by: IP_FAMILY) { value count } } } } } }`;
    const { errors, data } = await ask(
      `{ imageCounts(workspace: "plain", by: SOURCE_WORKSPACE) { count } ${fields} }`,
      own,
    );
    expect(errors).toBeUndefined();
    expect(data.imageCounts).toEqual([{ count: 1 }]);
    expect(data.workspace).toMatchObject({
      imageCounts: [{ value: expect.stringMatching(/^[A-Z]+$/), count: 1 }],
      none: [],
      sandboxes: { nodes: [{ previewCounts: [{ value: 'false', count: 1 }], none: [] }] },
      vpcs: {
        nodes: [
          {
            egressGatewayCounts: [{ value: null, count: 1 }],
            egressGateways: { nodes: [{ ipCounts: [{ value: 'ipv4', count: 1 }] }] },
          },
        ],
      },
    });
    const { key: narrow } = await createKey(app, { ...tenant, scope: 'agents:list' });
    const refused = await ask('{ imageCounts(workspace: "side", by: RESOURCE_TYPE) { count } }', narrow);
    expect(refused).toMatchObject({ data: { imageCounts: null }, errors: [{ extensions: { code: 'forbidden' } }] });
  });
});

describe('Counts by status', () => {
  const asked = '{ agentCounts(workspace: "counted", by: STATUS) { value count } }';

  it('are correct after any statement, and unchanged after a rollback', async () => {
    const { app } = running;
    const { db } = app.services;
    const own = await createTenant(app, { account: 'eastwind', workspaces: ['counted', 'beside'] });
    const { key: ownKey } = await createKey(app, own);
    const place = own.workspaces['counted'] ?? '';
    for (const workspace of ['counted', 'beside']) {
      const made = Array.from({ length: 40 }, (_, index) => anAgent(`agent-${index}`));
      await addAgents(app, own.workspaces[workspace], made);
    }
    const step = fc.record({
      first: fc.integer({ min: 0, max: 39 }),
      rows: fc.integer({ min: 1, max: 40 }),
      status: fc.constantFrom('FAILED', 'BUILDING', 'DEPLOYED', null, 'gone'),
      isUndone: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(step, async ({ first, rows, status, isUndone }) => {
        const names = Array.from({ length: rows }, (_, index) => `agent-${first + index}`);
        const changing = db.$transaction(async (tx) => {
          await (status === 'gone'
            ? tx.$executeRaw`DELETE FROM "agent" WHERE "workspace_id" = ${place}::uuid AND "name" = ANY(${names.slice(0, 2)})`
            : tx.$executeRaw`UPDATE "agent" SET "status" = ${status}::"status"
                WHERE "workspace_id" = ${place}::uuid AND "name" = ANY(${names})`);
          if (isUndone) throw new Error('undone');
        });
        const failure = await changing.then(
          () => undefined,
          (error: Error) => error.message,
        );
        expect(failure).toBe(isUndone ? 'undone' : undefined);
        const left = await db.agent.findMany({ where: { workspaceId: place }, select: { status: true } });
        const counts = new Map<string | null, number>();
        for (const { status: each } of left) counts.set(each, (counts.get(each) ?? 0) + 1);
        const answer = await ask(asked, ownKey);
        expect(answer.errors).toBeUndefined();
        const told: { value: string | null; count: number }[] = answer.data.agentCounts;
        expect(new Map(told.map(({ value, count }) => [value, count]))).toEqual(counts);
      }),
      { numRuns: 25 },
    );
    const beside = await ask('{ agentCounts(workspace: "beside", by: STATUS) { count } }', ownKey);
    expect(beside.data.agentCounts).toEqual([{ count: 40 }]);
  });
});
