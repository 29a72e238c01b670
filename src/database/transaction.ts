// Transactions on the driver of the database. BEGIN is sent with the first statement, and COMMIT with the statements that
// were deferred to the end, in one write: a change takes two or three round trips. Prisma's client is opened within a
// transaction only for the code that needs it.
import type { SqlQueryable } from '@prisma/driver-adapter-utils';
import { unavailable } from '../errors.js';
import { aroundStatements } from './around-statements.js';
import { Prisma } from './client/client.js';
import { transactionMsMax } from './prisma-in-transaction.js';
import type { PrismaInTransaction } from './prisma-in-transaction.js';
import type { StatementDone } from './observed-adapter.js';

/** Runs statements, in the database or in one of its transactions. */
export interface Statements {
  /** Runs a statement that returns a single text: the first column of the first row, or '' without one. */
  $text: (statement: Prisma.Sql) => Promise<string>;
  /** Runs a statement. @returns how many rows it wrote. */
  $executeRaw: (query: TemplateStringsArray | Prisma.Sql, ...values: unknown[]) => Promise<number>;
  /**
   * In a transaction, sends a statement together with the next one, or with COMMIT. Its failure is that of what it is
   * sent with.
   *
   * @param errorFrom translates its failure.
   * @param onText is called with its text, the first column of the first row, before the next statement ends.
   */
  $defer: (
    statement: Prisma.Sql,
    errorFrom?: (error: unknown) => unknown,
    onText?: (text: string) => void,
  ) => Promise<void>;
  /** Sends the deferred statements. */
  $flush: () => Promise<void>;
  /** Prisma's client, in the same transaction. */
  $prisma: () => Promise<Prisma.TransactionClient>;
  /**
   * Runs an action whose statements wait for a lock that others of the same key hold. The requests of this process run
   * it one at a time, so that only one of them keeps a connection while it waits. In a transaction it runs at once.
   *
   * @throws 503 if it has waited for as long as a statement may take.
   */
  $alone: <Result>(key: string, act: () => Promise<Result>) => Promise<Result>;
  /** Whether they are a transaction, which a failed statement ends. */
  isTransaction?: true;
}

/** `$defer` where nothing waits for a later statement: it runs at once. */
export function runAtOnce(db: Pick<Statements, '$executeRaw'>): Statements['$defer'] {
  return async (statement, errorFrom = (error) => error) => {
    await db.$executeRaw(statement).catch((error: unknown) => {
      throw errorFrom(error);
    });
  };
}

/** A statement as the driver gets it. */
export interface DriverStatement {
  text: string;
  values: readonly unknown[];
}

export interface StatementResult {
  /** The first column of the first row. */
  text: string;
  /** The number of rows that were written or returned. */
  count: number;
  /** The command that was executed, such as `COMMIT`. */
  command: string;
  /** The time of the answer, by performance.now(). */
  doneMs: number;
}

/** The results of the statements before the first failure, and the failure. */
export interface BatchResult {
  results: StatementResult[];
  error?: unknown;
}

/** A connection that a transaction has to itself. */
export interface TransactionConnection {
  /** Sends statements in one write. The first failure stops those after it. Never rejects. */
  send: (statements: readonly DriverStatement[]) => Promise<BatchResult>;
  /** Runs the statements of Prisma's client. */
  queryable: () => Promise<SqlQueryable>;
  /** @param error closes the connection, whose state is unknown. */
  release: (error?: Error) => void;
}

/** The source of connections, and what is told about their statements. */
export interface TransactionDriver {
  connect: () => Promise<TransactionConnection>;
  prisma: PrismaInTransaction;
  /** Called before each statement but BEGIN, with its SQL. */
  onStatement: (sql: string) => void;
  onDone: (statement: StatementDone) => void;
}

const begin = Prisma.sql`BEGIN`;
const commit = Prisma.sql`COMMIT`;
const rollback = Prisma.sql`ROLLBACK`;

interface Sent {
  statement: Prisma.Sql;
  errorFrom?: ((error: unknown) => unknown) | undefined;
  onText?: ((text: string) => void) | undefined;
}

/**
 * Runs a function in a transaction, which is rolled back if the function throws or the commit fails.
 *
 * @returns the result of the function, after the database has confirmed the commit.
 */
export async function runOnDriver<Result>(
  driver: TransactionDriver,
  act: (tx: Statements) => Promise<Result>,
): Promise<Result> {
  const transaction = new DriverTransaction(driver);
  try {
    const result = await act(transaction.statements());
    await transaction.commit();
    return result;
  } catch (error) {
    await transaction.rollBack();
    throw error;
  }
}

class DriverTransaction {
  readonly #driver: TransactionDriver;
  readonly #endMs = performance.now() + transactionMsMax;
  #connection: TransactionConnection | undefined;
  #deferred: Sent[] = [];
  /** The statements share a connection, so each waits for the one before it. */
  #last: Promise<unknown> = Promise.resolve();
  #isOver = false;
  #prisma: { client: Promise<Prisma.TransactionClient>; end: () => void } | undefined;

  constructor(driver: TransactionDriver) {
    this.#driver = driver;
  }

  statements(): Statements {
    return {
      $text: async (statement) => (await this.#send([{ statement }])).text,
      $executeRaw: async (query, ...values) =>
        (await this.#send([{ statement: query instanceof Prisma.Sql ? query : Prisma.sql(query, ...values) }])).count,
      $defer: async (statement, errorFrom, onText) => {
        this.#deferred.push({ statement, errorFrom, onText });
      },
      $flush: () => this.#flush(),
      $prisma: () => this.#openPrisma(),
      $alone: (_key, act) => act(),
      isTransaction: true,
    };
  }

  /** @throws if the database has not confirmed the commit; then it may be done or not. */
  async commit(): Promise<void> {
    this.#prisma?.end();
    if (this.#connection === undefined && this.#deferred.length === 0) return;
    const { command } = await this.#send([{ statement: commit }]);
    if (command !== commit.sql) throw new Error(`The transaction was not committed, but answered ${command}`);
    this.#isOver = true;
    this.#connection?.release();
  }

  /** Never throws: a connection that cannot roll back is closed, which does it too. */
  async rollBack(): Promise<void> {
    this.#prisma?.end();
    this.#deferred = [];
    await this.#last;
    this.#isOver = true;
    if (this.#connection === undefined) return;
    const { error } = await this.#connection.send([{ text: rollback.sql, values: [] }]);
    this.#connection.release(error === undefined ? undefined : new Error('The rollback failed', { cause: error }));
  }

  async #flush(): Promise<void> {
    if (this.#deferred.length > 0) await this.#send([]);
  }

  /** Sends statements after the deferred ones. @returns the result of the last statement. */
  #send(given: readonly Sent[]): Promise<StatementResult> {
    return this.#inOrder(async (connection) => {
      const sent = [...this.#deferred.splice(0), ...given];
      return this.#sendTo(connection, sent);
    });
  }

  /** Runs an action on the connection, behind the statements before it. The first one begins the transaction. */
  #inOrder<Result>(act: (connection: TransactionConnection | undefined) => Promise<Result>): Promise<Result> {
    const result = this.#last.then(() => {
      if (this.#isOver) throw new Error('The transaction has ended');
      if (performance.now() > this.#endMs) throw unavailable('The change took too long. Try again.');
      return act(this.#connection);
    });
    this.#last = result.catch(() => undefined);
    return result;
  }

  async #sendTo(known: TransactionConnection | undefined, sent: readonly Sent[]): Promise<StatementResult> {
    const connection = (this.#connection ??= await this.#driver.connect());
    const all: readonly Sent[] = known === undefined ? [{ statement: begin }, ...sent] : sent;
    for (const { statement } of sent) this.#driver.onStatement(statement.text);
    const startedMs = performance.now();
    const { results, error } = await connection.send(
      all.map(({ statement }) => ({ text: statement.text, values: statement.values })),
    );
    this.#tell(all, startedMs, results);
    for (const [index, { text }] of results.entries()) all[index]?.onText?.(text);
    if (error !== undefined) throw all[results.length]?.errorFrom?.(error) ?? error;
    const last = results.at(-1);
    if (last === undefined) throw new Error('The database has not answered');
    return last;
  }

  #tell(sent: readonly Sent[], startedMs: number, results: readonly StatementResult[]): void {
    let fromMs = startedMs;
    for (const [index, { statement }] of sent.entries()) {
      const doneMs = results[index]?.doneMs ?? performance.now();
      this.#driver.onDone({ sql: statement.text, startedMs: fromMs, seconds: (doneMs - fromMs) / 1_000 });
      fromMs = doneMs;
      if (index === results.length) return;
    }
  }

  /** Prisma's statements wait for those before them, like all others. */
  #openPrisma(): Promise<Prisma.TransactionClient> {
    this.#prisma ??= this.#driver.prisma.open(async (use) =>
      this.#inOrder(async (known) => {
        if (known === undefined || this.#deferred.length > 0) await this.#sendTo(known, this.#deferred.splice(0));
        const connection = this.#connection;
        if (connection === undefined) throw new Error('The transaction has no connection');
        return use(aroundStatements(await connection.queryable(), (sql, run) => this.#timed(sql, run)));
      }),
    );
    return this.#prisma.client;
  }

  async #timed<Result>(sql: string, run: () => Promise<Result>): Promise<Result> {
    const startedMs = performance.now();
    try {
      return await run();
    } finally {
      this.#driver.onDone({ sql, startedMs, seconds: (performance.now() - startedMs) / 1_000 });
    }
  }
}
