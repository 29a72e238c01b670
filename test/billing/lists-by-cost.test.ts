// Lists in the order of cost equal a sorted recount, on all pages, while usage arrives.
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { createBillingDimension } from '../../src/billing/billing-changes.js';
import { platformContext } from '../../src/cli/operator/operator-context.js';
import { recordUsage } from '../../src/metering/usage.js';
import { addAgents, anAgent, createKey, frozenNow, graphql, useApp } from '../harness.js';
import { addPlatform } from '../platform.js';
import { createOwner, mixedUsage } from '../metering/usage-mixture.js';
import type { Owner } from '../metering/usage-mixture.js';
import { usageEvent } from '../metering/usage-samples.js';
import { nanos, units } from './recount.js';
import type { PlainEvent } from './recount.js';

const running = useApp();
let owner: Owner;
const workspaces = ['main', 'side'] as const;
const agents: { id: string; workspace: string; name: string }[] = [];
const events: PlainEvent[] = [];

beforeAll(async () => {
  const { app } = running;
  owner = await createOwner(app, 'northwind', [...workspaces]);
  const foreign = await createOwner(app, 'southwind', ['south']);
  for (const workspace of workspaces) {
    const made = Array.from({ length: 20 }, (_, index) => ({ id: randomUUID(), workspace, name: `agent-${index}` }));
    agents.push(...made);
    await addAgents(
      app,
      owner.tenant.workspaces[workspace],
      made.map(({ id, name }) => ({ ...anAgent(name), id })),
    );
  }
  // Some with the same cost, some without, and one above the precision of a double.
  const known = mixedUsage(260, 'northwind', [...workspaces]).map((event, index) => ({
    ...event,
    resourceUuid: agents[(index * 7) % 25]?.id ?? '',
    cost: index % 5 === 0 ? '2.5' : event.cost,
  }));
  const dear = Array.from({ length: 12 }, (_, index) => ({
    ...mixedUsage(1, 'northwind', ['main'])[0],
    id: `dear-${index}`,
    time: '2026-10-20T00:00:00Z',
    resourceUuid: agents[3 + (index % 2)]?.id ?? '',
    cost: index === 0 ? '999999.000000001' : '999999',
  }));
  await record(known);
  await record(dear as PlainEvent[]);
  // Credits rank below resources without usage.
  const given = { unit: 'USD', kind: 'credit', description: '' } as const;
  await createBillingDimension(await platformContext(app.services), {
    ...given,
    name: 'goodwill',
    resourceTypes: ['agent'],
  });
  const back = [24, 25, 26].map((index) => ({
    ...usageEvent(index, { resourceType: 'agent', billingDimension: 'goodwill', time: '2026-10-21T00:00:00Z' }),
    source: 'goodwill',
    resourceUuid: agents[index]?.id ?? '',
    usage: '0',
    cost: index === 26 ? '-0.000000001' : '-30',
  }));
  await record(back);
  const theirs = mixedUsage(40, 'southwind', ['south']);
  await recordUsage(
    foreign.ctx,
    theirs.map((event, index) => ({ ...event, resourceUuid: agents[index % 10]?.id ?? '' })),
  );
});

async function record(some: PlainEvent[]) {
  events.push(...some);
  await recordUsage(owner.ctx, some);
}

async function ask(query: string, variables: Record<string, unknown> = {}, key = owner.key) {
  const { body } = await graphql(running.app, key, query, variables, { 'x-service-workspace': 'main' });
  return body;
}

interface Window {
  startTime: string;
  endTime: string;
}

function costs({ startTime, endTime }: Window, known: readonly PlainEvent[]): Map<string, bigint> {
  const found = new Map<string, bigint>();
  for (const { time, cost, resourceUuid = '' } of known) {
    if (nanos(time) < nanos(startTime) || nanos(time) >= nanos(endTime)) continue;
    found.set(resourceUuid, (found.get(resourceUuid) ?? 0n) + units(cost, 9));
  }
  return found;
}

/** The position of a list, and its agents. */
const lists = {
  root: { open: '', path: ['agents'], holds: (workspace: string) => workspace === 'main' },
  nested: {
    open: 'workspace(name: "side") {',
    path: ['workspace', 'agents'],
    holds: (workspace: string) => workspace === 'side',
  },
  account: { open: 'account(name: "northwind") {', path: ['account', 'agents'], holds: () => true },
};

const window = fc
  .record({
    startMs: fc.integer({ min: 0, max: 40 * 86_400_000 }),
    lengthMs: fc.oneof(fc.constant(30 * 86_400_000), fc.integer({ min: 1, max: 20 * 86_400_000 })),
    step: fc.constantFrom(1, 3_600_000),
  })
  .map(({ startMs, lengthMs, step }) => {
    const start = Math.floor((Date.UTC(2026, 9, 1) + startMs) / step) * step;
    return { startTime: new Date(start).toISOString(), endTime: new Date(start + lengthMs + step).toISOString() };
  });

let later = 0;

describe('A list by cost', () => {
  it(
    'contains each resource once, in the order of a recount, in both directions, while usage arrives',
    { timeout: 120_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom(...Object.values(lists)),
          window,
          fc.constantFrom('ASC', 'DESC'),
          fc.constantFrom(3, 7, 50),
          fc.boolean(),
          fc.boolean(),
          async ({ open, path, holds }, asked, direction, size, isForward, isNarrowed) => {
            const known = costs(asked, events);
            const sign = direction === 'ASC' ? 1 : -1;
            const expected = agents
              .filter(({ workspace, name }) => holds(workspace) && (!isNarrowed || name.includes('agent-1')))
              .map(({ id }) => ({ id, cost: known.get(id) ?? 0n }))
              .toSorted((one, other) => {
                if (one.cost !== other.cost) return one.cost < other.cost ? -sign : sign;
                return one.id < other.id ? -sign : sign;
              });
            const words = `startTime: "${asked.startTime}", endTime: "${asked.endTime}"`;
            const orderBy = `orderBy: { field: COST, direction: ${direction}, window: { ${words} } }`;
            const paging = isForward ? 'first: $size, after: $cursor' : 'last: $size, before: $cursor';
            const query = `query ($size: Int, $cursor: String) { ${open}
            agents(${orderBy}, ${isNarrowed ? 'search: "agent-1", ' : ''}${paging}) {
              nodes { uuid } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
            } } ${open === '' ? '' : '}'}`;
            const seen: string[] = [];
            for (let cursor: string | null = null; ;) {
              const body = await ask(query, { size, cursor });
              expect(body.errors).toBeUndefined();
              const { nodes, pageInfo } = path.reduce((data, field) => data[field], body.data);
              const ids = nodes.map(({ uuid }: { uuid: string }) => uuid);
              if (isForward) seen.push(...ids);
              else seen.unshift(...ids);
              if (!(isForward ? pageInfo.hasNextPage : pageInfo.hasPreviousPage)) break;
              cursor = isForward ? pageInfo.endCursor : pageInfo.startCursor;
              // The cheapest becomes the most expensive, and keeps its position in this snapshot.
              const cheapest = expected.at(sign * -1 === 1 ? -1 : 0)?.id ?? '';
              const [event] = mixedUsage(1, 'northwind', ['main']);
              const more = { id: `later-${later++}`, time: asked.startTime, cost: '70000', resourceUuid: cheapest };
              await record([{ ...event, ...more } as PlainEvent]);
            }
            expect(seen).toEqual(expected.map(({ id }) => id));
          },
        ),
        { numRuns: Number(process.env['PROPERTY_RUNS'] ?? 15), endOnFailure: true },
      );
    },
  );

  const month = 'startTime: "2026-10-01T00:00:00Z", endTime: "2026-11-01T00:00:00Z"';
  const byCost = `orderBy: { field: COST, direction: DESC, window: { ${month} } }`;

  it('agrees with the cost field, and exists for every billed kind', async () => {
    const { nodes } = (await ask(`{ agents(${byCost}) { nodes { cost(${month}) { total } } } }`)).data.agents;
    const totals = nodes.map(({ cost }: { cost: { total: string } }) => units(cost.total, 9));
    expect(totals).toEqual(totals.toSorted((one: bigint, other: bigint) => (one < other ? 1 : one > other ? -1 : 0)));
    expect(totals[0]).toBeGreaterThan(BigInt(Number.MAX_SAFE_INTEGER) / 2n);
    const platform = await addPlatform(running.app, owner.tenant.workspaces['side'] ?? '', 'billed');
    for (const [many, kind] of [
      ['sandboxes', 'Sandbox'],
      ['jobs', 'Job'],
      ['volumes', 'Volume'],
    ] as const) {
      const body = await ask(`{ workspace(name: "side") { ${many}(${byCost}) { nodes { uuid } } }
        account(name: "northwind") { ${many}(${byCost}) { nodes { uuid } } } }`);
      expect(body.errors).toBeUndefined();
      expect(body.data.workspace[many].nodes).toEqual([{ uuid: platform[kind] }]);
      expect(body.data.account[many].nodes).toEqual([{ uuid: platform[kind] }]);
    }
  });

  it('takes as many statements for one workspace as for two', async () => {
    const count = async (search: string) => {
      running.app.statements.length = 0;
      const body = await ask(
        `{ workspaces(search: "${search}") { nodes { agents(${byCost}, first: 2) { nodes { id } } } } }`,
      );
      expect(body.errors).toBeUndefined();
      return running.app.statements.filter((sql) => /usage_|"agent"/.test(sql)).length;
    };
    await count('main');
    expect(await count('main')).toBe(await count(''));
  });

  it('counts only visible usage for callers who are not account admins', async () => {
    const { app } = running;
    const { id } = await app.services.db.principal.create({
      data: { kind: 'user', name: 'member@northwind.example.com' },
    });
    await app.services.db.accountMember.create({
      data: { accountId: owner.accountId, principalId: id, role: 'member' },
    });
    const workspaceId = owner.tenant.workspaces['main'] ?? '';
    await app.services.db.workspaceMember.create({ data: { workspaceId, principalId: id, role: 'member' } });
    const { key } = await createKey(app, { accountId: owner.accountId, principalId: id });
    const window = { startTime: '2026-10-01T00:00:00Z', endTime: '2026-11-01T00:00:00Z' };
    const seen = costs(
      window,
      events.filter(({ workspace }) => workspace === 'main'),
    );
    const body = await ask(`{ agents(${byCost}) { nodes { uuid } } }`, {}, key);
    const totals = body.data.agents.nodes.map(({ uuid }: { uuid: string }) => seen.get(uuid) ?? 0n);
    expect(totals).toHaveLength(20);
    expect(totals).toEqual(totals.toSorted((one: bigint, other: bigint) => (one < other ? 1 : one > other ? -1 : 0)));
  });

  it('requires metrics:read and a valid window, and rejects a cursor of another order', async () => {
    const { key } = await createKey(running.app, { ...owner.tenant, scope: 'agents:list' });
    const refused = await ask(`{ agents(${byCost}) { nodes { id } } }`, {}, key);
    expect(refused).toMatchObject({ data: { agents: null }, errors: [{ extensions: { code: 'forbidden' } }] });
    for (const [list, order, message] of [
      ['agents', 'field: COST, direction: DESC', 'orderBy.window is required by COST'],
      ['agents', `field: NAME, direction: ASC, window: { ${month} }`, 'orderBy.window is only allowed with COST'],
      ['vpcs', `field: COST, direction: ASC, window: { ${month} }`, 'orderBy.field must not be cost, which no VPC has'],
    ]) {
      const { errors } = await ask(`{ ${list}(orderBy: { ${order} }) { nodes { id } } }`);
      expect(errors).toMatchObject([{ message, extensions: { code: 'invalid_parameter', status: 400 } }]);
    }
    const empty = `{ agents(${byCost.replace('2026-11-01', '2026-09-01')}) { nodes { id } } }`;
    expect((await ask(empty)).errors).toMatchObject([{ extensions: { code: 'invalid_parameter', field: 'endTime' } }]);
    const { pageInfo } = (await ask(`{ agents(${byCost}, first: 1) { pageInfo { endCursor } } }`)).data.agents;
    const other = `query ($after: String) { agents(first: 1, after: $after, ${byCost.replace('10-01', '10-02')}) { nodes { id } } }`;
    const mismatch = await ask(other, { after: pageInfo.endCursor });
    expect(mismatch.errors).toMatchObject([{ extensions: { code: 'cursor_mismatch' } }]);
  });

  it('keeps its snapshot for 24 hours, and then returns cursor_expired', async () => {
    const query = `query ($after: String) { agents(first: 2, after: $after, ${byCost}) { pageInfo { endCursor } } }`;
    const { endCursor } = (await ask(query)).data.agents.pageInfo;
    running.app.clock.now = new Date(frozenNow.getTime() + 20 * 3_600_000);
    const second = (await ask(query, { after: endCursor })).data.agents.pageInfo.endCursor;
    running.app.clock.now = new Date(frozenNow.getTime() + 26 * 3_600_000);
    const third = await ask(query, { after: second });
    running.app.clock.now = frozenNow;
    expect(third.errors).toMatchObject([{ extensions: { code: 'cursor_expired' } }]);
  });
});
