// Labels that only dropped usage could have are deleted. What remains gives the same answers.
import { afterEach, beforeAll, expect, it } from 'vitest';
import { openContext } from '../../src/http/open-context.js';
import type { ServiceContext } from '../../src/http/open-context.js';
import { dropUsageBefore } from '../../src/metering/usage-retention.js';
import { recordUsage } from '../../src/metering/usage.js';
import { createKey, createTenant, frozenNow, graphql, useApp } from '../harness.js';
import { mutate } from '../resources/mutations.js';
import { usageEvent } from './usage-samples.js';

const running = useApp({}, { ownDatabase: true });

interface Owner {
  account: string;
  key: string;
  ctx: ServiceContext;
  accountId: string;
}

async function createOwnerOf(account: string): Promise<Owner> {
  const tenant = await createTenant(running.app, { account, workspaces: [`${account}-main`] });
  const { key } = await createKey(running.app, tenant);
  const ctx = await openContext(running.app.services, { authorization: `Bearer ${key}` }, 'test');
  return { account, key, ctx, accountId: tenant.accountId };
}

let northwind: Owner;
let unused: Owner;
let eastwind: Owner;

beforeAll(async () => {
  northwind = await createOwnerOf('northwind');
  unused = await createOwnerOf('southwind');
  eastwind = await createOwnerOf('eastwind');
});

afterEach(() => {
  running.app.clock.now = frozenNow;
});

const labelsOf = (team: string) => [{ key: 'team', value: team }];

/** Creates a sandbox and changes its labels at these times. */
async function label({ account, key }: Owner, name: string, times: string[]): Promise<void> {
  for (const [order, time] of times.entries()) {
    running.app.clock.now = new Date(time);
    const metadata = { labels: labelsOf(`${name}-${order}`) };
    const of = { workspace: `${account}-main` };
    if (order === 0) {
      await mutate(running.app, key, 'createSandbox', 'sandbox { uuid }', {
        ...of,
        metadata: { ...metadata, name },
        spec: {},
      });
    } else await mutate(running.app, key, 'updateSandbox', 'sandbox { uuid }', { ...of, name, metadata });
  }
  running.app.clock.now = frozenNow;
}

async function remove({ account, key }: Owner, name: string, time: string): Promise<void> {
  running.app.clock.now = new Date(time);
  await mutate(running.app, key, 'deleteSandbox', 'sandbox { uuid }', { workspace: `${account}-main`, name });
  running.app.clock.now = frozenNow;
}

const use = ({ account, ctx }: Owner, name: string, times: string[]) =>
  recordUsage(
    ctx,
    times.map((time) =>
      usageEvent(1, {
        id: `${name} ${time}`,
        time,
        account,
        workspace: `${account}-main`,
        resourceName: name,
        resourceUuid: '',
        cost: '1',
      }),
    ),
  );

const historyOf = async ({ accountId }: Owner) => {
  const rows = await running.app.services.db.labelHistory.findMany({
    where: { accountId },
    orderBy: [{ name: 'asc' }, { since: 'asc' }],
  });
  return rows.map(({ labels }) => Object(labels).team);
};

async function costs({ account, key }: Owner): Promise<Record<string, string>> {
  const query = `{ account(name: "${account}") { metrics(startTime: "2026-05-01T00:00:00Z", endTime: "2026-11-01T00:00:00Z",
    groupByLabels: ["team"]) { entries(first: 50) { nodes { cost labels { value } } } } } }`;
  const { body } = await graphql(running.app, key, query);
  const nodes: { cost: string; labels: { value: string }[] }[] = body.data.account.metrics.entries.nodes;
  return Object.fromEntries(nodes.map(({ cost, labels }) => [labels[0]?.value, cost]));
}

it('deletes superseded labels of dropped months alone, and no answer changes', async () => {
  const times = ['2026-05-10T00:00:00Z', '2026-06-10T00:00:00Z', '2026-07-01T00:00:00Z', '2026-08-10T00:00:00Z'];
  for (const owner of [northwind, unused]) {
    await label(owner, 'moves', times);
    await label(owner, 'stays', times.slice(0, 2));
    await label(owner, 'later', times.slice(3));
  }
  await use(northwind, 'moves', ['2026-05-20T00:00:00Z', '2026-06-20T00:00:00Z', '2026-08-20T00:00:00Z']);
  await use(northwind, 'stays', ['2026-05-20T00:00:00Z']);
  const { db, usageMemory } = running.app.services;
  const before = await costs(northwind);
  expect(before).toEqual({ 'moves-0': '1', 'moves-1': '1', 'moves-3': '1', 'stays-0': '1' });
  for (let again = 0; again < 2; again++) {
    await dropUsageBefore(db, usageMemory, '2026-07', frozenNow);
    expect(await historyOf(northwind)).toEqual(['later-0', 'moves-2', 'moves-3', 'stays-1']);
    expect(await costs(northwind)).toEqual(before);
  }
  // An account without usage can still record that of any time.
  expect(await historyOf(unused)).toHaveLength(7);
  expect(await use(unused, 'moves', ['2026-05-20T00:00:00Z'])).toEqual([{ outcome: 'accepted' }]);
  expect(await costs(unused)).toEqual({ 'moves-0': '1' });
  // Usage of the months that are kept, which arrives late, gets the labels of its time.
  await use(northwind, 'moves', ['2026-07-01T00:00:00Z', '2026-07-20T00:00:00Z', '2026-08-21T00:00:00Z']);
  await use(northwind, 'stays', ['2026-07-20T00:00:00Z']);
  await use(northwind, 'later', ['2026-07-20T00:00:00Z']);
  expect(await costs(northwind)).toEqual({
    ...before,
    'moves-2': '2',
    'moves-3': '2',
    'stays-1': '1',
    'later-0': '1',
  });
  const [late] = await use(northwind, 'moves', ['2026-06-30T23:59:59Z']);
  expect(late?.outcome).toBe('invalid');
});

it('deletes the last labels of deleted resources, unless kept usage can have them', async () => {
  const may = '2026-05-10T00:00:00Z';
  for (const name of ['unused', 'used', 'billed-later', 'deleted-later', 'nightly']) await label(eastwind, name, [may]);
  for (const name of ['unused', 'used', 'billed-later', 'nightly'])
    await remove(eastwind, name, '2026-06-10T00:00:00Z');
  await remove(eastwind, 'deleted-later', '2026-08-10T00:00:00Z');
  await label(eastwind, 'nightly', ['2026-06-11T00:00:00Z', '2026-06-12T00:00:00Z']);
  await remove(eastwind, 'nightly', '2026-06-20T00:00:00Z');
  await use(eastwind, 'used', ['2026-05-20T00:00:00Z']);
  await use(eastwind, 'billed-later', ['2026-07-01T00:00:00Z']);
  await use(eastwind, 'nightly', ['2026-05-20T00:00:00Z', '2026-06-13T00:00:00Z', '2026-07-01T00:00:00Z']);
  const before = await costs(eastwind);
  expect(before).toEqual({ 'used-0': '1', 'billed-later-0': '1', 'nightly-0': '1', 'nightly-1': '2' });
  const { db, usageMemory } = running.app.services;
  for (let again = 0; again < 2; again++) {
    await dropUsageBefore(db, usageMemory, '2026-07', frozenNow);
    expect(await historyOf(eastwind)).toEqual(['billed-later-0', 'deleted-later-0', 'nightly-1']);
  }
  // Usage that arrives late, of a time when its resource existed, gets the labels of that time.
  await use(eastwind, 'deleted-later', ['2026-07-20T00:00:00Z']);
  expect(await costs(eastwind)).toEqual({ ...before, 'deleted-later-0': '1' });
});
