// Costs by label: which labels usage counts with, and who sees them. labels.property.slow.test.ts compares any query with
// a recount.
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openContext } from '../../src/http/open-context.js';
import { labelChangesPerDayMax } from '../../src/store/write/label-history.js';
import { amendSelectedUsage } from '../../src/metering/usage-adjustments.js';
import { recordUsage } from '../../src/metering/usage.js';
import { priceOf } from '../../src/api/graphql/server/price.js';
import { parse } from 'graphql';
import { createKey, createTenant, frozenNow, graphql, rest, useApp } from '../harness.js';
import type { Tenant } from '../harness.js';
import type { ServiceContext } from '../../src/http/open-context.js';
import { usageEvent } from '../metering/usage-samples.js';

const running = useApp();
let tenant: Tenant;
let key: string;
let ctx: ServiceContext;

beforeAll(async () => {
  tenant = await createTenant(running.app, { account: 'northwind', workspaces: ['main', 'side'] });
  ({ key } = await createKey(running.app, tenant));
  ctx = await openContext(running.app.services, { authorization: `Bearer ${key}` }, 'test');
});

afterEach(() => {
  running.app.clock.now = frozenNow;
});

const hourMs = 3_600_000;
const at = (hours: number) => new Date(frozenNow.getTime() + hours * hourMs);
const whole = { startTime: '2026-11-19T00:00:00Z', endTime: '2026-11-25T00:00:00Z' };

type Labels = Record<string, string>;
const pairs = (labels: Labels) => Object.entries(labels).map(([name, value]) => ({ key: name, value }));

async function create(name: string, labels: Labels, workspace = 'main'): Promise<string> {
  const query = `mutation ($input: CreateSandboxInput!) { result: createSandbox(input: $input) {
    ... on CreateSandboxPayload { sandbox { uuid } } ... on Error { message } } }`;
  const input = { workspace, metadata: { name, labels: pairs(labels) }, spec: { runtime: { image: 'image' } } };
  const { body } = await graphql(running.app, key, query, { input });
  return body.data.result.sandbox.uuid;
}

async function relabel(name: string, labels: Labels): Promise<void> {
  const query = `mutation ($input: UpdateSandboxInput!) { result: updateSandbox(input: $input) { __typename } }`;
  const input = { workspace: 'main', name, metadata: { labels: pairs(labels) } };
  const { body } = await graphql(running.app, key, query, { input });
  expect(body.data.result.__typename).toBe('UpdateSandboxPayload');
}

let sent = 0;

async function use(uuid: string, time: Date, cost: string, workspace = 'main') {
  const of = { resourceUuid: uuid, resourceName: uuid.slice(0, 8) || 'none', workspace, cost, usage: '1' };
  const event = usageEvent(0, { id: `label-${sent++}`, time: time.toISOString(), ...of });
  expect(await recordUsage(ctx, [event])).toEqual([{ outcome: 'accepted' }]);
  return event;
}

const question = `query ($startTime: DateTime!, $endTime: DateTime!, $groupBy: [MetricsDimension!], $groupByLabels: [String!],
    $labels: [LabelFilter!], $workspace: String, $first: Int, $after: String) {
  account(name: "northwind") {
    metrics(startTime: $startTime, endTime: $endTime, groupBy: $groupBy, groupByLabels: $groupByLabels, labels: $labels,
        workspace: $workspace) {
      entries(first: $first, after: $after) { nodes { workspaceName labels { key value } cost } pageInfo { endCursor } }
    }
  }
}`;

async function ask(variables: object, withKey = key) {
  return (await graphql(running.app, withKey, question, { ...whole, ...variables })).body;
}

interface Node {
  labels: { value: string | null }[];
  cost: string;
}

/** The cost of each group, by the values of its labels. */
async function costs(variables: object, withKey = key): Promise<(string | null)[][]> {
  const body = await ask(variables, withKey);
  expect(body.errors).toBeUndefined();
  const nodes: Node[] = body.data.account.metrics.entries.nodes;
  return nodes.map(({ labels, cost }) => [...labels.map(({ value }) => value), cost]);
}

describe('Usage', () => {
  it('counts with the labels that its resource had at its time, also if it arrives late', async () => {
    const uuid = await create('moves', { owner: 'one' });
    await use(uuid, at(0), '1');
    running.app.clock.now = at(2);
    await relabel('moves', { owner: 'two' });
    running.app.clock.now = at(4);
    await relabel('moves', {});
    await use(uuid, at(1), '10');
    await use(uuid, new Date(at(2).getTime() - 1), '100');
    await use(uuid, at(2), '1000');
    await use(uuid, at(4), '10000');
    expect(await costs({ groupByLabels: ['owner'] })).toEqual([
      [null, '10000'],
      ['one', '111'],
      ['two', '1000'],
    ]);
  });

  it('without the label differs from usage whose label is empty or has the text "(none)"', async () => {
    await use(await create('with-text', { kind: '(none)' }), at(0), '1');
    await use(await create('with-null', { kind: 'null' }), at(0), '2');
    await use(await create('without', { other: 'x' }), at(0), '4');
    const found = await costs({ groupByLabels: ['kind'], labels: [{ key: 'owner', isSet: false }] });
    expect(found).toEqual([
      [null, '10004'],
      ['(none)', '1'],
      ['null', '2'],
    ]);
    expect(await costs({ labels: [{ key: 'kind', in: ['(none)'] }] })).toEqual([['1']]);
    expect(await costs({ labels: [{ key: 'kind' }] })).toEqual([['3']]);
    expect(await costs({ labels: [{ key: 'kind', in: [] }] })).toEqual([['0']]);
    expect(await costs({ labels: [{ key: 'kind', isSet: false, in: ['null'] }] })).toEqual([['0']]);
  });

  it('is a duplicate when it is sent again, though its time was ahead and the labels changed meanwhile', async () => {
    const uuid = await create('ahead', { state: 'old' });
    const event = await use(uuid, at(1), '1');
    running.app.clock.now = at(0.5);
    await relabel('ahead', { state: 'new' });
    running.app.clock.now = at(2);
    expect(await recordUsage(ctx, [event])).toMatchObject([{ outcome: 'duplicate' }]);
    expect(await costs({ groupByLabels: ['state'], labels: [{ key: 'state' }] })).toEqual([['old', '1']]);
  });

  it('of a new resource does not count with the labels of a deleted one with its name', async () => {
    const byName = (cost: string) =>
      recordUsage(ctx, [
        usageEvent(0, {
          id: `label-${sent++}`,
          resourceName: 'again',
          resourceUuid: '',
          time: running.app.clock.now.toISOString(),
          cost,
        }),
      ]);
    await create('again', { pays: 'first' });
    await byName('1');
    const query = 'mutation { deleteSandbox(input: { workspace: "main", name: "again" }) { __typename } }';
    await graphql(running.app, key, query);
    running.app.clock.now = at(1);
    await create('again', {});
    await byName('2');
    expect(await costs({ groupByLabels: ['pays'], labels: [{ key: 'pays' }] })).toEqual([['first', '1']]);
  });

  it('of a deleted resource without labels does not count with those of a later one with its name', async () => {
    const name = 'replaced';
    const useOf = (uuid: string, cost: string, time = at(0)) =>
      recordUsage(ctx, [
        usageEvent(0, {
          id: `${uuid}-${cost}`,
          resourceName: name,
          resourceUuid: uuid,
          time: time.toISOString(),
          cost,
        }),
      ]);
    const uuid = await create(name, {});
    await useOf(uuid, '1');
    running.app.clock.now = at(1);
    const query = `mutation { deleteSandbox(input: { workspace: "main", name: "${name}" }) { __typename } }`;
    await graphql(running.app, key, query);
    running.app.clock.now = at(2);
    await create(name, { later: 'yes' });
    await useOf(uuid, '2');
    await useOf(uuid, '4', at(2));
    // Usage without an id, or with an id of the meter, is that of the resource that had the name.
    await useOf('', '8', at(2));
    await useOf('of-the-meter', '16', at(2));
    await useOf('', '32');
    const input = {
      account: 'northwind',
      filter: { resourceUuid: uuid },
      change: { resourceName: name, cost: '1' },
      reason: 'test',
    };
    expect(await costs({ groupByLabels: ['later'], labels: [{ key: 'later' }] })).toEqual([['yes', '24']]);
    await amendSelectedUsage(ctx, input);
    expect(await costs({ groupByLabels: ['later'], labels: [{ key: 'later' }] })).toEqual([['yes', '24']]);
  });

  it('of a resource without labels that was deleted with its workspace does not count with those of a later one', async () => {
    const workspace = 'rebuilt';
    const change = (mutation: string, input: string) =>
      graphql(running.app, key, `mutation { ${mutation}(input: { ${input} }) { __typename } }`);
    await change('createWorkspace', `metadata: { name: "${workspace}" }`);
    await create('labeled', { rebuilt: 'before' }, workspace);
    const uuid = await create('plain', {}, workspace);
    running.app.clock.now = at(1);
    await change('deleteWorkspace', `name: "${workspace}", force: true`);
    await change('createWorkspace', `metadata: { name: "${workspace}" }`);
    running.app.clock.now = at(2);
    await create('plain', { rebuilt: 'after' }, workspace);
    const event = usageEvent(0, { id: `label-${sent++}`, workspace, resourceName: 'plain', resourceUuid: uuid });
    await recordUsage(ctx, [{ ...event, time: at(0).toISOString() }]);
    expect(await costs({ groupByLabels: ['rebuilt'], labels: [{ key: 'rebuilt' }] })).toEqual([]);
    const { db } = running.app.services;
    expect(await db.labelHistory.count({ where: { workspace } })).toBe(3);
  });

  it('distinguishes at most 100 changes of the labels of a resource in a day; the last further one holds from midnight', async () => {
    const uuid = await create('flaps', { beat: 'start' });
    const lastOfDay = labelChangesPerDayMax + 4;
    for (let n = 1; n <= lastOfDay; n++) {
      running.app.clock.now = new Date(frozenNow.getTime() + n * 1000);
      await relabel('flaps', { beat: `${n}` });
    }
    await use(uuid, running.app.clock.now, '1');
    running.app.clock.now = at(36);
    await use(uuid, new Date('2026-11-20T23:59:59.999Z'), '10');
    await use(uuid, new Date('2026-11-21T00:00:00Z'), '100');
    expect(await costs({ groupByLabels: ['beat'], labels: [{ key: 'beat' }] })).toEqual([
      // The creation is the first.
      [`${lastOfDay}`, '100'],
      [`${labelChangesPerDayMax - 1}`, '11'],
    ]);
    const { db } = running.app.services;
    expect(await db.labelHistory.count({ where: { resourceId: uuid } })).toBe(labelChangesPerDayMax + 1);
  });
});

describe('Costs by label', () => {
  it('of whole hours are read from the sums of labels, not from events or the sums of resources', async () => {
    await ask({ groupByLabels: ['owner'] });
    running.app.statements.length = 0;
    await ask({ groupByLabels: ['owner', 'kind'], groupBy: ['WORKSPACE', 'BILLING_DIMENSION'] });
    const read = running.app.statements.filter((sql) => sql.includes('usage_label_cell'));
    expect(read).toHaveLength(1);
    expect(read[0]).not.toMatch(/usage_event|usage_segment|usage_point|usage_series/);
  });

  it.each([
    [{ groupByLabels: ['a', 'b', 'c'] }, 'groupByLabels must have at most 2 labels'],
    [{ groupByLabels: ['a', 'a'] }, 'groupByLabels must contain each label only once'],
    [{ groupByLabels: [''] }, 'groupByLabels must not be empty'],
    [{ groupByLabels: ['a\nb'] }, 'groupByLabels must not contain control characters'],
    [{ groupByLabels: ['x'.repeat(64)] }, 'groupByLabels must be at most 63 characters long'],
    [{ labels: [{ key: '' }] }, 'labels.key must not be empty'],
    [{ labels: [{ key: 'a', in: ['x'.repeat(256)] }] }, 'labels.in must be at most 255 characters long'],
    [{ labels: [{ key: 'a', in: Array.from({ length: 101 }, String) }] }, 'labels.in must have at most 100 values'],
    [
      { groupByLabels: ['e'], labels: ['a', 'b', 'c', 'd'].map((name) => ({ key: name })) },
      'labels must have at most 4 different labels, with those of groupByLabels',
    ],
  ])('of %j are refused: %s', async (variables, message) => {
    const { errors } = await ask(variables);
    expect(errors).toHaveLength(1);
    expect(errors[0].message).toContain(message);
    expect(errors[0].extensions).toMatchObject({ code: 'invalid_parameter', status: 400 });
  });

  it('are not available in REST', async () => {
    for (const parameter of ['label=owner', 'labels=owner', 'groupByLabels=owner', 'groupBy=label_1', 'groupBy=tags']) {
      const path = `/accounts/${tenant.accountId}/metrics?startTime=2026-11-19T00:00:00Z&endTime=2026-11-20T00:00:00Z&${parameter}`;
      expect({ parameter, status: (await rest(running.app, path, { key })).status }).toEqual({
        parameter,
        status: 400,
      });
    }
  });

  it.each(['', '&resourceName='])('are in the tags of charges, one for each set of labels %s', async (filter) => {
    const uuid = await create(`charged${filter.length}`, { pays: 'a, "b"', x: '1' });
    await use(uuid, at(0), '1.5');
    running.app.clock.now = at(1);
    await relabel(`charged${filter.length}`, {});
    await use(uuid, at(1), '2.5');
    const path =
      `/v0/accounts/${tenant.accountId}/metrics?profile=focus&resolution=daily&startTime=${whole.startTime}` +
      `&endTime=${whole.endTime}${filter === '' ? '' : `${filter}${uuid.slice(0, 8)}`}`;
    const headers = { authorization: `Bearer ${key}`, accept: 'text/csv' };
    const text = await (await fetch(`${running.app.origin}${path}`, { headers })).text();
    const charges = text.split('\r\n').filter((line) => line.includes(uuid));
    expect(charges.map((line) => [line.slice(0, 3), line.slice(line.lastIndexOf('main,') + 5)]).toSorted()).toEqual([
      ['1.5', '"{""x"": ""1"", ""pays"": ""a, \\""b\\""""}"'],
      ['2.5', ''],
    ]);
  });

  it('have cursors for the same labels only', async () => {
    const first = await ask({ groupByLabels: ['owner'], first: 1 });
    const after = first.data.account.metrics.entries.pageInfo.endCursor;
    expect((await ask({ groupByLabels: ['owner'], first: 1, after })).errors).toBeUndefined();
    for (const other of [
      { groupByLabels: ['kind'] },
      { groupByLabels: ['owner'], labels: [{ key: 'owner' }] },
      { groupBy: ['WORKSPACE'] },
    ]) {
      const { errors } = await ask({ ...other, first: 1, after });
      expect(errors[0].extensions.code).toBe('cursor_mismatch');
    }
  });

  it('name only labels of the workspaces that the caller sees', async () => {
    await use(await create('elsewhere', { hidden: 'side-team' }, 'side'), at(0), '5', 'side');
    const uuid = await create('moved', { hidden: 'main-team' });
    // A meter that names the workspace of another resource.
    await use(uuid, at(0), '7', 'side');
    const member = await createKey(running.app, { ...tenant, workspaceId: tenant.workspaces['main'] ?? '' });
    expect(await costs({ groupByLabels: ['hidden'], labels: [{ key: 'hidden' }] })).toEqual([['side-team', '5']]);
    expect(await costs({ groupByLabels: ['hidden'], labels: [{ key: 'hidden' }] }, member.key)).toEqual([]);
  });

  it('are listed with their values, of usage in the window that the caller sees', async () => {
    const early = new Date('2026-09-10T10:20:00Z');
    running.app.clock.now = new Date('2026-09-01T00:00:00Z');
    const listed = await create('listed', { tier: 'gold', zone: 'a' });
    const aside = await create('listed-aside', { tier: 'bronze' }, 'side');
    await create('unused', { tier: 'none' });
    running.app.clock.now = frozenNow;
    await use(listed, early, '1');
    await use(aside, new Date(early.getTime() + hourMs), '1', 'side');
    const member = await createKey(running.app, { ...tenant, workspaceId: tenant.workspaces['main'] ?? '' });
    const list = async (startTime: string, endTime: string, withKey = key) => {
      const query = `{ account(name: "northwind") { metricsLabels(startTime: "${startTime}", endTime: "${endTime}") { key values } } }`;
      return (await graphql(running.app, withKey, query)).body.data.account.metricsLabels;
    };
    expect(await list('2026-09-01T00:00:00Z', '2026-10-01T00:00:00Z')).toEqual([
      { key: 'tier', values: ['bronze', 'gold'] },
      { key: 'zone', values: ['a'] },
    ]);
    const ofMain = [
      { key: 'tier', values: ['gold'] },
      { key: 'zone', values: ['a'] },
    ];
    expect(await list('2026-09-01T00:00:00Z', '2026-10-01T00:00:00Z', member.key)).toEqual(ofMain);
    // The window cuts the hour of the event.
    expect(await list('2026-09-10T10:19:00Z', '2026-09-10T10:21:00Z')).toEqual(ofMain);
    expect(await list('2026-09-10T10:21:00Z', '2026-09-10T10:40:00Z')).toEqual([]);
  });

  it('are of one account', async () => {
    const other = await createTenant(running.app, { account: 'contoso', workspaces: ['contoso-main'] });
    const { key: otherKey } = await createKey(running.app, other);
    const query = `{ account(name: "contoso") { metrics(startTime: "2026-11-01T00:00:00Z", endTime: "2026-12-01T00:00:00Z",
      groupByLabels: ["owner"]) { summary { totalCost } entries { nodes { cost } } } } }`;
    const { body } = await graphql(running.app, otherKey, query);
    expect(body.data.account.metrics).toEqual({ summary: { totalCost: '0' }, entries: { nodes: [] } });
  });

  it('cost more than those by dimension', () => {
    const priceFor = (labels: string) => {
      const document = parse(`{ account(name: "northwind") { metrics(startTime: "2026-11-01T00:00:00Z",
        endTime: "2026-12-01T00:00:00Z", groupBy: [WORKSPACE] ${labels}) { summary { totalCost } } } }`);
      const [definition] = document.definitions;
      if (definition?.kind !== 'OperationDefinition') throw new Error('not an operation');
      return priceOf(document, definition, {}, ctx).complexity;
    };
    expect(priceFor('groupByLabels: ["a"], labels: [{ key: "b" }]')).toBe(priceFor('') + 20);
  });
});
