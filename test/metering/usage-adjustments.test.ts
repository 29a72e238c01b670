// Usage that was recorded wrongly: voided or amended, it is as if it had been recorded so from the beginning, in every
// answer but the later pages of one that began before.
import { beforeAll, describe, expect, it } from 'vitest';
import { encodeGlobalId } from '../../src/api/graphql/global-id.js';
import { amendSelectedUsage, amendUsage, voidSelectedUsage, voidUsage } from '../../src/metering/usage-adjustments.js';
import { rollUpUsage } from '../../src/metering/usage-rollup.js';
import { recordUsage } from '../../src/metering/usage.js';
import { createKey, graphql, rest, useApp } from '../harness.js';
import { askMetrics, expectedBody, wordsOf } from '../billing/metrics-bodies.js';
import type { PlainEvent, PlainQuery } from '../billing/recount.js';
import { contextOf, createOwner, mixedUsage } from './usage-mixture.js';
import type { Owner } from './usage-mixture.js';
import { sumsExpected, sumsOf, usageEvent } from './usage-samples.js';

const running = useApp();
let owner: Owner;
/** The counted events by id. */
const counted = new Map<string, PlainEvent>();

beforeAll(async () => {
  owner = await createOwner(running.app, 'northwind', ['main', 'side']);
  const events = mixedUsage(160, 'northwind', ['main', 'side']);
  await recordUsage(owner.ctx, events.slice(0, 100));
  await rollUpUsage(running.app.services.db, running.app.services.usageMemory, owner.accountId, owner.ctx.now());
  await recordUsage(owner.ctx, events.slice(100));
  for (const event of events) counted.set(event.id, event);
});

const window = { startTime: '2026-10-02T10:20:30.123456789Z', endTime: '2026-11-19T08:09:10.500Z' };
const query = (resolution: PlainQuery['resolution'], groupBy: string[]): PlainQuery => ({
  ...window,
  resolution,
  groupBy,
  filters: {},
});
const queries = [
  query('monthly', []),
  query('daily', ['billing_dimension', 'workspace']),
  query('weekly', ['resource_uuid', 'billing_dimension']),
  query('daily', ['resource_name']),
];

async function expectRecount(): Promise<void> {
  await expectAnswers();
  expect(await sumsOf(owner.ctx, owner.accountId)).toEqual(sumsExpected(counted.values()));
}

async function expectAnswers(): Promise<void> {
  const events = [...counted.values()];
  for (const asked of queries) {
    expect((await askMetrics(running.app, owner, wordsOf(asked))).body).toEqual(expectedBody(events, asked));
  }
  const words = new URLSearchParams({ startTime: window.startTime, endTime: window.endTime }).toString();
  const path = `/accounts/${owner.accountId}/metrics/enums/resource-types?${words}`;
  const inWindow = events.filter(({ time }) => time >= window.startTime && time < window.endTime);
  expect((await rest(running.app, path, { key: owner.key })).body.values).toEqual(
    [...new Set(inWindow.map(({ resourceType }) => resourceType))].toSorted(),
  );
}

const account = 'northwind';
const reason = 'the meter counted twice';
const take = async (ids: string[], source = 'meter') =>
  (await voidUsage(owner.ctx, { account, source, ids, reason })).results;
const outcomes = (results: { outcome: string }[]) => results.map(({ outcome }) => outcome);

describe('Voided events', () => {
  it('count in no metrics, whether rolled up long ago, recently, or not yet', async () => {
    await expectRecount();
    const rolledUp = Array.from({ length: 40 }, (_, n) => `event-${n}`);
    const fresh = usageEvent(1, { id: 'fresh', time: '2026-11-05T10:20:00Z' });
    await recordUsage(owner.ctx, [fresh]);
    expect(outcomes(await take(['fresh', ...rolledUp]))).toEqual(['fresh', ...rolledUp].map(() => 'voided'));
    for (const id of rolledUp) counted.delete(id);
    await expectRecount();
  });

  it('leave no group without other events, and no resource type', async () => {
    const lonely = [...counted.values()].filter(({ resourceType }) => resourceType === 'volume');
    expect(lonely.length).toBeGreaterThan(3);
    await take(lonely.map(({ id }) => id));
    for (const { id } of lonely) counted.delete(id);
    await expectRecount();
  });

  it('stay known, and count nothing when sent or voided again', async () => {
    const known = [...counted.values()].findLast(({ id }) => id !== 'free');
    if (known === undefined) throw new Error('too few events');
    const { id } = known;
    expect(outcomes(await take([id, id, 'no such']))).toEqual(['voided', 'already_voided', 'not_found']);
    counted.delete(id);
    expect(outcomes(await recordUsage(owner.ctx, [known, usageEvent(2, { id })]))).toEqual(['duplicate', 'conflict']);
    expect(outcomes(await take([id]))).toEqual(['already_voided']);
    expect(outcomes(await take(['event-151'], 'another'))).toEqual(['not_found']);
    await expectRecount();
  });

  it.each(['a\0b', '\ud800'])('require a valid id: %j', async (name) => {
    // The replacement character that the database gets for half a surrogate pair.
    const alike = usageEvent(3, { id: '\ufffd', source: '\ufffd' });
    await recordUsage(owner.ctx, [alike]);
    expect(outcomes(await take([name], alike.source))).toEqual(['not_found']);
    expect(outcomes(await take([alike.id], name))).toEqual(['not_found']);
    counted.set(alike.id, alike);
    await expectRecount();
  });

  it('are voided once by concurrent callers', async () => {
    const ids = Array.from({ length: 20 }, (_, n) => `event-${60 + n}`);
    const present = ids.filter((id) => counted.has(id));
    for (const id of present) {
      const results = await Promise.all([take([id]), take([id]), take([id])]);
      expect(outcomes(results.flat()).toSorted()).toEqual(['already_voided', 'already_voided', 'voided']);
    }
    for (const id of present) counted.delete(id);
    await expectRecount();
  });

  it('stay in later pages of an earlier snapshot', async () => {
    const asked = query('weekly', ['resource_uuid', 'billing_dimension']);
    const before = [...counted.values()];
    const first = await askMetrics(running.app, owner, { ...wordsOf(asked), limit: '2' });
    const ids = [...counted.keys()].filter((id) => id.startsWith('event-9'));
    expect(ids.length).toBeGreaterThan(4);
    await take(ids);
    for (const id of ids) counted.delete(id);
    const cursor = first.body.meta.nextCursor;
    expect((await askMetrics(running.app, owner, { ...wordsOf(asked), cursor })).body).toEqual(
      expectedBody(before, asked, { from: 2, size: 100 }),
    );
    await expectRecount();
  });
});

describe('Amended events', () => {
  const amend = async (events: unknown[]) => (await amendUsage(owner.ctx, { account, events, reason })).results;

  it('count with their new hour, workspace, series and amount', async () => {
    const [one, two, three] = [...counted.values()];
    if (one === undefined || two === undefined || three === undefined) throw new Error('too few events');
    const changed = [
      { ...one, time: '2026-11-01T00:30:00.5Z', cost: '123.000000001' },
      { ...two, workspace: two.workspace === 'main' ? 'side' : 'main', resourceUuid: 'i-new', usage: '7' },
      { ...three },
    ];
    expect(outcomes(await amend([...changed, usageEvent(3, { id: 'no such' })]))).toEqual([
      'amended',
      'amended',
      'unchanged',
      'not_found',
    ]);
    for (const event of changed) counted.set(event.id, event);
    await expectRecount();
    expect(outcomes(await recordUsage(owner.ctx, [one, changed[0]]))).toEqual(['conflict', 'duplicate']);
    expect(outcomes(await take([one.id]))).toEqual(['voided']);
    expect(outcomes(await amend([one]))).toEqual(['already_voided']);
    counted.delete(one.id);
    await expectRecount();
  });

  it('have a result each, with field and rule, and report rounding', async () => {
    const [known] = [...counted.values()];
    if (known === undefined) throw new Error('too few events');
    expect(
      await amend([
        { ...known, cost: '-1' },
        { ...known, account: 'southwind' },
        { ...known, cost: '0.0000000015' },
        { ...known, cost: '5' },
      ]),
    ).toEqual([
      { outcome: 'invalid', field: 'cost', message: 'cost must be a decimal number of at least 0' },
      {
        outcome: 'invalid',
        field: 'account',
        message: 'account must be an account that the credential can record usage for',
      },
      { outcome: 'amended', rounded: ['cost'] },
      { outcome: 'invalid', field: 'id', message: 'id must be unique' },
    ]);
    counted.set(known.id, { ...known, cost: '0.000000002' });
    await expectRecount();
  });

  it('are reported as voided after a concurrent void', async () => {
    const events = Array.from({ length: 20 }, (_, n) => usageEvent(n, { id: `raced-${n}` }));
    await recordUsage(owner.ctx, events);
    for (const event of events) {
      const [voided, amended] = await Promise.all([take([event.id]), amend([{ ...event, cost: '7' }])]);
      expect(outcomes(voided)).toEqual(['voided']);
      expect(['amended', 'already_voided']).toContain(amended[0]?.outcome);
    }
    await expectRecount();
  });

  it('are rejected if a total would overflow', async () => {
    const fill = Array.from({ length: 4_611 }, (_, n) =>
      usageEvent(n, { id: `fill-${n}`, cost: '1000000', usage: '0', time: '2025-01-10T00:00:00Z' }),
    );
    const small = usageEvent(1, { id: 'small', cost: '0', usage: '0', time: '2025-01-10T00:00:00Z' });
    await recordUsage(owner.ctx, [...fill, small]);
    const [refused, taken] = await amend([
      { ...small, cost: '900000' },
      { ...fill[0], cost: '1' },
    ]);
    expect([refused?.outcome, refused?.field, taken?.outcome]).toEqual(['invalid', 'cost', 'amended']);
    expect(outcomes(await amend([{ ...small, cost: '500000' }]))).toEqual(['amended']);
    await take([...fill.map(({ id }) => id), 'small']);
    await expectRecount();
  });
});

describe('Corrections by filter', () => {
  it('roll usage up before their transaction, which others would have to wait for', async () => {
    const { db } = running.app.services;
    const waiting = () => db.usageBatch.count({ where: { accountId: owner.accountId, rollupId: null } });
    const correction = { account: 'northwind', filter: { source: 'filtered' }, reason: 'a test', validateOnly: true };
    const event = { source: 'filtered', cost: '1', usage: '2' };
    await recordUsage(owner.ctx, [usageEvent(1, event)]);
    expect(await waiting()).toBe(1);
    expect(await voidSelectedUsage(owner.ctx, correction)).toMatchObject({ count: 1 });
    // The dry run was rolled back.
    expect(await waiting()).toBe(0);
    await recordUsage(owner.ctx, [usageEvent(2, event)]);
    const amended = await amendSelectedUsage(owner.ctx, { ...correction, change: { cost: '5' } });
    expect(amended).toMatchObject({ count: 2, costAfter: '10' });
    expect(await waiting()).toBe(0);
    await voidSelectedUsage(owner.ctx, { ...correction, validateOnly: false });
  });
});

describe('Corrections with an Idempotency-Key', () => {
  const event = (id: string) => usageEvent(1, { id, source: 'keyed', cost: '1' });
  const change = { cost: '5' };
  const corrections = [
    { mutation: 'voidUsage', of: 'a filter', selected: (eventId: string) => ({ filter: { eventId } }) },
    { mutation: 'amendUsage', of: 'a filter', selected: (eventId: string) => ({ filter: { eventId }, change }) },
  ];

  it.each(corrections)('roll usage up before its transaction: $mutation of $of', async ({ mutation, of, selected }) => {
    const { db } = running.app.services;
    const id = `${mutation} ${of}`;
    const type = mutation === 'voidUsage' ? 'VoidUsage' : 'AmendUsage';
    await recordUsage(owner.ctx, [event(id)]);
    await db.usageAccount.update({ where: { accountId: owner.accountId }, data: { cellCostMax: 2n ** 62n } });
    const document = `mutation ($input: ${type}Input!) { result: ${mutation}(input: $input) {
      ... on ${type}Payload { count } ... on Error { message } } }`;
    running.app.statements.length = 0;
    const input = { account, reason, ...selected(id) };
    const { body } = await graphql(running.app, owner.key, document, { input }, { 'idempotency-key': id });
    expect(body.data.result).toEqual({ count: 1 });
    const steps = running.app.statements.flatMap((sql) => [
      ...(sql.includes('claim_idempotency_key') ? ['transaction'] : []),
      ...(sql.includes('UPDATE "usage_batch"') ? ['rollup'] : []),
    ]);
    expect(steps).toEqual(['rollup', 'transaction']);
    await take([id], 'keyed');
    await expectRecount();
  });
});

describe('Permission to adjust usage', () => {
  it('requires an account admin with an unconfined credential', async () => {
    const { app } = running;
    const stranger = await createOwner(app, 'southwind', ['south']);
    const workspaceId = owner.tenant.workspaces['main'] ?? '';
    const confined = await contextOf(app, (await createKey(app, { ...owner.tenant, workspaceId })).key);
    const { id } = await app.services.db.principal.create({ data: { kind: 'user', name: 'member@example.com' } });
    await app.services.db.accountMember.create({
      data: { accountId: owner.accountId, principalId: id, role: 'member' },
    });
    const member = await contextOf(app, (await createKey(app, { accountId: owner.accountId, principalId: id })).key);
    for (const ctx of [stranger.ctx, confined, member]) {
      const [known] = counted.values();
      const refused = { status: 403 };
      await expect(voidUsage(ctx, { account, source: 'meter', ids: [known?.id ?? ''], reason })).rejects.toMatchObject(
        refused,
      );
      await expect(amendUsage(ctx, { account, events: [known], reason })).rejects.toMatchObject(refused);
    }
    await expectRecount();
  });

  it.each(['', ' ', 'x'.repeat(501), 'a\nb', '\ud800'])('requires a reason: not %j', async (wrong) => {
    const refused = { status: 400, field: 'reason' };
    await expect(voidUsage(owner.ctx, { account, source: 'meter', ids: [], reason: wrong })).rejects.toMatchObject(
      refused,
    );
    await expect(amendUsage(owner.ctx, { account, events: [], reason: wrong })).rejects.toMatchObject(refused);
  });

  it('is limited to 10,000 events per request', async () => {
    const ids = Array.from({ length: 10_001 }, (_, n) => `${n}`);
    await expect(take(ids)).rejects.toMatchObject({ status: 400, field: 'ids' });
    await expect(amendUsage(owner.ctx, { account, events: ids, reason })).rejects.toMatchObject({ field: 'events' });
  });
});

describe('Adjustments through GraphQL', () => {
  it('return a result for each event, and are in the change log', async () => {
    const [one, two] = [...counted.values()];
    if (one === undefined || two === undefined) throw new Error('too few events');
    const { db } = running.app.services;
    const before = await db.change.count({ where: { kind: 'USAGE' } });
    const id = encodeGlobalId('Account', owner.accountId);
    const document = `mutation ($void: VoidUsageInput!, $amend: AmendUsageInput!) {
      voidUsage(input: $void) { ... on VoidUsagePayload { count results { outcome } } ... on Error { code } }
      amendUsage(input: $amend) { ... on AmendUsagePayload { count results { outcome message } } ... on Error { code } }
    }`;
    const amended = { ...two, cost: '4.5', account: id };
    const { body } = await graphql(running.app, owner.key, document, {
      void: { account: id, source: 'meter', ids: [one.id, 'no such', one.id], reason },
      amend: { account: id, events: [amended], reason: 'a wrong price' },
    });
    expect(body.data).toEqual({
      voidUsage: {
        count: 1,
        results: [{ outcome: 'VOIDED' }, { outcome: 'NOT_FOUND' }, { outcome: 'ALREADY_VOIDED' }],
      },
      amendUsage: { count: 1, results: [{ outcome: 'AMENDED', message: null }] },
    });
    counted.delete(one.id);
    counted.set(two.id, { ...two, cost: '4.5' });
    await expectRecount();
    const changes = await db.change.findMany({ where: { kind: 'USAGE' }, orderBy: { sequence: 'asc' }, skip: before });
    expect(changes).toMatchObject([
      { verb: 'voided', name: 'meter', before: { events: 1, ids: [one.id] }, after: { reason } },
      { verb: 'amended', after: { events: 1, cost: '4.5', reason: 'a wrong price' } },
    ]);
    expect(changes[0]?.message).toBe(`Voided 1 event of meter: ${reason}`);
  });
});

describe('Events of closed months', () => {
  it('can no longer be adjusted', async () => {
    const old = usageEvent(4, { id: 'old', time: '2025-03-10T10:30:00Z' });
    const young = usageEvent(5, { id: 'young', time: '2026-11-10T10:30:00Z' });
    await recordUsage(owner.ctx, [old, young]);
    const closedBefore = Date.UTC(2025, 5) / 3_600_000;
    await running.app.services.db.usageAccount.updateMany({ data: { closedBefore } });
    const closed = { outcome: 'invalid', field: 'time', message: 'time must be within the retained usage' };
    expect(await take(['old'])).toEqual([closed]);
    const amended = [old, { ...young, time: old.time }].map((event) => ({ ...event, cost: '77' }));
    expect((await amendUsage(owner.ctx, { account, events: amended, reason })).results).toEqual([closed, closed]);
    counted.set('old', old);
    counted.set('young', young);
    await expectAnswers();
  });
});
