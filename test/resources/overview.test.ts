// The overview of a workspace: states, failures of the last day, and the cost until the end of the month.
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { encodeGlobalId } from '../../src/api/graphql/global-id.js';
import { insertExecutions } from '../../src/demo/rows/job-input.js';
import { createBillingDimension } from '../../src/billing/billing-changes.js';
import { platformContext } from '../../src/cli/operator/operator-context.js';
import { voidUsage } from '../../src/metering/usage-adjustments.js';
import { recordUsage } from '../../src/metering/usage.js';
import { addAgents, anAgent, createKey, frozenNow, graphql, useApp } from '../harness.js';
import { anExecutor } from '../lifecycle/executor.js';
import { addPlatform, anExecution } from '../platform.js';
import type { Platform } from '../platform.js';
import { createOwner } from '../metering/usage-mixture.js';
import type { Owner } from '../metering/usage-mixture.js';
import { usageEvent } from '../metering/usage-samples.js';
import { mutate } from './mutations.js';

const running = useApp();
let owner: Owner;
let ids: Platform;
const late = '2026-11-20T11:59:00.000Z';
const early = '2026-11-19T11:59:59.999Z';
const failedAgent = randomUUID();

beforeAll(async () => {
  const { app } = running;
  owner = await createOwner(app, 'northwind', ['main', 'side']);
  const main = owner.tenant.workspaces['main'] ?? '';
  ids = await addPlatform(app, main, 'north');
  const changed = (updatedAt: string) => ({ metadata: { createdAt: early, updatedAt }, status: 'FAILED' as const });
  await addAgents(app, main, [
    { ...anAgent('broken', changed(late)), id: failedAgent },
    anAgent('broken-before', changed(early)),
    anAgent('fine'),
  ]);
  const { db, encryption } = app.services;
  await insertExecutions(db, encryption, main, [
    { ...anExecution(ids.Job, randomUUID()), completedAt: early },
    { ...anExecution(ids.Job, randomUUID(), early), status: 'timeout', completedAt: '2026-11-20T11:00:00.000Z' },
    { ...anExecution(ids.Job, randomUUID()), status: 'succeeded', completedAt: late },
  ]);
  const foreign = await createOwner(app, 'southwind', ['south']);
  const south = foreign.tenant.workspaces['south'];
  await addAgents(app, south, [anAgent('theirs', changed(late))]);
  const event = {
    source: 'meter',
    account: 'northwind',
    resourceType: 'agent',
    resourceName: 'fine',
    billingDimension: 'agent_compute_runtime_gbs',
    usage: '1',
  };
  await recordUsage(owner.ctx, [
    { ...event, id: '1', workspace: 'main', time: '2026-11-01T00:00:00Z', cost: '10' },
    { ...event, id: '2', workspace: 'main', time: '2026-11-20T11:59:59.9Z', cost: '9.5' },
    { ...event, id: '3', workspace: 'main', time: '2026-10-31T23:59:59.999999999Z', cost: '1000' },
    { ...event, id: '4', workspace: 'side', time: '2026-11-05T00:00:00Z', cost: '100' },
  ]);
});

async function ask(query: string, key = owner.key) {
  const { body } = await graphql(running.app, key, query);
  return body;
}

const states = (...counts: [string | null, number][]) => counts.map(([value, count]) => ({ value, count }));

describe('The overview of a workspace', () => {
  it('counts each kind by state', async () => {
    const body = await ask('{ workspace(name: "main") { overview { kinds { kind total states { value count } } } } }');
    expect(body.errors).toBeUndefined();
    const one = (kind: string, state: string | null = null) => ({ kind, total: 1, states: states([state, 1]) });
    expect(body.data.workspace.overview.kinds).toEqual([
      { kind: 'AGENT', total: 4, states: states(['DEPLOYED', 2], ['FAILED', 2]) },
      one('SANDBOX', 'DEPLOYED'),
      one('SANDBOX_PREVIEW'),
      one('JOB'),
      { kind: 'JOB_EXECUTION', total: 4, states: states(['FAILED', 2], ['SUCCEEDED', 1], ['TIMEOUT', 1]) },
      one('VOLUME'),
      one('IMAGE'),
      one('VPC'),
      one('EGRESS_GATEWAY'),
      one('EGRESS_IP'),
    ]);
  });

  it('lists failures of the last day, newest first', async () => {
    const body = await ask(
      '{ workspace(name: "main") { overview { failures { since count newest { kind id name status time } } } } }',
    );
    const { since, count, newest } = body.data.workspace.overview.failures;
    expect({ since, count }).toEqual({ since: '2026-11-19T12:00:00.000Z', count: 3 });
    expect(newest).toMatchObject([
      // It has not said when it ended: it was changed last when all began.
      { kind: 'JOB_EXECUTION', name: 'north-job', status: 'FAILED', time: '2026-11-20T12:00:00.000Z' },
      { kind: 'AGENT', name: 'broken', status: 'FAILED', time: late, id: encodeGlobalId('Agent', failedAgent) },
      { kind: 'JOB_EXECUTION', name: 'north-job', status: 'TIMEOUT', time: '2026-11-20T11:00:00.000Z' },
    ]);
  });

  it('lists a failure with the time at which it began, whenever its resource was updated', async () => {
    const { app } = running;
    const { key } = await createOwner(app, 'failing', ['failing']);
    const executor = await anExecutor(app, 'failing', { kinds: ['SANDBOX'] });
    const failures = async (now: string) => {
      app.clock.now = new Date(now);
      const body = await ask('{ workspace(name: "failing") { overview { failures { newest { name time } } } } }', key);
      return body.data.workspace.overview.failures.newest;
    };
    const of = { workspace: 'failing', spec: {} };
    app.clock.now = new Date('2026-11-17T12:00:00Z');
    await mutate(app, key, 'createSandbox', '__typename', { ...of, metadata: { name: 'box' } });
    app.clock.now = new Date('2026-11-20T11:00:00Z');
    const [assignment] = (await executor.claim()).assignments;
    expect(await executor.report(assignment, { state: 'FAILED' })).toMatchObject({ state: 'FAILED' });
    const listed = [{ name: 'box', time: '2026-11-20T11:00:00.000Z' }];
    expect(await failures('2026-11-20T12:00:00Z')).toEqual(listed);
    await mutate(app, key, 'updateSandbox', '__typename', { ...of, name: 'box', metadata: { displayName: 'Box' } });
    expect(await failures('2026-11-20T12:00:00Z')).toEqual(listed);
    expect(await failures('2026-11-21T11:30:00Z')).toEqual([]);
    app.clock.now = frozenNow;
  });

  it('contains the exact cost of the month to date, and the forecast until its end', async () => {
    const body = await ask('{ workspace(name: "main") { overview { cost { startTime endTime toDate forecast } } } }');
    // 19.5 days of 30 have passed.
    expect(body.data.workspace.overview.cost).toEqual({
      startTime: '2026-11-01T00:00:00.000Z',
      endTime: '2026-12-01T00:00:00.000Z',
      toDate: '19.5',
      forecast: '30',
    });
  });

  it('takes as many statements for two workspaces as for one', async () => {
    const fields = 'overview { kinds { total } failures { count } cost { toDate } }';
    const count = async (query: string) => {
      running.app.statements.length = 0;
      expect((await ask(query)).errors).toBeUndefined();
      return running.app.statements.filter((sql) => !sql.includes('"api_key"')).length;
    };
    expect(await count(`{ workspace(name: "main") { ${fields} } }`)).toBe(3);
    expect(await count(`{ viewer { workspaces { ${fields} } } }`)).toBe(3);
  });

  it('omits kinds that the credential may not list, and denies only the cost without its scope', async () => {
    const { key } = await createKey(running.app, { ...owner.tenant, scope: 'workspaces:get agents:list' });
    const body = await ask(
      '{ workspace(name: "main") { overview { kinds { kind total } failures { count } cost { toDate } } } }',
      key,
    );
    expect(body.data.workspace.overview).toEqual({
      kinds: [{ kind: 'AGENT', total: 4 }],
      failures: { count: 1 },
      cost: null,
    });
    expect(body.errors).toMatchObject([{ path: ['workspace', 'overview', 'cost'], extensions: { code: 'forbidden' } }]);
    const { key: none } = await createKey(running.app, { ...owner.tenant, scope: 'workspaces:get' });
    const empty = await ask('{ workspace(name: "main") { overview { kinds { kind } failures { count } } } }', none);
    expect(empty.data.workspace.overview).toEqual({ kinds: [], failures: { count: 0 } });
  });
});

describe('The overview of an account', () => {
  const fields =
    'kinds { kind total states { value count } } failures { count newest { kind workspaceName name time } }';

  it('is that of its workspaces together, with as many statements', async () => {
    const { app } = running;
    const side = owner.tenant.workspaces['side'];
    await addAgents(app, side, [
      anAgent('side-broken', {
        metadata: { createdAt: early, updatedAt: '2026-11-20T11:59:30.000Z' },
        status: 'FAILED',
      }),
      anAgent('side-fine'),
    ]);
    const count = async (query: string) => {
      app.statements.length = 0;
      const body = await ask(query);
      expect(body.errors).toBeUndefined();
      return { body, statements: app.statements.filter((sql) => /"sandbox_preview"|status_key/.test(sql)).length };
    };
    const one = await count(`{ workspace(name: "main") { overview { ${fields} } } }`);
    const { body, statements } = await count(`{ account(name: "northwind") { overview { ${fields} } } }`);
    expect(statements).toBe(one.statements);
    const { kinds, failures } = body.data.account.overview;
    const ofMain = one.body.data.workspace.overview;
    expect(kinds[0]).toEqual({ kind: 'AGENT', total: 6, states: states(['DEPLOYED', 3], ['FAILED', 3]) });
    expect(kinds.slice(1)).toEqual(ofMain.kinds.slice(1));
    expect(failures.count).toBe(ofMain.failures.count + 1);
    expect(failures.newest).toContainEqual({
      kind: 'AGENT',
      workspaceName: 'side',
      name: 'side-broken',
      time: '2026-11-20T11:59:30.000Z',
    });
    const times = failures.newest.map(({ time }: { time: string }) => time);
    expect(times).toEqual(times.toSorted().toReversed());
    expect(failures.newest.filter(({ workspaceName }: { workspaceName: string }) => workspaceName === 'main')).toEqual(
      ofMain.failures.newest,
    );
  });

  it('contains the total cost, or that of one workspace for a confined credential', async () => {
    const query = '{ account(name: "northwind") { overview { cost { toDate } } } }';
    expect((await ask(query)).data.account.overview.cost).toEqual({ toDate: '119.5' });
    const { accountId, tenant } = owner;
    const workspaceId = tenant.workspaces['side'] ?? '';
    const { key } = await createKey(running.app, { accountId, principalId: tenant.principalId, workspaceId });
    expect((await ask(query, key)).data.account.overview.cost).toEqual({ toDate: '100' });
  });

  it('of another account is inaccessible', async () => {
    const body = await ask(`{ account(name: "southwind") { overview { ${fields} } } }`);
    expect(body).toMatchObject({ data: { account: null }, errors: [{ extensions: { code: 'access_denied' } }] });
  });

  it('has a forecast that is rounded half-even, as all amounts are', async () => {
    const { app } = running;
    const rounded = await createOwner(app, 'rounded', ['rounded']);
    // 20 days of 30 have passed.
    app.clock.now = new Date('2026-11-21T00:00:00Z');
    const forecasts: string[] = [];
    for (const [order, cost] of ['0.000000001', '0.000000002'].entries()) {
      const place = { account: 'rounded', workspace: 'rounded' };
      await recordUsage(rounded.ctx, [usageEvent(order, { ...place, time: '2026-11-05T00:00:00Z', cost })]);
      const body = await ask('{ account(name: "rounded") { overview { cost { forecast } } } }', rounded.key);
      forecasts.push(body.data.account.overview.cost.forecast);
    }
    app.clock.now = frozenNow;
    // 1.5 and 4.5 nano-dollars.
    expect(forecasts).toEqual(['0.000000002', '0.000000004']);
  });

  it('expects no more credits in the rest of the month', async () => {
    const resourceTypes = ['agent'];
    const given = { name: 'goodwill', unit: 'USD', kind: 'credit', resourceTypes, description: '' } as const;
    await createBillingDimension(await platformContext(running.app.services), { ...given, resourceTypes });
    const event = { ...usageEvent(1), id: 'given-back', resourceType: 'agent', billingDimension: 'goodwill' };
    const credit = { ...event, time: '2026-11-19T00:00:00Z', usage: '-1', cost: '-4.5' };
    expect(await recordUsage(owner.ctx, [credit])).toEqual([{ outcome: 'accepted' }]);
    const fields = 'overview { cost { toDate forecast } }';
    const body = await ask(`{ workspace(name: "main") { ${fields} } account(name: "northwind") { ${fields} } }`);
    expect(body.data.workspace.overview.cost).toEqual({ toDate: '15', forecast: '25.5' });
    expect(body.data.account.overview.cost).toEqual({ toDate: '115', forecast: '179.346153846' });
    await voidUsage(owner.ctx, { account: 'northwind', source: 'meter', ids: ['given-back'], reason: 'a test' });
  });
});
