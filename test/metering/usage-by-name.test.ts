// Usage of meters that know the names of resources and not their ids.
import { writeFileSync } from 'node:fs';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { useUsageCommandLine } from '../cli/usage-command-line.js';
import { createKey, createTenant, frozenNow, graphql, useApp } from '../harness.js';
import type { Tenant } from '../harness.js';
import { mutate } from '../resources/mutations.js';
import { usageEvent } from './usage-samples.js';

const running = useApp({ PLATFORM_ACCOUNT: 'northwind' }, { ownDatabase: true });
const { run, folder } = useUsageCommandLine(running, []);
let tenant: Tenant;
let key: string;

beforeAll(async () => {
  tenant = await createTenant(running.app, { account: 'northwind', workspaces: ['main', 'side'] });
  ({ key } = await createKey(running.app, tenant));
});

afterEach(() => {
  running.app.clock.now = frozenNow;
});

const at = (day: number) => new Date(Date.UTC(2026, 9, day));

/** @param createdOn the day when it was created on the platform where it comes from, if it is moved in. */
async function create(
  kind: 'Sandbox' | 'Agent',
  name: string,
  day: number,
  workspace = 'main',
  createdOn?: number,
): Promise<string> {
  running.app.clock.now = at(day);
  const field = kind.toLowerCase();
  const result = await mutate(running.app, key, `create${kind}`, `${field} { uuid }`, {
    workspace,
    metadata: { name },
    spec: {},
    ...(createdOn !== undefined && { origin: { createdAt: at(createdOn).toISOString() } }),
  });
  return result[field].uuid;
}

async function remove(kind: 'Sandbox' | 'Agent', name: string, day: number): Promise<void> {
  running.app.clock.now = at(day);
  await mutate(running.app, key, `delete${kind}`, '__typename', { workspace: 'main', name });
}

let sent = 0;
const eventOf = (name: string, day: number, more: object = {}) =>
  usageEvent(0, {
    id: `by-name-${sent++}`,
    account: 'northwind',
    workspace: 'main',
    resourceName: name,
    resourceUuid: '',
    time: at(day).toISOString(),
    cost: '1',
    usage: '1',
    ...more,
  });

async function record(events: object[], withKey = key, byName = true) {
  running.app.clock.now = frozenNow;
  const query = `mutation ($input: RecordUsageInput!) { result: recordUsage(input: $input) {
    ... on RecordUsagePayload { results { outcome message } } ... on Error { message } } }`;
  const inputs = events.map((event) => Object.fromEntries(Object.entries(event).filter(([, value]) => value !== '')));
  const { body } = await graphql(running.app, withKey, query, { input: { events: inputs, byName } });
  return body.data.result.results;
}

/** The UUIDs of recorded events, in the order of their numbers. */
async function uuidsOf(events: { id: string }[]): Promise<string[]> {
  const query = `query ($id: String!) { account(name: "northwind") { usageEvents(eventId: $id, first: 1) { nodes { resourceUuid } } } }`;
  const found: string[] = [];
  for (const { id } of events) {
    const { body } = await graphql(running.app, key, query, { id });
    found.push(body.data.account.usageEvents.nodes[0]?.resourceUuid ?? '');
  }
  return found;
}

const unknown = {
  outcome: 'INVALID',
  message: 'resourceName must be a resource of the workspace and type at that time',
};
const accepted = { outcome: 'ACCEPTED', message: null };

describe('Usage by name', () => {
  it('counts for the resource that had the name at the time, also after deletions', async () => {
    const first = await create('Sandbox', 'box', 3);
    await remove('Sandbox', 'box', 6);
    const second = await create('Sandbox', 'box', 9);
    await remove('Sandbox', 'box', 12);
    const third = await create('Sandbox', 'box', 15);
    const elsewhere = await create('Sandbox', 'box', 2, 'side');
    const agent = await create('Agent', 'box', 1);
    const events = [
      eventOf('box', 4),
      eventOf('box', 10),
      eventOf('box', 20),
      // Before the first resource of the name: usage from before the platform moved in.
      eventOf('box', 1),
      eventOf('box', 4, { workspace: 'side' }),
      eventOf('box', 4, { resourceType: 'agent', billingDimension: 'agent_compute_runtime_gbs' }),
      // A meter that knows the id is right.
      eventOf('box', 4, { resourceUuid: third }),
    ];
    expect(await record(events)).toEqual(events.map(() => accepted));
    expect(await uuidsOf(events)).toEqual([first, second, third, first, elsewhere, agent, third]);
    expect(await record(events)).toEqual(events.map(() => expect.objectContaining({ outcome: 'DUPLICATE' })));
  });

  it('counts for a resource that was moved in from its createdAt on, but for one that had the name here then', async () => {
    const tried = await create('Sandbox', 'moved', 6);
    await remove('Sandbox', 'moved', 9);
    const moved = await create('Sandbox', 'moved', 15, 'main', 3);
    const events = [1, 4, 6, 8, 9, 12, 20].map((day) => eventOf('moved', day));
    expect(await record(events)).toEqual(events.map(() => accepted));
    expect(await uuidsOf(events)).toEqual([moved, moved, tried, tried, moved, moved, moved]);

    const later = await create('Sandbox', 'later', 6);
    await remove('Sandbox', 'later', 9);
    const after = await create('Sandbox', 'later', 15, 'main', 8);
    const mixed = [1, 7, 8, 9, 20].map((day) => eventOf('later', day));
    expect(await record(mixed)).toEqual(mixed.map(() => accepted));
    expect(await uuidsOf(mixed)).toEqual([later, later, later, after, after]);
  });

  it('counts for the newest of several that were moved in, and stays with a deleted one for its time here', async () => {
    const first = await create('Sandbox', 'again', 10, 'main', 3);
    await remove('Sandbox', 'again', 12);
    const second = await create('Sandbox', 'again', 14, 'main', 3);
    const both = [1, 4, 10, 11, 12, 20].map((day) => eventOf('again', day));
    expect(await record(both)).toEqual(both.map(() => accepted));
    expect(await uuidsOf(both)).toEqual([second, second, first, first, second, second]);
    await remove('Sandbox', 'again', 18);
    const gone = [1, 4, 11, 13, 15].map((day) => eventOf('again', day));
    expect(await record([...gone, eventOf('again', 19)])).toEqual([...gone.map(() => accepted), unknown]);
    expect(await uuidsOf(gone)).toEqual([second, second, first, second, second]);
  });

  it('is invalid for names that no resource had at the time, which says nothing about other workspaces', async () => {
    await create('Sandbox', 'gap', 3);
    await remove('Sandbox', 'gap', 6);
    await create('Sandbox', 'gap', 9);
    const events = [
      eventOf('gap', 7),
      eventOf('never', 4),
      eventOf('gap', 10, { workspace: 'none' }),
      eventOf('gap', 10, { resourceType: 'agent', billingDimension: 'agent_compute_runtime_gbs' }),
      eventOf('gap', 10),
    ];
    expect(await record(events)).toEqual([unknown, unknown, unknown, unknown, accepted]);
    // A type without resources of this platform has no ids.
    const domain = eventOf('x.example.com', 4, {
      resourceType: 'custom_domain',
      billingDimension: 'custom_domain_active_time_hours',
    });
    expect(await record([domain])).toEqual([accepted]);
    const { key: confined } = await createKey(running.app, { ...tenant, workspaceId: tenant.workspaces['side'] ?? '' });
    expect(await record([eventOf('gap', 10), eventOf('never', 10)], confined)).toEqual([unknown, unknown]);
    const other = await createTenant(running.app, { account: 'southwind', workspaces: ['south'] });
    const { key: theirs } = await createKey(running.app, other);
    const foreign = await record([eventOf('gap', 10)], theirs);
    expect(foreign).toMatchObject([{ outcome: 'INVALID', message: expect.stringContaining('account must be') }]);
    const ownName = await record([eventOf('gap', 10, { account: 'southwind' })], theirs);
    expect(ownName).toEqual([unknown]);
  });

  it('is not looked up without byName', async () => {
    const event = eventOf('never', 4);
    expect(await record([event], key, false)).toEqual([accepted]);
    expect(await uuidsOf([event])).toEqual(['']);
  });

  it('is imported from CSV, with the lines of unknown names, and twice counts nothing twice', async () => {
    const uuid = await create('Sandbox', 'imported', 3);
    running.app.clock.now = frozenNow;
    const head = 'source,id,account,workspace,resourceType,resourceName,billingDimension,time,usage,cost';
    const row = (id: string, name: string) =>
      `old,${id},northwind,main,sandbox,${name},sandbox_compute_runtime_gbs,2026-10-04T00:00:00Z,1,2.5`;
    writeFileSync(
      `${folder}/by-name.csv`,
      [head, row('a', 'imported'), row('b', 'nobody'), row('c', 'imported')].join('\n'),
    );
    const first = await run('usage import by-name.csv --by-name');
    expect(first.stdout).toBe('2 accepted, 0 duplicate, 0 conflicting, 1 invalid.\n');
    expect(first.stderr).toContain(`line 3: invalid: ${unknown.message}`);
    expect((await run('usage import by-name.csv --by-name')).stdout).toBe(
      '0 accepted, 2 duplicate, 0 conflicting, 1 invalid.\n',
    );
    expect(await uuidsOf([{ id: 'a' }, { id: 'c' }])).toEqual([uuid, uuid]);
  });
});
