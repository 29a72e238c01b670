// Corrections and exports that select usage by label, compared with a recount of what the resources were labelled with.
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openContext } from '../../src/http/open-context.js';
import type { ServiceContext } from '../../src/http/open-context.js';
import { recordUsage } from '../../src/metering/usage.js';
import { useUsageCommandLine } from '../cli/usage-command-line.js';
import { createKey, createTenant, frozenNow, graphql, useApp } from '../harness.js';
import type { Tenant } from '../harness.js';
import { historyOf, mutate } from '../resources/mutations.js';
import { usageEvent } from './usage-samples.js';

const running = useApp({}, { ownDatabase: true });
const { run } = useUsageCommandLine(running, []);
let tenant: Tenant;
let key: string;
let ctx: ServiceContext;

/** What the test knows of an event: the labels of its resource at its time, its cost, and whether it was voided. */
interface Known {
  labels: Record<string, string>;
  cost: number;
  isVoid: boolean;
}
const known: Known[] = [];

beforeAll(async () => {
  tenant = await createTenant(running.app, { account: 'northwind', workspaces: ['main'] });
  ({ key } = await createKey(running.app, tenant));
  ctx = await openContext(running.app.services, { authorization: `Bearer ${key}` }, 'test');
});

afterEach(() => {
  running.app.clock.now = frozenNow;
});

const at = (hours: number) => new Date(frozenNow.getTime() + hours * 3_600_000);
const pairs = (labels: Record<string, string>) => Object.entries(labels).map(([name, value]) => ({ key: name, value }));
const period = { from: '2026-11-19', to: '2026-11-25' };
const reason = 'wrong team';
/** What a command streams to standard output. */
async function exported(line: string): Promise<string> {
  const standardOutput = new PassThrough();
  const streamed = text(standardOutput);
  expect(await run(line, { standardOutput })).toMatchObject({ stderr: '', exitCode: 0 });
  standardOutput.end();
  return streamed;
}
const correct = (mutation: 'voidUsage' | 'amendUsage', input: object, withKey = key) =>
  mutate(running.app, withKey, mutation, 'count costBefore costAfter', { account: 'northwind', reason, ...input });

async function create(name: string, labels: Record<string, string>): Promise<string> {
  const input = { workspace: 'main', metadata: { name, labels: pairs(labels) }, spec: {} };
  const { sandbox } = await mutate(running.app, key, 'createSandbox', 'sandbox { uuid }', input);
  return sandbox.uuid;
}

const relabel = (name: string, labels: Record<string, string>) =>
  mutate(running.app, key, 'updateSandbox', 'sandbox { uuid }', {
    workspace: 'main',
    name,
    metadata: { labels: pairs(labels) },
  });

/** Records events in each hour of a span, with costs that differ. */
async function use(uuid: string, labels: Record<string, string>, fromHour: number, toHour: number) {
  const events = [];
  for (let hour = fromHour; hour < toHour; hour++) {
    const cost = known.length + 1;
    known.push({ labels, cost, isVoid: false });
    const of = {
      resourceUuid: uuid,
      resourceName: uuid.slice(0, 8),
      workspace: 'main',
      cost: String(cost),
      usage: '1',
    };
    events.push(
      usageEvent(0, { ...of, id: `event-${known.length}`, source: 'meter', time: at(hour + 0.5).toISOString() }),
    );
  }
  expect(await recordUsage(ctx, events)).toEqual(events.map(() => ({ outcome: 'accepted' })));
}

/** The events that count and have labels, by the test's own knowledge. */
const matching = (holds: (labels: Known['labels']) => boolean) =>
  known.filter(({ labels, isVoid }) => !isVoid && holds(labels));
const sumOf = (events: readonly Known[]) => String(events.reduce((sum, { cost }) => sum + cost, 0));

async function costsByTeam(): Promise<Record<string, string>> {
  const query = `{ account(name: "northwind") { metrics(startTime: "2026-11-19T00:00:00Z", endTime: "2026-11-25T00:00:00Z", groupByLabels: ["team"]) {
    entries(first: 50) { nodes { cost labels { value } } } } } }`;
  const { body } = await graphql(running.app, key, query);
  const nodes: { cost: string; labels: { value: string | null }[] }[] = body.data.account.metrics.entries.nodes;
  return Object.fromEntries(nodes.map(({ cost, labels }) => [labels[0]?.value ?? 'none', cost]));
}

function expectedByTeam(): Record<string, string> {
  const teams = [...new Set(known.map(({ labels }) => labels['team'] ?? 'none'))];
  return Object.fromEntries(
    teams.map((team) => [team, sumOf(matching((labels) => (labels['team'] ?? 'none') === team))]),
  );
}

beforeAll(async () => {
  running.app.clock.now = at(0);
  const one = await create('one', { team: 'care', env: 'prod' });
  const two = await create('two', { team: 'care' });
  const three = await create('three', {});
  await use(one, { team: 'care', env: 'prod' }, 0, 6);
  await use(two, { team: 'care' }, 0, 5);
  await use(three, {}, 0, 4);
  running.app.clock.now = at(10);
  await relabel('two', { team: 'sales', env: 'prod' });
  await use(two, { team: 'sales', env: 'prod' }, 10, 17);
  // The usage before the change, which arrives late, keeps the labels of its time.
  await use(two, { team: 'care' }, 5, 8);
  running.app.clock.now = at(20);
});

describe('Usage selected by label', () => {
  it('is exported by label, with a filter by label, and equals a recount', async () => {
    expect(await costsByTeam()).toEqual(expectedByTeam());
    const line = `metrics export --account northwind --from ${period.from} --to ${period.to}`;
    const csv = (await exported(`${line} --resolution monthly --group-by-labels team,env`)).split('\r\n');
    expect(csv[0]).toMatch(/,cost,usage,label:env,label:team$/);
    const costOf = (env: string, team: string) =>
      sumOf(matching((labels) => (labels['env'] ?? '') === env && (labels['team'] ?? '') === team));
    const rows = csv.slice(1, -1).map((row) => row.split(',').slice(-4));
    expect(rows.map(([cost, , env, team]) => [env, team, cost]).toSorted()).toEqual(
      [
        ['', '', costOf('', '')],
        ['', 'care', costOf('', 'care')],
        ['prod', 'care', costOf('prod', 'care')],
        ['prod', 'sales', costOf('prod', 'sales')],
      ].toSorted(),
    );
    const lines = (await exported(`${line} --format ndjson --group-by-labels team --label env=prod`))
      .trim()
      .split('\n');
    expect(lines.map((each) => JSON.parse(each)).map(({ labels, summary }) => [labels, String(summary.cost)])).toEqual([
      [{ team: 'care' }, costOf('prod', 'care')],
      [{ team: 'sales' }, costOf('prod', 'sales')],
    ]);
    const focus = (await exported(`${line} --format focus --label team=sales`)).trim().split('\r\n');
    const head = (focus[0] ?? '').split(',');
    const billed = focus.slice(1).map((row) => Number(row.split(',')[head.indexOf('BilledCost')]));
    expect(String(billed.reduce((sum, cost) => sum + cost, 0))).toBe(costOf('prod', 'sales'));
    const standardOutput = new PassThrough();
    expect(await run(`${line} --format focus --group-by-labels team`, { standardOutput })).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('groupByLabels cannot be combined with a profile'),
    });
    expect(await run(`${line} --label =x`)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('--label: must be labels such as team=care,env=prod'),
    });
    for (const labels of ['team,team=care', 'team=care,env,team']) {
      expect(await run(`${line} --label ${labels}`)).toMatchObject({
        exitCode: 2,
        stderr: expect.stringContaining('--label: must have team either with values or without'),
      });
    }
  });

  it('is voided exactly, after a dry run that says the same, on the command line', async () => {
    const events = matching((labels) => labels['team'] === 'care' && labels['env'] !== undefined);
    const line = `usage void --account northwind --label team=care,env --reason twice`;
    const cost = `Cost: ${sumOf(events)} USD before, 0 USD after.`;
    const dry = await run(`${line} --dry-run`);
    expect(dry.stdout).toContain(`${events.length} events would be voided. ${cost}`);
    expect(await costsByTeam()).toEqual(expectedByTeam());
    expect((await run(line)).stdout).toContain(`${events.length} events voided. ${cost}`);
    for (const event of events) event.isVoid = true;
    expect(await costsByTeam()).toEqual(expectedByTeam());
  });

  it('is amended exactly, and the change record has the filter', async () => {
    const events = matching((labels) => labels['team'] === 'care');
    const filter = { labels: [{ key: 'team', in: ['care', 'other'] }] };
    const input = { filter, change: { unitPrice: '1000' } };
    const expected = { count: events.length, costBefore: sumOf(events), costAfter: String(1000 * events.length) };
    expect(await correct('amendUsage', { ...input, validateOnly: true })).toMatchObject(expected);
    expect(await costsByTeam()).toEqual(expectedByTeam());
    expect(await correct('amendUsage', input)).toMatchObject(expected);
    for (const event of events) event.cost = 1000;
    expect(await costsByTeam()).toEqual(expectedByTeam());
    const history = await historyOf(running.app, tenant);
    expect(history.at(-1)).toMatchObject({ kind: 'USAGE', after: { reason, filter } });
  });

  it('can lack a label', async () => {
    const events = matching((labels) => labels['team'] === undefined);
    const filter = { labels: [{ key: 'team', isSet: false }] };
    expect(await correct('voidUsage', { filter })).toMatchObject({ count: events.length, costBefore: sumOf(events) });
    for (const event of events) event.isVoid = true;
    expect(await costsByTeam()).toEqual({ care: expectedByTeam()['care'], sales: expectedByTeam()['sales'] });
  });

  it.each([
    [[], 'filter must have at least one condition'],
    [[{ key: '', in: ['a'] }], 'labels.key must not be empty'],
    [['a', 'b', 'c', 'd', 'e'].map((name) => ({ key: name })), 'labels must have at most 4 different labels'],
  ])('is refused for the labels %j, and nothing changes', async (labels, message) => {
    const refused = await correct('voidUsage', { filter: { labels } });
    expect(refused.message).toContain(message);
    expect(await costsByTeam()).toMatchObject({ sales: expectedByTeam()['sales'] });
  });

  it('is not that of another account, nor for a viewer', async () => {
    const other = await createTenant(running.app, { account: 'southwind', workspaces: ['south'] });
    const { key: theirs } = await createKey(running.app, other);
    const filter = { labels: [{ key: 'team' }] };
    expect(await correct('voidUsage', { filter, account: 'southwind' }, theirs)).toMatchObject({ count: 0 });
    expect(await correct('voidUsage', { filter }, theirs)).toMatchObject({ message: expect.any(String) });
    const { key: narrow } = await createKey(running.app, { ...tenant, scope: 'metrics:read' });
    expect(await correct('voidUsage', { filter }, narrow)).toMatchObject({ __typename: 'ForbiddenError' });
    expect(await costsByTeam()).toMatchObject({ sales: expectedByTeam()['sales'] });
  });
});
