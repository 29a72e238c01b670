import type { Prisma } from '../../src/database/client/client.js';
import type { Statements } from '../../src/database/transaction.js';

/** A database that does something else before each statement. */
export function interrupted(db: Statements, before: (sql: string) => Promise<void>): Statements {
  return new Proxy(db, {
    get: (target, name) =>
      name === '$text'
        ? async (statement: Prisma.Sql) => {
            await before(statement.sql);
            return target.$text(statement);
          }
        : Reflect.get(target, name),
  });
}
