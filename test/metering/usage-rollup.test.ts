// Rollups: each waiting batch is rolled up once, by any process and while events arrive.
import { databaseOf } from '../../src/auth/context.js';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ServiceContext } from '../../src/http/open-context.js';
import { Prisma } from '../../src/database/client/client.js';
import { apiErrorFrom } from '../../src/database/failures.js';
import type { Statements } from '../../src/database/transaction.js';
import { latestUsageTime, usageEventFrom } from '../../src/metering/usage-event.js';
import { noLabels } from '../../src/metering/label-sets.js';
import { insertAllStatement, insertionColumns } from '../../src/metering/usage-insertion.js';
import { rollUpUsage } from '../../src/metering/usage-rollup.js';
import { usageWorkspaces } from '../../src/metering/usage-workspaces.js';
import { recordEvents, recordUsage } from '../../src/metering/usage.js';
import { isCluster } from '../database-kind.js';
import { useApp } from '../harness.js';
import { interrupted } from './interrupted.js';
import { northwind, sumsExpected, sumsOf, usageEvent } from './usage-samples.js';
import { UsageMemory } from '../../src/metering/usage-memory.js';

const running = useApp();
let ctx: ServiceContext;
let accountId: string;

beforeAll(async () => {
  ({ ctx, accountId } = await northwind(running.app));
});

const waiting = async () => (await databaseOf(ctx).$prisma()).usageBatch.count({ where: { rollupId: null } });

/** A database that notes the rollups that it is asked for. */
function told(db: Statements, rollups: Prisma.Sql[]): Statements {
  const $text = (statement: Prisma.Sql) => {
    if (statement.sql.includes('FOR UPDATE')) rollups.push(statement);
    return db.$text(statement);
  };
  return new Proxy(db, { get: (target, name) => (name === '$text' ? $text : Reflect.get(target, name)) });
}

/** Simulates that the one waiting batch had arrived many times. */
async function copyWaiting(copies: number): Promise<void> {
  await databaseOf(ctx).$executeRaw`
    INSERT INTO "usage_batch" ("account_id", "events", "months", "series_ids", "hours", "nanos", "usages", "costs")
    SELECT "account_id", "events", "months", "series_ids", "hours", "nanos", "usages", "costs"
    FROM "usage_batch", generate_series(1, ${copies}::int) WHERE "rollup_id" IS NULL`;
}

/** A database with time for only this many batches in one rollup. */
function slow(db: Statements, batchesMax: number, rollups: number[]): Statements {
  let taken = 0;
  const $text = async (statement: Prisma.Sql) => {
    if (statement.sql.includes('FOR UPDATE')) {
      rollups.push(taken);
      if (taken > batchesMax) throw Object.assign(new Error('canceling statement'), { code: '57014' });
    }
    const text = await db.$text(statement);
    const isOfWaiting = statement.sql.includes("'goesOn'");
    if (isOfWaiting) taken = JSON.parse(text).batches.length;
    return text;
  };
  return new Proxy(db, { get: (target, name) => (name === '$text' ? $text : Reflect.get(target, name)) });
}

async function planOf(statement: Prisma.Sql | undefined): Promise<string> {
  if (statement === undefined) throw new Error('there is no statement');
  const rows = await (await databaseOf(ctx).$prisma()).$queryRaw<Record<string, string>[]>`EXPLAIN ${statement}`;
  return rows.flatMap((row) => Object.values(row)).join('\n');
}

describe('A rollup', () => {
  it('processes all pending usage of its start, in several steps if needed, and no later usage', async () => {
    const first = usageEvent(0);
    await recordUsage(ctx, [first]);
    const copies = 10_500;
    await copyWaiting(copies);
    let arrived = 0;
    const busy = interrupted(databaseOf(ctx), async (sql) => {
      if (sql.includes('FOR UPDATE')) await recordUsage(ctx, [usageEvent(++arrived)]);
    });
    await rollUpUsage(busy, ctx.usageMemory, accountId, ctx.now());
    expect(arrived).toBe(2);
    expect(await waiting()).toBe(arrived);
    const events = [...Array.from({ length: copies + 1 }, () => first), usageEvent(1), usageEvent(2)];
    expect(await sumsOf(ctx, accountId)).toEqual(sumsExpected(events));
    expect(await waiting()).toBe(0);
  });

  // On a cluster the plan is that of the coordinator.
  it.skipIf(isCluster)('processes a hundred thousand events at once, with one pass over each array', async () => {
    const before = await sumsOf(ctx, accountId);
    const event = usageEvent(40, { cost: '1', usage: '2' });
    await recordUsage(ctx, [event]);
    const [copies, batches] = [2_000, 49];
    await databaseOf(ctx).$executeRaw`
      INSERT INTO "usage_batch" ("account_id", "events", "months", "series_ids", "hours", "nanos", "usages", "costs")
      SELECT "account_id", ${copies}::int, "months", array_fill("series_ids"[1], ARRAY[${copies}::int]),
        array_fill("hours"[1], ARRAY[${copies}::int]), array_fill("nanos"[1], ARRAY[${copies}::int]),
        array_fill("usages"[1], ARRAY[${copies}::int]), array_fill("costs"[1], ARRAY[${copies}::int])
      FROM "usage_batch", generate_series(1, ${batches}::int) WHERE "rollup_id" IS NULL`;
    const rollups: Prisma.Sql[] = [];
    await rollUpUsage(told(databaseOf(ctx), rollups), ctx.usageMemory, accountId, ctx.now());
    expect(rollups).toHaveLength(1);
    const count = BigInt(copies * batches + 1);
    const added = before.map(({ cost, usage }) => ({
      cost: cost + count * 1_000_000_000n,
      usage: usage + count * 2_000_000n,
    }));
    expect(await sumsOf(ctx, accountId)).toEqual(added);
    const plan = await planOf(rollups[0]);
    expect(plan.match(/ProjectSet/g)).toHaveLength(1);
    // The numbers of the batches.
    expect(plan.match(/Function Scan/g)).toHaveLength(1);
  });

  it('processes a part if the database had too little time for all, and continues later', async () => {
    const before = await sumsOf(ctx, accountId);
    const event = { ...usageEvent(3), cost: '1', usage: '2' };
    await recordUsage(ctx, [event]);
    await copyWaiting(3_999);
    const rollups: number[] = [];
    const db = slow(databaseOf(ctx), 3_000, rollups);
    const memory = new UsageMemory();
    let failures = 0;
    for (let rounds = 0; (await waiting()) > 0 && rounds < 10; rounds++) {
      await rollUpUsage(db, memory, accountId, ctx.now()).catch(() => failures++);
    }
    expect(failures).toBe(3);
    expect(rollups).toEqual([4_000, 4_000, 4_000, 1_562, 1_953, 485]);
    const all = before.map(({ cost, usage }) => ({
      cost: cost + 4_000n * 1_000_000_000n,
      usage: usage + 4_000n * 2_000_000n,
    }));
    expect(await sumsOf(ctx, accountId)).toEqual(all);
  });

  it('in a transaction ends with the lock that it waited for too long', async () => {
    await recordUsage(ctx, [usageEvent(51, { cost: '0', usage: '0' })]);
    const { db } = running.app.services;
    let tries = 0;
    const rolling = db.$begin((tx) => {
      const blocked = interrupted(tx, async (sql) => {
        if (!sql.includes('UPDATE "usage_batch"')) return;
        tries++;
        await tx.$executeRaw(Prisma.sql`DO $$ BEGIN RAISE EXCEPTION 'lock timeout' USING ERRCODE = '55P03'; END $$`);
      });
      return rollUpUsage(blocked, new UsageMemory(), accountId, ctx.now());
    });
    expect(apiErrorFrom(await rolling.catch((error: unknown) => error))).toMatchObject({ error: 'unavailable' });
    expect(tries).toBe(1);
    await rollUpUsage(db, new UsageMemory(), accountId, ctx.now());
  });

  it('of one batch by several processes counts it once', async () => {
    const before = await sumsOf(ctx, accountId);
    const event = usageEvent(50, { cost: '1', usage: '2' });
    await recordUsage(ctx, [event]);
    await Promise.all([1, 2, 3, 4].map(() => rollUpUsage(databaseOf(ctx), ctx.usageMemory, accountId, ctx.now())));
    const added = before.map(({ cost, usage }) => ({ cost: cost + 1_000_000_000n, usage: usage + 2_000_000n }));
    expect(await sumsOf(ctx, accountId)).toEqual(added);
  });
});

describe('An insertion', () => {
  const statementOf = (sources: string[]) => {
    const stored = sources.map((source) => {
      const event = usageEventFrom(usageEvent(60, { source }), latestUsageTime(ctx.now()));
      if (!('id' in event)) throw new Error('the event is invalid');
      return { event, labelSetId: noLabels, seriesId: '1' };
    });
    return insertAllStatement(accountId, insertionColumns(stored), new Date());
  };

  it.skipIf(isCluster).each([[['one', 'one']], [['one', 'other']]])(
    'reads each array of its events in one pass, of sources %s',
    async (sources) => {
      const plan = await planOf(statementOf(sources));
      expect(plan).toContain('ProjectSet');
      expect(plan).not.toContain('Function Scan');
    },
  );

  it('stores the source once if all its events have the same', () => {
    expect(statementOf(['one', 'one', 'one']).values.filter((value) => String(value).includes('one'))).toEqual(['one']);
    expect(statementOf(['one', 'other']).values).toContain('{one,other}');
  });
});

describe('An event whose identity is deleted during the comparison', () => {
  it('is accepted', async () => {
    const old = usageEvent(70);
    await recordUsage(ctx, [old]);
    const forgetful = interrupted(databaseOf(ctx), async (sql) => {
      if (sql.includes('AS requested'))
        await (await databaseOf(ctx).$prisma()).usageEvent.deleteMany({ where: { id: old.id } });
    });
    const event = { ...old, cost: '3' };
    const place = usageWorkspaces(forgetful, accountId);
    expect(await recordEvents(forgetful, new UsageMemory(), [event, { ...event }], () => place, ctx.now())).toEqual([
      { outcome: 'accepted' },
      { outcome: 'duplicate', message: 'the event was recorded before and counts once' },
    ]);
  });
});
