// Rolling up the waiting usage of all accounts, concurrently with other processes.
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { databaseOf } from '../../src/auth/context.js';
import type { ServiceContext } from '../../src/http/open-context.js';
import { Prisma } from '../../src/database/client/client.js';
import type { Statements } from '../../src/database/transaction.js';
import { rollUpAllUsage, rollUpShareOfUsage } from '../../src/metering/roll-up-all-usage.js';
import type { SentEvents } from '../../src/quotas/spend-usage-events.js';
import { recordEvents, recordUsage } from '../../src/metering/usage.js';
import { isEmbedded } from '../database-kind.js';
import { createTenant, useApp } from '../harness.js';
import { interrupted } from './interrupted.js';
import { northwind, sumsOf, usageEvent } from './usage-samples.js';
import { UsageMemory } from '../../src/metering/usage-memory.js';

const running = useApp();
let ctx: ServiceContext;
let accountId: string;

beforeAll(async () => {
  ({ ctx, accountId } = await northwind(running.app));
});

const waiting = async () => (await databaseOf(ctx).$prisma()).usageBatch.count({ where: { rollupId: null } });

const oneDollar = { cost: '1', usage: '2' };

const withOneDollar = ({ cost, usage }: { cost: bigint; usage: bigint }) => ({
  cost: cost + 1_000_000_000n,
  usage: usage + 2_000_000n,
});

const isRollup = (sql: string) => sql.includes('FOR UPDATE');

const allOf = async (names: readonly string[]) => new Set(names);

/** So many accounts with an event each that waits. */
async function recordForAccounts(count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    const existing = async (names: readonly string[], { count: granted }: SentEvents) => ({
      names: new Set(names),
      granted,
      hasLabels: false,
    });
    const spend = async ({ count: granted }: SentEvents) => ({ granted });
    const nothing = { resourceIds: async () => [], assignLabels: async () => {}, giveBack: async () => {}, spend };
    const place = { accountId: randomUUID(), existing, recorded: allOf, ...nothing };
    await recordEvents(databaseOf(ctx), ctx.usageMemory, [usageEvent(n)], () => place, ctx.now());
  }
}

/** Databases of processes that run their rollups simultaneously, until one has none left. */
function inStep(db: Statements): { one: Statements; other: Statements; rollups: () => number } {
  let arrived: (() => void) | undefined;
  let rollups = 0;
  const meet = async (sql: string) => {
    if (!isRollup(sql)) return;
    rollups++;
    const first = arrived;
    arrived = undefined;
    if (first !== undefined) return first();
    await new Promise<void>((resolve) => {
      arrived = resolve;
      // The other run has ended.
      setTimeout(resolve, 1_000).unref();
    });
  };
  return { one: interrupted(db, meet), other: interrupted(db, meet), rollups: () => rollups };
}

describe('Two processes that roll up usage', () => {
  it('share the accounts, and rarely collide', async () => {
    const accounts = 40;
    await recordForAccounts(accounts);
    const { one, other, rollups } = inStep(databaseOf(ctx));
    await Promise.all([one, other].map((db) => rollUpShareOfUsage(db, new UsageMemory(), ctx.now())));
    expect(await waiting()).toBe(0);
    expect(rollups()).toBeLessThan(1.5 * accounts);
  });

  it('skip accounts that others have rolled up meanwhile, without a query for each', async () => {
    await recordForAccounts(150);
    const statements: string[] = [];
    let isOvertaken = false;
    const slow = interrupted(databaseOf(ctx), async (sql) => {
      statements.push(sql);
      if (!isRollup(sql) || isOvertaken) return;
      isOvertaken = true;
      await rollUpShareOfUsage(databaseOf(ctx), ctx.usageMemory, ctx.now());
    });
    await rollUpShareOfUsage(slow, new UsageMemory(), ctx.now());
    expect(await waiting()).toBe(0);
    expect(statements.filter(isRollup)).toHaveLength(1);
    expect(statements.length).toBeLessThan(110);
  });

  it('count each event once', async () => {
    const before = await sumsOf(ctx, accountId);
    await recordUsage(ctx, [usageEvent(50, oneDollar)]);
    await Promise.all([1, 2, 3, 4].map(() => rollUpShareOfUsage(databaseOf(ctx), ctx.usageMemory, ctx.now())));
    expect(await sumsOf(ctx, accountId)).toEqual(before.map(withOneDollar));
  });

  it.skipIf(isEmbedded)('skip an account that another process is rolling up, and lose nothing', async () => {
    const before = await sumsOf(ctx, accountId);
    await recordUsage(ctx, [usageEvent(51, oneDollar)]);
    await recordForAccounts(2);
    await databaseOf(ctx).$begin(async (tx) => {
      await tx.$text(
        Prisma.sql`SELECT "rollup_id"::text FROM "usage_account" WHERE "account_id" = ${accountId}::uuid FOR UPDATE`,
      );
      await rollUpShareOfUsage(databaseOf(ctx), ctx.usageMemory, ctx.now());
    });
    const left = await (
      await databaseOf(ctx).$prisma()
    ).usageBatch.findMany({ where: { rollupId: null }, select: { accountId: true } });
    expect(left).toEqual([{ accountId }]);
    await rollUpShareOfUsage(databaseOf(ctx), ctx.usageMemory, ctx.now());
    expect(await waiting()).toBe(0);
    expect(await sumsOf(ctx, accountId)).toEqual(before.map(withOneDollar));
  });
});

describe('Of the accounts with pending usage', () => {
  it.each([
    { what: 'all', rollUp: rollUpAllUsage, first: 60 },
    { what: 'a share', rollUp: rollUpShareOfUsage, first: 70 },
  ])('one that fails does not delay the others: $what', async ({ what, rollUp, first }) => {
    const other = await createTenant(running.app, { account: `broken ${what}`, workspaces: [] });
    await recordUsage(ctx, [usageEvent(first)]);
    // An hour before its months, without a partition.
    await databaseOf(ctx).$executeRaw`INSERT INTO "usage_account" ("account_id") VALUES (${other.accountId}::uuid)`;
    await databaseOf(ctx).$executeRaw`
      INSERT INTO "usage_batch" ("account_id", "events", "months", "series_ids", "hours", "nanos", "usages", "costs")
      VALUES (${other.accountId}::uuid, 1, '{}', '{1}', '{1000000}', '{0}', '{1}', '{1}')`;
    await recordUsage(ctx, [usageEvent(first + 1)]);
    await expect(rollUp(databaseOf(ctx), ctx.usageMemory, ctx.now())).rejects.toThrow(
      'the usage of 1 accounts cannot be rolled up',
    );
    expect(await waiting()).toBe(1);
    await (await databaseOf(ctx).$prisma()).usageBatch.deleteMany({ where: { accountId: other.accountId } });
  });
});
