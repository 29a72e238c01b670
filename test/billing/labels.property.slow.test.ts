// Costs by label of any query equal a recount of the events, with the labels that the change log has of their time.
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { rollUpUsage } from '../../src/metering/usage-rollup.js';
import { createKey, createTenant, frozenNow, graphql, useApp } from '../harness.js';
import type { Tenant } from '../harness.js';
import { nanos, units } from './recount.js';
import type { PlainEvent } from './recount.js';

const running = useApp();
type Labels = Record<string, string>;

interface Agent {
  id: string;
  name: string;
  workspace: string;
}

interface Owner {
  account: string;
  tenant: Tenant;
  key: string;
  workspaces: string[];
  agents: Agent[];
  events: Map<string, PlainEvent>;
}

const owners: Owner[] = [];

afterEach(() => {
  running.app.clock.now = frozenNow;
});

beforeAll(async () => {
  for (const account of ['northwind', 'contoso']) {
    const workspaces = [`${account}-main`, `${account}-side`];
    const tenant = await createTenant(running.app, { account, workspaces });
    const { key } = await createKey(running.app, tenant);
    owners.push({ account, tenant, key, workspaces, agents: [], events: new Map() });
  }
});

async function mutate(owner: Owner, field: string, input: object): Promise<Record<string, unknown>> {
  const type = `${field.charAt(0).toUpperCase()}${field.slice(1)}`;
  const ofAgent = field.endsWith('Agent') ? `... on ${type}Payload { agent { uuid } }` : '';
  const query = `mutation ($input: ${type}Input!) { result: ${field}(input: $input) {
    __typename ${ofAgent} ... on Error { message } } }`;
  const { body } = await graphql(running.app, owner.key, query, { input });
  expect({ ...body.data?.result, body }).toMatchObject({ __typename: `${type}Payload` });
  return body.data.result;
}

const pairs = (labels: Labels) => Object.entries(labels).map(([key, value]) => ({ key, value }));
const laterMs = (ms: number) => (running.app.clock.now = new Date(running.app.clock.now.getTime() + ms));

async function createAgent(owner: Owner, workspace: string, name: string, labels: Labels): Promise<Agent> {
  const { agent } = await mutate(owner, 'createAgent', { workspace, metadata: { name, labels: pairs(labels) } });
  const created = { id: idOf(agent), name, workspace };
  owner.agents.push(created);
  return created;
}

function idOf(agent: unknown): string {
  return typeof agent === 'object' && agent !== null && 'uuid' in agent ? String(agent.uuid) : '';
}

interface LoggedLabels {
  ms: number;
  resource: string;
  named: string;
  labels: Labels;
}

/** The labels of all agents, by the change log, oldest first. */
async function loggedLabels({ tenant }: Owner): Promise<LoggedLabels[]> {
  const rows = await running.app.services.db.$queryRaw<
    { time: Date; resource: string; named: string; labels: Labels | null }[]
  >`
    SELECT c."time", c."resource_id"::text AS "resource", w."name" || ' ' || c."name" AS "named",
      c."after"->'metadata'->'labels' AS "labels"
    FROM "change" AS c JOIN "workspace" AS w ON w."id" = c."workspace_id"
    WHERE c."account_id" = ${tenant.accountId}::uuid AND c."kind" = 'AGENT' AND c."verb" IN ('created', 'updated')
    ORDER BY c."sequence"`;
  return rows.map(({ time, labels, ...row }) => ({ ...row, ms: time.getTime(), labels: labels ?? {} }));
}

function labelsOf(event: PlainEvent, log: readonly LoggedLabels[]): Labels {
  const named = `${event.workspace} ${event.resourceName}`;
  const ofId = log.filter(
    ({ resource, named: own }) => resource === event.resourceUuid && own.startsWith(`${event.workspace} `),
  );
  const own = ofId.length > 0 || event.resourceType !== 'agent' ? ofId : log.filter((each) => each.named === named);
  const known = own.filter(({ ms }) => BigInt(ms) * 1_000_000n <= nanos(event.time));
  return (known.at(-1) ?? own[0])?.labels ?? {};
}

interface LabelFilter {
  key: string;
  in?: string[];
  isSet?: boolean;
}

interface Query {
  startTime: string;
  endTime: string;
  resolution: string;
  timeZone?: string;
  groupBy: string[];
  groupByLabels: string[];
  labels?: LabelFilter[];
  filters: Partial<Record<'workspace' | 'resourceName' | 'resourceUuid' | 'resourceType' | 'billingDimension', string>>;
  order: 'key' | 'ASC' | 'DESC';
  size: number;
}

const document = `query ($account: String!, $startTime: DateTime!, $endTime: DateTime!, $resolution: MetricsResolution,
    $timeZone: String, $groupBy: [MetricsDimension!], $groupByLabels: [String!], $labels: [LabelFilter!], $workspace: String,
    $resourceName: String, $resourceUuid: String, $resourceType: String, $billingDimension: String,
    $orderBy: MetricsOrder, $first: Int, $after: String, $last: Int, $before: String) {
  account(name: $account) {
    metrics(startTime: $startTime, endTime: $endTime, resolution: $resolution, timeZone: $timeZone, groupBy: $groupBy,
      groupByLabels: $groupByLabels, labels: $labels, workspace: $workspace, resourceName: $resourceName,
      resourceUuid: $resourceUuid, resourceType: $resourceType, billingDimension: $billingDimension, orderBy: $orderBy) {
      summary { totalCost }
      entries(first: $first, after: $after, last: $last, before: $before) {
        totalCount
        pageInfo { hasNextPage endCursor hasPreviousPage startCursor }
        nodes { workspaceName resourceType resourceName resourceUuid billingDimension labels { key value } cost usage
          timeseries { timestamp cost usage } }
      }
    }
  }
}`;

const eventsDocument = `query ($account: String!, $startTime: DateTime!, $endTime: DateTime!, $labels: [LabelFilter!],
    $workspace: String, $resourceName: String, $resourceUuid: String, $billingDimension: String) {
  account(name: $account) {
    usageEvents(first: 1, state: ACTIVE, startTime: $startTime, endTime: $endTime, labels: $labels, workspace: $workspace,
      resourceName: $resourceName, resourceUuid: $resourceUuid, billingDimension: $billingDimension) { totalCost }
    amended: usageEvents(first: 1, state: AMENDED, startTime: $startTime, endTime: $endTime, labels: $labels,
      workspace: $workspace, resourceName: $resourceName, resourceUuid: $resourceUuid, billingDimension: $billingDimension) {
      totalCost
    }
  }
}`;

/** The cost of all events that match the filters of a query. */
async function costOfEvents(owner: Owner, { startTime, endTime, labels, filters }: Query): Promise<bigint> {
  const variables = { account: owner.account, startTime, endTime, labels, ...filters };
  const { body } = await graphql(running.app, owner.key, eventsDocument, variables);
  expect(body.errors).toBeUndefined();
  const { usageEvents, amended } = body.data.account;
  return units(usageEvents.totalCost, 9) + units(amended.totalCost, 9);
}

interface Entry {
  key: (string | null)[];
  cost: bigint;
  usage: bigint | undefined;
}

const keyOrder = ['RESOURCE_UUID', 'RESOURCE_NAME', 'WORKSPACE', 'RESOURCE_TYPE', 'BILLING_DIMENSION'] as const;
const fieldOf = {
  RESOURCE_UUID: 'resourceUuid',
  RESOURCE_NAME: 'resourceName',
  WORKSPACE: 'workspace',
  RESOURCE_TYPE: 'resourceType',
  BILLING_DIMENSION: 'billingDimension',
} as const;

function recountEntries(events: readonly PlainEvent[], log: readonly LoggedLabels[], query: Query): Entry[] {
  const groups = new Map<string, Entry>();
  const dimensions = keyOrder.filter((dimension) => query.groupBy.includes(dimension));
  const keys = query.groupByLabels.toSorted();
  if (dimensions.length + keys.length === 0) groups.set('[]', { key: [], cost: 0n, usage: undefined });
  for (const event of events) {
    if (nanos(event.time) < nanos(query.startTime) || nanos(event.time) >= nanos(query.endTime)) continue;
    const labels = new Map(Object.entries(labelsOf(event, log)));
    const fields = new Map(Object.entries(event));
    if (!Object.entries(query.filters).every(([field, value]) => fields.get(field) === value)) continue;
    const matches = (query.labels ?? []).every(({ key, in: values, isSet }) => {
      const value = labels.get(key);
      if (isSet === false && value !== undefined) return false;
      if (isSet === true && value === undefined) return false;
      if (values !== undefined) return value !== undefined && values.includes(value);
      return isSet === false || value !== undefined;
    });
    if (!matches) continue;
    const key = [
      ...dimensions.map((each) => event[fieldOf[each]] ?? ''),
      ...keys.map((each) => labels.get(each) ?? null),
    ];
    const group = groups.get(JSON.stringify(key)) ?? { key, cost: 0n, usage: 0n };
    groups.set(JSON.stringify(key), group);
    group.cost += units(event.cost, 9);
    group.usage = query.groupBy.includes('BILLING_DIMENSION') ? (group.usage ?? 0n) + units(event.usage, 6) : undefined;
  }
  const sign = query.order === 'DESC' ? -1 : 1;
  return [...groups.values()].toSorted((one, other) => {
    if (query.order !== 'key' && one.cost !== other.cost) return one.cost < other.cost ? -sign : sign;
    for (const [index, part] of one.key.entries()) {
      const found = compareParts(part, other.key[index] ?? null);
      if (found !== 0) return found;
    }
    return 0;
  });
}

/** Usage without the label comes first. */
function compareParts(one: string | null, other: string | null): number {
  if (one === null || other === null) return Number(other === null) - Number(one === null);
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

interface Node {
  workspaceName: string;
  resourceType: string;
  resourceName: string;
  resourceUuid: string;
  billingDimension: string;
  labels: { key: string; value: string | null }[];
  cost: string;
  usage: string | null;
  timeseries: { timestamp: string; cost: string; usage: string | null }[];
}

function entryOf(node: Node, query: Query): Entry {
  const dimensions = keyOrder.filter((dimension) => query.groupBy.includes(dimension));
  const values = { ...node, workspace: node.workspaceName };
  expect(node.labels.map(({ key }) => key)).toEqual(query.groupByLabels.toSorted());
  const cost = units(node.cost, 9);
  expect(node.timeseries.reduce((sum, bucket) => sum + units(bucket.cost, 9), 0n)).toBe(cost);
  return {
    key: [...dimensions.map((each) => values[fieldOf[each]]), ...node.labels.map(({ value }) => value)],
    cost,
    usage: node.usage === null ? undefined : units(node.usage, 6),
  };
}

interface Answer {
  nodes: Node[];
  count: number;
  total: bigint;
}

/** The entries of all pages, forward or backward. */
async function askAll(owner: Owner, query: Query, between: () => Promise<void>, isBackward: boolean): Promise<Answer> {
  const { filters, order, size, ...variables } = query;
  const found: Node[] = [];
  for (let cursor: string | undefined, isFirst = true; ; isFirst = false) {
    const page = isBackward ? { last: size, before: cursor } : { first: size, after: cursor };
    const orderBy = order === 'key' ? undefined : { field: 'COST', direction: order };
    const { body } = await graphql(running.app, owner.key, document, {
      ...variables,
      ...filters,
      ...page,
      orderBy,
      account: owner.account,
    });
    expect(body.errors).toBeUndefined();
    const { entries, summary } = body.data.account.metrics;
    if (isBackward) found.unshift(...entries.nodes);
    else found.push(...entries.nodes);
    const { hasNextPage, hasPreviousPage, endCursor, startCursor } = entries.pageInfo;
    if (isBackward ? !hasPreviousPage : !hasNextPage) {
      return { nodes: found, count: entries.totalCount, total: units(summary.totalCost, 9) };
    }
    cursor = isBackward ? startCursor : endCursor;
    if (isFirst) await between();
  }
}

const labelValues = ['a', 'B', '(none)', '=a', 'ü', '\u{1F69A}', '\uFFFD', 'it\'s \\ "', 'null'];
const labelsArbitrary = fc.dictionary(fc.constantFrom('team', 'env', 'a.b"c', 'x'), fc.constantFrom(...labelValues), {
  maxKeys: 3,
});
const dimension = fc.constantFrom('agent_compute_runtime_gbs', 'agent_async_requests_count');
const decimal = (digits: number) =>
  fc.integer({ min: 0, max: 9_999_999 }).map((n) => (n / 1000).toFixed(Math.min(3, digits)));

const eventShape = fc.record({
  agent: fc.nat(),
  named: fc.constantFrom('uuid', 'uuid', 'name', 'other id', 'nothing', 'wrong workspace'),
  billingDimension: dimension,
  agoMs: fc.oneof(fc.integer({ min: 1, max: 600_000 }), fc.integer({ min: 1, max: 3 * 86_400_000 })),
  nano: fc.integer({ min: 0, max: 999_999 }),
  usage: decimal(6),
  cost: decimal(9),
});

function eventOf(owner: Owner, id: string, shape: ShapeOf): PlainEvent {
  const agent = owner.agents[shape.agent % owner.agents.length];
  const time = new Date(running.app.clock.now.getTime() - shape.agoMs).toISOString();
  const [main = '', side = ''] = owner.workspaces;
  const workspace = agent?.workspace ?? main;
  const names = {
    uuid: { resourceName: agent?.name ?? '', resourceUuid: agent?.id ?? '' },
    name: { resourceName: agent?.name ?? '', resourceUuid: '' },
    'other id': { resourceName: agent?.name ?? '', resourceUuid: 'i-7' },
    nothing: { resourceName: 'unknown', resourceUuid: '' },
    'wrong workspace': { resourceName: 'elsewhere', resourceUuid: agent?.id ?? '' },
  }[shape.named];
  return {
    source: 'meter',
    id,
    account: owner.account,
    workspace: shape.named === 'wrong workspace' ? (workspace === main ? side : main) : workspace,
    resourceType: 'agent',
    ...names,
    billingDimension: shape.billingDimension,
    time: time.replace('Z', `${String(shape.nano).padStart(6, '0')}Z`),
    usage: shape.usage,
    cost: shape.cost,
  };
}

interface ShapeOf {
  agent: number;
  named: 'uuid' | 'name' | 'other id' | 'nothing' | 'wrong workspace';
  billingDimension: string;
  agoMs: number;
  nano: number;
  usage: string;
  cost: string;
}

async function record(owner: Owner, shapes: readonly ShapeOf[]): Promise<void> {
  const events = shapes.map((shape) => eventOf(owner, randomUUID(), shape));
  const query =
    'mutation ($input: RecordUsageInput!) { recordUsage(input: $input) { ... on RecordUsagePayload { results { outcome } } } }';
  const { body } = await graphql(running.app, owner.key, query, { input: { events } });
  for (const [index, event] of events.entries()) {
    expect(body.data.recordUsage.results[index]).toEqual({ outcome: 'ACCEPTED' });
    owner.events.set(event.id, event);
  }
}

const step = fc.oneof(
  fc.record({ does: fc.constant('relabel' as const), agent: fc.nat(), labels: labelsArbitrary }),
  fc.record({ does: fc.constant('record' as const), events: fc.array(eventShape, { minLength: 1, maxLength: 12 }) }),
  fc.record({ does: fc.constant('void' as const), of: fc.nat() }),
  fc.record({ does: fc.constant('amend' as const), of: fc.nat(), as: eventShape }),
  fc.record({ does: fc.constant('rollUp' as const) }),
  fc.record({ does: fc.constant('replace' as const), agent: fc.nat(), labels: labelsArbitrary }),
);

async function take(owner: Owner, taken: StepOf): Promise<void> {
  laterMs(1_000 + (owner.events.size % 7) * 1_000_003);
  const { services } = running.app;
  const agent = owner.agents[('agent' in taken ? taken.agent : 0) % owner.agents.length];
  const event = [...owner.events.values()][('of' in taken ? taken.of : 0) % Math.max(1, owner.events.size)];
  const correction = { account: owner.account, reason: 'a test' };
  if (taken.does === 'record') await record(owner, taken.events);
  else if (taken.does === 'rollUp') {
    await rollUpUsage(services.db, services.usageMemory, owner.tenant.accountId, services.now());
  } else if (taken.does === 'relabel' && agent !== undefined) {
    const { name, workspace } = agent;
    await mutate(owner, 'updateAgent', { workspace, name, metadata: { labels: pairs(taken.labels) } });
  } else if (taken.does === 'replace' && agent !== undefined) {
    const { name, workspace } = agent;
    await mutate(owner, 'deleteAgent', { workspace, name });
    owner.agents.splice(owner.agents.indexOf(agent), 1);
    laterMs(500);
    await createAgent(owner, workspace, name, taken.labels);
  } else if (taken.does === 'void' && event !== undefined) {
    await mutate(owner, 'voidUsage', { ...correction, source: 'meter', ids: [event.id] });
    owner.events.delete(event.id);
  } else if (taken.does === 'amend' && event !== undefined) {
    const amended = eventOf(owner, event.id, taken.as);
    await mutate(owner, 'amendUsage', { ...correction, events: [amended] });
    owner.events.set(event.id, amended);
  }
}

type StepOf =
  | { does: 'relabel' | 'replace'; agent: number; labels: Labels }
  | { does: 'record'; events: ShapeOf[] }
  | { does: 'void'; of: number }
  | { does: 'amend'; of: number; as: ShapeOf }
  | { does: 'rollUp' };

const labelKeys = ['team', 'env', 'a.b"c', 'x', 'absent'];
const labelFilter = fc.record(
  {
    key: fc.constantFrom(...labelKeys),
    in: fc.uniqueArray(fc.constantFrom(...labelValues), { maxLength: 3 }),
    isSet: fc.boolean(),
  },
  { requiredKeys: ['key'] },
);

function queryOf(owner: Owner): fc.Arbitrary<Query> {
  const now = running.app.clock.now.getTime();
  const filters = fc.record(
    {
      workspace: fc.constantFrom(...owner.workspaces),
      resourceName: fc.constantFrom(...owner.agents.map(({ name }) => name)),
      resourceUuid: fc.constantFrom(...owner.agents.map(({ id }) => id)),
      billingDimension: dimension,
    },
    { requiredKeys: [] },
  );
  return fc
    .record({
      lengthMs: fc.integer({ min: 1, max: 5 * 86_400_000 }),
      endMs: fc.integer({ min: 0, max: 86_400_000 }),
      isWhole: fc.boolean(),
      resolution: fc.constantFrom('HOURLY', 'DAILY', 'WEEKLY', 'MONTHLY'),
      timeZone: fc.constantFrom(undefined, 'America/New_York', 'Asia/Kolkata'),
      groupBy: fc.subarray([...keyOrder], { maxLength: 3 }),
      groupByLabels: fc.subarray(labelKeys, { maxLength: 2 }),
      labels: fc.option(fc.array(labelFilter, { maxLength: 2 }), { nil: undefined }),
      filters: fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: filters }),
      order: fc.constantFrom('key', 'key', 'ASC', 'DESC'),
      size: fc.constantFrom(1, 2, 5, 100),
    })
    .map(({ lengthMs, endMs, isWhole, timeZone, labels, ...query }) => {
      const step = isWhole ? 3_600_000 : 1;
      const end = Math.ceil((now - endMs) / step) * step;
      const start = end - Math.ceil(lengthMs / step) * step;
      return {
        ...query,
        startTime: new Date(start).toISOString(),
        endTime: new Date(end).toISOString(),
        ...(timeZone === undefined ? {} : { timeZone }),
        ...(labels === undefined ? {} : { labels }),
      };
    });
}

const runs = Number(process.env['PROPERTY_RUNS'] ?? 6);
const queriesPerRun = 25;

describe('Costs by label', () => {
  it('equal a recount by the change log, on all pages, for any query', { timeout: 600_000 }, async () => {
    for (const owner of owners) {
      for (const [index, workspace] of [...owner.workspaces, ...owner.workspaces].entries()) {
        await createAgent(owner, workspace, `agent-${index}`, { team: `team-${index % 3}` });
      }
    }
    for (let run = 0; run < runs; run++) {
      for (const taken of fc.sample(step, { seed: 100 + run, numRuns: 24 })) {
        for (const owner of owners) await take(owner, taken);
      }
      for (const owner of owners) {
        const log = await loggedLabels(owner);
        for (const query of fc.sample(queryOf(owner), { seed: 200 + run, numRuns: queriesPerRun })) {
          const expected = recountEntries([...owner.events.values()], log, query);
          const more = async () => {
            const [shape] = fc.sample(eventShape, { seed: owner.events.size, numRuns: 1 });
            await take(owner, { does: 'relabel', agent: owner.events.size, labels: { team: 'late' } });
            if (shape !== undefined) await record(owner, [shape]);
          };
          expect(await costOfEvents(owner, query)).toBe(expected.reduce((sum, { cost }) => sum + cost, 0n));
          const { nodes, count, total } = await askAll(owner, query, more, query.size === 5);
          expect(count).toBe(expected.length);
          expect(total).toBe(expected.reduce((sum, { cost }) => sum + cost, 0n));
          expect({ query, entries: nodes.map((node) => entryOf(node, query)) }).toEqual({ query, entries: expected });
          if (expected.length > query.size) log.splice(0, log.length, ...(await loggedLabels(owner)));
        }
      }
    }
  });
});
