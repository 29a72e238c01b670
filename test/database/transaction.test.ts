// Statements inside and outside of a transaction.
import { describe, expect, it } from 'vitest';
import { appendChanges } from '../../src/changes/change-rows.js';
import { changeRowBy } from '../../src/changes/record-changes.js';
import { Prisma } from '../../src/database/client/client.js';
import { createKey, createTenant, useApp } from '../harness.js';

const running = useApp();

const accounts = Prisma.sql`SELECT count(*)::text FROM "account"`;

describe('A transaction', () => {
  it('reads its own writes with every kind of statement, and writes nothing if it is rolled back', async () => {
    const { db } = running.app.services;
    const rolledBack = db.$begin(async (tx) => {
      await (await tx.$prisma()).account.create({ data: { name: 'northwind', plan: 'free' } });
      expect(await tx.$text(accounts)).toBe('1');
      throw new Error('rolled back');
    });
    await expect(rolledBack).rejects.toThrow('rolled back');
    expect(await db.$text(accounts)).toBe('0');
  });

  it('appends to the change log within itself', async () => {
    const { db } = running.app.services;
    const { accountId } = await createTenant(running.app, { account: 'fabrikam', workspaces: [] });
    const row = changeRowBy(
      {
        caller: {
          isOperator: true,
          principal: { id: '', kind: 'user', name: '' },
          credential: { kind: 'api_key', label: '' },
        },
        requestId: 'a-request',
        clientAddress: '192.0.2.7',
        api: undefined,
        now: () => new Date(),
      },
      undefined,
      { kind: 'ACCOUNT', verb: 'updated', event: { type: 'update', status: 'UPDATED', message: 'a change' } },
    );
    const rolledBack = db.$begin(async (tx) => {
      await appendChanges(tx, accountId, [row]);
      expect(await (await tx.$prisma()).change.count({ where: { accountId } })).toBe(1);
      throw new Error('rolled back');
    });
    await expect(rolledBack).rejects.toThrow('rolled back');
    expect(await db.change.count({ where: { accountId } })).toBe(0);
    await db.account.delete({ where: { id: accountId } });
  });

  it('runs in isolation: statements of others return the previous state', async () => {
    const { db } = running.app.services;
    await db.$begin(async (tx) => tx.$text(accounts));
    expect(await db.$text(accounts)).toBe('0');
    await db.$begin(async (tx) => (await tx.$prisma()).account.count());
    expect(await Promise.all([db.$text(accounts), db.$begin((tx) => tx.$text(accounts))])).toEqual(['0', '0']);
  });

  it('sends its statements in sequence on its connection, including those of relations', async () => {
    const { app } = running;
    const { id } = await createKey(app, await createTenant(app, { account: 'northwind', workspaces: ['main'] }));
    const times: { fromMs: number; toMs: number }[] = [];
    app.database.watch(({ sql, startedMs, seconds }) => {
      if (sql.startsWith('SELECT')) times.push({ fromMs: startedMs, toMs: startedMs + seconds * 1_000 });
    });
    const relations = { account: true, principal: true } as const;
    const key = await app.database.db.$transaction((tx) =>
      tx.apiKey.findUniqueOrThrow({ where: { id }, include: relations }),
    );
    expect(key.account.name).toBe('northwind');
    expect(times).toHaveLength(3);
    const overlaps = times.filter(({ fromMs }, n) => fromMs < (times[n - 1]?.toMs ?? 0) - 0.01);
    expect(overlaps).toEqual([]);
  });
});
