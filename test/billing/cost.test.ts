// Cost as a field of billed objects: it equals account metrics, for all objects of a request.
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { resourceSumsStatement } from '../../src/billing/points-statements.js';
import { splitWindow } from '../../src/metering/window.js';
import { recordUsage } from '../../src/metering/usage.js';
import { isCluster } from '../database-kind.js';
import { addAgents, anAgent, createKey, frozenNow, graphql, useApp } from '../harness.js';
import { addPlatform } from '../platform.js';
import { createOwner, mixedUsage } from '../metering/usage-mixture.js';
import type { Owner } from '../metering/usage-mixture.js';
import { metricsIn } from './graphql-samples.js';
import { recount, units } from './recount.js';
import type { PlainEntry, PlainEvent, PlainQuery } from './recount.js';

const running = useApp({}, { ownDatabase: true });
const ids = Array.from({ length: 50 }, () => randomUUID());
let events: PlainEvent[];
let owner: Owner;
let foreign: Owner;

beforeAll(async () => {
  const { app } = running;
  owner = await createOwner(app, 'northwind', ['main', 'side']);
  foreign = await createOwner(app, 'southwind', ['south']);
  const agents = ids.map((id, index) => ({ ...anAgent(`agent-${String(index).padStart(2, '0')}`), id }));
  await addAgents(app, owner.tenant.workspaces['main'], agents);
  // A few agents have used something several times, in both workspaces, some nothing, and some usage is of no agent.
  events = mixedUsage(300, 'northwind', ['main', 'side']).map((event, index) =>
    index % 4 === 0 ? event : { ...event, resourceUuid: ids[index % 23] ?? '' },
  );
  await recordUsage(owner.ctx, events);
  // Another account says that it has used the same things.
  const theirs = mixedUsage(40, 'southwind', ['south']);
  await recordUsage(
    foreign.ctx,
    theirs.map((event, index) => ({ ...event, resourceUuid: ids[index % 10] ?? '' })),
  );
});

const fields = 'total timeseries { timestamp cost }';

interface CostBody {
  total: string;
  timeseries: { timestamp: string; cost: string }[];
}

const words = ({ startTime, endTime, resolution }: Pick<PlainQuery, 'startTime' | 'endTime' | 'resolution'>) =>
  `startTime: "${startTime}", endTime: "${endTime}", resolution: ${resolution.toUpperCase()}`;

async function ask(query: string, key = owner.key) {
  const { body } = await graphql(running.app, key, query, {}, { 'x-service-workspace': 'main' });
  return body;
}

function inUnits({ total, timeseries }: CostBody) {
  return {
    cost: units(total, 9),
    timeseries: timeseries.map(({ cost, ...rest }) => ({ ...rest, cost: units(cost, 9) })),
  };
}

function expected(entry: PlainEntry | undefined, starts: string[]) {
  const timeseries = starts.map((timestamp, order) => ({ timestamp, cost: entry?.timeseries[order]?.cost ?? 0n }));
  return { cost: entry?.cost ?? 0n, timeseries };
}

const window = fc
  .record({
    day: fc.integer({ min: 0, max: 48 }),
    startMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 86_400_000 })),
    lengthMs: fc.oneof(fc.constant(7 * 86_400_000), fc.integer({ min: 1, max: 7 * 86_400_000 })),
    resolution: fc.constantFrom('hourly', 'daily', 'weekly', 'monthly'),
  })
  .map(({ day, startMs, lengthMs, resolution }) => {
    const start = Date.UTC(2026, 9, 1 + day) + startMs;
    return {
      startTime: new Date(start).toISOString(),
      endTime: new Date(start + lengthMs).toISOString(),
      resolution,
      filters: {},
    } as const;
  });

describe('The cost of a resource', () => {
  it('equals a recount of the events of its uuid, in any window, for each of fifty', async () => {
    await fc.assert(
      fc.asyncProperty(window, async (asked) => {
        const body = await ask(`{ agents(first: 50) { nodes { uuid cost(${words(asked)}) { ${fields} } } } }`);
        expect(body.errors).toBeUndefined();
        const entries = new Map(
          recount(events, { ...asked, groupBy: ['resource_uuid'] }).map((each) => [each.key[0], each]),
        );
        const [all] = recount(events, { ...asked, groupBy: [] });
        const starts = all?.timeseries.map(({ timestamp }) => timestamp.replace('Z', '.000Z')) ?? [];
        expect(body.data.agents.nodes).toHaveLength(50);
        for (const { uuid, cost } of body.data.agents.nodes) {
          expect(inUnits(cost)).toEqual(expected(entries.get(uuid), starts));
        }
      }),
      { numRuns: 12 },
    );
  });

  it('equals the account metrics of its uuid', async () => {
    const asked = words({ startTime: '2026-10-05T10:20:30.5Z', endTime: '2026-10-31T00:00:00Z', resolution: 'daily' });
    const body = await ask(`{ agent(name: "agent-03") { uuid cost(${asked}) { ${fields} startTime resolution } } }`);
    const { uuid, cost } = body.data.agent;
    const metrics = await metricsIn(
      running.app,
      owner,
      `${asked}, resourceUuid: "${uuid}"`,
      'startTime resolution entries { nodes { cost timeseries { timestamp cost } } }',
    );
    const [entry] = metrics.entries.nodes;
    expect(Number(cost.total)).toBeGreaterThan(0);
    expect(cost).toEqual({
      total: entry.cost,
      timeseries: entry.timeseries,
      startTime: metrics.startTime,
      resolution: metrics.resolution,
    });
  });

  it('takes one additional statement for one agent or fifty, and one for each further window', async () => {
    const day = (from: number) => `startTime: "2026-10-0${from}T00:00:00Z", endTime: "2026-10-0${from + 1}T00:00:00Z"`;
    const week = 'startTime: "2026-11-01T00:00:00Z", endTime: "2026-11-08T00:00:00Z", resolution: DAILY';
    const count = async (query: string) => {
      running.app.statements.length = 0;
      expect((await ask(query)).errors).toBeUndefined();
      return running.app.statements.filter((sql) => !sql.includes('"api_key"')).length;
    };
    const without = await count('{ agents(first: 50) { nodes { id } } }');
    for (const first of [1, 50]) {
      const query = `{ agents(first: ${first}) { nodes { id cost(${week}) { ${fields} } } } }`;
      expect(await count(query)).toBe(without + 1);
      const two = `{ agents(first: ${first}) { nodes { one: cost(${day(1)}) { total } other: cost(${day(2)}) { total } } } }`;
      expect(await count(two)).toBe(without + 2);
    }
  });

  // On a cluster a worker has the plan.
  it.skipIf(isCluster)('is read through an index, however many resources of the account have usage', async () => {
    const { app } = running;
    const { accountId } = owner;
    await app.services.db.$executeRaw`
      INSERT INTO "usage_series" ("account_id", "workspace", "resource_type", "resource_name", "resource_uuid", "billing_dimension")
      SELECT ${accountId}::uuid, 'main', 'agent', 'other-' || n, 'other ' || n, 'agent_compute_runtime_gbs' FROM generate_series(1, 3000) AS n`;
    await app.services.db.$executeRaw`ANALYZE "usage_series"`;
    const scope = { accountId, filters: {}, workspaces: ['main', 'side'], asOf: undefined };
    const window = splitWindow({ start: { hour: 497_000, nano: 0 }, end: { hour: 497_168, nano: 0 } }, 'daily');
    const statement = resourceSumsStatement({ ...scope, ...window }, ids);
    const plan = JSON.stringify(await app.services.db.$queryRaw`EXPLAIN (ANALYZE, FORMAT JSON) ${statement}`);
    const scans = plan.match(/"Relation Name":"usage_series"[^{}]*/g) ?? [];
    expect(scans).toHaveLength(1);
    expect(scans[0]).toMatch(/"Index Cond":"[^"]*resource_uuid/);
    expect(scans[0]).toContain(`"Actual Loops":${ids.length}`);
  });

  it('is denied without metrics:read, as a null that leaves the other fields', async () => {
    const { key } = await createKey(running.app, { ...owner.tenant, scope: 'agents:list' });
    const asked = 'startTime: "2026-11-01T00:00:00Z", endTime: "2026-11-08T00:00:00Z"';
    const body = await ask(`{ agents(first: 1) { nodes { uuid cost(${asked}) { total } } } }`, key);
    expect(body.data.agents.nodes).toEqual([{ uuid: expect.any(String), cost: null }]);
    expect(body.errors).toMatchObject([
      { path: ['agents', 'nodes', 0, 'cost'], extensions: { code: 'forbidden', status: 403 } },
    ]);
    const { key: wider } = await createKey(running.app, { ...owner.tenant, scope: 'agents:list metrics:read' });
    expect((await ask(`{ agents(first: 1) { nodes { cost(${asked}) { total } } } }`, wider)).errors).toBeUndefined();
  });

  it.each([
    ['startTime: "2026-11-08T00:00:00Z", endTime: "2026-11-01T00:00:00Z"', 'endTime must be after startTime'],
    ['startTime: "1999-11-08T00:00:00Z", endTime: "2026-11-01T00:00:00Z"', 'startTime'],
    ['startTime: "2026-01-01T00:00:00Z", endTime: "2026-11-01T00:00:00Z", resolution: HOURLY', 'resolution'],
  ])('with (%s) returns 400 naming %s', async (asked, message) => {
    const body = await ask(`{ agent(name: "agent-00") { cost(${asked}) { total } } }`);
    expect(body.data.agent).toEqual({ cost: null });
    expect(body.errors[0]).toMatchObject({ extensions: { code: 'invalid_parameter', status: 400 } });
    expect(body.errors[0].message).toContain(message);
  });

  it('is a field of every billed resource kind', async () => {
    const { app } = running;
    const platform = await addPlatform(app, owner.tenant.workspaces['side'] ?? '', 'billed');
    const kinds = ['Agent', 'Sandbox', 'Job', 'Volume'] as const;
    await recordUsage(
      owner.ctx,
      kinds.map((kind, index) => ({
        ...mixedUsage(1, 'northwind', ['side'])[0],
        id: `billed-${kind}`,
        time: frozenNow.toISOString(),
        resourceUuid: platform[kind],
        cost: `${index + 1}.5`,
      })),
    );
    const asked = 'startTime: "2026-11-20T00:00:00Z", endTime: "2026-11-21T00:00:00Z"';
    const one = (kind: string, name: string) => `${kind}(workspace: "side", name: "billed-${name}") { ...Billed }`;
    const body =
      await ask(`{ ${one('agent', 'agent')} ${one('sandbox', 'sandbox')} ${one('job', 'job')} ${one('volume', 'volume')} }
      fragment Billed on Billable { uuid cost(${asked}) { total } }`);
    expect(body.data).toEqual({
      agent: { uuid: platform.Agent, cost: { total: '1.5' } },
      sandbox: { uuid: platform.Sandbox, cost: { total: '2.5' } },
      job: { uuid: platform.Job, cost: { total: '3.5' } },
      volume: { uuid: platform.Volume, cost: { total: '4.5' } },
    });
  });
});

describe('The cost of a workspace', () => {
  const asked = { startTime: '2026-10-03T04:05:06Z', endTime: '2026-10-31T00:00:00Z', resolution: 'weekly' } as const;

  it('equals a recount of all its events, with one statement for all workspaces', async () => {
    running.app.statements.length = 0;
    const body = await ask(`{ workspaces { nodes { name cost(${words(asked)}) { ${fields} } } } }`);
    expect(running.app.statements.filter((sql) => sql.includes('"usage_cell"'))).toHaveLength(1);
    const entries = recount(events, { ...asked, groupBy: ['workspace'], filters: {} });
    expect(body.data.workspaces.nodes).toHaveLength(2);
    for (const { name, cost } of body.data.workspaces.nodes) {
      const entry = entries.find(({ key }) => key[0] === name);
      const starts = entry?.timeseries.map(({ timestamp }) => timestamp.replace('Z', '.000Z')) ?? [];
      expect(inUnits(cost)).toEqual(expected(entry, starts));
    }
  });

  it('is visible to account admins, and to a credential that is confined to the workspace', async () => {
    const { app } = running;
    const { tenant, accountId } = owner;
    const { id } = await app.services.db.principal.create({
      data: { kind: 'user', name: 'member@northwind.example.com' },
    });
    await app.services.db.accountMember.create({ data: { accountId, principalId: id, role: 'member' } });
    for (const workspaceId of Object.values(tenant.workspaces)) {
      await app.services.db.workspaceMember.create({ data: { workspaceId, principalId: id, role: 'member' } });
    }
    const query = `{ workspace(name: "main") { name cost(${words(asked)}) { total } } }`;
    const { key: wide } = await createKey(app, { accountId, principalId: id });
    const refused = await ask(query, wide);
    expect(refused.data.workspace).toEqual({ name: 'main', cost: null });
    expect(refused.errors).toMatchObject([{ extensions: { code: 'access_denied', status: 403 } }]);
    const workspaceId = tenant.workspaces['main'] ?? '';
    const { key: confined } = await createKey(app, { accountId, principalId: id, workspaceId });
    expect((await ask(query, confined)).data).toEqual((await ask(query)).data);
  });

  it('of another account is inaccessible', async () => {
    expect(
      (await ask(`{ workspace(name: "main") { cost(${words(asked)}) { total } } }`, foreign.key)).data.workspace,
    ).toBeNull();
  });
});
