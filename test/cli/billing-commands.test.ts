// Custom dimensions, resource types and prices: created by the command line, effective everywhere immediately.
import { beforeAll, describe, expect, it } from 'vitest';
import { runCommandLine } from '../../src/cli/run.js';
import { tokenSettings } from '../../src/server/create-services.js';
import { createToken, graphql, rest, useApp } from '../harness.js';
import { askAccount, metricsIn } from '../billing/graphql-samples.js';
import { sendUsage } from '../metering/usage-http.js';
import { createOwner } from '../metering/usage-mixture.js';
import type { Owner } from '../metering/usage-mixture.js';
import { usageEvent } from '../metering/usage-samples.js';

const running = useApp();
let owner: Owner;

beforeAll(async () => {
  owner = await createOwner(running.app, 'northwind', ['main']);
  // Behind the database's clock, by which things are retired.
  running.app.clock.now = new Date('2099-12-01T00:00:00Z');
});

async function run(line: string) {
  const { services, config } = running.app;
  return runCommandLine({ ...services, tokens: tokenSettings(config), folder: '/' }, line.split(' '));
}

const done = async (line: string) => {
  const result = await run(line);
  expect({ line, ...result }).toMatchObject({ line, exitCode: 0, stderr: '' });
  return result.stdout;
};

const refused = async (line: string) => {
  const { exitCode, stderr } = await run(line);
  expect({ line, isRefused: exitCode === 1 || exitCode === 2 }).toEqual({ line, isRefused: true });
  return stderr;
};

const own = (n: number, more: object = {}) => ({
  ...usageEvent(n, { resourceType: 'agent', billingDimension: 'tokens' }),
  ...more,
});
const results = async (events: unknown[]) => (await sendUsage(running.app, owner.key, events)).body.results;
const accepted = { outcome: 'accepted' };

const metrics = async (search: string) =>
  rest(
    running.app,
    `/accounts/${owner.accountId}/metrics?startTime=2026-11-01T00:00:00Z&endTime=2026-12-01T00:00:00Z${search}`,
    { key: owner.key },
  );

const settings = async (fields: string) => {
  const { body } = await askAccount(running.app, owner, `metricsSettings { ${fields} }`);
  return body.data.account.metricsSettings;
};

describe('A billing dimension for credits', () => {
  it('is created by its kind, of which there are two', async () => {
    expect(await refused('billing-dimensions create back --unit USD --resource-types agent --kind refund')).toContain(
      'must be one of: usage, credit',
    );
    await done('billing-dimensions create back --unit USD --resource-types agent --kind credit');
    const list = await done('--json billing-dimensions list');
    expect(JSON.parse(list)).toMatchObject([{ name: 'back', kind: 'credit' }]);
    const credit = own(50, { billingDimension: 'back', usage: '-1', cost: '-2', time: '2020-01-01T00:00:00Z' });
    expect(await results([{ ...credit, cost: 2 }, credit])).toMatchObject([
      { outcome: 'invalid', field: 'cost' },
      accepted,
    ]);
    await done('billing-dimensions retire back');
    expect(await results([credit])).toMatchObject([{ outcome: 'duplicate' }]);
  });
});

describe('A custom billing dimension', () => {
  it('is created, and its usage is accepted and returned', async () => {
    expect(await results([own(1)])).toMatchObject([{ outcome: 'invalid', field: 'billingDimension' }]);
    expect((await metrics('&billingDimension=tokens')).status).toBe(400);
    await done('billing-dimensions create tokens --unit tokens --resource-types agent,model --description Words');
    expect(await results([own(1), own(2, { resourceType: 'sandbox' })])).toMatchObject([
      accepted,
      { outcome: 'invalid', field: 'resourceType' },
    ]);
    const { body } = await metrics('&billingDimension=tokens&groupBy=billing_dimension');
    expect(body.data).toMatchObject([{ billingDimension: 'tokens', summary: { cost: 1.000000001, usage: 1.000001 } }]);
  });

  it('has its name in GraphQL', async () => {
    const record = `mutation ($events: [UsageEventInput!]!) { recordUsage(input: { events: $events }) {
      ... on RecordUsagePayload { results { outcome } } } }`;
    const { body } = await graphql(running.app, owner.key, record, { events: [own(3)] });
    expect(body.data.recordUsage.results).toEqual([{ outcome: 'ACCEPTED' }]);
    const window = 'startTime: "2026-11-01T00:00:00Z", endTime: "2026-12-01T00:00:00Z"';
    const words = `${window}, groupBy: [BILLING_DIMENSION], billingDimension: "tokens"`;
    const { entries } = await metricsIn(running.app, owner, words, 'entries { nodes { billingDimension usage } }');
    expect(entries.nodes).toEqual([{ billingDimension: 'tokens', usage: '4.000002' }]);
  });

  it.each([
    'billing-dimensions create tokens --unit x --resource-types agent',
    'billing-dimensions create volume_storage_gbs --unit x --resource-types volume',
    'billing-dimensions create Tokens --unit x --resource-types agent',
    'billing-dimensions create words --unit x --resource-types agent,,model',
    'billing-dimensions retire volume_storage_gbs',
    'billing-dimensions delete volume_storage_gbs',
    'billing-dimensions retire no_such',
    'billing-dimensions delete tokens',
  ])('is rejected: %s', async (line) => {
    const before = await done('--json billing-dimensions list');
    expect(await refused(line)).not.toBe('');
    expect(await done('--json billing-dimensions list')).toBe(before);
  });

  it('is retired while it has usage, and deleted if it never had any', async () => {
    await done('billing-dimensions create unused --unit calls --resource-types agent');
    expect(await refused('billing-dimensions delete unused')).toContain('Retire the billing dimension unused first');
    await done('billing-dimensions retire unused');
    // A concurrent request that records usage may have read the dimension before.
    expect(await refused('billing-dimensions delete unused')).toContain('Try again in a minute');
    const retiredAt = new Date(Date.now() - 61_000);
    await running.app.services.db.billingDimension.update({ where: { name: 'unused' }, data: { retiredAt } });
    await done('billing-dimensions delete unused');
    await done('billing-dimensions retire tokens');
    expect(await refused('billing-dimensions delete tokens')).toContain('The billing dimension tokens has usage');
    // Late events from before are accepted, duplicates are recognized, and new events are rejected.
    expect(await results([own(1), own(4), own(5, { time: '2099-01-01T00:00:00Z' })])).toMatchObject([
      { outcome: 'duplicate' },
      accepted,
      { outcome: 'invalid', field: 'billingDimension' },
    ]);
    expect((await metrics('&billingDimension=tokens')).status).toBe(200);
  });
});

describe('A custom resource type', () => {
  it('is listed, retired while it has usage, and deleted if it never had any', async () => {
    const name = 'gpu';
    const of = (n: number, more: object = {}) => ({ ...usageEvent(n), resourceType: name, ...more });
    await done(`resource-types create ${name} --description Accelerators`);
    expect(await refused(`resource-types create ${name}`)).toContain('is taken');
    expect(await refused('resource-types create sandbox')).toContain('built in');
    expect(await results([of(20)])).toEqual([accepted]);
    await done(`resource-types retire ${name}`);
    expect(await results([of(21), of(22, { time: '2099-01-01T00:00:00Z' })])).toMatchObject([
      accepted,
      { outcome: 'invalid', field: 'resourceType' },
    ]);
    expect(await refused(`resource-types delete ${name}`)).toContain('There is usage');
    const { resourceTypes } = await settings('resourceTypes { name description retiredFrom }');
    expect(resourceTypes).toContainEqual({
      name,
      description: 'Accelerators',
      retiredFrom: expect.any(String),
    });
    await done('resource-types create other');
    await done('resource-types retire other');
    await done('resource-types delete other');
  });
});

describe('A price', () => {
  const free = (n: number, more: object = {}) => {
    const { cost: _cost, ...event } = usageEvent(n, { billingDimension: 'volume_storage_gbs', usage: '3' });
    return { ...event, ...more };
  };

  it('sets the cost of usage without one, and the same cost when it is sent again', async () => {
    expect(await results([free(30)])).toMatchObject([{ outcome: 'invalid', field: 'cost' }]);
    await done('prices set volume_storage_gbs --unit-price 0.0000115 --from 2026-11-01');
    expect(await results([free(30), free(30), { ...free(30), cost: '0.0000345' }, { ...free(30), cost: 1 }])).toEqual([
      accepted,
      { outcome: 'duplicate', message: 'the event was recorded before and counts once' },
      { outcome: 'duplicate', message: 'the event was recorded before and counts once' },
      { outcome: 'conflict', message: 'another event has the same source and id' },
    ]);
    const { body } = await metrics('&billingDimension=volume_storage_gbs');
    expect(body.summary.totalCost).toBe(0.0000345);
  });

  it('cannot change while it is in effect', async () => {
    for (const from of ['2026-11-01', '2026-11-02', new Date().toISOString()]) {
      expect(await refused(`prices set volume_storage_gbs --unit-price 9 --from ${from}`)).toContain(
        'has a price at that time',
      );
    }
    expect(await refused('prices delete volume_storage_gbs --from 2026-11-01')).toContain('Only a price that starts');
    expect(await refused('prices delete volume_storage_gbs --from 2026-11-03')).toContain('no price');
    await done('prices set volume_storage_gbs --unit-price 0.00002 --from 2026-10-01');
    await done('prices set volume_storage_gbs --unit-price 7 --from 2098-01-01');
    expect(
      await results([free(31, { time: '2026-10-15T00:00:00Z' }), free(32, { time: '2098-01-01T00:00:00Z' })]),
    ).toEqual([accepted, accepted]);
    await done('prices delete volume_storage_gbs --from 2098-01-01');
  });

  it.each([
    'prices set no_such --unit-price 1 --from 2030-01-01',
    'prices set volume_storage_gbs --unit-price -1 --from 2030-01-01',
    'prices set volume_storage_gbs --unit-price 0.0000000000001 --from 2030-01-01',
    'prices set volume_storage_gbs --unit-price 1000001 --from 2030-01-01',
    'prices set volume_storage_gbs --unit-price 1 --from tomorrow',
    'prices set volume_storage_gbs --unit-price 1 --from 2030-01-01 --currency EUR',
  ])('is rejected: %s', async (line) => {
    const before = await done('--json prices list');
    expect(await refused(line)).not.toBe('');
    expect(await done('--json prices list')).toBe(before);
  });

  it('is returned with its dimension to callers who may read metrics', async () => {
    const { billingDimensions } = await settings(
      'billingDimensions { name unit price { unitPrice currency from } prices { unitPrice } }',
    );
    expect(billingDimensions).toContainEqual({
      name: 'volume_storage_gbs',
      unit: 'gbs',
      price: { unitPrice: '0.0000115', currency: 'USD', from: '2026-11-01T00:00:00.000Z' },
      prices: [{ unitPrice: '0.00002' }, { unitPrice: '0.0000115' }],
    });
    expect(billingDimensions).toHaveLength(14);
    const { token } = await createToken(running.app, owner.tenant, 'usage:write');
    const { body } = await askAccount(
      running.app,
      { ...owner, key: token },
      'metricsSettings { billingDimensions { name } groupByMax }',
    );
    expect(JSON.stringify(body)).not.toContain('volume_storage_gbs');
  });
});
