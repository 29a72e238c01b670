// Times the statements of a driver, whoever has it run them: Prisma's client, or $text past it.
import type { SqlDriverAdapter, SqlDriverAdapterFactory } from '@prisma/driver-adapter-utils';
import { aroundStatements } from './around-statements.js';
import type { Around } from './around-statements.js';

/** One statement that is over. */
export interface StatementDone {
  /** As it was sent; values are no part of it. */
  sql: string;
  /** Since when, by performance.now(). */
  startedMs: number;
  seconds: number;
}

export interface ObservedAdapter extends SqlDriverAdapterFactory {
  /** How many statements are on their way, those that wait for a connection among them. */
  running: () => number;
}

/**
 * Runs the statements of one transaction one after the other. They share a connection, and Prisma loads relations at the
 * same time: node-postgres warns about that, and its next major version refuses it.
 */
export function oneAtATime(around: Around): Around {
  let last: Promise<unknown> = Promise.resolve();
  return (sql, run) => {
    const result = last.then(() => around(sql, run));
    last = result.catch(() => undefined);
    return result;
  };
}

/** The same driver, which tells of each statement when it is over, answered or not. */
export function observedAdapter(
  factory: SqlDriverAdapterFactory,
  onDone: (statement: StatementDone) => void,
): ObservedAdapter {
  let running = 0;

  async function timed<Result>(sql: string, run: () => Promise<Result>): Promise<Result> {
    const startedMs = performance.now();
    running++;
    try {
      return await run();
    } finally {
      running--;
      onDone({ sql, startedMs, seconds: (performance.now() - startedMs) / 1_000 });
    }
  }

  return {
    provider: factory.provider,
    adapterName: factory.adapterName,
    running: () => running,
    connect: async () => {
      const adapter = await factory.connect();
      const startTransaction: SqlDriverAdapter['startTransaction'] = async (isolationLevel) =>
        aroundStatements(await adapter.startTransaction(isolationLevel), oneAtATime(timed));
      return aroundStatements(adapter, timed, { startTransaction: { value: startTransaction } });
    },
  };
}
