// A connection that breaks at a moment that a test chooses: before a statement, or after one that is a transaction by
// itself, or before or after the end of a transaction. From then on nothing gets through, until it is mended.
import type { SqlDriverAdapter, SqlDriverAdapterFactory, Transaction } from '@prisma/driver-adapter-utils';
import { aroundStatements } from '../../src/database/around-statements.js';
import type { Around } from '../../src/database/around-statements.js';
import { oneAtATime } from '../../src/database/observed-adapter.js';

export interface BreakableConnection {
  inFront: (driver: SqlDriverAdapterFactory) => SqlDriverAdapterFactory;
  /** Breaks it when so many moments have passed. */
  breakAfter: (moments: number) => void;
  /** Whether the connection broke; later statements pass. */
  mend: () => boolean;
}

/** @param isPassing selects statements outside of the broken part, which pass */
export function breakableConnection(isPassing: (sql: string) => boolean): BreakableConnection {
  let left = Number.POSITIVE_INFINITY;
  const moment = (): void => {
    if (--left < 0) throw new Error('Connection terminated');
  };

  /** The end of a transaction is a statement of a server, and a call of an embedded database. */
  function transaction(inner: Transaction): Transaction {
    let isOver = false;
    const undo = async (): Promise<void> => {
      if (isOver) return;
      isOver = true;
      if (!inner.options.usePhantomQuery) await inner.executeRaw({ sql: 'ROLLBACK', args: [], argTypes: [] });
      await inner.rollback();
    };
    const before = async (): Promise<void> => {
      try {
        moment();
      } catch (error) {
        await undo();
        throw error;
      }
    };
    const around: Around = async (sql, run) => {
      if (/^ROLLBACK$/i.test(sql)) return run();
      await before();
      const result = await run();
      if (/^COMMIT$/i.test(sql)) moment();
      return result;
    };
    // It breaks between two statements, never during one.
    return aroundStatements(inner, oneAtATime(around), {
      commit: {
        value: async () => {
          if (inner.options.usePhantomQuery) await before();
          isOver = true;
          await inner.commit();
          if (inner.options.usePhantomQuery) moment();
        },
      },
      rollback: { value: undo },
    });
  }

  return {
    inFront: (driver) => ({
      provider: driver.provider,
      adapterName: driver.adapterName,
      connect: async () => {
        const adapter = await driver.connect();
        const startTransaction: SqlDriverAdapter['startTransaction'] = async (isolationLevel) => {
          moment();
          return transaction(await adapter.startTransaction(isolationLevel));
        };
        const around = async <Result>(sql: string, run: () => Promise<Result>): Promise<Result> => {
          if (isPassing(sql)) return run();
          moment();
          const result = await run();
          if (/\b(INSERT|UPDATE|DELETE)\b/.test(sql)) moment();
          return result;
        };
        return aroundStatements(adapter, around, { startTransaction: { value: startTransaction } });
      },
    }),
    breakAfter: (moments) => {
      left = moments;
    },
    mend: () => {
      const wasBroken = left < 0;
      left = Number.POSITIVE_INFINITY;
      return wasBroken;
    },
  };
}
