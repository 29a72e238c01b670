// A connection that breaks at a moment that a test chooses: before a statement, or after one that is a transaction by
// itself, or before or after the end of a transaction. From then on nothing gets through, until it is mended.
import type { SqlDriverAdapterFactory } from '@prisma/driver-adapter-utils';
import { aroundStatements } from '../../src/database/around-statements.js';
import type { Around } from '../../src/database/around-statements.js';
import type { TransactionConnection } from '../../src/database/transaction.js';
import type { Connect } from '../../src/database/transaction-connections.js';

export interface BreakableConnection {
  inFront: (driver: SqlDriverAdapterFactory) => SqlDriverAdapterFactory;
  inFrontOfTransactions: (connect: Connect) => Connect;
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

  /** Breaks between two writes, never during one. */
  function inFrontOf(inner: TransactionConnection): TransactionConnection {
    let broken: unknown;
    const isPast = () => {
      try {
        moment();
        return false;
      } catch (error) {
        broken = error;
        return true;
      }
    };
    const undo = () => inner.send([{ text: 'ROLLBACK', values: [] }]);
    const around: Around = async (_sql, run) => {
      if (broken !== undefined) throw broken;
      if (!isPast()) return run();
      await undo();
      throw broken;
    };
    return {
      send: async (statements) => {
        const [last] = statements.slice(-1);
        if (broken !== undefined) return { results: [], error: broken };
        if (last?.text === 'ROLLBACK') return inner.send(statements);
        if (isPast()) {
          await undo();
          return { results: [], error: broken };
        }
        const result = await inner.send(statements);
        const isDone = last?.text === 'COMMIT' && result.error === undefined;
        return isDone && isPast() ? { results: result.results.slice(0, -1), error: broken } : result;
      },
      queryable: async () => aroundStatements(await inner.queryable(), around),
      release: inner.release,
    };
  }

  return {
    inFront: (driver) => ({
      provider: driver.provider,
      adapterName: driver.adapterName,
      connect: async () => {
        const adapter = await driver.connect();
        const around = async <Result>(sql: string, run: () => Promise<Result>): Promise<Result> => {
          if (isPassing(sql)) return run();
          moment();
          const result = await run();
          if (/\b(INSERT|UPDATE|DELETE)\b/.test(sql)) moment();
          return result;
        };
        return aroundStatements(adapter, around);
      },
    }),
    inFrontOfTransactions: (connect) => async () => {
      moment();
      return inFrontOf(await connect());
    },
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
