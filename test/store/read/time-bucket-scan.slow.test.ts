// Pages of lists where many rows match, but none of the first, read by time buckets.
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { readFilter } from '../../../src/store/read/filter.js';
import { orderedScan, pagesStatement } from '../../../src/store/read/page-statement.js';
import type { ListParent, PageKey } from '../../../src/store/read/list-definition.js';
import { newestFirst } from '../../../src/store/read/list-input.js';
import { listQuery } from '../../../src/store/read/list-query.js';
import { pagesBy, readPages } from '../../../src/store/read/page-strategies.js';
import { matchesFrequentValues, timeBucketScan } from '../../../src/store/read/time-bucket-scan.js';
import type { AgentInput } from '../../../src/demo/rows/agent-input.js';
import { agentKind } from '../../../src/resources/agents/agent-row.js';
import { addAgents, createTenant, frozenNow, useApp } from '../../harness.js';

const running = useApp({}, { ownDatabase: true });
const parents: Record<string, ListParent> = {};
const hourMs = 3_600_000;
const hoursAgo = (hours: number) => new Date(frozenNow.getTime() - hours * hourMs).toISOString();

const regions = ['eu-frankfurt-1', 'us-dallas-1', 'ap-tokyo-1'];

function agentOf(index: number, createdAt: string, updatedAt: string, region: string, enabled = true): AgentInput {
  return {
    metadata: {
      name: `${index % 3 === 0 ? 'crew' : 'yard'}-${index}`,
      createdAt,
      updatedAt,
      labels: { n: `${index % 7}` },
    },
    status: index % 5 === 0 ? 'FAILED' : 'DEPLOYED',
    spec: { region, enabled },
  };
}

/** Some at the same time, some months apart, and one so long ago that several buckets are looked into at once. */
const spread = Array.from({ length: 150 }, (_, index) =>
  agentOf(index, hoursAgo(Math.floor(index / 3) ** 2), hoursAgo((index * 37) % 400), regions[index % 3] ?? ''),
);
const ancient = agentOf(150, '1984-02-29T12:00:00.000Z', '1999-12-31T23:59:59.999Z', 'ap-tokyo-1');

/** One an hour, of which none of the first 3,300 are where the others are; and only those are switched off. */
const moved = Array.from({ length: 9_600 }, (_, index) =>
  index < 3_300
    ? agentOf(index, hoursAgo(index), hoursAgo(index), 'us-dallas-1', false)
    : agentOf(index, hoursAgo(index), hoursAgo(index), 'eu-frankfurt-1'),
);

beforeAll(async () => {
  const { app } = running;
  const { workspaces } = await createTenant(app, {
    account: 'northwind',
    workspaces: ['spread', 'ancient', 'moved', 'none'],
  });
  for (const [name, id] of Object.entries(workspaces)) parents[name] = { workspaceId: id, id };
  await addAgents(app, workspaces['spread'], spread);
  await addAgents(app, workspaces['ancient'], [...spread, ancient]);
  for (let start = 0; start < moved.length; start += 2_000) {
    await addAgents(app, workspaces['moved'], moved.slice(start, start + 2_000));
  }
  // A server does that by itself after a while; without it, the planner considers no value frequent.
  await app.services.db.$executeRaw`ANALYZE "agent"`;
});

type Asked = Pick<PageKey, 'order' | 'slice'> & { workspace: string; filter: object };

function queryOf({ workspace, filter, order, slice }: Asked) {
  const parent = parents[workspace];
  if (parent === undefined) throw new Error(workspace);
  const key: PageKey = {
    parent,
    order,
    slice,
    search: undefined,
    filter: readFilter(agentKind.criteria, 'filter', filter),
    limit: slice.size,
    columns: new Set(['name']),
  };
  return { parent, key, query: listQuery(agentKind, key) };
}

const asked: fc.Arbitrary<Asked> = fc.record({
  workspace: fc.constantFrom('spread', 'ancient', 'none'),
  order: fc.record({
    field: fc.constantFrom('createdAt', 'updatedAt'),
    direction: fc.constantFrom('asc', 'desc'),
  }),
  filter: fc.record(
    {
      region: fc.record({ in: fc.subarray([...regions, 'nowhere-1']) }),
      status: fc.constantFrom({ in: ['FAILED'] }, { in: ['DEPLOYED'] }),
      name: fc.constantFrom({ startsWith: 'crew' }, { in: ['yard-4', 'crew-6', 'crew-150'] }),
      labels: fc.constantFrom([{ key: 'n', in: ['1', '2'] }], [{ key: 'x', isSet: false }]),
      updatedAt: fc.constant({ from: hoursAgo(200) }),
      createdAt: fc.constant({ to: hoursAgo(30), from: hoursAgo(1_500) }),
      not: fc.constant({ name: { startsWith: 'yard-1' } }),
    },
    { requiredKeys: ['region'] },
  ),
  slice: fc.record({ size: fc.integer({ min: 1, max: 30 }), direction: fc.constantFrom('forward', 'backward') }),
});

describe('A time-bucket scan', () => {
  it('returns the page of an ordered scan, from any row, in both directions and both orders of time', async () => {
    const { db } = running.app.services;
    await fc.assert(
      fc.asyncProperty(asked, fc.nat(60), async (each, place) => {
        const whole = queryOf({ ...each, filter: {}, slice: { ...each.slice, size: 200 } });
        const [all = []] = await pagesBy(db, [whole.parent], orderedScan(whole.query));
        const from = all[place];
        const { parent, query } = queryOf({
          ...each,
          slice: { ...each.slice, ...(from === undefined ? {} : { from }) },
        });
        const [expected] = await pagesBy(db, [parent], orderedScan(query));
        expect(await pagesBy(db, [parent], timeBucketScan(query))).toEqual([expected]);
      }),
      { numRuns: 25 },
    );
  });

  const oldest = { region: { in: ['eu-frankfurt-1'] } };
  const newest = { order: newestFirst, slice: { size: 50, direction: 'forward' } } as const;

  it('reads a list whose first rows do not match, but many others do', async () => {
    const { db } = running.app.services;
    for (const field of ['createdAt', 'updatedAt'] as const) {
      const { key } = queryOf({ ...newest, workspace: 'moved', filter: oldest, order: { field, direction: 'desc' } });
      running.app.statements.length = 0;
      const [rows = []] = await readPages(db, agentKind, [key]);
      expect(rows.map(({ name }) => name)).toEqual(moved.slice(3_300, 3_350).map(({ metadata }) => metadata.name));
      // The bounded scan, the estimate of the planner, and the time buckets.
      expect(running.app.statements).toHaveLength(3);
      expect(running.app.statements[2]).toContain('time_span');
    }
  });

  it('reads little more than its page, however many rows match after it and not before', async () => {
    const { db } = running.app.services;
    const { parent, query } = queryOf({ ...newest, workspace: 'moved', filter: oldest });
    const statement = pagesStatement([parent], timeBucketScan(query));
    const plan = JSON.stringify(await db.$queryRaw`EXPLAIN (ANALYZE, FORMAT JSON) ${statement}`);
    const scans = plan.match(/"Node Type":"Bitmap Heap Scan"[^{}]*/g) ?? [];
    expect(scans).toHaveLength(1);
    const numberOf = (field: string) => Number(new RegExp(`"${field}":([\\d.]+)`).exec(scans[0] ?? '')?.[1]);
    // A bucket contains eighteen of them. Old versions of PostgreSQL only report whole rows per loop.
    expect(numberOf('Actual Rows') * numberOf('Actual Loops')).toBeLessThan(250);
    expect(numberOf('Rows Removed by Filter') || 0).toBe(0);
  });

  it('does not apply if few rows match, without an indexed value, or in other orders', async () => {
    const { db } = running.app.services;
    const isFor = (more: Partial<Asked>) => {
      const { parent, query } = queryOf({ ...newest, workspace: 'moved', filter: oldest, ...more });
      return matchesFrequentValues(db, query, [parent]);
    };
    expect(await isFor({})).toBe(true);
    expect(await isFor({ filter: { region: { in: ['ap-tokyo-1'] } } })).toBe(false);
    expect(await isFor({ filter: { ...oldest, name: { in: ['crew-5100'] } } })).toBe(false);
    expect(await isFor({ filter: { name: { startsWith: 'crew' } } })).toBe(false);
    expect(await isFor({ filter: { ...oldest, updatedAt: { to: hoursAgo(1) } } })).toBe(false);
    expect(await isFor({ order: { field: 'name', direction: 'asc' } })).toBe(false);
  });

  it('does not apply if two values are frequent, but never together', async () => {
    const { db } = running.app.services;
    const { parent, query } = queryOf({ ...newest, workspace: 'moved', filter: { ...oldest, enabled: false } });
    running.app.statements.length = 0;
    expect(await matchesFrequentValues(db, query, [parent])).toBe(false);
    expect(running.app.statements).toHaveLength(2);
    const together = queryOf({ ...newest, workspace: 'moved', filter: { ...oldest, enabled: true } });
    expect(await matchesFrequentValues(db, together.query, [parent])).toBe(true);
  });
});
