import { setImmediate } from 'node:timers/promises';
import type { SqlDriverAdapter, SqlDriverAdapterFactory, SqlQuery, Transaction } from '@prisma/driver-adapter-utils';
import { expect, it } from 'vitest';
import { observedAdapter } from '../../src/database/observed-adapter.js';

const statement = (sql: string): SqlQuery => ({ sql, args: [], argTypes: [] });

/** A driver that says when a statement begins and when it is over; one that is called "broken" fails. */
function tellingDriver(told: string[]): SqlDriverAdapterFactory {
  async function run({ sql }: SqlQuery): Promise<void> {
    told.push(`${sql} begins`);
    await setImmediate();
    told.push(`${sql} is over`);
    if (sql === 'broken') throw new Error('broken');
  }
  const done = async () => {};
  const named = { provider: 'postgres', adapterName: 'telling' } as const;
  const queryable = {
    ...named,
    queryRaw: async (query: SqlQuery) => {
      await run(query);
      return { columnNames: [], columnTypes: [], rows: [] };
    },
    executeRaw: async (query: SqlQuery) => {
      await run(query);
      return 0;
    },
  };
  const transaction: Transaction = {
    ...queryable,
    options: { usePhantomQuery: false },
    commit: done,
    rollback: done,
  };
  const adapter: SqlDriverAdapter = {
    ...queryable,
    executeScript: done,
    dispose: done,
    startTransaction: async () => transaction,
  };
  return { ...named, connect: async () => adapter };
}

it('sends the statements of a transaction one after another, also after one that fails', async () => {
  const told: string[] = [];
  const adapter = await observedAdapter(tellingDriver(told), () => {}).connect();
  const transaction = await adapter.startTransaction();
  const outcomes = await Promise.allSettled([
    transaction.queryRaw(statement('broken')),
    transaction.queryRaw(statement('second')),
    transaction.executeRaw(statement('COMMIT')),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
  expect(told).toEqual(['broken', 'second', 'COMMIT'].flatMap((sql) => [`${sql} begins`, `${sql} is over`]));
});
