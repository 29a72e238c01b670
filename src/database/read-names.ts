import { Prisma } from './client/client.js';
import type { Statements } from './transaction.js';

/** @param rows SQL that selects a column `name`. */
export async function readNames(db: Statements, rows: Prisma.Sql): Promise<Set<string>> {
  const names: string[] = JSON.parse(
    await db.$text(Prisma.sql`SELECT coalesce(json_agg(n."name"), '[]')::text FROM (${rows}) AS n`),
  );
  return new Set(names);
}
