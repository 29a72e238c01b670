// The events behind account metrics: those of a bucket add up to it, and pages neither skip nor repeat one.
import { beforeAll, describe, expect, it } from 'vitest';
import { createRandom } from '../../src/demo/random.js';
import { encodeGlobalId } from '../../src/api/graphql/global-id.js';
import { readOfReplica } from '../../src/auth/context.js';
import { listUsageEvents } from '../../src/billing/usage-events.js';
import type { Prisma } from '../../src/database/client/client.js';
import { orRollBack } from '../../src/database/roll-back.js';
import { openContext } from '../../src/http/open-context.js';
import { dropUsageBefore } from '../../src/metering/usage-retention.js';
import { amendUsage, voidUsage } from '../../src/metering/usage-adjustments.js';
import { rollUpUsage } from '../../src/metering/usage-rollup.js';
import { recordUsage } from '../../src/metering/usage.js';
import { createKey, createToken, frozenNow, graphql, useApp } from '../harness.js';
import { createOwner, mixedUsage } from '../metering/usage-mixture.js';
import type { Owner } from '../metering/usage-mixture.js';
import { usageEvent } from '../metering/usage-samples.js';
import { units } from './recount.js';
import type { PlainEvent } from './recount.js';

const running = useApp();
let owner: Owner;
let foreign: Owner;

interface Contents {
  time: string;
  workspace: string;
  resourceType: string;
  resourceName: string;
  resourceUuid: string | null;
  billingDimension: string;
  usage: string;
  cost: string;
}

interface Listed extends Contents {
  source: string;
  eventId: string;
  state: string;
  arrivedAt: string;
  unitPrice: string | null;
  isPriceOfDimension: boolean;
  corrections: {
    action: string;
    correctedAt: string;
    correctedBy: string | null;
    reason: string | null;
    before: Contents | null;
  }[];
}

interface Page {
  totalCount: number;
  filteredCount: number;
  totalCost: string;
  keptFrom: string | null;
  nodes: Listed[];
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string | null; endCursor: string | null };
}

const contents = 'time workspace: workspaceName resourceType resourceName resourceUuid billingDimension usage cost';
const query = `query ($account: ID!, $first: Int, $after: String, $last: Int, $before: String, $startTime: DateTime, $endTime: DateTime,
  $workspace: String, $resourceType: String, $resourceName: String, $resourceUuid: String, $billingDimension: String,
  $source: String, $eventId: String, $state: UsageEventState) {
  account(id: $account) {
    usageEvents(first: $first, after: $after, last: $last, before: $before, startTime: $startTime, endTime: $endTime,
      workspace: $workspace, resourceType: $resourceType, resourceName: $resourceName, resourceUuid: $resourceUuid,
      billingDimension: $billingDimension, source: $source, eventId: $eventId, state: $state) {
      totalCount filteredCount totalCost keptFrom
      nodes {
        ${contents} source eventId state arrivedAt unitPrice isPriceOfDimension
        corrections { action correctedAt correctedBy reason before { ${contents} } }
      }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    }
  }
}`;

async function answerOf(variables: object, { accountId, key } = owner) {
  const account = encodeGlobalId('Account', accountId);
  return (await graphql(running.app, key, query, { account, ...variables })).body;
}

async function pageOf(variables: object, as = owner): Promise<Page> {
  const body = await answerOf(variables, as);
  if (body.errors !== undefined) throw new Error(JSON.stringify(body.errors));
  return body.data.account.usageEvents;
}

/** All events, in pages of a size. */
async function allOf(variables: object, { size = 200, between = async () => {}, as = owner } = {}): Promise<Listed[]> {
  const found: Listed[] = [];
  for (let after: string | null = null; ;) {
    const page: Page = await pageOf({ first: size, after, ...variables }, as);
    found.push(...page.nodes);
    if (!page.pageInfo.hasNextPage) return found;
    after = page.pageInfo.endCursor;
    await between();
  }
}

async function allBackward(variables: object, size: number): Promise<Listed[]> {
  const found: Listed[] = [];
  for (let before: string | null = null; ;) {
    const page: Page = await pageOf({ last: size, before, ...variables });
    found.unshift(...page.nodes);
    if (!page.pageInfo.hasPreviousPage) return found;
    before = page.pageInfo.startCursor;
  }
}

const identities = (events: readonly { source: string; eventId: string }[]) =>
  events.map(({ source, eventId }) => `${source} ${eventId}`);
/** An amount in the smallest units, also a negative one. */
const amount = (text: string, digits: number) =>
  text.startsWith('-') ? -units(text.slice(1), digits) : units(text, digits);
const sum = (costs: readonly string[]) => costs.reduce((total, cost) => total + amount(cost, 9), 0n);

const reason = 'the meter was wrong';
const account = 'northwind';
const correct = {
  voided: async (ids: string[], source = 'meter') => voidUsage(owner.ctx, { account, source, ids, reason }),
  amended: async (events: PlainEvent[]) => amendUsage(owner.ctx, { account, events, reason }),
};

const events = mixedUsage(240, account, ['main', 'side']);
const free = usageEvent(0, { id: 'free' });

beforeAll(async () => {
  const { app } = running;
  const { db } = app.services;
  owner = await createOwner(app, account, ['main', 'side']);
  foreign = await createOwner(app, 'southwind', ['south']);
  await db.billingDimension.create({
    data: { name: 'returned', unit: 'USD', kind: 'credit', resourceTypes: ['sandbox'] },
  });
  await db.billingDimension.create({ data: { name: 'tokens', unit: 'tokens', resourceTypes: ['agent'] } });
  const from = new Date('2026-10-01T00:00:00Z');
  await db.billingPrice.create({
    data: { billingDimension: 'tokens', from, currency: 'USD', unitPrice: 2_500_000n },
  });
  await recordUsage(foreign.ctx, [usageEvent(1, { account: 'southwind', workspace: 'south' })]);
  await recordUsage(owner.ctx, events.slice(0, 150));
  await rollUpUsage(db, app.services.usageMemory, owner.accountId, app.clock.now);
  await recordUsage(owner.ctx, events.slice(150));
  const credits = Array.from({ length: 5 }, (_, n) =>
    usageEvent(n, { id: `credit-${n}`, billingDimension: 'returned', usage: '-1', cost: `-${n}.000000007` }),
  );
  await recordUsage(owner.ctx, credits);
  await correct.voided(Array.from({ length: 30 }, (_, n) => `event-${n * 7}`));
  const amended = events.filter((_, n) => n % 11 === 3);
  await correct.amended(
    amended.map((event, n) => ({
      ...event,
      time: new Date(Date.UTC(2026, 9, 3 + n, 5, 17)).toISOString(),
      cost: `${n}.000000001`,
      workspace: event.workspace === 'main' ? 'side' : 'main',
      resourceName: 'moved',
    })),
  );
});

describe('The events of a bucket', () => {
  const window = { startTime: '2026-10-02T10:20:30.123456789Z', endTime: '2026-11-19T08:09:10.5Z' };
  const metrics = `query ($account: ID!, $startTime: DateTime!, $endTime: DateTime!, $resolution: MetricsResolution, $groupBy: [MetricsDimension!], $timeZone: String) {
    account(id: $account) {
      metrics(startTime: $startTime, endTime: $endTime, resolution: $resolution, groupBy: $groupBy, timeZone: $timeZone) {
        summary { totalCost }
        entries(first: 100) { nodes {
          workspace: workspaceName resourceType resourceName resourceUuid billingDimension cost usage
          timeseries { timestamp cost usage }
        } }
      }
    }
  }`;
  const fieldOf: Record<string, string> = {
    WORKSPACE: 'workspace',
    RESOURCE_TYPE: 'resourceType',
    RESOURCE_NAME: 'resourceName',
    RESOURCE_UUID: 'resourceUuid',
    BILLING_DIMENSION: 'billingDimension',
  };

  it.each([
    { groupBy: ['BILLING_DIMENSION'], resolution: 'WEEKLY' },
    { groupBy: ['WORKSPACE', 'RESOURCE_TYPE', 'BILLING_DIMENSION'], resolution: 'MONTHLY' },
    { groupBy: ['RESOURCE_NAME', 'BILLING_DIMENSION'], resolution: 'MONTHLY' },
    { groupBy: ['RESOURCE_UUID', 'RESOURCE_NAME', 'BILLING_DIMENSION'], resolution: 'MONTHLY' },
    { groupBy: ['BILLING_DIMENSION'], resolution: 'MONTHLY', timeZone: 'America/New_York' },
    { groupBy: ['RESOURCE_TYPE'], resolution: 'DAILY' },
    // Hundreds of requests, one after the other.
  ])(
    'add up to its cost and usage: $groupBy, $resolution',
    { timeout: 120_000 },
    async ({ groupBy, resolution, timeZone }) => {
      const variables = {
        account: encodeGlobalId('Account', owner.accountId),
        ...window,
        groupBy,
        resolution,
        timeZone,
      };
      const { body } = await graphql(running.app, owner.key, metrics, variables);
      expect(body.errors).toBeUndefined();
      const entries = body.data.account.metrics.entries.nodes;
      expect(entries.length).toBeGreaterThan(3);
      let buckets = 0;
      for (const entry of entries) {
        const filters = Object.fromEntries(
          groupBy.map((name) => [fieldOf[name] ?? '', entry[fieldOf[name] ?? '']]).filter(([, value]) => value),
        );
        const isWhole = groupBy.every((name) => entry[fieldOf[name] ?? '']);
        const found = await allOf({ ...window, ...filters });
        const own = isWhole ? found : found.filter(({ resourceUuid }) => resourceUuid === null);
        expect(sum(own.map(({ cost }) => cost))).toBe(amount(String(entry.cost), 9));
        const series = entry.timeseries;
        for (const [index, { timestamp, cost, usage }] of series.entries()) {
          const from = index === 0 ? window.startTime : timestamp;
          const to = series[index + 1]?.timestamp ?? window.endTime;
          const inBucket = isWhole
            ? await allOf({ ...filters, startTime: from, endTime: to })
            : own.filter(({ time }) => Date.parse(time) >= Date.parse(from) && Date.parse(time) < Date.parse(to));
          expect(sum(inBucket.map((event) => event.cost))).toBe(amount(String(cost), 9));
          // Usage of several dimensions has no sum.
          const counted = inBucket.reduce((total, event) => total + amount(event.usage, 6), 0n);
          const isOneDimension = usage !== null && groupBy.includes('BILLING_DIMENSION');
          expect(isOneDimension ? amount(String(usage), 6) : counted).toBe(counted);
          if (inBucket.length > 0) buckets++;
        }
      }
      expect(buckets).toBeGreaterThan(5);
    },
  );

  it('are counted, with their cost, on every page', async () => {
    const page = await pageOf({ ...window, first: 1 });
    const all = await allOf(window);
    expect(page.totalCount).toBe(all.length);
    expect(page.filteredCount).toBe(all.length);
    expect(amount(page.totalCost, 9)).toBe(sum(all.map(({ cost }) => cost)));
  });
});

describe('Pages', () => {
  it('are newest first, forward and backward, and have each event once', async () => {
    const all = await allOf({}, { size: 13 });
    expect(all.length).toBe(events.length + 5);
    expect(new Set(identities(all)).size).toBe(all.length);
    const times = all.map(({ time }) => time.replace('Z', '').padEnd(29, '0'));
    expect(times).toEqual(times.toSorted().toReversed());
    expect(await allBackward({}, 17)).toEqual(all);
    expect(await allBackward({ billingDimension: 'volume_storage_gbs' }, 3)).toEqual(
      all.filter(({ billingDimension }) => billingDimension === 'volume_storage_gbs'),
    );
  });

  it.each([
    { name: 'all events', filter: {} },
    { name: 'events of a resource', filter: { resourceName: 'api' } },
    { name: 'events of a dimension', filter: { billingDimension: 'agent_async_requests_count' } },
    { name: 'amended events', filter: { state: 'AMENDED' } },
  ])('neither skip nor repeat while events are amended, voided and recorded: $name', async ({ name, filter }) => {
    const random = createRandom(name);
    const before = await allOf(filter);
    let round = 0;
    const paged = await allOf(filter, {
      size: 20,
      between: async () => {
        round++;
        const moved = events[random.below(events.length)] ?? free;
        await correct.amended([
          {
            ...moved,
            time: new Date(Date.UTC(2026, 9, 1 + random.below(45), 3)).toISOString(),
            cost: `${round}.5`,
            resourceName: random.pick(['api', 'web']),
          },
        ]);
        await correct.voided([`event-${random.below(240)}`]);
        await recordUsage(owner.ctx, [usageEvent(round, { id: `${name}-${round}`, time: '2026-11-20T11:00:00Z' })]);
      },
    });
    expect(round).toBeGreaterThan(0);
    expect(paged).toEqual(before);
  });

  it('end when the events of the first page were voided since', async () => {
    const page = await pageOf({ first: 3, state: 'ACTIVE' });
    const rest = (await allOf({ state: 'ACTIVE' })).slice(3);
    await correct.voided(page.nodes.map(({ eventId }) => eventId));
    const after = page.pageInfo.endCursor;
    expect((await pageOf({ first: 4, after, state: 'ACTIVE' })).nodes).toEqual(rest.slice(0, 4));
    expect((await pageOf({ first: 1, state: 'ACTIVE' })).nodes[0]?.eventId).toBe(rest[0]?.eventId);
  });

  it('reject a cursor of another filter', async () => {
    const { pageInfo } = await pageOf({ first: 1 });
    const body = await answerOf({ first: 1, after: pageInfo.endCursor, source: 'meter' });
    expect(body.errors[0].extensions.code).toBe('cursor_mismatch');
  });
});

describe('An event', () => {
  it('has its content, its arrival, and its identity stays when it is sent again', async () => {
    const event = usageEvent(5, { id: 'kept', time: '2026-11-18T10:00:00.123456789Z' });
    const arrival = new Date('2026-11-20T12:30:00.000Z');
    running.app.clock.now = arrival;
    await recordUsage(owner.ctx, [event]);
    running.app.clock.now = new Date('2026-11-20T13:00:00.000Z');
    await recordUsage(owner.ctx, [event, usageEvent(6, { id: 'kept' })]);
    const { account: _account, id, ...rest } = event;
    const listed = {
      ...rest,
      eventId: id,
      state: 'ACTIVE',
      arrivedAt: arrival.toISOString(),
      isPriceOfDimension: false,
      corrections: [],
    };
    expect((await pageOf({ source: 'meter', eventId: 'kept' })).nodes).toEqual([expect.objectContaining(listed)]);
    running.app.clock.now = frozenNow;
  });

  it('has the price of its dimension, or the price that its cost means', async () => {
    const tokens = { resourceType: 'agent', billingDimension: 'tokens', time: '2026-11-10T10:00:00Z', usage: '2000' };
    const { cost: _cost, ...priced } = usageEvent(1, { ...tokens, id: 'priced' });
    const given = usageEvent(1, { ...tokens, id: 'given', cost: '15' });
    const free = usageEvent(1, { ...tokens, id: 'nothing', usage: '0', cost: '0' });
    await recordUsage(owner.ctx, [priced, given, free]);
    const prices = async (eventId: string) => {
      const [event] = (await pageOf({ eventId })).nodes;
      return [event?.cost, event?.unitPrice, event?.isPriceOfDimension];
    };
    expect(await prices('priced')).toEqual(['0.005', '0.0000025', true]);
    expect(await prices('given')).toEqual(['15', '0.0075', false]);
    expect(await prices('nothing')).toEqual(['0', null, false]);
    await correct.voided(['priced', 'given']);
    expect(await prices('priced')).toEqual(['0', null, false]);
    expect(await prices('given')).toEqual(['0', null, false]);
  });

  it('has its corrections: when, by whom, why, and the contents before', async () => {
    const event = usageEvent(7, { id: 'corrected', time: '2026-11-12T10:00:00Z', cost: '15' });
    await recordUsage(owner.ctx, [event]);
    running.app.clock.now = new Date('2026-11-20T14:00:00.000Z');
    await amendUsage(owner.ctx, {
      account,
      events: [{ ...event, cost: '1.5', workspace: 'side' }],
      reason: 'too dear',
    });
    running.app.clock.now = new Date('2026-11-20T15:00:00.000Z');
    await voidUsage(owner.ctx, { account, source: 'meter', ids: ['corrected'], reason: 'a test' });
    running.app.clock.now = frozenNow;
    const { source: _source, id: _id, account: _account, ...before } = event;
    const correctedBy = owner.ctx.caller.principal.name;
    const [listed] = (await pageOf({ eventId: 'corrected' })).nodes;
    expect(listed).toMatchObject({ state: 'VOIDED', cost: '0', usage: '0', workspace: 'side' });
    expect(listed?.corrections).toEqual([
      {
        action: 'AMENDED',
        correctedAt: '2026-11-20T14:00:00.000Z',
        correctedBy,
        reason: 'too dear',
        before: { ...before, time: '2026-11-12T10:00:00.000Z' },
      },
      {
        action: 'VOIDED',
        correctedAt: '2026-11-20T15:00:00.000Z',
        correctedBy,
        reason: 'a test',
        before: { ...before, time: '2026-11-12T10:00:00.000Z', cost: '1.5', workspace: 'side' },
      },
    ]);
  });

  it('is found by each part of the filter', async () => {
    const all = await allOf({});
    const by = async (filter: object, matches: (event: Listed) => boolean) => {
      const found = await allOf(filter);
      expect(found.length).toBeGreaterThan(0);
      expect(found).toEqual(all.filter(matches));
    };
    await by({ state: 'VOIDED' }, ({ state }) => state === 'VOIDED');
    await by({ state: 'AMENDED' }, ({ state }) => state === 'AMENDED');
    await by({ state: 'ACTIVE' }, ({ state }) => state === 'ACTIVE');
    await by({ source: 'meter' }, ({ source }) => source === 'meter');
    await by({ workspace: 'side' }, ({ workspace }) => workspace === 'side');
    await by({ resourceType: 'volume' }, ({ resourceType }) => resourceType === 'volume');
    await by({ resourceName: '"' }, ({ resourceName }) => resourceName === '"');
    await by({ resourceUuid: '\u{1F69A}' }, ({ resourceUuid }) => resourceUuid === '\u{1F69A}');
    const startTime = '2026-10-20T12:00:00Z';
    await by({ startTime }, ({ time }) => Date.parse(time) >= Date.parse(startTime));
    await by({ endTime: startTime }, ({ time }) => Date.parse(time) < Date.parse(startTime));
  });

  it.each([
    [{ source: 'a\u0000' }, 'source must be 1 to 200 characters, without control characters'],
    [{ eventId: '' }, 'eventId must be 1 to 200 characters, without control characters'],
    [{ resourceName: '' }, 'resourceName must not be empty'],
    [{ startTime: '2026-11-02T00:00:00Z', endTime: '2026-11-02T00:00:00Z' }, 'endTime must be after startTime'],
    [{ billingDimension: 'unknown_one' }, 'billingDimension must be one of'],
  ])('is not searched with an invalid filter: %j', async (filter, message) => {
    const { errors } = await answerOf(filter);
    expect(errors[0].message).toContain(message);
    expect(errors[0].extensions.status).toBe(400);
  });
});

describe('Access to events', () => {
  async function memberOf(workspace: string, role: 'admin' | 'member' = 'member'): Promise<Owner> {
    const { db } = running.app.services;
    const { id: principalId } = await db.principal.create({ data: { kind: 'user', name: `${workspace}-${role}` } });
    const { accountId } = owner;
    await db.accountMember.create({ data: { accountId, principalId, role: 'member' } });
    await db.workspaceMember.create({
      data: { workspaceId: owner.tenant.workspaces[workspace] ?? '', principalId, role },
    });
    return { ...owner, key: (await createKey(running.app, { accountId, principalId })).key };
  }

  it('is to those of the own workspaces, without the contents before in another one', async () => {
    const event = usageEvent(8, { id: 'from-main', time: '2026-11-12T11:00:00Z', resourceName: 'secret-name' });
    await recordUsage(owner.ctx, [event]);
    const moved = { ...event, workspace: 'side', resourceName: 'open-name' };
    await amendUsage(owner.ctx, { account, events: [moved], reason: 'belongs to a secret customer' });
    const member = await memberOf('side');
    const own = await allOf({}, { as: member });
    expect(identities(own)).toEqual(identities((await allOf({})).filter(({ workspace }) => workspace === 'side')));
    expect(own.length).toBeGreaterThan(20);
    const [found] = (await pageOf({ eventId: 'from-main' }, member)).nodes;
    expect(found?.corrections).toEqual([
      { action: 'AMENDED', correctedAt: frozenNow.toISOString(), correctedBy: null, reason: null, before: null },
    ]);
    expect(JSON.stringify(own)).not.toMatch(/secret/);
    expect((await pageOf({ resourceName: 'secret-name' }, member)).nodes).toEqual([]);
    const page = await pageOf({ first: 1 }, member);
    expect(page.totalCount).toBe(own.length);
    expect(amount(page.totalCost, 9)).toBe(sum(own.map(({ cost }) => cost)));
  });

  it('is refused for a filter by workspace, like that of metrics', async () => {
    const member = await memberOf('side', 'admin');
    for (const workspace of ['side', 'main', 'none']) {
      const { errors } = await answerOf({ workspace }, member);
      expect(errors[0].extensions.code).toBe('access_denied');
    }
  });

  it('needs the scope metrics:read', async () => {
    const { token } = await createToken(running.app, owner.tenant, 'usage:write usage:correct');
    const query = '{ viewer { accounts { usageEvents(first: 1) { nodes { eventId } } } } }';
    const denied = (await graphql(running.app, token, query)).body;
    expect(denied.errors[0].message).toBe('This credential lacks the scope metrics:read.');
    const { token: reading } = await createToken(running.app, owner.tenant, 'metrics:read');
    const { body } = await graphql(running.app, reading, query);
    expect(body.data.viewer.accounts[0].usageEvents.nodes).toHaveLength(1);
  });

  it('of another account is neither given nor possible with its cursor', async () => {
    expect(identities(await allOf({}, { as: foreign }))).toEqual(['meter event-1']);
    const denied = await answerOf({}, { ...foreign, key: owner.key });
    expect(denied.data.account).toBeNull();
    const { pageInfo } = await pageOf({ first: 1 });
    const body = await answerOf({ after: pageInfo.endCursor }, foreign);
    expect(body.errors[0].extensions.code).toBe('cursor_mismatch');
  });
});

describe('Dropped events', () => {
  it('are named by keptFrom, and their corrections are dropped with them', async () => {
    const { db, usageMemory } = running.app.services;
    expect((await pageOf({ first: 1 })).keptFrom).toBeNull();
    await dropUsageBefore(db, usageMemory, '2026-11', frozenNow);
    const left = await allOf({});
    expect(left.length).toBeGreaterThan(50);
    expect(left.every(({ time }) => time >= '2026-11')).toBe(true);
    expect((await pageOf({ first: 1 })).keptFrom).toBe('2026-11-01T00:00:00.000Z');
    const corrections = await db.usageCorrection.findMany();
    const known = new Set(identities(left));
    expect(corrections.length).toBeGreaterThan(0);
    expect(corrections.every(({ source, id }) => known.has(`${source} ${id}`))).toBe(true);
  });
});

describe('Pages that are read from a replica', () => {
  it('have the corrections of the first page, also if the replica lacks them', async () => {
    const { app } = running;
    const { db } = app.services;
    const { accountId, ctx, key } = await createOwner(app, 'eastwind', ['east']);
    const of = { account: 'eastwind', workspace: 'east' };
    await recordUsage(ctx, [
      usageEvent(1, { ...of, id: 'older', time: '2026-11-10T00:00:00Z' }),
      usageEvent(2, { ...of, id: 'newer', time: '2026-11-11T00:00:00Z' }),
    ]);
    const asked = {
      size: 1,
      direction: 'forward',
      fields: { cursor: 'after' },
      wanted: { items: true, sums: false },
    } as const;
    await voidUsage(ctx, { account: 'eastwind', source: 'meter', ids: ['older'], reason });
    const first = await listUsageEvents(ctx, accountId, {}, asked);
    const [newer] = first.items;
    const cursor = newer && first.cursors.encode(newer.position);
    /** Answers like a replica that does not have the correction yet. */
    const readBefore = (statement: Prisma.Sql) =>
      orRollBack<string>((rollBack) =>
        db.$begin(async (tx) => {
          await tx.$executeRaw`UPDATE "usage_event" SET "voided" = FALSE WHERE "account_id" = ${accountId}::uuid`;
          await tx.$executeRaw`DELETE FROM "usage_correction" WHERE "account_id" = ${accountId}::uuid`;
          await tx.$executeRaw`DELETE FROM "usage_correction_head" WHERE "account_id" = ${accountId}::uuid`;
          return rollBack(await tx.$text(statement));
        }),
      );
    const unused = { wrote: () => {}, look: async () => undefined, behindMs: () => 0, close: () => {} };
    const replica = { ...unused, readerFor: () => readBefore };
    const far = await openContext({ ...app.services, replica }, { authorization: `Bearer ${key}` }, 'test');
    readOfReplica(far);
    const second = await listUsageEvents(far, accountId, {}, { ...asked, cursor });
    expect(second.items).toMatchObject([{ eventId: 'older', state: 'voided' }]);
  });
});
