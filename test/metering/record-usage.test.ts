// recordUsage: the result of each event of a batch in order, and the resulting sums.
import { beforeAll, describe, expect, it } from 'vitest';
import { encodeGlobalId } from '../../src/api/graphql/global-id.js';
import { allAccountsContext } from '../../src/cli/operator/operator-context.js';
import { recordUsage } from '../../src/metering/usage.js';
import { createKey, createToken, graphql, useApp } from '../harness.js';
import type { Answer } from '../harness.js';
import { contextOf, createOwner } from './usage-mixture.js';
import type { Owner } from './usage-mixture.js';
import type { PlainEvent } from '../billing/recount.js';
import { sumsExpected, sumsOf, usageEvent } from './usage-samples.js';

const running = useApp();
let owner: Owner;
let foreign: Owner;
let member: string;
/** All that was accepted so far. */
const counted: PlainEvent[] = [];

beforeAll(async () => {
  const { app } = running;
  owner = await createOwner(app, 'northwind', ['main', 'side']);
  foreign = await createOwner(app, 'southwind', ['south']);
  const { db } = app.services;
  const { id } = await db.principal.create({ data: { kind: 'user', name: 'member@northwind.example.com' } });
  await db.accountMember.create({ data: { accountId: owner.accountId, principalId: id, role: 'member' } });
  const workspaceId = owner.tenant.workspaces['main'] ?? '';
  await db.workspaceMember.create({ data: { workspaceId, principalId: id, role: 'admin' } });
  ({ key: member } = await createKey(app, { accountId: owner.accountId, principalId: id }));
});

const mutation = `mutation ($events: [UsageEventInput!]!) { recordUsage(input: { events: $events }) {
  __typename
  ... on RecordUsagePayload { accepted results { outcome field message rounded } }
  ... on Error { code message path } } }`;

const send = (key: string, events: unknown[]): Promise<Answer> => graphql(running.app, key, mutation, { events });
const record = async (key: string, events: unknown[]) => (await send(key, events)).body.data.recordUsage;

const accepted = { outcome: 'ACCEPTED', field: null, message: null, rounded: [] };
const duplicate = {
  ...accepted,
  outcome: 'DUPLICATE',
  message: 'the event was recorded before and counts once',
};
const conflict = { ...accepted, outcome: 'CONFLICT', message: 'another event has the same source and id' };
const invalid = (field: string, rule: string) => ({
  outcome: 'INVALID',
  field,
  message: `${field} ${rule}`,
  rounded: [],
});

async function expectCounted(...more: PlainEvent[]): Promise<void> {
  counted.push(...more);
  expect(await sumsOf(owner.ctx, owner.accountId)).toEqual(sumsExpected(counted));
}

describe('recordUsage', () => {
  it('accepts new events, and recognizes duplicates', async () => {
    const [one, two] = [usageEvent(1), usageEvent(2)];
    expect(await record(owner.key, [one, two])).toEqual({
      __typename: 'RecordUsagePayload',
      accepted: 2,
      results: [accepted, accepted],
    });
    expect(await record(owner.key, [two, one, two])).toMatchObject({
      accepted: 0,
      results: [duplicate, duplicate, duplicate],
    });
    await expectCounted(one, two);
  });

  it('records nothing of a request that exceeds the limit of a minute, however many chunks it has', async () => {
    const { db } = running.app.services;
    const limited = await createOwner(running.app, 'limited', ['limited']);
    const subject = `account ${limited.accountId}`;
    await db.quota.create({ data: { subject, limits: { USAGE_EVENTS: 3_000 }, updatedAt: new Date() } });
    const events = Array.from({ length: 5_001 }, (_each, n) =>
      usageEvent(n, { account: 'limited', workspace: 'limited' }),
    );
    const countOf = () => db.usageEvent.count({ where: { accountId: limited.accountId } });
    await expect(recordUsage(limited.ctx, events)).rejects.toMatchObject({
      error: 'quota_exceeded',
      message: expect.stringContaining('at most 3000 usage events per minute, and this request has 5001. Send at most'),
    });
    expect(await countOf()).toBe(0);
    await db.quota.update({ where: { subject }, data: { limits: { USAGE_EVENTS: 6_000 } } });
    // A minute that does not end while this runs.
    await db.quotaMinute.create({ data: { accountId: limited.accountId, minute: 2_000_000_000, events: 1_000 } });
    await expect(recordUsage(limited.ctx, events)).rejects.toMatchObject({
      error: 'too_many_requests',
      message: expect.stringContaining('(got 6001)'),
    });
    expect(await countOf()).toBe(0);
    // Refused events do not count: these are the last ones that fit.
    const results = await recordUsage(limited.ctx, events.slice(1));
    expect(results.filter(({ outcome }) => outcome === 'accepted')).toHaveLength(5_000);
    await expect(recordUsage(limited.ctx, events.slice(0, 1))).rejects.toMatchObject({ error: 'too_many_requests' });
  });

  it.each([4, 3_000])('counts none of %i events for one account if those for another are refused', async (count) => {
    const { app } = running;
    const { db } = app.services;
    const names = [`one-of-${count}`, `other-of-${count}`];
    const ids: string[] = [];
    for (const name of names) ids.push((await createOwner(app, name, [name])).accountId);
    // Accounts are counted in the order of their ids. The minute does not end while this runs.
    const [accountId = '', full = ''] = ids.toSorted();
    for (const [id, sent] of [
      [accountId, 1],
      [full, 5_000],
    ] as const) {
      const limits = { USAGE_EVENTS: 5_000 };
      await db.quota.create({ data: { subject: `account ${id}`, limits, updatedAt: new Date() } });
      await db.quotaMinute.create({ data: { accountId: id, minute: 2_000_000_000, events: sent } });
    }
    // The events for the first account reach a threshold until they are given back.
    const [subject, reached] = [`account ${accountId}`, { USAGE_EVENTS: Math.floor(count / 2) + 1 }];
    await db.quota.update({ where: { subject }, data: { limits: reached } });
    const events = Array.from({ length: count }, (_each, n) => {
      const name = names[n % 2] ?? '';
      return usageEvent(n, { account: name, workspace: name });
    });
    const recording = recordUsage(await allAccountsContext(app.services), events);
    await expect(recording).rejects.toMatchObject({ error: 'too_many_requests' });
    expect(await db.quotaMinute.findUnique({ where: { accountId } })).toMatchObject({ events: 1n });
    expect(await db.quotaCrossing.count({ where: { accountId } })).toBe(0);
    expect(await db.usageEvent.count({ where: { accountId } })).toBe(0);
  });

  it('returns nothing for no events', async () => {
    expect(await record(owner.key, [])).toMatchObject({ accepted: 0, results: [] });
  });

  it.each<[string, Partial<PlainEvent>]>([
    ['cost', { cost: '1.000000002' }],
    ['usage', { usage: '1' }],
    ['time', { time: '2026-11-01T00:20:34.567000001Z' }],
    ['workspace', { workspace: 'side' }],
    ['resourceType', { resourceType: 'agent' }],
    ['resourceName', { resourceName: 'sandbox-2' }],
    ['resourceUuid', { resourceUuid: '' }],
    ['billingDimension', { billingDimension: 'sandbox_image_storage_gbs' }],
  ])('reports a conflict for the same identity with another %s, and keeps the first', async (_field, other) => {
    const event = usageEvent(1, other);
    expect(await record(owner.key, [event])).toMatchObject({ accepted: 0, results: [conflict] });
    await expectCounted();
  });

  it('recognizes an event in other spellings of time, amounts and account', async () => {
    const event = usageEvent(3, { id: 'written', time: '2026-11-02T10:00:00Z', usage: '1.5', cost: '0.25' });
    const id = encodeGlobalId('Account', owner.accountId);
    const ways = [
      event,
      { ...event, time: '2026-11-02T12:30:00.000+02:30' },
      { ...event, usage: '1.500000', cost: '0.250000000' },
      { ...event, usage: 1.5, cost: 0.25 },
      { ...event, account: owner.accountId },
      { ...event, account: id },
    ];
    expect((await record(owner.key, ways)).results).toEqual([accepted, ...ways.slice(1).map(() => duplicate)]);
    await expectCounted(event);
  });

  it('keeps the decimal value of a float, and reports rounded amounts', async () => {
    const float = usageEvent(9, { id: 'float', usage: '0.3', cost: '11.87' });
    const third = usageEvent(9, { id: 'third', usage: '0.333333', cost: '0.333333333' });
    const written = [
      { ...float, usage: 0.1 + 0.2, cost: 11.870000000000001 },
      { ...third, usage: 1 / 3, cost: 1 / 3 },
      { ...float, usage: '0.30000000000000004' },
      { ...third, usage: 1 / 3 },
      { ...third, usage: 2 / 3, cost: 0 },
    ];
    expect((await record(owner.key, written)).results).toEqual([
      accepted,
      { ...accepted, rounded: ['usage', 'cost'] },
      duplicate,
      { ...duplicate, rounded: ['usage'] },
      { ...conflict, rounded: ['usage'] },
    ]);
    await expectCounted(float, third);
  });

  it('rejects events more than a day in the future', async () => {
    const early = usageEvent(9, { id: 'early', time: '2026-11-21T12:00:00Z' });
    const ahead = { ...early, id: 'ahead', time: '2026-11-21T12:00:00.000000001Z' };
    const rule = 'must be at most one day in the future';
    expect((await record(owner.key, [ahead, early, ahead])).results).toEqual([
      invalid('time', rule),
      accepted,
      invalid('time', rule),
    ]);
    await expectCounted(early);
  });

  it('reports an unknown billing dimension as a problem of its event', async () => {
    const wrong = { ...usageEvent(9, { id: 'wrong' }), billingDimension: 'electricity' };
    const beside = usageEvent(9, { id: 'beside' });
    const { results } = await record(owner.key, [beside, wrong]);
    expect(results).toMatchObject([{ outcome: 'ACCEPTED' }, { outcome: 'INVALID', field: 'billingDimension' }]);
    await expectCounted(beside);
  });

  it('distinguishes sources and ids', async () => {
    const events = ['a', 'b'].flatMap((source) => ['1', '2'].map((id) => usageEvent(4, { source, id })));
    expect((await record(owner.key, events)).results).toEqual([accepted, accepted, accepted, accepted]);
    await expectCounted(...events);
    // Some of them are known: of one source, and of several.
    const more = usageEvent(4, { source: 'a', id: '3' });
    expect((await record(owner.key, [...events.slice(0, 2), more])).results).toEqual([duplicate, duplicate, accepted]);
    const third = usageEvent(4, { source: 'c', id: '1' });
    expect((await record(owner.key, [third, more, ...events])).results).toEqual([
      accepted,
      ...[more, ...events].map(() => duplicate),
    ]);
    await expectCounted(more, third);
  });

  it('accepts the first of repeated identities within a batch, and compares the others with it', async () => {
    const first = usageEvent(5, { id: 'twice', cost: '1' });
    const other = { ...first, cost: '2' };
    expect((await record(owner.key, [first, other, first, usageEvent(6, { id: 'between' }), other])).results).toEqual([
      accepted,
      conflict,
      duplicate,
      accepted,
      conflict,
    ]);
    await expectCounted(first, usageEvent(6, { id: 'between' }));
  });

  it('returns a result for each event in order, and records no invalid one', async () => {
    const events = [
      usageEvent(7, { id: 'mixed-1' }),
      usageEvent(7, { id: 'mixed-2', cost: '-1' }),
      usageEvent(1),
      usageEvent(7, { id: 'mixed-3' }),
      usageEvent(1, { cost: '9' }),
      usageEvent(7, { id: 'mixed-1' }),
      usageEvent(7, { id: 'mixed-4', workspace: 'south' }),
    ];
    expect((await record(owner.key, events)).results).toEqual([
      accepted,
      invalid('cost', 'must be a decimal number of at least 0'),
      duplicate,
      accepted,
      conflict,
      duplicate,
      invalid('workspace', 'must be a workspace of the account'),
    ]);
    await expectCounted(usageEvent(7), usageEvent(7));
    // A rejected event does not block its corrected version.
    const right = [usageEvent(8, { id: 'mixed-2' }), usageEvent(8, { id: 'mixed-4' })];
    expect((await record(owner.key, right)).results).toEqual([accepted, accepted]);
    await expectCounted(...right);
  });

  it('accepts 10,000 events, and rejects 10,001 without reading them', async () => {
    const events = Array.from({ length: 10_000 }, (_, n) => usageEvent(n, { source: 'many' }));
    const tooMany = [...events, usageEvent(10_000, { source: 'many' })];
    await expect(recordUsage(owner.ctx, tooMany)).rejects.toMatchObject({
      status: 400,
      message: 'events must be at most 10000 events',
    });
    await expectCounted();
    const results = await recordUsage(owner.ctx, events);
    expect(results).toHaveLength(10_000);
    expect(new Set(results.map(({ outcome }) => outcome))).toEqual(new Set(['accepted']));
    await expectCounted(...events);
  });

  it('rejects too many events before it reads them, naming the field', async () => {
    const { body } = await send(
      owner.key,
      Array.from({ length: 10_001 }, () => ({})),
    );
    expect(body.data).toBeUndefined();
    expect(body.errors).toEqual([
      expect.objectContaining({ message: expect.stringMatching(/events.* at most 10000/) }),
    ]);
  });
});

describe('Permission to record usage', () => {
  const notHere = invalid('account', 'must be an account that the credential can record usage for');

  it.each(['southwind', 'no-such', 'NORTHWIND'])('is denied to callers of another account: %s', async (account) => {
    const events = [usageEvent(20, { id: account, account }), usageEvent(20, { id: `${account} too`, account })];
    expect((await record(owner.key, events)).results).toEqual([notHere, notHere]);
  });

  it('is denied to callers of another account by its id, too', async () => {
    for (const account of [foreign.accountId, encodeGlobalId('Account', foreign.accountId)]) {
      expect((await record(owner.key, [usageEvent(21, { account, workspace: 'south' })])).results).toEqual([notHere]);
    }
  });

  it('requires an account admin, not a member or workspace admin', async () => {
    expect((await record(member, [usageEvent(22, { id: 'by-member' })])).results).toEqual([notHere]);
  });

  it('is limited to workspaces of the account', async () => {
    for (const workspace of ['south', 'no-such', 'MAIN']) {
      const { results } = await record(owner.key, [usageEvent(23, { id: workspace, workspace })]);
      expect(results).toEqual([invalid('workspace', 'must be a workspace of the account')]);
    }
  });

  it('is limited to the workspace of a confined key', async () => {
    const workspaceId = owner.tenant.workspaces['side'] ?? '';
    const { key } = await createKey(running.app, { ...owner.tenant, workspaceId });
    const events = ['side', 'main'].map((workspace) => usageEvent(24, { id: `confined-${workspace}`, workspace }));
    expect((await record(key, events)).results).toEqual([
      accepted,
      invalid('workspace', 'must be a workspace of the account'),
    ]);
    await expectCounted(usageEvent(24));
  });

  it('includes the scope admin', async () => {
    const { token } = await createToken(running.app, owner.tenant, 'agents:list workspaces:list');
    expect(await record(token, [usageEvent(25)])).toMatchObject({ __typename: 'ForbiddenError' });
    await expect(recordUsage(await contextOf(running.app, token), [])).rejects.toMatchObject({ status: 403 });
    const admin = await createToken(running.app, owner.tenant, 'admin');
    const event = usageEvent(26, { id: 'by-token' });
    expect((await record(admin.token, [event])).results).toEqual([accepted]);
    await expectCounted(event);
  });

  it('does not affect the usage of others', async () => {
    expect(await sumsOf(foreign.ctx, foreign.accountId)).toEqual(sumsExpected([]));
    const same = usageEvent(1, { account: 'southwind', workspace: 'south' });
    expect((await record(foreign.key, [same])).results).toEqual([accepted]);
    expect(await sumsOf(foreign.ctx, foreign.accountId)).toEqual(sumsExpected([same]));
    await expectCounted();
  });
});
