// Statements that node-postgres sends to a server in one write, with one Sync at the end: PostgreSQL skips what follows
// the first failure, so a COMMIT behind a failed statement is not executed. The `pipeline` setting of node-postgres sends
// a Sync behind each statement, which executes it regardless.
import type pg from 'pg';
import pgUtils from 'pg/lib/utils.js';
import type { BatchResult, DriverStatement, StatementResult } from './transaction.js';

/** The form in which node-postgres sends a value. The server infers its type from the statement. */
const { prepareValue } = pgUtils;

/** Names a statement that is prepared, and '' one that is not. */
export type NameStatement = (statement: { sql: string }) => string;

/** The names that a connection has prepared. Prisma's adapter uses other names on the same connections. */
const preparedNames = new WeakMap<pg.Connection, Set<string>>();

/** Sends statements on a connection. Never rejects. */
export function sendBatch(
  client: pg.ClientBase,
  statements: readonly DriverStatement[],
  nameOf: NameStatement,
): Promise<BatchResult> {
  return new Promise((resolve) => {
    client.query(new StatementBatch(statements, nameOf, resolve));
  });
}

/** A query of node-postgres: its client calls the methods with the answers of the server. */
class StatementBatch {
  readonly #statements: readonly { name: string; text: string; values: (Buffer | string | null)[] }[];
  readonly #onEnd: (result: BatchResult) => void;
  readonly #results: StatementResult[] = [];
  #text: string | undefined;
  #stopListening = () => {};

  constructor(statements: readonly DriverStatement[], nameOf: NameStatement, onEnd: (result: BatchResult) => void) {
    this.#statements = statements.map(({ text, values }) => ({
      name: nameOf({ sql: text }),
      text,
      values: values.map((value) => prepareValue(value)),
    }));
    this.#onEnd = onEnd;
  }

  submit(connection: pg.Connection): void {
    const prepared = preparedNames.get(connection) ?? new Set();
    preparedNames.set(connection, prepared);
    const parsed: string[] = [];
    connection.stream.cork();
    for (const { name, text, values } of this.#statements) {
      if (name === '' || !(prepared.has(name) || parsed.includes(name))) {
        connection.parse({ name, text, types: [] }, true);
        parsed.push(name);
      }
      connection.bind({ statement: name, values }, true);
      connection.execute(null, true);
    }
    connection.sync();
    connection.stream.uncork();
    if (parsed.length > 0) this.#notePrepared(connection, prepared, parsed);
  }

  /** The server confirms each Parse in order, and none after a failure. */
  #notePrepared(connection: pg.Connection, prepared: Set<string>, parsed: string[]): void {
    const onParsed = () => {
      const name = parsed.shift();
      if (name !== undefined && name !== '') prepared.add(name);
    };
    connection.on('parseComplete', onParsed);
    this.#stopListening = () => connection.off('parseComplete', onParsed);
  }

  handleRowDescription(): void {}

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    this.#text ??= fields[0] ?? '';
  }

  handleCommandComplete({ text }: { text: string }): void {
    const words = text.split(' ');
    const count = words.length > 1 ? Number(words.at(-1)) : 0;
    this.#results.push({ text: this.#text ?? '', count, command: words[0] ?? '', doneMs: performance.now() });
    this.#text = undefined;
  }

  handleEmptyQuery(): void {}

  handlePortalSuspended(): void {}

  handleCopyInResponse(connection: { sendCopyFail: (message: string) => void }): void {
    connection.sendCopyFail('A transaction copies nothing');
  }

  handleError(error: unknown): void {
    this.#stopListening();
    this.#onEnd({ results: this.#results, error });
  }

  handleReadyForQuery(): void {
    this.#stopListening();
    this.#onEnd({ results: this.#results });
  }
}
