// Times the statements of a driver, both those of Prisma's client and those of $text, which bypasses it.
import type { SqlDriverAdapter, SqlDriverAdapterFactory } from '@prisma/driver-adapter-utils';
import { aroundStatements } from './around-statements.js';
import type { Around } from './around-statements.js';

/** A finished statement. */
export interface StatementDone {
  /** The SQL as it was sent, without values. */
  sql: string;
  /** The start time, by performance.now(). */
  startedMs: number;
  seconds: number;
}

/**
 * Runs the statements of a transaction one after the other. They share a connection, but Prisma loads relations
 * concurrently, of which node-postgres warns and which its next major version refuses.
 */
export function oneAtATime(around: Around): Around {
  let last: Promise<unknown> = Promise.resolve();
  return (sql, run) => {
    const result = last.then(() => around(sql, run));
    last = result.catch(() => undefined);
    return result;
  };
}

/** The same driver with a callback for each finished statement, successful or not. */
export function observedAdapter(
  factory: SqlDriverAdapterFactory,
  onDone: (statement: StatementDone) => void,
): SqlDriverAdapterFactory {
  async function timed<Result>(sql: string, run: () => Promise<Result>): Promise<Result> {
    const startedMs = performance.now();
    try {
      return await run();
    } finally {
      onDone({ sql, startedMs, seconds: (performance.now() - startedMs) / 1_000 });
    }
  }

  return {
    provider: factory.provider,
    adapterName: factory.adapterName,
    connect: async () => {
      const adapter = await factory.connect();
      const startTransaction: SqlDriverAdapter['startTransaction'] = async (isolationLevel) =>
        aroundStatements(await adapter.startTransaction(isolationLevel), oneAtATime(timed));
      return aroundStatements(adapter, timed, { startTransaction: { value: startTransaction } });
    },
  };
}
