// The drivers of transactions: a pool of connections to a server, and the one connection of an embedded database.
import { PrismaPg } from '@prisma/adapter-pg';
import type { PGlite, Transaction as EmbeddedTransaction } from '@electric-sql/pglite';
import type pg from 'pg';
import { PrismaPGlite } from 'pglite-prisma-adapter';
import { sendBatch } from './statement-batch.js';
import type { NameStatement } from './statement-batch.js';
import type { BatchResult, DriverStatement, StatementResult, TransactionConnection } from './transaction.js';

/** Takes a connection for a transaction. */
export type Connect = () => Promise<TransactionConnection>;

interface StatementNames {
  /** The names that batches prepare. */
  ofBatches: NameStatement;
  /** The names that Prisma's adapter prepares, if it does. */
  ofPrisma: { statementNameGenerator?: NameStatement };
}

/** Takes the connections of transactions from a pool. */
export function connectToServer(pool: pg.Pool, { ofBatches, ofPrisma }: StatementNames): Connect {
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

/** How a transaction ends. */
type End = 'COMMIT' | 'ROLLBACK';

/**
 * Takes the connection of an embedded database, on which transactions run one after the other.
 *
 * @param onUse called with 1 when a transaction asks for the connection, and with -1 when it is released.
 */
export function connectToEmbedded(pglite: PGlite, onUse: (change: 1 | -1) => void): Connect {
  return () => {
    onUse(1);
    let end: (how: End) => void = () => {};
    const decided = new Promise<End>((resolve) => {
      end = resolve;
    });
    return new Promise((resolve, reject) => {
      const ended: Promise<void> = pglite
        .transaction(async (tx) => {
          const finish = (how: End) => {
            end(how);
            return ended;
          };
          resolve({
            send: (statements) => runInProcess(tx, statements, finish),
            queryable: () => new PrismaPGlite(queriesOf(pglite, tx)).connect(),
            release: () => end('ROLLBACK'),
          });
          if ((await decided) === 'ROLLBACK') await tx.rollback();
        })
        .finally(() => onUse(-1));
      ended.catch(reject);
    });
  };
}

/** PGlite begins and ends the transaction itself. Never rejects. */
async function runInProcess(
  tx: EmbeddedTransaction,
  statements: readonly DriverStatement[],
  finish: (how: End) => Promise<void>,
): Promise<BatchResult> {
  const results: StatementResult[] = [];
  try {
    for (const statement of statements) {
      const { text } = statement;
      if (text === 'COMMIT' || text === 'ROLLBACK') await finish(text);
      const isEnd = text === 'BEGIN' || text === 'COMMIT' || text === 'ROLLBACK';
      const result = isEnd ? { text: '', count: 0 } : await runStatement(tx, statement);
      results.push({ ...result, command: isEnd ? text : '', doneMs: performance.now() });
    }
    return { results };
  } catch (error) {
    return { results, error };
  }
}

async function runStatement(
  tx: EmbeddedTransaction,
  { text, values }: DriverStatement,
): Promise<Pick<StatementResult, 'text' | 'count'>> {
  const { rows, affectedRows = 0 } = await tx.query<unknown[]>(text, [...values], { rowMode: 'array' });
  const [value] = rows[0] ?? [];
  return { text: typeof value === 'string' ? value : '', count: affectedRows };
}

/** The embedded database, whose queries run in a transaction. */
function queriesOf(pglite: PGlite, tx: EmbeddedTransaction): PGlite {
  const within: PGlite = Object.create(pglite, { query: { value: tx.query } });
  return within;
}
