import type { Prisma } from './client/client.js';
import { isStatementTimeout } from './failures.js';
import type { ReadStatements } from './open.js';
import type { ReadText } from './read-replica.js';

/**
 * What one request reads of lists and metrics: of a replica, as long as that answers, and from the first failure on of the
 * primary. It never turns from the primary to a replica, so nothing that it has read is older than what it read before.
 */
export class Reads {
  readonly #primary: ReadStatements;
  readonly #choose: () => ReadText | undefined;
  #chosen: { replica: ReadText | undefined } | undefined;

  /** @param choose asked once, at the first statement; the primary without it. */
  constructor(primary: ReadStatements, choose: () => ReadText | undefined = () => undefined) {
    this.#primary = primary;
    this.#choose = choose;
  }

  /** Whether the next statement is read of a replica. */
  get isOfReplica(): boolean {
    this.#chosen ??= { replica: this.#choose() };
    return this.#chosen.replica !== undefined;
  }

  /** Reads of the primary from now on. */
  turnToPrimary(): void {
    this.#chosen = { replica: undefined };
  }

  /** One statement that changes nothing, whose first column of its first row is a text. */
  $text(statement: Prisma.Sql): Promise<string> {
    const replica = this.isOfReplica ? this.#chosen?.replica : undefined;
    if (replica === undefined) return this.#primary.$text(statement);
    return replica(statement).catch((error: unknown) => {
      // It would take as long there.
      if (isStatementTimeout(error)) throw error;
      this.turnToPrimary();
      return this.#primary.$text(statement);
    });
  }
}
