// Pages of searches in the order of names that many match, but none of the first, found run by run of names.
import fc from 'fast-check';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { keepNameRuns } from '../../../src/store/read/keep-name-runs.js';
import type { PageKey } from '../../../src/store/read/kind-definition.js';
import { readFilter } from '../../../src/store/read/filter.js';
import { findRuns, runsPage } from '../../../src/store/read/name-runs.js';
import { pagesStatement, walkedPage } from '../../../src/store/read/page-statement.js';
import { listQuery } from '../../../src/store/read/list-query.js';
import { pagesBy, readPages } from '../../../src/store/read/read-rows.js';
import { runBackgroundTasks } from '../../../src/server/run-background-tasks.js';
import { backgroundTasks } from '../../../src/server/background-tasks.js';
import { insertAgents } from '../../../src/resources/agents/agent-input.js';
import type { AgentInput } from '../../../src/resources/agents/agent-input.js';
import { agentKind } from '../../../src/resources/agents/agent-row.js';
import { addAgents, createTenant, frozenNow, useApp } from '../../harness.js';

const running = useApp();
const at = frozenNow.toISOString();
let workspaces: Record<string, string> = {};

const sizes = { listMin: 100, run: 8 };

function agentOf(name: string, displayName?: string, region = 'eu-frankfurt-1'): AgentInput {
  return {
    metadata: { name, createdAt: at, updatedAt: at, labels: {}, ...(displayName === undefined ? {} : { displayName }) },
    status: 'DEPLOYED',
    spec: { region },
  };
}

const words = ['crew', 'invoice', '日本語の', '50%_off', 'über', '~~', 'prod-eu'];
const family = Array.from({ length: 240 }, (_, index) => {
  const word = Math.floor(index / 40);
  return agentOf(`word${word}-${(index * 7) % 40}`, index % 9 === 0 ? `Ships word${index % words.length}` : undefined);
});

/** Doors take no such names: the order of a list rests on the database alone. */
async function spell(workspace: string): Promise<void> {
  for (const [index, word] of words.entries()) {
    await running.app.services.db.$executeRaw`
      UPDATE "agent" SET "name" = replace("name", ${`word${index}`}, ${word}), "search" = replace("search", ${`word${index}`}, ${word})
      WHERE "workspace_id" = ${workspaces[workspace]}::uuid AND strpos("search", ${`word${index}`}) > 0`;
  }
}

/** What is searched for is the last half of it. */
const large = Array.from({ length: 6_000 }, (_, index) =>
  agentOf(`${index < 3_000 ? 'crew' : 'invoice'}-${String(index).padStart(4, '0')}`),
);

beforeAll(async () => {
  const { app } = running;
  const made = await createTenant(app, { account: 'northwind', workspaces: ['family', 'other', 'large', 'small'] });
  workspaces = made.workspaces;
  await addAgents(app, workspaces['family'], family);
  await addAgents(app, workspaces['other'], [...family.slice(0, 120), agentOf('zz-invoice')]);
  await spell('family');
  await spell('other');
  await addAgents(app, workspaces['small'], family.slice(0, 20));
  for (let start = 0; start < large.length; start += 2_000) {
    await addAgents(app, workspaces['large'], large.slice(start, start + 2_000));
  }
});

interface Asked {
  workspace: string;
  search: string;
  sort: 'name:asc' | 'name:desc';
  slice: PageKey['slice'];
  filter?: object;
}

function queryOf({ workspace, search, sort, slice, filter }: Asked) {
  const workspaceId = workspaces[workspace] ?? '';
  const parent = { workspaceId, id: workspaceId };
  const key: PageKey = {
    parent,
    sort,
    slice,
    search,
    filter: filter === undefined ? undefined : readFilter(agentKind.criteria, 'filter', filter),
    limit: slice.size,
    columns: new Set(['name']),
  };
  return { parent, key, query: listQuery(agentKind, key) };
}

/** What only rows hold that are made later. */
const fruits = ['kiwi', 'lemon', 'mango'];

const asked: fc.Arbitrary<Asked> = fc.record(
  {
    workspace: fc.constantFrom('family', 'other'),
    search: fc.oneof(
      fc.constantFrom(...fruits, 'moved'),
      fc.constantFrom(
        'invoice',
        'crew-1',
        '日本語',
        '本語の',
        '%_o',
        '_off',
        'über',
        '~~-',
        'prod-eu-3',
        'ships',
        'none of it',
      ),
    ),
    sort: fc.constantFrom('name:asc', 'name:desc'),
    slice: fc.record({ size: fc.integer({ min: 1, max: 30 }), direction: fc.constantFrom('forward', 'backward') }),
    filter: fc.constantFrom({ region: ['eu-frankfurt-1'] }, { name: { startsWith: 'invoice-1' } }),
  },
  { requiredKeys: ['workspace', 'search', 'sort', 'slice'] },
);

/** What is written between two pages, or before the runs know of it. */
const written = fc.constantFrom('made', 'renamed', 'removed', 'kept', 'nothing');

async function write(what: string, workspace: string, turn: number): Promise<void> {
  const { app } = running;
  const { db } = app.services;
  const workspaceId = workspaces[workspace] ?? '';
  const all = await db.agent.findMany({
    where: { workspaceId },
    orderBy: { name: 'asc' },
    select: { id: true, name: true },
  });
  const row = all[(turn * 53) % all.length];
  if (what === 'made') {
    await addAgents(app, workspaceId, [
      agentOf(`word${turn % words.length}-made-${turn}`, fruits[turn % fruits.length]),
    ]);
    if (turn % 2 === 0) await spell(workspace);
  }
  if (what === 'removed') await db.agent.deleteMany({ where: { id: row?.id ?? '' } });
  if (what === 'kept') await keepNameRuns(db, undefined, sizes);
  if (what === 'renamed')
    await db.agent.updateMany({ where: { id: row?.id ?? '' }, data: { search: `${row?.name}\u{1f}moved` } });
}

describe('A page that is found run by run', () => {
  it('holds what a walk through the list finds, both ways, from any place on, whatever is written', async () => {
    const { db } = running.app.services;
    await keepNameRuns(db, undefined, sizes);
    let turn = 0;
    await fc.assert(
      fc.asyncProperty(
        asked,
        fc.array(written, { maxLength: 4 }),
        fc.nat(250),
        fc.boolean(),
        async (each, writes, place, isShort) => {
          for (const what of writes) await write(what, each.workspace, turn++);
          const whole = queryOf({ ...each, search: '-', filter: {}, slice: { ...each.slice, size: 300 } });
          const [all = []] = await pagesBy(db, [whole.parent], walkedPage(whole.query));
          const from = all[place];
          const { parent, query } = queryOf({
            ...each,
            slice: { ...each.slice, ...(from === undefined ? {} : { from }) },
          });
          const [expected = []] = await pagesBy(db, [parent], walkedPage(query));
          expect(await pagesBy(db, [parent], runsPage(agentKind, query))).toEqual([expected]);
          // A walk may be too short to fill the page, where the runs do not know of all yet: then it holds nothing.
          const [found = []] = await pagesBy(db, [parent], runsPage(agentKind, query, isShort ? 20 : 5_000));
          const unseen = await db.unseenName.count({ where: { workspaceId: parent.workspaceId } });
          const isFull = expected.length === each.slice.size && !isShort && unseen === 0;
          expect(found).toEqual(found.length > 0 || isFull ? expected : []);
        },
      ),
      { numRuns: 80 },
    );
  });

  const middle = {
    workspace: 'large',
    search: 'invoice',
    sort: 'name:asc',
    slice: { size: 50, direction: 'forward' },
  } as const;
  const largeSizes = { listMin: 1_000, run: 40 };

  it('is how a search is read that none of the first match, but many others', async () => {
    const { db } = running.app.services;
    await keepNameRuns(db, undefined, largeSizes);
    const cases = [
      [middle, large.slice(3_000, 3_050)],
      [{ ...middle, sort: 'name:desc', search: 'crew' }, large.slice(2_950, 3_000).toReversed()],
      // What few runs hold is found whole, and what none holds is not there.
      [{ ...middle, search: 'ice-4999' }, large.slice(4_999, 5_000)],
      [{ ...middle, search: 'xylophone' }, []],
    ] as const;
    for (const [which, expected] of cases) {
      const { key } = queryOf(which);
      running.app.statements.length = 0;
      const [rows = []] = await readPages(db, agentKind, [key]);
      expect(rows.map(({ name }) => name)).toEqual(expected.map(({ metadata }) => metadata.name));
      // The stretch, what the runs may hold, and the runs.
      expect(running.app.statements).toHaveLength(3);
      expect(running.app.statements[2]).toContain('name_run');
    }
  });

  it('reads little more than itself, however many match behind it and do not before it', async () => {
    const { db } = running.app.services;
    const { parent, query } = queryOf(middle);
    const statement = pagesStatement([parent], runsPage(agentKind, query, 1_000));
    const plan = JSON.stringify(await db.$queryRaw`EXPLAIN (ANALYZE, FORMAT JSON) ${statement}`);
    const scans = plan.match(/"Node Type":"[^"]*Scan"[^{}]*"Relation Name":"agent"[^{}]*/g) ?? [];
    const read = scans.map((scan) => {
      const numberOf = (field: string) => Number(new RegExp(`"${field}":([\\d.]+)`).exec(scan)?.[1] ?? 0);
      return (numberOf('Actual Rows') + numberOf('Rows Removed by Filter')) * numberOf('Actual Loops');
    });
    // The name behind all, the runs that a walk is long, and the columns of the page.
    expect(scans.length).toBeGreaterThan(2);
    expect(read.reduce((sum, rows) => sum + rows, 0)).toBeLessThan(1_200);
  });

  it.skipIf('folder' in inject('template'))('holds what was being written while the runs were made', async () => {
    const { app } = running;
    const { db } = app.services;
    const late = agentOf('crew-late', 'still in the making');
    let commit = () => {};
    let isWritten = () => {};
    const untilWritten = new Promise<void>((resolve) => (isWritten = resolve));
    const untilKept = new Promise<void>((resolve) => (commit = resolve));
    const writing = db.$begin(async (tx) => {
      await insertAgents(tx, app.services.seal, workspaces['large'] ?? '', [late]);
      isWritten();
      await untilKept;
    });
    await untilWritten;
    await db.nameRun.deleteMany({ where: { workspaceId: workspaces['large'] ?? '' } });
    await keepNameRuns(db, undefined, largeSizes);
    commit();
    await writing;
    const { key } = queryOf({ ...middle, sort: 'name:desc', search: 'still in the making' });
    const find = async () => (await readPages(db, agentKind, [key]))[0]?.map(({ name }) => name);
    running.app.statements.length = 0;
    expect(await find()).toEqual(['crew-late']);
    expect(running.app.statements[2]).toContain('name_run');
    await keepNameRuns(db, undefined, largeSizes);
    expect(await db.unseenName.count()).toBe(0);
    expect(await find()).toEqual(['crew-late']);
  });

  it('is left to others where there are no runs, or too much that they do not know of, and where they tell nothing', async () => {
    const { app } = running;
    const { db } = app.services;
    const foundFor = async (more: Partial<Asked>, lists = 1) => {
      const { parent, query } = queryOf({ ...middle, ...more });
      return findRuns(
        db,
        agentKind,
        query,
        Array.from({ length: lists }, () => parent),
      );
    };
    expect(await foundFor({})).toBe('many');
    expect(await foundFor({ search: 'ice-4999' })).toBe('few');
    expect(await foundFor({ search: 'in' })).toBeUndefined();
    expect(await foundFor({ workspace: 'small' })).toBeUndefined();
    expect(await foundFor({}, 2)).toBeUndefined();
    const byTime = { ...queryOf(middle).key, sort: 'createdAt:desc' } as const;
    expect(await findRuns(db, agentKind, listQuery(agentKind, byTime), [byTime.parent])).toBeUndefined();
    await db.agent.updateMany({
      where: { name: { lt: 'crew-1001' }, workspaceId: workspaces['large'] ?? '' },
      data: { search: 'x' },
    });
    expect(await foundFor({})).toBeUndefined();
    await keepNameRuns(db, undefined, largeSizes);
    expect(await foundFor({})).toBe('many');
  });
});

describe('Upkeep', () => {
  const runsOf = (workspace: string) =>
    running.app.services.db.nameRun.findMany({
      where: { workspaceId: workspaces[workspace] ?? '' },
      orderBy: { firstName: 'asc' },
      select: { firstName: true, size: true },
    });

  it('makes no runs of small lists, and begins anew where most runs are empty', async () => {
    const { app } = running;
    const { db } = app.services;
    expect(Object.values(backgroundTasks)).toContain(backgroundTasks.keepNameRuns);
    await keepNameRuns(db, undefined, sizes);
    expect(await runsOf('small')).toEqual([]);
    expect((await runsOf('other')).length).toBeGreaterThan(10);
    await db.agent.deleteMany({ where: { workspaceId: workspaces['other'] ?? '' } });
    await addAgents(app, workspaces['other'], [agentOf('one-more'), agentOf('and-another')]);
    await addAgents(app, workspaces['small'], [agentOf('one-more')]);
    await runBackgroundTasks(app.services, app.config, [backgroundTasks.keepNameRuns]);
    expect(await runsOf('small')).toEqual([]);
    // The job's own runs are larger: all that there were are one.
    expect(await runsOf('other')).toEqual([{ firstName: '', size: 2 }]);
    expect(await db.unseenName.count()).toBe(0);
  });

  it('splits a run into which as many came as it had, and counts no row twice', async () => {
    const { app } = running;
    const { db } = app.services;
    await keepNameRuns(db, undefined, sizes);
    const before = await runsOf('family');
    const total = await db.agent.count({ where: { workspaceId: workspaces['family'] ?? '' } });
    expect(before.reduce((sum, { size }) => sum + (size ?? NaN), 0)).toBe(total);
    await addAgents(
      app,
      workspaces['family'],
      Array.from({ length: 40 }, (_, index) => agentOf(`crew-new-${index}`)),
    );
    await keepNameRuns(db, undefined, sizes);
    const after = await runsOf('family');
    expect(after.length).toBeGreaterThan(before.length + 3);
    expect(after.reduce((sum, { size }) => sum + (size ?? NaN), 0)).toBe(total + 40);
    expect(Math.max(...after.map(({ size }) => size ?? NaN))).toBeLessThanOrEqual(2 * sizes.run);
  });
});
