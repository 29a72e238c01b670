// Budgets: permissions, and that each threshold is reported once, for any number of checks and for late usage. The
// clock is that of the database, so usage is relative to it.
import { beforeAll, describe, expect, it } from 'vitest';
import { budgetsMax } from '../../src/billing/budgets.js';
import { checkBudgets } from '../../src/billing/check-budgets.js';
import { createBillingDimension } from '../../src/billing/billing-changes.js';
import { platformContext } from '../../src/cli/operator/operator-context.js';
import type { Database, Transactional } from '../../src/database/open.js';
import { recordUsage } from '../../src/metering/usage.js';
import { createKey, createToken, graphql, useApp } from '../harness.js';
import { contextOf, createOwner } from '../metering/usage-mixture.js';
import type { Owner } from '../metering/usage-mixture.js';
import { usageEvent } from '../metering/usage-samples.js';
import { askAccount } from './graphql-samples.js';

const running = useApp();
let owner: Owner;
let foreign: Owner;
let now: Date;
let events = 0;

beforeAll(async () => {
  const { app } = running;
  const [row] = await app.services.db.$queryRaw<{ now: Date }[]>`SELECT now() AS "now"`;
  now = row?.now ?? new Date();
  app.clock.now = now;
  owner = await createOwner(app, 'northwind', ['main', 'side']);
  foreign = await createOwner(app, 'southwind', ['south']);
});

const fields =
  'name amount period days workspaceName thresholds { percent measure } version actual forecast crossings { period percent measure cost }';

const mutate = async (mutation: string, input: object, key = owner.key) => {
  const name = `${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}`;
  const payload = `${name}Payload`;
  const query = `mutation ($input: ${name}Input!) { ${mutation}(input: $input) {
    __typename ... on ${payload} { budget { ${fields} } } ... on Error { code message }
    ... on InvalidInputError { problems { path } } } }`;
  const { body } = await graphql(running.app, key, query, { input });
  return body.data?.[mutation] ?? body;
};

const terms = (name: string, more: object = {}) => ({
  account: 'northwind',
  name,
  amount: '100',
  period: 'MONTHLY',
  thresholds: [
    { percent: 50, measure: 'ACTUAL' },
    { percent: 100, measure: 'ACTUAL' },
  ],
  ...more,
});

const made = async (name: string, more: object = {}) => {
  const answer = await mutate('createBudget', terms(name, more));
  expect(answer.__typename).toBe('CreateBudgetPayload');
  return answer.budget;
};

const budgets = async (who = owner) =>
  (
    await askAccount(
      running.app,
      who,
      `budgets(first: 100, orderBy: { field: NAME, direction: ASC }) { nodes { ${fields} } }`,
    )
  ).body;
const budget = async (name: string) =>
  (await budgets()).data.account.budgets.nodes.find((each: { name: string }) => each.name === name);

async function spend(cost: string, more: object = {}): Promise<void> {
  const event = usageEvent(events++, { source: 'budgets', time: now.toISOString(), cost });
  const [result] = await recordUsage(owner.ctx, [{ ...event, ...more }]);
  expect(result).toEqual({ outcome: 'accepted' });
}

/** All processes check at the same time, although one has just checked. */
async function look(times = 1): Promise<void> {
  const { db } = running.app.services;
  await db.budget.updateMany({ data: { lookedAt: null } });
  await Promise.all(Array.from({ length: times }, () => checkBudgets(db, running.app.services.usageMemory, () => now)));
}

const told = async (name: string) => {
  const rows = await running.app.services.db.change.findMany({
    where: { kind: 'BUDGET', verb: 'threshold_reached', name },
    orderBy: { sequence: 'asc' },
  });
  return rows.map(({ after, actorKind }) => ({ ...Object(after), actorKind }));
};

const month = () => now.toISOString().slice(0, 7);

describe('A budget', () => {
  it('is created, updated, listed and deleted, each with a change record', async () => {
    expect(await made('plain', { workspace: 'main' })).toMatchObject({ name: 'plain', amount: '100', version: 1 });
    expect((await mutate('createBudget', terms('plain'))).code).toBe('name_taken');
    const changed = { account: 'northwind', name: 'plain', amount: '7.5', ifVersion: 1 };
    expect((await mutate('updateBudget', changed)).budget).toMatchObject({
      amount: '7.5',
      workspaceName: 'main',
      thresholds: [{ percent: 50 }, { percent: 100 }],
      version: 2,
    });
    expect((await mutate('updateBudget', changed)).code).toBe('version_mismatch');
    expect((await mutate('updateBudget', terms('no-such'))).code).toBe('not_found');
    expect((await mutate('deleteBudget', { account: 'northwind', name: 'a\0b' })).code).toBe('not_found');
    const removed = { account: 'northwind', name: 'plain', workspace: null, period: 'ROLLING', days: 3 };
    expect((await mutate('updateBudget', removed)).budget).toMatchObject({
      workspaceName: null,
      days: 3,
      amount: '7.5',
    });
    expect((await mutate('updateBudget', { ...removed, amount: '-1', period: 'MONTHLY' })).problems).toHaveLength(2);
    expect((await mutate('deleteBudget', { account: 'northwind', name: 'plain' })).budget.version).toBe(3);
    expect((await budgets()).data.account.budgets.nodes).toEqual([]);
    const verbs = await running.app.services.db.change.findMany({
      where: { kind: 'BUDGET' },
      orderBy: { sequence: 'asc' },
    });
    expect(verbs.map(({ verb }) => verb)).toEqual(['created', 'updated', 'updated', 'deleted']);
  });

  it('is created once per name, updated by concurrent editors in turn, exact for any amount, and limited in number', async () => {
    const twelve = Array.from({ length: 12 }, (_, index) => index);
    const answers = await Promise.all(twelve.map(() => mutate('createBudget', terms('raced', { amount: '92233720' }))));
    expect(answers.filter(({ __typename }) => __typename === 'CreateBudgetPayload')).toHaveLength(1);
    expect(answers.filter(({ code }) => code === 'name_taken')).toHaveLength(11);
    const amount = '90071992.547409931';
    const input = { account: 'northwind', name: 'raced', amount };
    const changed = await Promise.all(twelve.map(() => mutate('updateBudget', input)));
    const versions = changed.map((answer) => answer.budget.version);
    expect(versions.toSorted((one, other) => one - other)).toEqual(twelve.map((index) => index + 2));
    const ended = await Promise.all(twelve.map(() => mutate('deleteBudget', { account: 'northwind', name: 'raced' })));
    expect(ended.flatMap((answer) => answer.budget ?? [])).toMatchObject([{ amount, version: 13 }]);
    const { db } = running.app.services;
    const { accountId } = owner;
    const few = budgetsMax - (await db.budget.count({ where: { accountId } })) - 1;
    const data = Array.from({ length: few }, (_, index) => ({ name: `filler-${index}` }));
    await db.budget.createMany({
      data: data.map(({ name }) => ({ accountId, name, amount: 1n, period: 'monthly', thresholds: [] })),
    });
    const last = await Promise.all(twelve.map((index) => mutate('createBudget', terms(`last-${index}`))));
    expect(last.filter(({ __typename }) => __typename === 'CreateBudgetPayload')).toHaveLength(1);
    expect(await db.budget.count({ where: { accountId } })).toBe(budgetsMax);
    await db.budget.deleteMany({ where: { accountId, name: { startsWith: 'filler-' } } });
    await db.budget.deleteMany({ where: { accountId, name: { startsWith: 'last-' } } });
  });

  it('is listed page by page, and only for its own account', async () => {
    const names = ['paged-a', 'paged-b', 'paged-c'];
    for (const name of names) await made(name);
    const ask = async (words: string, who = owner) => {
      const list = `budgets(${words}) {
        totalCount filteredCount pageInfo { hasNextPage endCursor } nodes { ${fields} } edges { node { name } } }`;
      return (await askAccount(running.app, who, list)).body;
    };
    const [first, all] = [
      await ask('first: 2, orderBy: { field: NAME, direction: ASC }, search: "PAGED"'),
      await budgets(),
    ];
    const page = first.data.account.budgets;
    const known = all.data.account.budgets.nodes;
    expect(page).toMatchObject({ totalCount: known.length, filteredCount: 3, pageInfo: { hasNextPage: true } });
    expect(page.nodes).toEqual(known.filter(({ name }: { name: string }) => ['paged-a', 'paged-b'].includes(name)));
    const after = JSON.stringify(page.pageInfo.endCursor);
    const second = await ask(`first: 2, orderBy: { field: NAME, direction: ASC }, search: "PAGED", after: ${after}`);
    expect(second.data.account.budgets).toMatchObject({
      edges: [{ node: { name: 'paged-c' } }],
      pageInfo: { hasNextPage: false },
    });
    const elsewhere = await ask(
      `first: 2, orderBy: { field: NAME, direction: DESC }, search: "PAGED", after: ${after}`,
    );
    expect(elsewhere.errors).toMatchObject([{ extensions: { code: 'cursor_mismatch' } }]);
    expect((await ask('first: 5', foreign)).data.account.budgets).toMatchObject({ totalCount: 0, nodes: [] });
    const { key } = await createKey(running.app, {
      ...owner.tenant,
      scope: 'admin',
      workspaceId: owner.tenant.workspaces['main'] ?? '',
    });
    const confined = await ask('first: 5', { ...owner, key });
    expect(confined.data.account.budgets).toBeNull();
    expect(confined.errors).toMatchObject([{ extensions: { code: 'forbidden' } }]);
    for (const name of names) await mutate('deleteBudget', { account: 'northwind', name });
  });

  it('returns all validation errors', async () => {
    const answer = await mutate('createBudget', terms('wrong', { amount: '0', days: 3, thresholds: [] }));
    expect(answer.problems.map(({ path }: { path: string[] }) => path.join('.'))).toEqual([
      'amount',
      'days',
      'thresholds',
    ]);
    expect((await mutate('createBudget', terms('Wrong Name'))).problems).toEqual([{ path: ['name'] }]);
  });

  it('requires an account admin with an unconfined credential', async () => {
    const { app } = running;
    expect((await mutate('createBudget', terms('theirs'), foreign.key)).code).toBe('access_denied');
    const confined = await createKey(app, { ...owner.tenant, workspaceId: owner.tenant.workspaces['main'] ?? '' });
    expect((await mutate('createBudget', terms('confined'), confined.key)).code).toBe('forbidden');
    expect((await budgets({ ...owner, key: confined.key })).data.account.budgets).toBeNull();
    const { token } = await createToken(app, owner.tenant, 'metrics:read');
    expect((await mutate('createBudget', terms('scope'), token)).code).toBe('forbidden');
    await expect(contextOf(app, token)).resolves.toBeDefined();
    expect((await budgets(foreign)).data.account.budgets.nodes).toEqual([]);
  });
});

describe('Reaching a threshold of a monthly budget', () => {
  it('is recorded once, however often and by whichever process it is checked', async () => {
    await made('month');
    await look();
    expect(await told('month')).toEqual([]);
    await spend('49.999999999');
    await look(3);
    expect(await told('month')).toEqual([]);
    await spend('0.000000001');
    await look(4);
    await look(2);
    const first = { period: month(), measure: 'actual', percent: 50, cost: '50', amount: '100', actorKind: 'system' };
    expect(await told('month')).toEqual([first]);
    expect(await budget('month')).toMatchObject({
      actual: '50',
      crossings: [{ period: month(), percent: 50, measure: 'ACTUAL', cost: '50' }],
    });
    await spend('60');
    await look(4);
    expect(await told('month')).toEqual([first, { ...first, percent: 100, cost: '110' }]);
  });

  it('is recorded for the month of late usage, but not for a month before the budget', async () => {
    const { db } = running.app.services;
    await made('late');
    const before = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1, 15));
    const long = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 2, 15));
    await db.budget.updateMany({ where: { name: 'late' }, data: { createdAt: before } });
    await look();
    expect((await told('late')).map(({ period, percent }) => `${period} ${percent}`)).toEqual([
      `${month()} 50`,
      `${month()} 100`,
    ]);
    await spend('70', { time: before.toISOString() });
    await spend('700', { time: long.toISOString() });
    await look(3);
    await look();
    const late = before.toISOString().slice(0, 7);
    expect((await told('late')).slice(2)).toMatchObject([{ period: late, percent: 50, cost: '70' }]);
  });

  it('is recorded if the next check begins during this one, unless that has stored a later result', async () => {
    const { db, usageMemory } = running.app.services;
    /** Checks the budget, and does something before the result is stored. */
    const lookDuring = async (between: () => Promise<unknown>) => {
      const $begin: Transactional['$begin'] = async (act) => {
        await between();
        return db.$begin(act);
      };
      const slow: Database = Object.create(db, { $begin: { value: $begin } });
      await db.budget.updateMany({ data: { lookedAt: new Date() } });
      await db.budget.updateMany({ where: { name: 'slow' }, data: { lookedAt: null } });
      await checkBudgets(slow, usageMemory, () => now);
    };
    await made('slow', { resourceName: 'slow' });
    await spend('60', { resourceName: 'slow' });
    await lookDuring(() => db.budget.updateMany({ where: { name: 'slow' }, data: { looks: { increment: 1 } } }));
    expect(await told('slow')).toMatchObject([{ percent: 50, cost: '60' }]);
    await lookDuring(async () => {
      await spend('60', { resourceName: 'slow' });
      await look();
    });
    expect(await told('slow')).toMatchObject([{ percent: 50 }, { percent: 100, cost: '120' }]);
    expect(await budget('slow')).toMatchObject({ actual: '120' });
    await mutate('deleteBudget', { account: 'northwind', name: 'slow' });
  });

  it('counts only usage that matches the filters', async () => {
    await made('side', {
      workspace: 'side',
      resourceType: 'sandbox',
      thresholds: [{ percent: 10, measure: 'ACTUAL' }],
    });
    await spend('9', { workspace: 'side' });
    await spend('90', { workspace: 'side', resourceType: 'agent' });
    await look();
    expect(await told('side')).toEqual([]);
    await spend('1', { workspace: 'side' });
    await look();
    expect(await told('side')).toMatchObject([{ percent: 10, cost: '10', workspace: 'side', resourceType: 'sandbox' }]);
  });

  it('is reported again after the budget was updated', async () => {
    await mutate(
      'updateBudget',
      terms('side', { workspace: 'side', amount: '200', thresholds: [{ percent: 5, measure: 'ACTUAL' }] }),
    );
    await look(2);
    await look(2);
    expect(await told('side')).toMatchObject([{ amount: '100' }, { amount: '200', percent: 5 }]);
  });

  it('is not reported again for the months before the update, unless late usage reaches it', async () => {
    const { db } = running.app.services;
    const before = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1, 15));
    const past = { billingDimension: 'sandbox_snapshot_storage_gbs', time: before.toISOString() };
    const { billingDimension } = past;
    await made('past', { billingDimension });
    await db.budget.updateMany({ where: { name: 'past' }, data: { createdAt: before } });
    await spend('60', past);
    await spend('150', { ...past, time: now.toISOString() });
    await look();
    const ofPast = before.toISOString().slice(0, 7);
    const periods = async () => (await told('past')).map(({ period, percent }) => `${period} ${percent}`);
    const first = [`${ofPast} 50`, `${month()} 50`, `${month()} 100`];
    expect(await periods()).toEqual(first);
    await mutate('updateBudget', { account: 'northwind', name: 'past', amount: '110' });
    await look(2);
    await look();
    expect(await periods()).toEqual([...first, `${month()} 50`, `${month()} 100`]);
    expect((await budget('past')).crossings).toContainEqual({
      period: ofPast,
      percent: 50,
      measure: 'ACTUAL',
      cost: '60',
    });
    await spend('50', past);
    await look(2);
    expect((await periods()).slice(5)).toEqual([`${ofPast} 100`]);
  });
});

describe('A forecast', () => {
  it('extrapolates the last week, and is reported when it reaches the threshold', async () => {
    const thresholds = [
      { percent: 100, measure: 'FORECAST' },
      { percent: 100, measure: 'ACTUAL' },
    ];
    const recent = new Date(now.getTime() - 2 * 86_400_000).toISOString();
    await made('forecast', { period: 'ROLLING', days: 28, resourceName: 'growing', thresholds });
    await spend('24.999999999', { resourceName: 'growing', time: recent });
    await look();
    expect(await told('forecast')).toEqual([]);
    await spend('0.000000001', { resourceName: 'growing', time: recent });
    await look(3);
    expect(await told('forecast')).toMatchObject([
      { measure: 'forecast', percent: 100, cost: '100', period: 'the last 28 days' },
    ]);
    expect(await budget('forecast')).toMatchObject({ actual: '25', forecast: '100' });
  });

  it('above 64 bits is reported, and does not prevent the report of the actual cost', async () => {
    const thresholds = [
      { percent: 10, measure: 'ACTUAL' },
      { percent: 1000, measure: 'FORECAST' },
    ];
    const huge = { amount: '1000000000', resourceName: 'huge', thresholds };
    await made('huge', { ...huge, period: 'ROLLING', days: 366 });
    const event = usageEvent(1, { source: 'huge', resourceName: 'huge', time: now.toISOString(), cost: '1000000' });
    await recordUsage(
      owner.ctx,
      Array.from({ length: 200 }, (_, place) => ({ ...event, id: `huge-${place}` })),
    );
    await look(2);
    expect(await told('huge')).toMatchObject([
      { measure: 'actual', percent: 10, cost: '200000000' },
      { measure: 'forecast', percent: 1000, cost: '10457142857.142857143' },
    ]);
    expect(await budget('huge')).toMatchObject({ actual: '200000000', forecast: '9223372036.854775807' });
  });
});

describe('Credits', () => {
  it('count as usage, but not in the forecast', async () => {
    const resourceTypes = ['sandbox'];
    await createBillingDimension(await platformContext(running.app.services), {
      name: 'goodwill',
      unit: 'USD',
      kind: 'credit',
      resourceTypes,
      description: '',
    });
    const back = { resourceName: 'helped', billingDimension: 'goodwill', usage: '-1' };
    await made('helped', {
      period: 'ROLLING',
      days: 28,
      resourceName: 'helped',
      thresholds: [{ percent: 50, measure: 'ACTUAL' }],
    });
    await spend('60', { resourceName: 'helped' });
    await spend('-20.000000001', back);
    await look();
    expect(await told('helped')).toEqual([]);
    expect(await budget('helped')).toMatchObject({ actual: '39.999999999', forecast: '240' });
    await spend('-50', back);
    await look();
    expect(await budget('helped')).toMatchObject({ actual: '-10.000000001', forecast: '240' });
    await spend('60.000000001', { resourceName: 'helped' });
    await look(2);
    expect(await told('helped')).toMatchObject([{ measure: 'actual', percent: 50, cost: '50' }]);
  });

  it('can reduce a month below its threshold, which is not reported again when reached', async () => {
    const back = { resourceName: 'twice', billingDimension: 'goodwill', usage: '-1' };
    await made('twice', { resourceName: 'twice', thresholds: [{ percent: 50, measure: 'ACTUAL' }] });
    for (const [cost, more] of [
      ['60', {}],
      ['-30', back],
      ['40', {}],
    ] as const) {
      await spend(cost, { resourceName: 'twice', ...more });
      await look(2);
    }
    expect(await budget('twice')).toMatchObject({ actual: '70' });
    expect(await told('twice')).toMatchObject([{ measure: 'actual', percent: 50, cost: '60' }]);
  });
});

describe('A budget by label', () => {
  it('counts the usage of resources that had the labels at the time', async () => {
    const create = `mutation ($input: CreateSandboxInput!) { createSandbox(input: $input) { __typename } }`;
    const relabel = `mutation ($input: UpdateSandboxInput!) { updateSandbox(input: $input) { __typename } }`;
    const of = (team: string) => ({ labels: [{ key: 'team', value: team }] });
    const metadata = { name: 'labeled-box', ...of('search') };
    await graphql(running.app, owner.key, create, { input: { workspace: 'main', metadata } });
    const labels = [
      { key: 'team', in: ['search'] },
      { key: 'env', isSet: false },
    ];
    await made('of-search', { labels, thresholds: [{ percent: 1, measure: 'ACTUAL' }] });
    const box = { workspace: 'main', resourceType: 'sandbox', resourceName: 'labeled-box', resourceUuid: '' };
    await spend('3', box);
    running.app.clock.now = new Date(now.getTime() + 60_000);
    const input = { workspace: 'main', name: 'labeled-box', metadata: of('ads') };
    await graphql(running.app, owner.key, relabel, { input });
    await spend('0.5', box);
    await spend('7', { ...box, time: running.app.clock.now.toISOString() });
    await spend('11', { ...box, resourceName: 'another' });
    running.app.clock.now = now;
    await look();
    expect(await budget('of-search')).toMatchObject({ actual: '3.5' });
    expect(
      (
        await askAccount(running.app, owner, 'budgets(first: 100) { nodes { name labels { key in isSet } } }')
      ).body.data.account.budgets.nodes.find(({ name }: { name: string }) => name === 'of-search').labels,
    ).toEqual([
      { key: 'team', in: ['search'], isSet: null },
      { key: 'env', in: null, isSet: false },
    ]);
    const kept = await mutate('updateBudget', { account: 'northwind', name: 'of-search', amount: '5' });
    expect(kept.budget).toMatchObject({ amount: '5' });
    await look();
    expect(await budget('of-search')).toMatchObject({ actual: '3.5' });
    await mutate('updateBudget', { account: 'northwind', name: 'of-search', labels: null });
    await look();
    expect(Number((await budget('of-search')).actual)).toBeGreaterThan(21);
    await mutate('deleteBudget', { account: 'northwind', name: 'of-search' });
  });

  it('names broken rules of its labels, and cannot stop', async () => {
    const problems = async (more: object) => (await mutate('createBudget', terms('wrong', more))).message;
    expect(await problems({ labels: [{ key: '' }] })).toBe('labels.key must not be empty');
    const five = Array.from('abcde', (key) => ({ key }));
    expect(await problems({ labels: five })).toContain('at most 4 different labels');
    expect(await problems({ labels: [{ key: 'team' }], action: 'STOP' })).toContain('can only be STOP');
    expect(await problems({ labels: [{ key: 'team', in: ['x'.repeat(300)] }], amount: '-1' })).toMatch(
      /amount .*; labels.in/,
    );
  });
});

describe('A rolling budget', () => {
  it('is recorded again after the cost was below the threshold', async () => {
    await made('rolling', {
      period: 'ROLLING',
      days: 2,
      resourceName: 'burst',
      thresholds: [{ percent: 10, measure: 'ACTUAL' }],
    });
    const event = usageEvent(1, {
      source: 'burst',
      id: 'burst',
      resourceName: 'burst',
      time: now.toISOString(),
      cost: '10',
    });
    await recordUsage(owner.ctx, [event]);
    await look(2);
    await look(2);
    expect(await told('rolling')).toHaveLength(1);
    // Credits lower the cost below the threshold; later usage crosses it again.
    const query = `mutation { voidUsage(input: { account: "northwind", source: "burst", ids: ["burst"], reason: "a test" }) {
      ... on VoidUsagePayload { count } } }`;
    expect((await graphql(running.app, owner.key, query)).body.data.voidUsage.count).toBe(1);
    await look(2);
    expect((await budget('rolling')).crossings).toEqual([]);
    await recordUsage(owner.ctx, [{ ...event, id: 'again' }]);
    await look(3);
    expect(await told('rolling')).toHaveLength(2);
  });

  it('is not lost when checks are slow, because a process takes each budget just before its check', async () => {
    const { db } = running.app.services;
    for (const name of ['slow-one', 'slow-two']) await made(name, { resourceName: 'slow' });
    await db.budget.updateMany({ data: { lookedAt: null } });
    const taken: number[] = [];
    const slow = new Proxy(db, {
      get: (target, name) => {
        if (name !== '$begin') return Reflect.get(target, name);
        return async (act: Parameters<typeof db.$begin>[0]) => {
          taken.push(await db.budget.count({ where: { lookedAt: { not: null } } }));
          return target.$begin(act);
        };
      },
    });
    await checkBudgets(slow, running.app.services.usageMemory, () => now);
    expect(taken.length).toBeGreaterThan(1);
    expect(taken).toEqual(taken.map((_each, index) => index + 1));
  });

  it('is not recorded by a process that read an older cost', async () => {
    const { db } = running.app.services;
    const thresholds = [{ percent: 10, measure: 'ACTUAL' }];
    await made('overtaken', { period: 'ROLLING', days: 2, resourceName: 'overtaken', thresholds });
    await look();
    await db.budget.updateMany({ where: { name: 'overtaken' }, data: { lookedAt: null } });
    let isOvertaken = false;
    const overtaken = new Proxy(db, {
      get: (target, name) => {
        if (name !== '$begin') return Reflect.get(target, name);
        return async (act: Parameters<typeof db.$begin>[0]) => {
          if (!isOvertaken) {
            isOvertaken = true;
            await spend('10', { resourceName: 'overtaken' });
            await look();
          }
          return target.$begin(act);
        };
      },
    });
    await checkBudgets(overtaken, running.app.services.usageMemory, () => now);
    expect(await budget('overtaken')).toMatchObject({ actual: '10', crossings: [{ percent: 10 }] });
    await look(2);
    expect(await told('overtaken')).toHaveLength(1);
  });
});

describe('A deleted budget', () => {
  it('is returned with the thresholds that it has reached', async () => {
    const thresholds = [{ percent: 10, measure: 'ACTUAL' }];
    await made('reached', { resourceName: 'reached', thresholds });
    await spend('10', { resourceName: 'reached' });
    await look();
    const before = await budget('reached');
    expect(before.crossings).toMatchObject([{ percent: 10, cost: '10' }]);
    const deleted = await mutate('deleteBudget', { account: 'northwind', name: 'reached' });
    expect(deleted.budget).toEqual(before);
  });
});
