// Prisma's client within a transaction of the driver. Prisma begins a transaction of its own for it, whose statements run
// on the connection of the driver's; its BEGIN and COMMIT do nothing.
import type {
  SqlDriverAdapter,
  SqlDriverAdapterFactory,
  SqlQueryable,
  Transaction,
} from '@prisma/driver-adapter-utils';
import { PrismaClient } from './client/client.js';
import type { Prisma } from './client/client.js';

/** The maximum duration of a transaction. Those that delete thousands of rows take seconds. */
export const transactionMsMax = 30_000;

/** Runs an action with the connection of a transaction, behind the statements before it. */
type OnConnection = <Result>(use: (queryable: SqlQueryable) => Promise<Result>) => Promise<Result>;

export interface PrismaInTransaction {
  /** @returns the client, and a function that ends its use before the commit or the rollback. */
  open: (onConnection: OnConnection) => { client: Promise<Prisma.TransactionClient>; end: () => void };
  close: () => Promise<void>;
}

const names = { provider: 'postgres', adapterName: 'driver-transaction' } as const;

/** @param onStatement called with each statement. Tests count them. */
export function createPrismaInTransaction(onStatement?: (sql: string) => void): PrismaInTransaction {
  // Prisma asks for a transaction without saying which: one is opened after the other.
  let opening: OnConnection | undefined;
  let turn: Promise<unknown> = Promise.resolve();
  let created: PrismaClient | undefined;

  const adapter: SqlDriverAdapter = {
    ...names,
    ...statementsOn(() => Promise.reject(new Error('This client runs statements in transactions only'))),
    executeScript: () => Promise.reject(new Error('This client runs no scripts')),
    getConnectionInfo: () => ({ supportsRelationJoins: true }),
    dispose: async () => {},
    startTransaction: async () => {
      const onConnection = opening;
      if (onConnection === undefined) throw new Error('No transaction is being opened');
      opening = undefined;
      return transactionOn(onConnection);
    },
  };
  const factory: SqlDriverAdapterFactory = { ...names, connect: async () => adapter };

  function client(): PrismaClient {
    if (created !== undefined) return created;
    if (onStatement === undefined) return (created = new PrismaClient({ adapter: factory }));
    const logged = new PrismaClient({ adapter: factory, log: [{ emit: 'event', level: 'query' }] });
    logged.$on('query', (event) => onStatement(event.query));
    return (created = logged);
  }

  return {
    open: (onConnection) => {
      let end = () => {};
      const isEnded = new Promise<void>((resolve) => {
        end = resolve;
      });
      const opened = turn.then(
        () =>
          new Promise<Prisma.TransactionClient>((resolve, reject) => {
            opening = onConnection;
            const options = { timeout: transactionMsMax };
            client()
              .$transaction((tx) => {
                resolve(tx);
                return isEnded;
              }, options)
              .catch(reject);
          }),
      );
      turn = opened.catch(() => undefined);
      return { client: opened, end };
    },
    close: async () => created?.$disconnect(),
  };
}

function transactionOn(onConnection: OnConnection): Transaction {
  // A phantom query is one that is not sent: the driver's transaction commits and rolls back.
  return {
    ...names,
    ...statementsOn(onConnection),
    options: { usePhantomQuery: true },
    commit: async () => {},
    rollback: async () => {},
  };
}

function statementsOn(onConnection: OnConnection): Pick<SqlQueryable, 'queryRaw' | 'executeRaw'> {
  return {
    queryRaw: (query) => onConnection((queryable) => queryable.queryRaw(query)),
    executeRaw: (query) => onConnection((queryable) => queryable.executeRaw(query)),
  };
}
