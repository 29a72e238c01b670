// Transactions within a transaction.
import { describe, expect, it } from 'vitest';
import { withSavepoints } from '../../src/database/savepoint.js';
import { useApp } from '../harness.js';

const running = useApp();

const account = (name: string) => ({ data: { name, plan: 'free' } });

async function names(): Promise<string[]> {
  const rows = await running.app.services.db.account.findMany({ orderBy: { name: 'asc' } });
  return rows.map(({ name }) => name);
}

describe('A transaction within another one', () => {
  it('leaves nothing when it is given up, or a statement in it fails, and the other one goes on', async () => {
    await running.app.services.db.$begin(async (tx) => {
      const within = withSavepoints(tx);
      await within.account.create(account('before'));
      const givenUp = within.$begin(async (inner) => {
        await inner.account.create(account('given-up'));
        throw new Error('given up');
      });
      await expect(givenUp).rejects.toThrow('given up');
      await expect(within.$begin((inner) => inner.account.create(account('before')))).rejects.toThrow(/constraint/i);
      await within.$begin((inner) => inner.account.create(account('kept')));
    });
    expect(await names()).toEqual(['before', 'kept']);
  });

  it('is given up with the other one, though it was concluded', async () => {
    const before = await names();
    const givenUp = running.app.services.db.$begin(async (tx) => {
      await withSavepoints(tx).$begin((inner) => inner.account.create(account('concluded')));
      throw new Error('given up');
    });
    await expect(givenUp).rejects.toThrow('given up');
    expect(await names()).toEqual(before);
  });
});
