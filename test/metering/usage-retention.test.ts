// Dropping old events during inserts: for an account with its first usage, nothing is lost, counted twice or wrong.
import { beforeAll, describe, expect, it } from 'vitest';
import { getDataThrough } from '../../src/billing/data-through.js';
import { Prisma } from '../../src/database/client/client.js';
import type { Database } from '../../src/database/open.js';
import { rollUpUsage } from '../../src/metering/usage-rollup.js';
import { dropUsageBefore } from '../../src/metering/usage-retention.js';
import { recordUsage } from '../../src/metering/usage.js';
import { isEmbedded } from '../database-kind.js';
import { createKey, useApp } from '../harness.js';
import { askMetrics, expectedBody, wordsOf } from '../billing/metrics-bodies.js';
import type { PlainQuery } from '../billing/recount.js';
import { contextOf, createOwner } from './usage-mixture.js';
import type { Owner } from './usage-mixture.js';
import { usageEvent } from './usage-samples.js';

const running = useApp();
let old: Owner;

beforeAll(async () => {
  old = await createOwner(running.app, 'northwind', ['main']);
});

/** A database to which something else happens before each statement. */
function interrupted(db: Database, before: (sql: string) => Promise<unknown>): Database {
  return new Proxy(db, {
    get: (target, name) => {
      if (name !== '$text') {
        const value: unknown = Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      }
      return async (statement: Prisma.Sql) => {
        await before(statement.sql);
        return target.$text(statement);
      };
    },
  });
}

/** The queries between closing the months and dropping their events. */
const isDropping = (sql: string) => sql.includes('pg_inherits');

const whole: PlainQuery = {
  startTime: '2025-03-10T10:00:00Z',
  endTime: '2025-03-11T00:00:00Z',
  resolution: 'daily',
  groupBy: ['resource_name'],
  filters: {},
};
const cut = { ...whole, startTime: '2025-03-10T10:20:00Z' };

describe('An account whose first usage arrives while events are dropped', () => {
  // Without concurrent drops, its months stay open.
  it.each([
    { name: 'waiting-alone', isRolledUp: false, isBeside: false, isOpen: true },
    { name: 'waiting-beside', isRolledUp: false, isBeside: true, isOpen: false },
    { name: 'rolled-up-alone', isRolledUp: true, isBeside: false, isOpen: false },
    { name: 'rolled-up-beside', isRolledUp: true, isBeside: true, isOpen: false },
  ])('is counted once: $name', async ({ name, isRolledUp, isBeside, isOpen }) => {
    const { db } = running.app.services;
    const time = '2025-03-10T10:30:00Z';
    if (isBeside) {
      await db.usageAccount.updateMany({ data: { closedBefore: 0 } });
      await recordUsage(old.ctx, [usageEvent(1, { id: name, time })]);
    }
    const fresh = await createOwner(running.app, name, [`${name}-main`]);
    const event = usageEvent(2, { account: name, workspace: `${name}-main`, time });
    const busy = interrupted(db, async (sql) => {
      if (!isDropping(sql)) return;
      expect(await recordUsage(fresh.ctx, [event])).toEqual([{ outcome: 'accepted' }]);
      if (isRolledUp) await rollUpUsage(db, running.app.services.usageMemory, fresh.accountId, running.app.clock.now);
    });
    await dropUsageBefore(busy, running.app.services.usageMemory, '2025-06', running.app.clock.now);

    const [again] = await recordUsage(fresh.ctx, [event]);
    expect(again?.outcome).toBe(isOpen ? 'duplicate' : 'invalid');
    expect((await askMetrics(running.app, fresh, wordsOf(whole))).body).toEqual(expectedBody([event], whole));
    const { status, body } = await askMetrics(running.app, fresh, wordsOf(cut));
    expect({ status, cost: body.summary?.totalCost }).toEqual(
      isOpen ? { status: 200, cost: Number(event.cost) } : { status: 400, cost: undefined },
    );
  });
});

// An embedded database has one connection: nothing writes while it closes the months.
describe.skipIf(isEmbedded)('Dropping events', () => {
  it('waits for writers that may not have seen the cutoff', async () => {
    const { db } = running.app.services;
    await db.usageAccount.updateMany({ data: { closedBefore: 0 } });
    const [first, late] = [80, 81].map((n) => usageEvent(n, { time: '2025-02-10T10:30:00Z' }));
    await recordUsage(old.ctx, [first]);
    const asked: string[] = [];
    let looked = () => {};
    const twice = new Promise<void>((resolve) => (looked = resolve));
    const watched = interrupted(db, async (sql) => {
      if (asked.push(sql) === 4) looked();
    });
    const under: Promise<unknown>[] = [];
    await db.$begin(async (tx) => {
      // Writers wait for this in the middle of a statement.
      await tx.$executeRaw`LOCK TABLE "usage_batch" IN SHARE MODE`;
      under.push(recordUsage(old.ctx, [late]));
      await expect.poll(() => db.$text(waitingWriters)).toBe('1');
      under.push(dropUsageBefore(watched, running.app.services.usageMemory, '2025-03', running.app.clock.now));
      await twice;
      expect(asked.some(goesOn)).toBe(false);
    });
    await Promise.all(under);
    expect(asked.some(goesOn)).toBe(true);
    expect(await db.usageEvent.count({ where: { id: { in: ['event-80', 'event-81'] } } })).toBe(0);
  });
});

describe('The latest usage of a credential of one workspace', () => {
  it('is known by its hour after its month was dropped', async () => {
    const { db, usageMemory } = running.app.services;
    const { accountId, ctx, tenant } = await createOwner(running.app, 'partly', ['used', 'other', 'unused']);
    const of = { account: 'partly', resourceName: 'dropped' };
    await recordUsage(ctx, [
      usageEvent(90, { ...of, workspace: 'used', time: '2025-03-10T10:30:00Z' }),
      usageEvent(91, { ...of, workspace: 'used', time: '2025-03-09T10:30:00Z' }),
      usageEvent(92, { ...of, workspace: 'other', time: '2025-04-10T11:30:00Z' }),
    ]);
    const through = async (workspace: string) => {
      const { key } = await createKey(running.app, { ...tenant, workspaceId: tenant.workspaces[workspace] ?? '' });
      return getDataThrough(await contextOf(running.app, key), accountId);
    };
    expect(await through('used')).toBe('2025-03-10T10:30:00Z');
    await dropUsageBefore(db, usageMemory, '2025-06', running.app.clock.now);
    expect(await db.usageEvent.count({ where: { accountId } })).toBe(0);
    expect(await through('used')).toBe('2025-03-10T10:00:00Z');
    expect(await through('unused')).toBeNull();
  });
});

/** The rollup is next. */
const goesOn = (sql: string) => sql.includes('"usage_batch"');

const waitingWriters = Prisma.sql`
  SELECT count(DISTINCT "virtualtransaction")::text FROM pg_locks
  WHERE "relation" = 'usage_batch'::regclass AND NOT "granted"`;
