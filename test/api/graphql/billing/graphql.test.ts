// Account metrics through GraphQL: the same answers as a recount, and connections that go on from any of their cursors.
import { beforeAll, describe, expect, it } from 'vitest';
import { recordUsage } from '../../../../src/metering/usage.js';
import { useApp } from '../../../harness.js';
import { askAccount, metricsIn } from '../../../billing/graphql-samples.js';
import { askMetrics, expectedBody, wordsOf } from '../../../billing/metrics-bodies.js';
import { recount, units } from '../../../billing/recount.js';
import type { PlainEntry, PlainQuery } from '../../../billing/recount.js';
import { createOwner, mixedUsage } from '../../../metering/usage-mixture.js';
import type { Owner } from '../../../metering/usage-mixture.js';

const running = useApp();
let owner: Owner;
const events = mixedUsage(150, 'northwind', ['main', 'side']);

beforeAll(async () => {
  owner = await createOwner(running.app, 'northwind', ['main', 'side']);
  await recordUsage(owner.ctx, events);
});

const window = { startTime: '2026-10-02T10:20:30.123456789Z', endTime: '2026-11-19T08:09:10.500Z' } as const;
const windowWords = `startTime: "${window.startTime}", endTime: "${window.endTime}"`;
const query = (groupBy: string[], filters: PlainQuery['filters'] = {}): PlainQuery => ({
  ...window,
  resolution: 'weekly',
  groupBy,
  filters,
});

interface Amounts {
  cost: string;
  usage: string | null;
}

type Node = Amounts & { timeseries: (Amounts & { timestamp: string })[] } & Record<string, unknown>;

const fieldNames = ['workspace', 'resourceType', 'resourceName', 'resourceUuid', 'billingDimension'];
const outputNames = fieldNames.map((name) => name.replace(/^workspace$/, 'workspaceName'));
const nodeFields = `${outputNames.join(' ')} cost usage timeseries { timestamp cost usage }`;
const ask = (words: string, fields: string) =>
  metricsIn(running.app, owner, `${windowWords}, resolution: WEEKLY, ${words}`, fields);

/** An entry of a recount, as a node has it; amounts in units. */
function nodeFrom(entry: PlainEntry, hasUsage: boolean): unknown {
  const usage = (amount: bigint) => (hasUsage ? amount : null);
  return {
    ...Object.fromEntries(fieldNames.map((name, index) => [outputNames[index], entry.fields[name] ?? null])),
    cost: entry.cost,
    usage: usage(entry.usage),
    timeseries: entry.timeseries.map((bucket) => ({
      timestamp: bucket.timestamp.replace('Z', '.000Z'),
      cost: bucket.cost,
      usage: usage(bucket.usage),
    })),
  };
}

function inUnits<Item extends Amounts>({ cost, usage, ...rest }: Item) {
  return { ...rest, cost: units(cost, 9), usage: usage === null ? null : units(usage, 6) };
}

const plain = ({ timeseries, ...node }: Node) => ({ ...inUnits(node), timeseries: timeseries.map(inUnits) });

describe('Metrics in GraphQL', () => {
  it.each([
    { groupBy: [], words: '' },
    { groupBy: [], words: 'groupBy: []' },
    { groupBy: ['billing_dimension'], words: 'groupBy: [BILLING_DIMENSION]' },
    { groupBy: ['resource_uuid'], words: 'groupBy: RESOURCE_UUID' },
    { groupBy: ['workspace', 'resource_name'], words: 'groupBy: [RESOURCE_NAME, WORKSPACE]' },
    {
      groupBy: ['resource_type', 'billing_dimension', 'resource_uuid'],
      words: 'groupBy: [RESOURCE_TYPE, BILLING_DIMENSION, RESOURCE_UUID]',
    },
  ])('by $groupBy equal a recount, with null for dimensions that vary within the group', async ({ groupBy, words }) => {
    const fields = `startTime endTime resolution summary { totalCost totalUsage } entries { nodes { ${nodeFields} } }`;
    const { summary, entries, ...echo } = await ask(words, fields);
    const expected = recount(events, query(groupBy));
    const hasUsage = groupBy.includes('billing_dimension');
    expect(echo).toEqual({ ...window, resolution: 'WEEKLY' });
    expect(entries.nodes.map(plain)).toEqual(expected.map((entry) => nodeFrom(entry, hasUsage)));
    const total = (field: 'cost' | 'usage') => expected.reduce((sum, entry) => sum + entry[field], 0n);
    expect(inUnits({ cost: summary.totalCost, usage: summary.totalUsage })).toEqual({
      cost: total('cost'),
      usage: hasUsage ? total('usage') : null,
    });
  });

  it('support filters', async () => {
    const words = 'workspace: "main", resourceType: "sandbox", billingDimension: "sandbox_image_storage_gbs"';
    const filters = { workspace: 'main', resourceType: 'sandbox', billingDimension: 'sandbox_image_storage_gbs' };
    const { nodes } = (await ask(`${words}, groupBy: [RESOURCE_NAME]`, `entries { nodes { ${nodeFields} } }`)).entries;
    const expected = recount(events, query(['resource_name'], filters));
    expect(nodes.map(plain)).toEqual(expected.map((entry) => nodeFrom(entry, false)));
    for (const [word, given] of Object.entries({ resourceName: 'api', resourceUuid: 'i-1' })) {
      const { summary } = await ask(`${word}: "${given}"`, 'summary { totalCost }');
      const [all] = recount(events, query([], { [word]: given }));
      expect(units(summary.totalCost, 9)).toBe(all?.cost);
    }
  });

  it('use the requested resolution', async () => {
    const day = 'startTime: "2026-10-20T00:00:00Z", endTime: "2026-10-20T02:00:00Z"';
    for (const [word, count] of Object.entries({ HOURLY: 2, DAILY: 1, WEEKLY: 1, MONTHLY: 1 })) {
      const fields = 'resolution entries { nodes { timeseries { timestamp } } }';
      const { resolution, entries } = await metricsIn(running.app, owner, `${day}, resolution: ${word}`, fields);
      expect([resolution, entries.nodes[0].timeseries.length]).toEqual([word, count]);
    }
  });
});

describe('The entries of metrics', () => {
  const fields = `pageInfo { hasNextPage hasPreviousPage startCursor endCursor } nodes { ${nodeFields} }
    edges { cursor node { ${nodeFields} } }`;
  const entriesOf = async (groupBy: string, args: string) =>
    (await ask(groupBy, `entries(${args}) { ${fields} }`)).entries;

  it.each([
    ['resource_uuid', 'groupBy: [RESOURCE_UUID]'],
    ['billing_dimension', 'groupBy: [BILLING_DIMENSION]'],
  ])('by %s continue after the cursor of each entry', async (dimension, groupBy) => {
    const expected = recount(events, query([dimension])).map((entry) =>
      nodeFrom(entry, dimension === 'billing_dimension'),
    );
    const { edges, nodes, pageInfo } = await entriesOf(groupBy, 'first: 100');
    expect(edges.map(({ node }: { node: Node }) => node)).toEqual(nodes);
    expect(pageInfo).toEqual({
      hasNextPage: false,
      hasPreviousPage: false,
      startCursor: expect.any(String),
      endCursor: expect.any(String),
    });
    for (const [place, { cursor }] of edges.entries()) {
      const rest = await entriesOf(groupBy, `first: 2, after: "${cursor}"`);
      expect(rest.nodes.map(plain)).toEqual(expected.slice(place + 1, place + 3));
      expect(rest.pageInfo).toMatchObject({ hasNextPage: place + 3 < expected.length, hasPreviousPage: true });
    }
  });

  it.each([
    ['key', 'groupBy: [RESOURCE_UUID]', 'resource_uuid'],
    ['key', 'groupBy: [RESOURCE_NAME, WORKSPACE]', 'resource_name,workspace'],
    ['key', 'groupBy: [BILLING_DIMENSION]', 'billing_dimension'],
    ['cost', 'groupBy: [RESOURCE_UUID], orderBy: { field: COST, direction: DESC }', 'resource_uuid'],
    ['cost', 'groupBy: [BILLING_DIMENSION], orderBy: { field: COST, direction: ASC }', 'billing_dimension'],
  ])('continue before the cursor of each entry, by %s: %s', async (_order, words, dimensions) => {
    const all = await entriesOf(words, 'first: 200');
    expect(all.nodes).toHaveLength(recount(events, query(dimensions.split(','))).length);
    const last = await entriesOf(words, 'last: 2');
    expect(last.nodes).toEqual(all.nodes.slice(-2));
    expect(last.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: all.nodes.length > 2 });
    for (const [place, { cursor }] of all.edges.entries()) {
      const before = await entriesOf(words, `last: 3, before: "${cursor}"`);
      expect(before.nodes).toEqual(all.nodes.slice(Math.max(place - 3, 0), place));
      expect(before.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: place > 3 });
    }
  });

  it.each([
    ['', []],
    ['groupBy: [RESOURCE_UUID]', ['resource_uuid']],
    ['groupBy: [RESOURCE_NAME, WORKSPACE]', ['resource_name', 'workspace']],
    ['groupBy: [BILLING_DIMENSION]', ['billing_dimension']],
  ])('report their total count over all pages: %s', async (words, groupBy) => {
    const { totalCount, nodes } = (await ask(words, 'entries(first: 1) { totalCount nodes { cost } }')).entries;
    expect(totalCount).toBe(recount(events, query(groupBy)).length);
    expect(nodes).toHaveLength(1);
    expect((await ask(words, 'entries(first: 0) { totalCount nodes { cost } }')).entries).toEqual({
      totalCount,
      nodes: [],
    });
  });

  it('contain one entry without groupBy, and none after it', async () => {
    const { edges } = await entriesOf('groupBy: []', 'first: 1');
    expect(edges).toHaveLength(1);
    const { nodes, pageInfo } = await entriesOf('groupBy: []', `first: 1, after: "${edges[0].cursor}"`);
    expect(nodes).toEqual([]);
    expect(pageInfo).toEqual({ hasNextPage: false, hasPreviousPage: true, startCursor: null, endCursor: null });
  });

  it('continue in REST, and those of REST in GraphQL', async () => {
    const asked = query(['resource_name']);
    const { pageInfo } = await entriesOf('groupBy: [RESOURCE_NAME]', 'first: 3');
    const next = { ...wordsOf(asked), limit: '2', cursor: pageInfo.endCursor };
    const { body } = await askMetrics(running.app, owner, next);
    expect(body).toEqual(expectedBody(events, asked, { from: 3, size: 2 }));
    const last = await entriesOf('groupBy: [RESOURCE_NAME]', `after: "${body.meta.nextCursor}"`);
    expect(last.nodes.map(plain)).toEqual(
      recount(events, asked)
        .slice(5)
        .map((entry) => nodeFrom(entry, false)),
    );
  });

  it.each([
    ['entries(first: 201) { nodes { cost } }', 'first must be between 0 and 200'],
    ['entries(first: -1) { nodes { cost } }', 'first must be between 0 and 200'],
    ['entries(last: 201) { nodes { cost } }', 'last must be between 0 and 200'],
    ['entries(first: 1, last: 1) { nodes { cost } }', 'last cannot be combined with first'],
    ['entries(first: 1, before: "x") { nodes { cost } }', 'before can only be combined with last, not with first'],
    ['entries(last: 1, before: "nonsense") { nodes { cost } }', 'before must be a cursor that this service returned'],
    ['entries(after: "nonsense") { nodes { cost } }', 'after must be a cursor that this service returned'],
  ])('return an error that names the argument: %s', async (entries, message) => {
    const { body } = await askAccount(running.app, owner, `metrics(${windowWords}) { ${entries} }`);
    expect(body.errors[0]).toMatchObject({ message, extensions: { status: 400 } });
  });

  it.each([
    ['groupBy: [WORKSPACE, WORKSPACE]', 'groupBy must contain each dimension only once'],
    ['groupBy: [WORKSPACE, RESOURCE_TYPE, RESOURCE_NAME, RESOURCE_UUID]', 'groupBy must have at most 3 dimensions'],
    ['resolution: HOURLY', 'resolution must be coarser: hourly is allowed for periods of at most 7 days'],
    ['resourceName: ""', 'resourceName must not be empty'],
  ])('return an error for a query that breaks a rule: %s', async (words, message) => {
    const { body } = await askAccount(running.app, owner, `metrics(${windowWords}, ${words}) { resolution }`);
    expect(body.errors[0]).toMatchObject({ message, extensions: { code: 'invalid_parameter', status: 400 } });
  });

  it.each([
    ['startTime: "2026-11-01T00:00:00Z", endTime: "2026-11-01T00:00:00Z"', 'endTime must be after startTime'],
    ['startTime: "1999-11-01T00:00:00Z", endTime: "2026-11-01T00:00:00Z"', /^startTime must be in the years/],
    [
      'startTime: "2026-11-01T00:00:00.0000000001Z", endTime: "2026-11-02T00:00:00Z"',
      /^startTime must be an RFC 3339 time/,
    ],
  ])('return an error for an invalid window: %s', async (words, message) => {
    const { body } = await askAccount(running.app, owner, `metrics(${words}) { resolution }`);
    expect(body.errors[0].message).toMatch(message);
    expect(body.errors[0].extensions).toMatchObject({ code: 'invalid_parameter', status: 400 });
  });
});
