// The connections of transactions, on the driver of the database.
import { PrismaPg } from '@prisma/adapter-pg';
import type pg from 'pg';
import { sendBatch } from './statement-batch.js';
import type { NameStatement } from './statement-batch.js';
import type { TransactionConnection } from './transaction.js';

/** Takes a connection for a transaction. */
export type Connect = () => Promise<TransactionConnection>;

export interface StatementNames {
  /** The names that batches prepare. */
  ofBatches: NameStatement;
  /** The names that Prisma's adapter prepares, if it does. */
  ofPrisma: { statementNameGenerator?: NameStatement };
}

/** Takes the connections of transactions from a pool. */
export function connectFrom(pool: pg.Pool, { ofBatches, ofPrisma }: StatementNames): Connect {
  return async () => {
    const client = await pool.connect();
    return {
      send: (statements) => sendBatch(client, statements, ofBatches),
      queryable: () => {
        // Prisma's adapter takes a pool, of which this connection is the only one. It would add listeners to it.
        const only: pg.Pool = Object.create(pool, {
          query: { value: client.query.bind(client) },
          on: { value: () => only },
        });
        return new PrismaPg(only, ofPrisma).connect();
      },
      release: (error) => client.release(error),
    };
  };
}
