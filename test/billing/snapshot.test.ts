// All pages of an answer, and all fields of one question, are of one moment, for as long as they can be asked for.
import { databaseOf } from '../../src/auth/context.js';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ServiceContext } from '../../src/http/open-context.js';
import { rollUpUsage } from '../../src/metering/usage-rollup.js';
import { recordUsage } from '../../src/metering/usage.js';
import { runBackgroundTasks } from '../../src/server/run-background-tasks.js';
import { frozenNow, graphql, rest, useApp } from '../harness.js';
import { units } from './recount.js';
import { northwind, usageEvent } from '../metering/usage-samples.js';

const running = useApp();
let ctx: ServiceContext;
let accountId: string;
let key: string;

beforeAll(async () => {
  ({ ctx, accountId, key } = await northwind(running.app));
  await recordUsage(
    ctx,
    Array.from({ length: 100 }, (_, n) => usageEvent(n)),
  );
});

afterEach(() => {
  running.app.clock.now = frozenNow;
});

const hourMs = 3_600_000;
const window = 'startTime=2026-11-01T00:00:00Z&endTime=2026-11-10T00:00:00Z';

function after(hours: number): void {
  running.app.clock.now = new Date(frozenNow.getTime() + hours * hourMs);
}

const page = (cursor?: string) =>
  rest(
    running.app,
    `/accounts/${accountId}/metrics?${window}&groupBy=resource_uuid&limit=1` +
      (cursor === undefined ? '' : `&cursor=${cursor}`),
    { key },
  );

describe('The pages of one list', () => {
  it('show the snapshot of the first page for a day and the rest of the hour, and then expire', async () => {
    const first = await page();
    expect(first.status).toBe(200);

    after(12);
    const late = Array.from({ length: 70 }, (_, n) => usageEvent(n, { id: `late-${n}` }));
    await recordUsage(ctx, late);
    await rollUpUsage(databaseOf(ctx), ctx.usageMemory, accountId, running.app.clock.now);
    const second = await page(first.body.meta.nextCursor);

    running.app.clock.now = new Date(frozenNow.getTime() + 25 * hourMs - 1);
    await runBackgroundTasks(running.app.services, running.app.config);
    const third = await page(second.body.meta.nextCursor);
    expect(third.status).toBe(200);
    expect(third.body.summary).toEqual(first.body.summary);
    const events = Array.from({ length: 100 }, (_, n) => usageEvent(n));
    const expected = events.filter(({ resourceUuid }) => resourceUuid === third.body.data[0].resourceUuid);
    expect(BigInt(Math.round(third.body.data[0].summary.cost * 1e9))).toBe(
      expected.reduce((sum, { cost }) => sum + units(cost, 9), 0n),
    );

    after(25);
    const tooLate = await page(third.body.meta.nextCursor);
    expect({ status: tooLate.status, error: tooLate.body.error }).toEqual({ status: 400, error: 'cursor_expired' });
    expect(tooLate.body.message).toContain('cursor is older than 24 hours');
  });
});

describe('The cursor of a group', () => {
  it('is stable within the hour, until usage arrives', async () => {
    const { nextCursor } = (await page()).body.meta;
    running.app.clock.now = new Date(frozenNow.getTime() + hourMs - 1);
    expect((await page()).body.meta.nextCursor).toBe(nextCursor);
    await recordUsage(ctx, [usageEvent(0, { id: 'one more' })]);
    expect((await page()).body.meta.nextCursor).not.toBe(nextCursor);
  });
});

describe('Several metrics fields of one GraphQL query', () => {
  const query = `query ($id: ID!) { node(id: $id) { ... on Account {
    metrics(startTime: "2026-11-01T00:00:00Z", endTime: "2026-11-30T00:00:00Z", groupBy: [RESOURCE_NAME]) {
      all: entries(first: 100) { nodes { cost } }
      most: entries(first: 99) { nodes { cost timeseries { cost } } }
      summary { totalCost }
    } } } }`;

  it('have the same total while usage arrives', async () => {
    const { body } = await graphql(running.app, key, '{ accounts { nodes { id } } }');
    const id: string = body.data.accounts.nodes[0].id;
    const sum = (costs: { cost: string }[]) => costs.reduce((total, { cost }) => total + units(cost, 9), 0n);
    let number = 0;
    const totals = new Set<bigint>();
    const ask = async () => {
      const answer = await graphql(running.app, key, query, { id });
      const { all, most, summary } = answer.body.data.node.metrics;
      const total = units(summary.totalCost, 9);
      expect(sum(all.nodes)).toBe(total);
      expect(sum(most.nodes)).toBe(total);
      expect(sum(most.nodes.flatMap(({ timeseries }: { timeseries: { cost: string }[] }) => timeseries))).toBe(total);
      totals.add(total);
    };
    const record = () => recordUsage(ctx, [usageEvent(number, { id: `more-${number++}`, cost: '1' })]);
    for (let round = 0; round < 10; round++) await Promise.all([ask(), record(), record(), ask(), record()]);
    expect(totals.size).toBeGreaterThan(5);
  });
});
