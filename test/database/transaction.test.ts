// Statements inside a transaction and beside it.
import { describe, expect, it } from 'vitest';
import { Prisma } from '../../src/database/client/client.js';
import { useApp } from '../harness.js';

const running = useApp();

const accounts = Prisma.sql`SELECT count(*)::text FROM "account"`;

describe('A transaction', () => {
  it('sees with every kind of statement what it has written, and leaves nothing when it is given up', async () => {
    const { db } = running.app.services;
    const givenUp = db.$begin(async (tx) => {
      await tx.account.create({ data: { name: 'northwind', plan: 'free' } });
      expect(await tx.$text(accounts)).toBe('1');
      throw new Error('given up');
    });
    await expect(givenUp).rejects.toThrow('given up');
    expect(await db.$text(accounts)).toBe('0');
  });

  it('is over for itself alone: the statements of others answer as before', async () => {
    const { db } = running.app.services;
    await db.$begin(async (tx) => tx.$text(accounts));
    expect(await db.$text(accounts)).toBe('0');
    await db.$begin(async (tx) => tx.account.count());
    expect(await Promise.all([db.$text(accounts), db.$begin((tx) => tx.$text(accounts))])).toEqual(['0', '0']);
  });

  it('sends its statements one after the other, as one connection takes them', async () => {
    const { database } = running.app;
    const times: { fromMs: number; toMs: number }[] = [];
    database.watch(({ sql, startedMs, seconds }) => {
      if (sql.includes('pg_sleep')) times.push({ fromMs: startedMs, toMs: startedMs + seconds * 1_000 });
    });
    const sleep = Prisma.sql`SELECT 'slept' FROM pg_sleep(0.02)`;
    await database.db.$transaction((tx) => Promise.all([1, 2, 3].map(() => tx.$queryRaw(sleep))));
    expect(times).toHaveLength(3);
    expect(times[1]?.fromMs).toBeGreaterThanOrEqual((times[0]?.toMs ?? Infinity) - 1);
    expect(times[2]?.fromMs).toBeGreaterThanOrEqual((times[1]?.toMs ?? Infinity) - 1);
  });
});
