// A budget with the action STOP refuses what would add to the cost, and nothing else.
import { beforeAll, describe, expect, it } from 'vitest';
import { checkBudgets } from '../../src/billing/check-budgets.js';
import { recordUsage } from '../../src/metering/usage.js';
import { useApp } from '../harness.js';
import { createOwner } from '../metering/usage-mixture.js';
import type { Owner } from '../metering/usage-mixture.js';
import { usageEvent } from '../metering/usage-samples.js';
import { historyOf, mutate, problemsOf } from '../resources/mutations.js';

const running = useApp();
let owner: Owner;
let foreign: Owner;

beforeAll(async () => {
  const { app } = running;
  const [row] = await app.services.db.$queryRaw<{ now: Date }[]>`SELECT now() AS "now"`;
  app.clock.now = row?.now ?? new Date();
  owner = await createOwner(app, 'northwind', ['main', 'side']);
  foreign = await createOwner(app, 'southwind', ['south']);
});

const change = (mutation: string, input: object, { key } = owner) =>
  mutate(running.app, key, mutation, '__typename', input);
const inMain = { workspace: 'main' };
const named = (name: string, spec: object = {}) => ({ ...inMain, metadata: { name }, spec });

const budget = (more: object = {}) => ({
  account: 'northwind',
  name: 'research',
  amount: '10',
  period: 'MONTHLY',
  thresholds: [{ percent: 100, measure: 'ACTUAL' }],
  action: 'STOP',
  ...more,
});

let events = 0;

async function spend(cost: string): Promise<void> {
  const time = running.app.clock.now.toISOString();
  await recordUsage(owner.ctx, [usageEvent(events++, { source: 'actions', time, cost })]);
  await check();
}

async function check(): Promise<void> {
  const { db, usageMemory, now } = running.app.services;
  await db.budget.updateMany({ data: { lookedAt: null } });
  await checkBudgets(db, usageMemory, now);
}

describe('A budget', () => {
  it('only notifies by default', async () => {
    const { action: _, ...terms } = budget({ name: 'default' });
    const { budget: made } = await mutate(running.app, owner.key, 'createBudget', 'budget { action }', terms);
    expect(made).toEqual({ action: 'NOTIFY' });
    await change('deleteBudget', { account: 'northwind', name: 'default' });
  });

  it('can only stop all usage, or that of a workspace', async () => {
    const result = await change('createBudget', budget({ resourceType: 'agent', validateOnly: true }));
    expect(problemsOf(result)).toEqual(['action not_available']);
    expect(await change('createBudget', budget({ workspace: 'side', validateOnly: true }))).toMatchObject({
      __typename: 'CreateBudgetPayload',
    });
  });
});

describe('A stopping budget', () => {
  const agent = { runtime: { memory: 1_024, maxScale: 2 } };
  /** What adds to the cost. */
  const growths: [name: string, mutation: string, input: object][] = [
    ['creates an agent', 'createAgent', named('new')],
    ['creates a VPC', 'createVpc', named('new')],
    ['runs a job', 'runJob', { ...inMain, name: 'job' }],
    ['enables', 'updateAgent', { ...inMain, name: 'off', spec: { enabled: true } }],
    ['scales up', 'updateAgent', { ...inMain, name: 'on', spec: { runtime: { maxScale: 3 } } }],
    ['adds memory', 'updateAgent', { ...inMain, name: 'on', spec: { runtime: { memory: 2_048 } } }],
  ];

  beforeAll(async () => {
    await change('createAgent', named('on', agent));
    await change('createAgent', named('off', { ...agent, enabled: false }));
    await change('createJob', named('job'));
    await change('createBudget', budget());
  });

  it.each(growths)('allows below its amount what %s', async (_name, mutation, input) => {
    await spend('0.5');
    const result = await change(mutation, { ...input, validateOnly: true });
    expect(result).toMatchObject({ __typename: expect.stringMatching(/Payload$/) });
  });

  it('notifies when it is reached', async () => {
    await spend('20');
    const reached = (await historyOf(running.app, owner.tenant)).filter(({ verb }) => verb === 'threshold_reached');
    expect(reached).toMatchObject([{ kind: 'BUDGET', name: 'research' }]);
  });

  it.each(growths)('then refuses what %s, and says how to go on', async (_name, mutation, input) => {
    const result = await change(mutation, input);
    expect(result).toMatchObject({ __typename: 'ConflictError', code: 'budget_exceeded' });
    expect(result.message).toContain('The budget research is used up');
    expect(result.message).toContain('raise its amount or set its action to NOTIFY');
  });

  it('lets what runs go on, and be changed, scaled down, disabled and deleted', async () => {
    const update = (input: object) => change('updateAgent', { ...inMain, name: 'on', ...input });
    const done = { __typename: 'UpdateAgentPayload' };
    expect(await update({ metadata: { displayName: 'On' } })).toMatchObject(done);
    expect(await update({ spec: { runtime: { image: 'on:2' } } })).toMatchObject(done);
    expect(await update({ spec: { runtime: { maxScale: 1 } } })).toMatchObject(done);
    expect(await update({ spec: { enabled: false } })).toMatchObject(done);
    expect(await change('createAgent', named('idle', { enabled: false }))).toMatchObject({
      __typename: 'CreateAgentPayload',
    });
    expect(await change('deleteAgent', { ...inMain, name: 'off' })).toMatchObject({ __typename: 'DeleteAgentPayload' });
  });

  it('goes on to stop when other terms of it are changed, before the next check', async () => {
    const thresholds = [{ percent: 90, measure: 'ACTUAL' }];
    await change('updateBudget', { account: 'northwind', name: 'research', thresholds });
    expect(await change('createAgent', named('new'))).toMatchObject({ code: 'budget_exceeded' });
  });

  it('does not concern another account', async () => {
    const input = { ...named('new'), workspace: 'south' };
    expect(await change('createAgent', input, foreign)).toMatchObject({ __typename: 'CreateAgentPayload' });
  });

  it('ends when its action is NOTIFY, and stops again with STOP', async () => {
    const set = (action: string) => change('updateBudget', { account: 'northwind', name: 'research', action });
    await set('NOTIFY');
    await check();
    expect(await change('createAgent', named('one'))).toMatchObject({ __typename: 'CreateAgentPayload' });
    await set('STOP');
    await check();
    expect(await change('createAgent', named('two'))).toMatchObject({ code: 'budget_exceeded' });
  });

  it('of a workspace stops this workspace only', async () => {
    await change('updateBudget', { account: 'northwind', name: 'research', workspace: 'main' });
    await check();
    expect(await change('createAgent', named('two'))).toMatchObject({ code: 'budget_exceeded' });
    expect(await change('createAgent', { ...named('two'), workspace: 'side' })).toMatchObject({
      __typename: 'CreateAgentPayload',
    });
  });

  it('ends when its amount is raised', async () => {
    await change('updateBudget', { account: 'northwind', name: 'research', amount: '1000' });
    await check();
    expect(await change('createAgent', named('two'))).toMatchObject({ __typename: 'CreateAgentPayload' });
  });
});
