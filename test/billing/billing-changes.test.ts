// The billing catalog: permissions of platform admins, and its effect on all processes and the command line.
import { isInputObjectType } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { runCommandLine } from '../../src/cli/run.js';
import { schema } from '../../src/api/graphql/server/schema.js';
import { tokenSettings } from '../../src/server/create-services.js';
import { createKey, createToken, freshDatabase, graphql, startOn, useApp } from '../harness.js';
import type { TestApp } from '../harness.js';
import { historyOf, keyOfSomebody, mutate, problemsOf, startedInTurn } from '../resources/mutations.js';
import { wholeState } from '../resources/whole-state.js';
import { sendUsage } from '../metering/usage-http.js';
import { createOwner } from '../metering/usage-mixture.js';
import type { Owner } from '../metering/usage-mixture.js';
import { usageEvent } from '../metering/usage-samples.js';

const running = useApp({ PLATFORM_ACCOUNT: 'platform' });
let platform: Owner;
let customer: Owner;

beforeAll(async () => {
  platform = await createOwner(running.app, 'platform', ['ours']);
  customer = await createOwner(running.app, 'northwind', ['main']);
  // Behind the database's clock, by which things are retired.
  running.app.clock.now = new Date('2099-12-01T00:00:00Z');
});

const db = () => running.app.services.db;
const dimensionFields = 'name unit kind description resourceTypes isBuiltIn isInUse retiredFrom prices { unitPrice }';
const payloads: Record<string, string> = {
  BillingDimension: `billingDimension { ${dimensionFields} }`,
  ResourceType: 'resourceType { name description isBuiltIn isInUse retiredFrom }',
  Price: 'price { from currency unitPrice }',
};
const change = (mutation: string, input: object, key = platform.key) =>
  mutate(running.app, key, mutation, payloads[mutation.replace(/^[a-z]+/, '')] ?? '', input);

const tokens = (name: string, more: object = {}) => ({ name, unit: 'tokens', resourceTypes: ['agent'], ...more });
const own = (n: number, billingDimension: string, more: object = {}) =>
  usageEvent(n, { resourceType: 'agent', billingDimension, ...more });
const send = async (app: TestApp, events: unknown[]) => (await sendUsage(app, customer.key, events)).body.results;
const listed = async (name: string, key = platform.key) => {
  const query = `{ account(name: "${key === platform.key ? 'platform' : 'northwind'}") { metricsSettings {
    billingDimensions { ${dimensionFields} } resourceTypes { name description isBuiltIn isInUse retiredFrom } } } }`;
  const { body } = await graphql(running.app, key, query);
  expect(body.errors).toBeUndefined();
  const { billingDimensions: dimensions, resourceTypes } = body.data.account.metricsSettings;
  return [...dimensions, ...resourceTypes].find((each) => each.name === name);
};

/** So long ago that no request has cached it. */
const settle = (name: string) =>
  db().billingDimension.update({ where: { name }, data: { retiredAt: new Date('2026-01-01T00:00:00Z') } });

async function run(line: string) {
  const { services, config } = running.app;
  return runCommandLine({ ...services, tokens: tokenSettings(config), folder: '/' }, line.split(' '));
}

describe('A billing dimension', () => {
  it('is created, effective immediately, retired and deleted, each with a change record', async () => {
    expect(await send(running.app, [own(1, 'words')])).toMatchObject([{ outcome: 'invalid' }]);
    const made = await change('createBillingDimension', tokens('words', { description: 'Words', kind: 'USAGE' }));
    expect(made.billingDimension).toEqual({
      ...tokens('words'),
      kind: 'USAGE',
      description: 'Words',
      isBuiltIn: false,
      isInUse: false,
      retiredFrom: null,
      prices: [],
    });
    expect(await send(running.app, [own(1, 'words')])).toEqual([{ outcome: 'accepted' }]);
    expect(await listed('words')).toEqual({ ...made.billingDimension, isInUse: true });
    const { billingDimension: dimension } = await change('retireBillingDimension', { name: 'words' });
    expect(dimension).toMatchObject({ name: 'words', isInUse: true, retiredFrom: expect.any(String) });
    expect((await change('retireBillingDimension', { name: 'words' })).billingDimension).toEqual(dimension);
    await settle('words');
    expect(await change('deleteBillingDimension', { name: 'words' })).toMatchObject({
      code: 'in_use',
      message: expect.stringContaining('The billing dimension words has usage'),
    });
    // The price at the time of the event applies, not a later one.
    const late = { time: '2025-01-01T00:00:00Z' };
    expect(await send(running.app, [own(2, 'words'), own(3, 'words', late)])).toMatchObject([
      { outcome: 'invalid', field: 'billingDimension' },
      { outcome: 'accepted' },
    ]);
    await change('createBillingDimension', tokens('unused'));
    expect(await change('deleteBillingDimension', { name: 'unused' })).toMatchObject({
      code: 'conflict',
      message: 'Retire the billing dimension unused first.',
    });
    await change('retireBillingDimension', { name: 'unused' });
    // A concurrent request that records usage may have read the dimension before.
    expect(await change('deleteBillingDimension', { name: 'unused' })).toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('Try again in a minute'),
    });
    await settle('unused');
    await change('setPrice', { dimension: 'unused', unitPrice: '1', from: '2026-01-01T00:00:00Z' });
    const removed = await change('deleteBillingDimension', { name: 'unused' });
    expect(removed.billingDimension.prices).toEqual([{ unitPrice: '1' }]);
    expect(await listed('unused')).toBeUndefined();
    expect(await db().billingPrice.count({ where: { billingDimension: 'unused' } })).toBe(0);
    const told = (await historyOf(running.app, platform.tenant)).filter(({ verb }) => verb !== 'denied');
    expect(told.map(({ kind, verb, name, api }) => `${kind} ${verb} ${name} ${api}`)).toEqual([
      'BILLING_DIMENSION created words graphql',
      'BILLING_DIMENSION retired words graphql',
      'BILLING_DIMENSION created unused graphql',
      'BILLING_DIMENSION retired unused graphql',
      'PRICE created unused graphql',
      'BILLING_DIMENSION deleted unused graphql',
    ]);
    expect(told[1]).toMatchObject({ actorName: 'owner@platform.example.com', fields: ['retiredFrom'] });
    expect(await historyOf(running.app, customer.tenant)).toEqual([]);
  });

  it('is not in use, and can be deleted, if its events were rejected', async () => {
    const { accountId } = customer;
    await change('createResourceType', { name: 'robot' });
    await change('createBillingDimension', tokens('steps', { resourceTypes: ['robot'] }));
    const close = (closedBefore: number) =>
      db().usageAccount.upsert({ where: { accountId }, create: { accountId, closedBefore }, update: { closedBefore } });
    await close(Date.parse('2026-01-01') / 3_600_000);
    const closed = own(61, 'steps', { resourceType: 'robot', time: '2025-01-01T00:00:00Z' });
    expect(await send(running.app, [closed])).toMatchObject([{ outcome: 'invalid', field: 'time' }]);
    await close(0);
    for (const name of ['steps', 'robot']) expect(await listed(name)).toMatchObject({ isInUse: false });
    await change('retireBillingDimension', { name: 'steps' });
    await settle('steps');
    expect(await change('deleteBillingDimension', { name: 'steps' })).toMatchObject({
      billingDimension: { name: 'steps' },
    });
    await change('retireResourceType', { name: 'robot' });
    expect(await change('deleteResourceType', { name: 'robot' })).toMatchObject({ resourceType: { name: 'robot' } });
  });

  it('of credits reduces the cost', async () => {
    await change('createBillingDimension', tokens('goodwill', { kind: 'CREDIT' }));
    const back = own(50, 'goodwill', { usage: '-1', cost: '-2' });
    expect(await send(running.app, [{ ...back, cost: '2' }, back])).toMatchObject([
      { outcome: 'invalid', field: 'cost' },
      { outcome: 'accepted' },
    ]);
  });

  it.each([
    [{ name: 'Tokens', unit: 'two words', resourceTypes: [] }, ['name', 'unit', 'resourceTypes']],
    [tokens('a\0b', { description: 'x'.repeat(201) }), ['name', 'description']],
    [tokens('fine', { description: 'a\0b', resourceTypes: ['agent', 'No Type'] }), ['description', 'resourceTypes.1']],
    [tokens('fine', { resourceTypes: Array.from({ length: 101 }, (_, n) => `t${n}`) }), ['resourceTypes']],
  ])('returns all validation errors: %j', async (input, paths) => {
    const answer = await change('createBillingDimension', input);
    expect(answer.__typename).toBe('InvalidInputError');
    expect(problemsOf(answer).map((problem) => problem.split(' ')[0])).toEqual(paths);
  });

  it('of the specification cannot change, and its name is reserved', async () => {
    const name = 'volume_storage_gbs';
    const message = `The billing dimension ${name} is built in and cannot be changed.`;
    expect(await change('createBillingDimension', tokens(name))).toMatchObject({ code: 'conflict', message });
    for (const mutation of ['retireBillingDimension', 'deleteBillingDimension']) {
      expect(await change(mutation, { name })).toMatchObject({ code: 'conflict', message });
    }
    expect(await listed(name)).toMatchObject({ isBuiltIn: true, isInUse: false, retiredFrom: null });
  });

  it('is created once by twelve concurrent callers of the same name, and deleted once', async () => {
    const twelve = <Result>(act: () => Promise<Result>) => Promise.all(Array.from({ length: 12 }, act));
    const codesOf = (answers: { code?: string }[]) => answers.map(({ code = 'done' }) => code).toSorted();
    const made = await twelve(() => change('createBillingDimension', tokens('race')));
    expect(codesOf(made)).toEqual(['done', ...Array.from({ length: 11 }, () => 'name_taken')]);
    await change('retireBillingDimension', { name: 'race' });
    await settle('race');
    const removed = await twelve(() => change('deleteBillingDimension', { name: 'race' }));
    expect(codesOf(removed)).toEqual(['done', ...Array.from({ length: 11 }, () => 'not_found')]);
  });
});

describe('A resource type', () => {
  it('is created, retired, and deleted if it has no usage', async () => {
    expect((await change('createResourceType', { name: 'gpu', description: 'Accelerators' })).resourceType).toEqual({
      name: 'gpu',
      description: 'Accelerators',
      isBuiltIn: false,
      isInUse: false,
      retiredFrom: null,
    });
    expect(await change('createResourceType', { name: 'gpu' })).toMatchObject({ code: 'name_taken' });
    expect(await change('createResourceType', { name: 'sandbox' })).toMatchObject({ code: 'conflict' });
    expect(problemsOf(await change('createResourceType', { name: 'a b', description: '\n' }))).toHaveLength(2);
    expect(await change('deleteResourceType', { name: 'gpu' })).toMatchObject({ code: 'conflict' });
    await change('createBillingDimension', tokens('gpu_hours', { resourceTypes: ['gpu', 'gpu'] }));
    expect((await change('retireResourceType', { name: 'gpu' })).resourceType.retiredFrom).toEqual(expect.any(String));
    expect(await change('deleteResourceType', { name: 'gpu' })).toMatchObject({
      code: 'in_use',
      message: expect.stringContaining('The billing dimension gpu_hours is of the resource type gpu'),
    });
    expect((await listed('gpu_hours')).resourceTypes).toEqual(['gpu']);
    await change('retireBillingDimension', { name: 'gpu_hours' });
    await settle('gpu_hours');
    await change('deleteBillingDimension', { name: 'gpu_hours' });
    expect((await change('deleteResourceType', { name: 'gpu' })).resourceType).toMatchObject({ name: 'gpu' });
    expect(await change('retireResourceType', { name: 'gpu' })).toMatchObject({ code: 'not_found' });
    expect(await change('retireResourceType', { name: 'a\0b' })).toMatchObject({ code: 'not_found' });
  });
});

describe('A price', () => {
  const dimension = 'sandbox_compute_runtime_gbs';
  const free = (n: number) => {
    const { cost: _cost, ...event } = usageEvent(n, { source: 'priced', usage: '3' });
    return event;
  };

  it('applies to usage immediately, and cannot change while it is in effect', async () => {
    expect(await send(running.app, [free(1)])).toMatchObject([{ outcome: 'invalid', field: 'cost' }]);
    const first = { dimension, unitPrice: 0.0000115, from: '2026-11-01T02:00:00+02:00' };
    expect((await change('setPrice', first)).price).toEqual({
      from: '2026-11-01T00:00:00.000Z',
      currency: 'USD',
      unitPrice: '0.0000115',
    });
    expect(await send(running.app, [free(1), { ...free(1), cost: '0.0000345' }])).toEqual([
      { outcome: 'accepted' },
      { outcome: 'duplicate', message: 'the event was recorded before and counts once' },
    ]);
    for (const from of ['2026-11-01T00:00:00Z', '2026-11-02T00:00:00Z', new Date().toISOString()]) {
      expect(await change('setPrice', { dimension, unitPrice: '9', from })).toMatchObject({ code: 'conflict' });
    }
    expect(await change('deletePrice', { dimension, from: first.from })).toMatchObject({ code: 'conflict' });
    expect(await change('deletePrice', { dimension, from: '2026-11-03T00:00:00Z' })).toMatchObject({
      code: 'not_found',
    });
    const later = { dimension, from: '2098-01-01T00:00:00Z' };
    await change('setPrice', { ...later, unitPrice: '7', currency: 'USD' });
    expect((await change('deletePrice', later)).price).toMatchObject({ unitPrice: '7' });
    expect((await listed(dimension)).prices).toEqual([{ unitPrice: '0.0000115' }]);
  });

  it('returns all validation errors', async () => {
    const wrong = { dimension, unitPrice: '-1', from: '1999-01-01T00:00:00Z', currency: 'EUR' };
    const answer = await change('setPrice', wrong);
    expect(problemsOf(answer)).toEqual(['currency invalid_value', 'unitPrice invalid_value', 'from invalid_value']);
    for (const from of ['1999-12-31T23:59:59Z', '2101-01-01T00:00:00Z', '9999-12-31T23:59:59Z']) {
      expect(problemsOf(await change('deletePrice', { dimension, from }))).toEqual(['from invalid_value']);
    }
    for (const fraction of ['0001', '1234', '999999', '000000001']) {
      const which = { dimension, from: `2098-01-01T00:00:00.${fraction}Z` };
      expect(problemsOf(await change('deletePrice', which))).toEqual(['from invalid_value']);
      expect(problemsOf(await change('setPrice', { ...which, unitPrice: '1' }))).toEqual(['from invalid_value']);
    }
    const millisecond = { dimension, from: '2098-01-01T00:00:00.120000000Z' };
    expect((await change('setPrice', { ...millisecond, unitPrice: '1' })).price.from).toBe('2098-01-01T00:00:00.120Z');
    expect((await change('deletePrice', millisecond)).price.unitPrice).toBe('1');
    const fine = '0.0000000000001';
    expect(problemsOf(await change('setPrice', { ...wrong, unitPrice: fine }))).toHaveLength(3);
    for (const unknown of ['no_such', 'a\0b']) {
      const which = { dimension: unknown, from: '2098-01-01T00:00:00Z' };
      expect(await change('setPrice', { ...which, unitPrice: '1' })).toMatchObject({ code: 'not_found' });
      expect(await change('deletePrice', which)).toMatchObject({ code: 'not_found' });
    }
  });

  it.each(['raced', 'volume_storage_gbs'])(
    'of %s gets a start time after concurrent usage, and applies from then onwards',
    async (raced) => {
      if (raced === 'raced') await change('createBillingDimension', tokens(raced));
      const set = (year: number) => () =>
        change('setPrice', { dimension: raced, unitPrice: '1', from: `${year}-01-01T00:00:00Z` });
      const years = [2012, 2014, 2010];
      const answers = await startedInTurn(running.app, platform.accountId, years.map(set));
      expect(answers.map(({ code = 'set' }) => code)).toEqual(['set', 'conflict', 'set']);
    },
  );

  it('is deleted with its dimension, also if both happen concurrently', async () => {
    const raced = { dimension: 'going', unitPrice: '1', from: '2012-01-01T00:00:00Z' };
    await change('createBillingDimension', tokens('going'));
    await change('retireBillingDimension', { name: 'going' });
    await settle('going');
    const [set, removed] = await startedInTurn(running.app, platform.accountId, [
      () => change('setPrice', raced),
      () => change('deleteBillingDimension', { name: 'going' }),
    ]);
    expect(set.price.unitPrice).toBe('1');
    expect(removed.billingDimension.name).toBe('going');
    expect(await db().billingPrice.count({ where: { billingDimension: 'going' } })).toBe(0);
    expect(await change('setPrice', raced)).toMatchObject({ code: 'not_found' });
  });
});

describe('A platform admin', () => {
  const input = { name: 'theirs', unit: 'tokens', resourceTypes: ['agent'] };

  it('is an admin of the platform account with an unconfined token or key, and nobody else', async () => {
    const { app } = running;
    const { tenant } = platform;
    const confined = await createKey(app, { ...tenant, workspaceId: tenant.workspaces['ours'] ?? '' });
    const refused = {
      customer: customer.key,
      member: await keyOfSomebody(app, tenant, { account: 'member', workspace: 'ours', role: 'admin' }),
      viewer: await keyOfSomebody(app, tenant, { account: 'viewer' }),
      confined: confined.key,
    };
    const before = await wholeState(db());
    for (const [who, key] of Object.entries(refused)) {
      // Unauthorized callers learn neither whether it exists, nor what is wrong with the input.
      for (const given of [input, { ...input, name: 'words' }, { ...input, unit: '' }]) {
        const answer = await change('createBillingDimension', given, key);
        expect({ who, ...answer }).toMatchObject({
          who,
          __typename: 'ForbiddenError',
          message: 'Only an admin of the platform can do this.',
        });
      }
    }
    const { token: narrow } = await createToken(app, tenant, 'metrics:read usage:write');
    expect(await change('createBillingDimension', input, narrow)).toMatchObject({ code: 'forbidden' });
    expect(await wholeState(db())).toEqual(before);
    const { token } = await createToken(app, tenant, 'admin');
    expect(await change('createBillingDimension', input, token)).toMatchObject({
      billingDimension: { name: 'theirs' },
    });
    expect(await listed('words', customer.key)).toMatchObject({ name: 'words', isInUse: null });
  });

  it('is determined by the account name, which no mutation can change', () => {
    const ofAccounts = Object.keys(schema.getMutationType()?.getFields() ?? {}).filter((name) =>
      /(?<!Service)Accounts?$/.test(name),
    );
    expect(ofAccounts).toEqual(['createAccount', 'deleteAccount', 'leaveAccount', 'updateAccount']);
    const changeable = schema.getType('AccountMetadataUpdateInput');
    expect(isInputObjectType(changeable) && Object.keys(changeable.getFields())).toEqual(['displayName']);
  });

  it('does not exist if no platform account is configured, or it does not exist', async () => {
    for (const settings of [{}, { PLATFORM_ACCOUNT: 'plattform' }]) {
      const fresh = await freshDatabase();
      const { app, stop } = await startOn({ ...fresh.settings, ...settings });
      try {
        const owner = await createOwner(app, 'platform', ['ours']);
        const answer = await mutate(app, owner.key, 'createBillingDimension', '__typename', input);
        expect(answer).toMatchObject({ code: 'forbidden', message: 'Only an admin of the platform can do this.' });
        const created = await mutate(app, owner.key, 'createAccount', '__typename', {
          metadata: { name: 'plattform' },
        });
        expect(created).toMatchObject({ code: 'forbidden' });
        const text = await (await fetch(`${app.origin}/readyz?verbose`)).text();
        expect(text.includes('the account of PLATFORM_ACCOUNT does not exist')).toBe('PLATFORM_ACCOUNT' in settings);
        expect(text).toMatch(/\nready\n/);
      } finally {
        await stop();
        await fresh.remove();
      }
    }
  });

  it('reads recent changes of other processes', async (context) => {
    const { DATABASE_URL, SERVICE_SECRETS } = running.app.config;
    // An embedded database has only one process.
    if (DATABASE_URL === undefined || SERVICE_SECRETS === undefined) return context.skip();
    const other = await startOn({ DATABASE_URL, SERVICE_SECRETS: SERVICE_SECRETS.join(',') });
    other.app.clock.now = running.app.clock.now;
    try {
      expect(await send(other.app, [own(70, 'elsewhere')])).toMatchObject([{ outcome: 'invalid' }]);
      await change('createBillingDimension', tokens('elsewhere'));
      expect(await send(other.app, [own(70, 'elsewhere')])).toEqual([{ outcome: 'accepted' }]);
      await change('retireBillingDimension', { name: 'elsewhere' });
      const late = { time: '2099-01-01T00:00:00Z' };
      expect(await send(other.app, [own(71, 'elsewhere', late)])).toMatchObject([{ outcome: 'invalid' }]);
    } finally {
      await other.stop();
    }
  });
});

describe('The command line', () => {
  it('follows the same rules, and is recorded in the platform’s change log', async () => {
    const name = 'by_operator';
    expect((await run(`billing-dimensions create ${name} --unit calls --resource-types agent`)).stderr).toBe('');
    expect(await change('createBillingDimension', tokens(name))).toMatchObject({ code: 'name_taken' });
    await run(`prices set ${name} --unit-price 1 --from 2026-01-01`);
    await run(`billing-dimensions retire ${name}`);
    expect((await run(`billing-dimensions delete ${name}`)).stderr).toContain('Try again in a minute');
    await settle(name);
    expect((await run(`billing-dimensions delete ${name}`)).exitCode).toBe(0);
    const told = (await historyOf(running.app, platform.tenant)).filter((each) => each.name === name);
    expect(told.map(({ kind, verb, actorKind }) => `${kind} ${verb} ${actorKind}`)).toEqual([
      'BILLING_DIMENSION created operator',
      'PRICE created operator',
      'BILLING_DIMENSION retired operator',
      'BILLING_DIMENSION deleted operator',
    ]);
  });

  it('keeps the account while it is the platform account, and reports a missing one', async () => {
    const { services, config } = running.app;
    const kept = await run('accounts delete platform');
    expect(kept).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('PLATFORM_ACCOUNT names the account') });
    const admin = { ...services, platformAccount: 'plattform', tokens: tokenSettings(config), folder: '/' };
    const lost = await runCommandLine(admin, ['resource-types', 'create', 'nowhere']);
    expect(lost).toMatchObject({ exitCode: 1, stderr: 'PLATFORM_ACCOUNT: the account "plattform" does not exist\n' });
    expect(await listed('nowhere')).toBeUndefined();
  });
});
