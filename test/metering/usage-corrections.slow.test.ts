// Corrections of usage that select events by a filter.
import { beforeAll, describe, expect, it } from 'vitest';
import { recordUsage } from '../../src/metering/usage.js';
import { createKey, createToken, graphql, useApp } from '../harness.js';
import { historyOf, keyOfSomebody, mutate } from '../resources/mutations.js';
import { useUsageCommandLine } from '../cli/usage-command-line.js';
import { createOwner } from './usage-mixture.js';
import type { Owner } from './usage-mixture.js';
import { sumsOf, usageEvent } from './usage-samples.js';

const running = useApp({}, { ownDatabase: true });
const { run } = useUsageCommandLine(running, []);
let owner: Owner;
let foreign: Owner;

beforeAll(async () => {
  owner = await createOwner(running.app, 'northwind', ['main', 'side']);
  foreign = await createOwner(running.app, 'southwind', ['south']);
});

const reason = 'the price was wrong';
const fields = 'count costBefore costAfter results { outcome }';
const correct = (mutation: 'voidUsage' | 'amendUsage', input: object, key = owner.key) =>
  mutate(running.app, key, mutation, fields, { account: 'northwind', reason, ...input });
const costNow = async () => (await sumsOf(owner.ctx, owner.accountId))[0]?.cost ?? 0n;

let sources = 0;

/** Records events of a source of their own: 10 seconds apart, with a usage of 2 and a cost of 3 each. */
async function someEvents(count: number, more: object = {}, who = owner): Promise<string> {
  const source = `source-${++sources}`;
  const events = Array.from({ length: count }, (_, n) =>
    usageEvent(n, {
      source,
      usage: '2',
      cost: '3',
      time: new Date(Date.UTC(2026, 10, 10) + n * 10_000).toISOString(),
      ...more,
    }),
  );
  for (let from = 0; from < count; from += 10_000) await recordUsage(who.ctx, events.slice(from, from + 10_000));
  return source;
}

describe('Voiding by a filter', () => {
  it('says what it would change, changes only these events, and is recorded with the filter', async () => {
    const source = await someEvents(12);
    await someEvents(3);
    const before = await costNow();
    const filter = { source, startTime: '2026-11-10T00:00:20Z', endTime: '2026-11-10T00:01:00Z' };
    const expected = { count: 4, costBefore: '12', costAfter: '0' };
    expect(await correct('voidUsage', { filter, validateOnly: true })).toMatchObject(expected);
    expect(await costNow()).toBe(before);
    const result = await correct('voidUsage', { filter });
    expect(result).toMatchObject(expected);
    expect(result.results).toEqual(Array.from({ length: 4 }, () => ({ outcome: 'VOIDED' })));
    expect(await costNow()).toBe(before - 12_000_000_000n);
    expect(await correct('voidUsage', { filter })).toMatchObject({ count: 0, costBefore: '0' });
    const history = await historyOf(running.app, owner.tenant);
    const [change, ...others] = history.filter(({ message }) => message?.endsWith(reason));
    expect(others).toEqual([]);
    expect(change).toMatchObject({
      verb: 'voided',
      before: { events: 4, cost: '12', identities: [2, 3, 4, 5].map((n) => ({ source, id: `event-${n}` })) },
      after: { reason, filter },
    });
  });

  it('says what it would change by ids, too', async () => {
    const source = await someEvents(3);
    const result = await correct('voidUsage', { source, ids: ['event-1', 'event-2', 'none'], validateOnly: true });
    expect(result).toMatchObject({ count: 2, costBefore: '6', costAfter: '0' });
  });

  it('is rejected for more than 10,000 events, and changes none', async () => {
    const source = await someEvents(10_001);
    const before = await costNow();
    const result = await correct('voidUsage', { filter: { source } });
    expect(result).toMatchObject({
      code: 'invalid_parameter',
      message: 'filter must match at most 10000 events. Correct a shorter period at a time',
    });
    expect(await costNow()).toBe(before);
    const endTime = '2026-11-11T03:46:40Z';
    expect(await correct('voidUsage', { filter: { source, endTime } })).toMatchObject({ count: 10_000 });
  });

  it('reads each event by its id if the statistics of the database are older than the account', async () => {
    await running.app.services.db.$executeRaw`ANALYZE "usage_event"`;
    const fresh = await createOwner(running.app, 'westwind', ['west']);
    const source = await someEvents(10_000, { account: 'westwind', workspace: 'west' }, fresh);
    const input = { account: 'westwind', filter: { source } };
    expect(await correct('voidUsage', input, fresh.key)).toMatchObject({ count: 10_000 });
  });

  it.each([
    [{ filter: {} }, 'filter must have at least one condition'],
    [{}, 'source is required without filter'],
    [{ source: 'meter' }, 'ids is required without filter'],
    [{ source: 'meter', filter: { source: 'meter' } }, 'filter cannot be combined with source and ids'],
    [
      { filter: { startTime: '2026-11-10T00:00:00Z', endTime: '2026-11-09T00:00:00Z' } },
      'endTime must be after startTime',
    ],
    [{ filter: { source: 'meter' }, reason: ' ' }, 'reason must not be empty'],
  ])('requires one valid selection: %j', async (input, message) => {
    expect(await correct('voidUsage', input)).toMatchObject({ message });
  });
});

describe('Amending by a filter', () => {
  it('changes the fields of all events, and says their cost before and after', async () => {
    const source = await someEvents(5, { resourceName: 'wrong' });
    const before = await costNow();
    const input = { filter: { source, resourceName: 'wrong' }, change: { resourceName: 'right', unitPrice: '0.25' } };
    const expected = { count: 5, costBefore: '15', costAfter: '2.5' };
    expect(await correct('amendUsage', { ...input, validateOnly: true })).toMatchObject(expected);
    expect(await costNow()).toBe(before);
    expect(await correct('amendUsage', input)).toMatchObject(expected);
    expect(await costNow()).toBe(before - 12_500_000_000n);
    expect(await correct('amendUsage', input)).toMatchObject({ count: 0 });
    const again = { filter: { source }, change: { workspace: 'side', cost: 4, usage: '7' } };
    expect(await correct('amendUsage', again)).toMatchObject({ count: 5, costBefore: '2.5', costAfter: '20' });
    expect(await correct('amendUsage', again)).toMatchObject({
      count: 0,
      results: Array.from({ length: 5 }, () => ({ outcome: 'UNCHANGED' })),
    });
  });

  it('leaves voided events as they are', async () => {
    const source = await someEvents(3);
    await correct('voidUsage', { source, ids: ['event-1'] });
    const input = { filter: { source }, change: { cost: '1' } };
    expect(await correct('amendUsage', input)).toMatchObject({ count: 2, costBefore: '6', costAfter: '2' });
  });

  it('removes the UUID with null', async () => {
    const source = await someEvents(2, { resourceUuid: 'one-of-them' });
    const query = `{ account(name: "northwind") { usageEvents(source: "${source}") { nodes { resourceUuid } } } }`;
    const read = async () => (await graphql(running.app, owner.key, query)).body.data.account.usageEvents.nodes;
    expect(await read()).toEqual([{ resourceUuid: 'one-of-them' }, { resourceUuid: 'one-of-them' }]);
    const input = { filter: { source }, change: { resourceUuid: null } };
    expect(await correct('amendUsage', input)).toMatchObject({ count: 2, costBefore: '6', costAfter: '6' });
    expect(await read()).toEqual([{ resourceUuid: null }, { resourceUuid: null }]);
  });

  it('changes no event if the change makes one of them invalid', async () => {
    const source = await someEvents(3);
    const others = ['workspace', 'resourceType', 'resourceName', 'billingDimension', 'usage', 'cost', 'unitPrice'];
    const before = await costNow();
    for (const [change, message] of [
      [{ workspace: 'none' }, 'change makes an event invalid: workspace must be'],
      [{ billingDimension: 'none' }, 'change makes an event invalid: billingDimension must be'],
      [{ cost: '-1' }, 'change makes an event invalid: cost must be'],
      [{ usage: 'x', unitPrice: '1' }, 'change.usage must be a decimal number'],
      [{ unitPrice: '-1' }, 'change.unitPrice must be a decimal number'],
      [{ unitPrice: '1', cost: '1' }, 'change.unitPrice cannot be combined with cost'],
      ...others.map((name) => [{ [name]: null }, `change.${name} must not be null`] as const),
      [{}, 'change must have at least one field'],
    ] as const) {
      const result = await correct('amendUsage', { filter: { source }, change });
      expect(result.message).toContain(message);
    }
    expect(await correct('amendUsage', { filter: { source } })).toMatchObject({
      message: 'change is required with filter',
    });
    expect(await correct('amendUsage', { change: { cost: '1' } })).toMatchObject({ message: 'change requires filter' });
    expect(await costNow()).toBe(before);
  });
});

describe('The scope usage:correct', () => {
  it('is needed, and enough, for corrections; recording and reading usage are not', async () => {
    const source = await someEvents(2);
    const input = { source, ids: ['event-0'], validateOnly: true };
    for (const scope of ['usage:write', 'metrics:read', 'usage:write metrics:read agents:update']) {
      const { key } = await createKey(running.app, { ...owner.tenant, scope });
      expect(await correct('voidUsage', input, key)).toMatchObject({
        code: 'forbidden',
        message: 'This credential lacks the scope usage:correct.',
      });
    }
    const { key } = await createKey(running.app, { ...owner.tenant, scope: 'usage:correct' });
    expect(await correct('voidUsage', input, key)).toMatchObject({ count: 1 });
    const { token } = await createToken(running.app, owner.tenant, 'usage:correct');
    expect(await correct('amendUsage', { filter: { source }, change: { cost: '1' } }, token)).toMatchObject({
      count: 2,
    });
  });

  it('corrects only the account of an admin, with a credential that is not limited to a workspace', async () => {
    const source = await someEvents(2);
    const before = await costNow();
    const member = await keyOfSomebody(running.app, owner.tenant, {
      account: 'member',
      workspace: 'main',
      role: 'admin',
    });
    const confined = (
      await createKey(running.app, { ...owner.tenant, workspaceId: owner.tenant.workspaces['main'] ?? '' })
    ).key;
    for (const key of [member, confined, foreign.key]) {
      expect(await correct('voidUsage', { filter: { source } }, key)).toMatchObject({ __typename: 'ForbiddenError' });
      const amended = await correct('amendUsage', { filter: { source }, change: { cost: '0' } }, key);
      expect(amended).toMatchObject({ __typename: 'ForbiddenError' });
    }
    expect(await correct('voidUsage', { account: 'southwind', filter: { source } }, foreign.key)).toMatchObject({
      count: 0,
    });
    expect(await costNow()).toBe(before);
  });
});

describe('The command line', () => {
  it('voids and amends by a filter, with a dry run', async () => {
    const source = await someEvents(4);
    const before = await costNow();
    const line = `--account northwind --reason test --source ${source} --to 2026-11-10T00:00:30Z`;
    const amend = `usage amend ${line} --set-unit-price 1`;
    expect((await run(`${amend} --dry-run`)).stdout).toBe(
      '3 events would be amended. Cost: 9 USD before, 6 USD after.\n',
    );
    expect(await costNow()).toBe(before);
    expect((await run(amend)).stdout).toBe('3 events amended. Cost: 9 USD before, 6 USD after.\n');
    expect(JSON.parse((await run(`usage void ${line} --state amended --dry-run --json`)).stdout)).toEqual({
      events: '3',
      costBefore: '6',
      costAfter: '0',
      dryRun: true,
    });
    const ids = `--account northwind --reason test --source ${source} --ids event-3,event-0`;
    expect((await run(`usage void ${ids}`)).stdout).toBe('2 events voided. Cost: 5 USD before, 0 USD after.\n');
    expect(await costNow()).toBe(before - 8_000_000_000n);
  });

  it('requires a condition, a source for ids, and a known account', async () => {
    const of = '--account northwind --reason test';
    expect((await run(`usage void ${of}`)).stderr).toContain('filter must have at least one condition');
    expect((await run(`usage void ${of} --ids a`)).stderr).toContain('--ids: requires --source');
    expect((await run(`usage void ${of} --source a --state none`)).stderr).toContain('--state: must be one of');
    expect((await run(`usage void --account none --reason test --source a`)).exitCode).not.toBe(0);
    expect((await run(`usage amend ${of} --source a`)).stderr).toContain('change must have at least one field');
  });
});
