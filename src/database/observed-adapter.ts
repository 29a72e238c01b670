// Times the statements of a driver, whoever has it run them: Prisma's client, or $text past it.
import type { SqlDriverAdapter, SqlDriverAdapterFactory, SqlQueryable } from '@prisma/driver-adapter-utils';

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

  function observed<Queryable extends SqlQueryable>(queryable: Queryable, more: PropertyDescriptorMap = {}): Queryable {
    const queryRaw: SqlQueryable['queryRaw'] = (query) => timed(query.sql, () => queryable.queryRaw(query));
    const executeRaw: SqlQueryable['executeRaw'] = (query) => timed(query.sql, () => queryable.executeRaw(query));
    const own: Queryable = Object.create(queryable, {
      queryRaw: { value: queryRaw },
      executeRaw: { value: executeRaw },
      ...more,
    });
    return own;
  }

  return {
    provider: factory.provider,
    adapterName: factory.adapterName,
    running: () => running,
    connect: async () => {
      const adapter = await factory.connect();
      const startTransaction: SqlDriverAdapter['startTransaction'] = async (isolationLevel) =>
        observed(await adapter.startTransaction(isolationLevel));
      return observed(adapter, { startTransaction: { value: startTransaction } });
    },
  };
}
