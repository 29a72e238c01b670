// Filters, counts and orders of lists, compared with a plain filter over the same agents in memory.
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { AgentInput } from '../../../src/demo/rows/agent-input.js';
import { addAgents, createKey, createTenant, frozenNow, graphql, useApp } from '../../harness.js';

const running = useApp();
let key: string;

const statuses = ['DEPLOYED', 'FAILED', 'BUILDING', 'DEACTIVATED'] as const;
const regions = ['eu-frankfurt-1', 'us-dallas-1', 'ap-tokyo-1'];
const teams = ['billing', 'risk', 'yard'];
const people = ['ada', 'grace', 'linus'];

const at = (minute: number) => new Date(frozenNow.getTime() - minute * 60_000).toISOString();

/** Every field changes at its own interval, so that all pairs of values occur. */
function agentOf(index: number): AgentInput {
  const pick = <Item>(items: readonly Item[], step: number): Item | undefined =>
    items[Math.floor(index / step) % (items.length + 1)];
  const status = pick(statuses, 1);
  const region = pick(regions, 2) ?? 'eu-frankfurt-1';
  const team = pick(teams, 3);
  const displayName = index % 7 === 0 ? undefined : `Agent ${String.fromCodePoint(97 + (index % 5))} é`;
  const createdBy = pick(people, 5);
  return {
    metadata: {
      name: `${index % 2 === 0 ? 'crew' : 'cr-ew'}-${index}`,
      createdAt: at(Math.floor(index / 2)),
      updatedAt: at((index * 37) % 90),
      ...(displayName === undefined ? {} : { displayName }),
      ...(createdBy === undefined ? {} : { createdBy }),
      ...(index % 3 === 0 ? { externalId: `EXT-${index % 9}` } : {}),
      ...(team === undefined ? {} : { labels: { team, tier: index % 2 === 0 ? 'gold' : 'a=b\\c%' } }),
    },
    ...(status === undefined ? {} : { status }),
    spec: {
      region,
      enabled: index % 4 !== 1,
      ...(index % 5 === 0
        ? {}
        : { runtime: { generation: index % 3 === 0 ? 'mk2' : 'mk3', image: `registry/${index % 4}` } }),
      triggers: index % 6 === 0 ? [] : [index % 2 === 0 ? { type: 'http' } : nightly],
      volumes: [
        ...(index % 4 === 0 ? [{ name: `models-${index % 8}`, mountPath: '/m' }] : []),
        ...(index % 4 === 2 ? [{ type: 'ephemeral' as const, name: 'models-0', mountPath: '/s', sizeMb: 1 }] : []),
      ],
    },
  };
}

const nightly = { type: 'cron' as const, configuration: { schedule: '0 3 * * *' } };

const main = Array.from({ length: 120 }, (_, index) => agentOf(index));
const second = Array.from({ length: 40 }, (_, index) => agentOf(index * 3 + 1));

beforeAll(async () => {
  const { app } = running;
  const tenant = await createTenant(app, { account: 'northwind', workspaces: ['main', 'second'] });
  await addAgents(app, tenant.workspaces['main'], main);
  await addAgents(app, tenant.workspaces['second'], second);
  ({ key } = await createKey(app, tenant));
  const other = await createTenant(app, { account: 'southwind', workspaces: ['foreign'] });
  await addAgents(app, other.workspaces['foreign'], main);
});

interface TextFilter {
  in?: string[];
  startsWith?: string;
  contains?: string;
  isSet?: boolean;
}

interface Range {
  from?: string;
  to?: string;
}

interface Criteria {
  status?: TextFilter;
  region?: TextFilter;
  name?: TextFilter;
  displayName?: TextFilter;
  externalId?: TextFilter;
  createdBy?: TextFilter;
  enabled?: boolean;
  generation?: TextFilter;
  image?: TextFilter;
  triggerType?: string[];
  volumes?: string[];
  createdAt?: Range;
  updatedAt?: Range;
  labels?: { key: string; in?: string[]; isSet?: boolean }[];
}

interface Filter extends Criteria {
  and?: Filter[];
  or?: Filter[];
  not?: Filter;
}

/** The same in plain code: absent values match no criterion. */
function meets({ metadata, status, spec }: AgentInput, criteria: Criteria): boolean {
  const is = (value: string | undefined, { in: some, startsWith, contains, isSet }: TextFilter = {}) =>
    (some === undefined || (value !== undefined && some.includes(value))) &&
    (startsWith === undefined || value?.startsWith(startsWith) === true) &&
    (contains === undefined || value?.includes(contains) === true) &&
    (isSet === undefined || isSet === (value !== undefined));
  const isWithin = (time: string, range: Range = {}) =>
    (range.from === undefined || time >= range.from) && (range.to === undefined || time < range.to);
  const attached = (spec.volumes ?? []).filter(({ type }) => type !== 'ephemeral').map(({ name }) => name);
  const hasSome = (values: string[], some: string[] | undefined) =>
    some === undefined || values.some((each) => some.includes(each));
  const hasLabels = (criteria.labels ?? []).every(({ key: name, in: values, isSet }) => {
    const value = metadata.labels?.[name];
    if (isSet === false) return value === undefined && values === undefined;
    return value !== undefined && (values === undefined || values.includes(value));
  });
  return (
    is(status, criteria.status) &&
    is(spec.region, criteria.region) &&
    is(metadata.name, criteria.name) &&
    is(metadata.displayName, criteria.displayName) &&
    is(metadata.externalId, criteria.externalId) &&
    is(metadata.createdBy, criteria.createdBy) &&
    (criteria.enabled === undefined || spec.enabled === criteria.enabled) &&
    is(spec.runtime?.generation?.toUpperCase(), criteria.generation) &&
    is(spec.runtime?.image, criteria.image) &&
    hasSome(
      (spec.triggers ?? []).map(({ type }) => type),
      criteria.triggerType?.map((word) => word.toLowerCase().replace('_', '-')),
    ) &&
    hasSome(attached, criteria.volumes) &&
    isWithin(metadata.createdAt, criteria.createdAt) &&
    isWithin(metadata.updatedAt, criteria.updatedAt) &&
    hasLabels
  );
}

function matches(agent: AgentInput, { and = [], or, not, ...own }: Filter): boolean {
  return (
    meets(agent, own) &&
    and.every((each) => matches(agent, each)) &&
    (or === undefined || or.some((each) => matches(agent, each))) &&
    (not === undefined || !matches(agent, not))
  );
}

const sorts: Record<string, (agent: AgentInput) => string> = {
  CREATED_AT: ({ metadata }) => metadata.createdAt,
  UPDATED_AT: ({ metadata }) => metadata.updatedAt,
  NAME: ({ metadata }) => metadata.name,
  DISPLAY_NAME: ({ metadata }) => metadata.displayName ?? '',
  STATUS: ({ status }) => status ?? '',
};

const list = `
  query ($workspace: String, $filter: AgentFilter, $orderBy: ResourceOrder, $search: String, $first: Int, $after: String, $last: Int, $before: String) {
    agents(workspace: $workspace, filter: $filter, orderBy: $orderBy, search: $search, first: $first, after: $after, last: $last, before: $before) {
      totalCount filteredCount pageInfo { hasNextPage hasPreviousPage startCursor endCursor } nodes { metadata { name } }
    }
  }`;

async function page(variables: Record<string, unknown>) {
  const { body } = await graphql(running.app, key, list, { workspace: 'main', ...variables });
  expect(body.errors).toBeUndefined();
  const { nodes, ...rest } = body.data.agents;
  return { ...rest, names: nodes.map(({ metadata }: { metadata: { name: string } }) => metadata.name) };
}

/** All names of a list, page by page. */
async function names(variables: Record<string, unknown>, isBackward = false): Promise<string[]> {
  const found: string[] = [];
  let cursor: string | undefined;
  for (;;) {
    const slice = isBackward ? { last: 17, before: cursor } : { first: 17, after: cursor };
    const { pageInfo, names: some } = await page({ ...variables, ...slice });
    found.splice(isBackward ? 0 : found.length, 0, ...some);
    cursor = isBackward ? pageInfo.startCursor : pageInfo.endCursor;
    if (!(isBackward ? pageInfo.hasPreviousPage : pageInfo.hasNextPage)) return found;
  }
}

const textFields = (...items: string[]) => ({
  in: fc.subarray([...items, 'nothing']),
  startsWith: fc.constantFrom(...items, items[0]?.slice(0, 3) ?? '', '%', ''),
  contains: fc.constantFrom(items[0]?.slice(1, 4) ?? '', 'a', '_', ''),
});
const texts = (...items: string[]): fc.Arbitrary<TextFilter> =>
  fc.record({ ...textFields(...items), isSet: fc.boolean() }, { requiredKeys: [] });
const words = (...items: string[]): fc.Arbitrary<TextFilter> =>
  fc.record({ in: fc.subarray(items), isSet: fc.boolean() }, { requiredKeys: [] });
const range = fc.record({ from: fc.nat(60).map(at), to: fc.nat(60).map(at) }, { requiredKeys: [] });
const criteria: fc.Arbitrary<Criteria> = fc
  .record(
    {
      status: words(...statuses),
      region: texts(...regions),
      name: fc.record(textFields('crew-0', 'cr-ew-1', 'crew-2'), { requiredKeys: [] }),
      displayName: texts('Agent a é', 'Agent b é'),
      externalId: texts('EXT-0', 'EXT-3'),
      createdBy: texts(...people),
      enabled: fc.boolean(),
      generation: words('MK2', 'MK3'),
      image: texts('registry/1', 'registry/2'),
      triggerType: fc.subarray(['HTTP', 'CRON', 'HTTP_ASYNC']),
      volumes: fc.subarray(['models-0', 'models-4', 'nothing']),
      createdAt: range,
      updatedAt: range,
      labels: fc.array(
        fc.record(
          {
            key: fc.constantFrom('team', 'tier', 'none'),
            in: fc.subarray(['billing', 'gold', 'a=b\\c%']),
            isSet: fc.boolean(),
          },
          { requiredKeys: ['key'] },
        ),
        { maxLength: 2 },
      ),
    },
    { requiredKeys: [] },
  )
  .map((given) => Object.fromEntries(Object.entries(given).filter((_, index) => index < 3)));

/** Filters that are nested this deep. */
function filtersOf(depth: number): fc.Arbitrary<Filter> {
  if (depth === 0) return criteria;
  const nested = filtersOf(depth - 1);
  const branches = fc.oneof(
    fc.record({ and: fc.array(nested, { maxLength: 2 }) }),
    fc.record({ or: fc.array(nested, { maxLength: 3 }) }),
    fc.record({ not: nested }),
    fc.record({ or: fc.array(nested, { maxLength: 2 }), not: nested }),
  );
  return fc.tuple(criteria, branches).map(([own, more]) => ({ ...own, ...more }));
}
const filters = filtersOf(3);

const fieldOf = (given: Filter) => main.filter((agent) => matches(agent, given)).map(({ metadata }) => metadata.name);

describe('A filter', () => {
  it('returns and counts the same as a filter in memory', async () => {
    await fc.assert(
      fc.asyncProperty(filters, async (filter) => {
        const expected = fieldOf(filter);
        const { filteredCount, totalCount, names: found } = await page({ filter, first: 200 });
        expect(found.toSorted()).toEqual(expected.toSorted());
        expect({ filteredCount, totalCount }).toEqual({ filteredCount: expected.length, totalCount: main.length });
      }),
      { numRuns: Number(process.env['PROPERTY_RUNS'] ?? 25), endOnFailure: true },
    );
  });

  it('returns the same page by page, forward and backward, in every order, also with a search', async () => {
    const order = fc.record({
      field: fc.constantFrom(...Object.keys(sorts)),
      direction: fc.constantFrom('ASC', 'DESC'),
    });
    await fc.assert(
      fc.asyncProperty(criteria, order, fc.constantFrom(undefined, 'crew', 'ew-1'), async (filter, orderBy, search) => {
        const whole = await page({ filter, orderBy, search, first: 200 });
        const keys = new Map(main.map((agent) => [agent.metadata.name, sorts[orderBy.field]?.(agent) ?? '']));
        const read = whole.names.map((name: string) => keys.get(name));
        const sorted = read.toSorted((one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0));
        expect(read).toEqual(orderBy.direction === 'ASC' ? sorted : sorted.toReversed());
        expect(whole.filteredCount).toBe(
          fieldOf(filter).filter((name) => search === undefined || name.includes(search)).length,
        );
        expect(await names({ filter, orderBy, search })).toEqual(whole.names);
        expect(await names({ filter, orderBy, search }, true)).toEqual(whole.names);
      }),
      { numRuns: 12, endOnFailure: true },
    );
  });

  it('is the same in a nested list, with one statement for the pages and one for the counts', async () => {
    const query = `query ($filter: AgentFilter) { workspaces { nodes { name agents(filter: $filter, first: 200) { filteredCount nodes { metadata { name } } } } } }`;
    await fc.assert(
      fc.asyncProperty(filters, async (filter) => {
        const { body } = await graphql(running.app, key, query, { filter });
        const found = Object.fromEntries(
          body.data.workspaces.nodes.map(
            (each: { name: string; agents: { filteredCount: number; nodes: { metadata: { name: string } }[] } }) => [
              each.name,
              {
                count: each.agents.filteredCount,
                names: each.agents.nodes.map(({ metadata }) => metadata.name).toSorted(),
              },
            ],
          ),
        );
        const expected = (agents: AgentInput[]) => {
          const some = agents.filter((agent) => matches(agent, filter)).map(({ metadata }) => metadata.name);
          return { count: some.length, names: some.toSorted() };
        };
        expect(found).toEqual({ main: expected(main), second: expected(second) });
      }),
      { numRuns: 8, endOnFailure: true },
    );
    running.app.statements.length = 0;
    await graphql(running.app, key, query, { filter: { status: { in: ['FAILED'] } } });
    const reads = running.app.statements.filter((text) => text.includes('"agent"'));
    // A stretch of each list, the indexes for the lists that it did not fill, and the counts.
    expect(reads).toHaveLength(3);
  });

  it('finds and counts agents without a label, with any characters in its key', async () => {
    const keys = ['a', 'b', 'a","b', 'é', 'Z', '\\', '"', 'a,b'];
    const labels: Record<string, string>[] = [
      {},
      ...keys.map((one) => ({ [one]: '1' })),
      { a: '1', b: '2' },
      { b: '' },
    ];
    const tenant = await createTenant(running.app, { account: 'eastwind', workspaces: ['labels'] });
    const created = at(0);
    const agents = labels.map((each, index): AgentInput => ({
      metadata: { name: `agent-${index}`, createdAt: created, updatedAt: created, labels: each },
      spec: {},
    }));
    await addAgents(running.app, tenant.workspaces['labels'], agents);
    const { key: own } = await createKey(running.app, tenant);
    for (const label of keys) {
      const filter = { labels: [{ key: label, isSet: false }] };
      const { body } = await graphql(running.app, own, list, { workspace: 'labels', filter, first: 200 });
      const without = labels.flatMap((each, index) => (Object.hasOwn(each, label) ? [] : [`agent-${index}`]));
      const { filteredCount, nodes } = body.data.agents;
      const found = nodes.map(({ metadata }: { metadata: { name: string } }) => metadata.name);
      expect(found.toSorted()).toEqual(without.toSorted());
      expect(filteredCount).toBe(without.length);
    }
  });

  it('follows updates of the filtered fields', async () => {
    const { db } = running.app.services;
    const failed = { filter: { status: { in: ['FAILED'] }, region: { in: ['us-dallas-1'] } }, first: 200 };
    const before = await page(failed);
    const [name] = before.names;
    const where = { name, workspace: { name: 'main' } };
    await db.agent.updateMany({ where, data: { status: 'DEPLOYED' } });
    expect((await page(failed)).names).toEqual(before.names.slice(1));
    await db.agent.updateMany({ where, data: { status: 'FAILED' } });
    expect(await page(failed)).toEqual({ ...before, pageInfo: expect.anything() });
  });
});

describe('A filter is part of cursors', () => {
  it('and a cursor of another filter is rejected with 400', async () => {
    const { pageInfo } = await page({ filter: { status: { in: ['DEPLOYED'] } }, first: 2 });
    const again = await page({ filter: { status: { in: ['DEPLOYED'] } }, first: 2, after: pageInfo.endCursor });
    expect(again.names).toHaveLength(2);
    const variables = {
      workspace: 'main',
      filter: { status: { in: ['FAILED'] } },
      first: 2,
      after: pageInfo.endCursor,
    };
    const { body } = await graphql(running.app, key, list, variables);
    expect(body.errors[0].extensions).toMatchObject({ code: 'cursor_mismatch', status: 400 });
  });

  it('and the same filter in another order of its fields is the same', async () => {
    const { pageInfo } = await page({
      filter: { enabled: true, not: { status: { in: ['FAILED'] }, enabled: false } },
      first: 2,
    });
    const filter = { not: { enabled: false, status: { in: ['FAILED'] } }, enabled: true, region: null };
    expect((await page({ filter, first: 2, after: pageInfo.endCursor })).names).toHaveLength(2);
  });
});

describe('A filter is rejected with 400', () => {
  const hundredNames = { name: { in: Array.from({ length: 100 }, String) } };

  it.each([
    [
      'more than a hundred values',
      { region: { in: Array.from({ length: 101 }, String) } },
      'filter.region.in must be at most 100 items',
    ],
    [
      'a control character',
      { or: [{}, { externalId: { in: ['a\u0000b'] } }] },
      'filter.or.1.externalId.in.0 must not contain control characters',
    ],
    [
      'a text that is too long',
      { not: { image: { contains: 'x'.repeat(1_025) } } },
      'filter.not.image.contains must be at most 1024 characters',
    ],
    ['too many alternatives', { or: Array.from({ length: 11 }, () => ({})) }, 'filter.or must have at most 10 filters'],
    [
      'a fourth level',
      { and: [{}, { or: [{ not: { not: { enabled: true } } }] }] },
      'filter.and.1.or.0.not.not is nested too deep: and, or and not can be nested 3 deep',
    ],
    [
      'fifty levels',
      Array.from({ length: 50 }).reduce<object>((inner) => ({ not: inner }), {}),
      'filter.not.not.not.not is nested too deep: and, or and not can be nested 3 deep',
    ],
    [
      'more than a thousand values',
      { or: Array.from({ length: 10 }, () => ({ or: [hundredNames, hundredNames] })) },
      'filter must have at most 1000 values and nested filters (got 2000)',
    ],
    [
      'a long list of labels',
      { labels: Array.from({ length: 101 }, () => ({ key: 'a' })) },
      'filter.labels must be at most 100 items',
    ],
  ])('for %s', async (_rule, filter, message) => {
    const { body } = await graphql(running.app, key, list, { workspace: 'main', filter });
    expect(body.errors[0]).toMatchObject({ message, extensions: { code: 'invalid_parameter', status: 400 } });
  });

  it('or an order by a field that the list does not have', async () => {
    const { body } = await graphql(
      running.app,
      key,
      '{ images(workspace: "main", orderBy: { field: STATUS, direction: ASC }) { totalCount } }',
    );
    expect(body.errors[0]).toMatchObject({
      message: 'orderBy.field must not be status, which no image has',
      extensions: { status: 400 },
    });
  });
});
