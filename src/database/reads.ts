import { ApiError } from '../errors.js';
import type { Prisma } from './client/client.js';
import { isStatementTimeout } from './failures.js';
import type { ReadStatements } from './open.js';
import type { ReadText } from './read-replica.js';

/**
 * The reads of lists and metrics of one request: from a replica, and after its first failure from the primary. It never
 * switches back, so later reads are never older than earlier ones.
 */
export class Reads {
  readonly #primary: ReadStatements;
  readonly #choose: () => ReadText | undefined;
  #chosen: { replica: ReadText | undefined } | undefined;

  /** @param choose called once, at the first statement; without it, the primary is used. */
  constructor(primary: ReadStatements, choose: () => ReadText | undefined = () => undefined) {
    this.#primary = primary;
    this.#choose = choose;
  }

  /** Whether the next statement uses a replica. */
  get isOfReplica(): boolean {
    this.#chosen ??= { replica: this.#choose() };
    return this.#chosen.replica !== undefined;
  }

  /** Reads from the primary from now on. */
  turnToPrimary(): void {
    this.#chosen = { replica: undefined };
  }

  /** Runs one read-only statement, and returns the text in the first column of its first row. */
  $text(statement: Prisma.Sql): Promise<string> {
    const replica = this.isOfReplica ? this.#chosen?.replica : undefined;
    if (replica === undefined) return this.#primary.$text(statement);
    return replica(statement).catch((error: unknown) => {
      // It would take as long on the primary, or the account has used its share of the connections.
      if (isStatementTimeout(error) || error instanceof ApiError) throw error;
      this.turnToPrimary();
      return this.#primary.$text(statement);
    });
  }
}
