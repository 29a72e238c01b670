// Transactions within a transaction, which are part of it.
import { describe, expect, it } from 'vitest';
import { nestedTransaction } from '../../src/database/nested-transaction.js';
import { useApp } from '../harness.js';

const running = useApp();

const account = (name: string) => ({ data: { name, plan: 'free' } });

async function names(): Promise<string[]> {
  const rows = await running.app.services.db.account.findMany({ orderBy: { name: 'asc' } });
  return rows.map(({ name }) => name);
}

describe('A nested transaction', () => {
  it('takes no statements, and is committed with the outer one', async () => {
    running.app.statements.length = 0;
    await running.app.services.db.$begin(async (tx) => {
      const within = nestedTransaction(tx);
      await within.tx.$begin((inner) => inner.$executeRaw`SELECT 1`);
      await within.tx.$begin(async (inner) => (await inner.$prisma()).account.create(account('kept')));
      within.requireWhole();
    });
    expect(running.app.statements.filter((sql) => /savepoint/i.test(sql))).toEqual([]);
    expect(await names()).toEqual(['kept']);
  });

  it('that was rolled back rolls back the outer one, which cannot continue', async () => {
    const before = await names();
    const outer = running.app.services.db.$begin(async (tx) => {
      const within = nestedTransaction(tx);
      const rolledBack = within.tx.$begin(async (inner) => {
        await (await inner.$prisma()).account.create(account('given-up'));
        throw new Error('rolled back');
      });
      await expect(rolledBack).rejects.toThrow('rolled back');
      await within.tx.$begin(async (inner) => (await inner.$prisma()).account.create(account('after')));
      within.requireWhole();
    });
    await expect(outer).rejects.toThrow('was rolled back');
    expect(await names()).toEqual(before);
  });

  it('is rolled back with the outer one, even after it has returned', async () => {
    const before = await names();
    const outer = running.app.services.db.$begin(async (tx) => {
      await nestedTransaction(tx).tx.$begin(async (inner) =>
        (await inner.$prisma()).account.create(account('runInTransaction')),
      );
      throw new Error('rolled back');
    });
    await expect(outer).rejects.toThrow('rolled back');
    expect(await names()).toEqual(before);
  });
});
