import type { Prisma } from './client/client.js';
import type { Statements } from './transaction.js';

type Reading = Pick<Statements, '$text'>;

/** Runs a statement that returns one JSON text. @typeParam Value the type of what the statement builds. */
export async function readJson<Value>(db: Reading, statement: Prisma.Sql): Promise<Value> {
  return JSON.parse(await db.$text(statement));
}

/** The same for a statement that may return no row. */
export async function findJson<Value>(db: Reading, statement: Prisma.Sql): Promise<Value | undefined> {
  const text = await db.$text(statement);
  return text === '' ? undefined : JSON.parse(text);
}
