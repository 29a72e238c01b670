import { Prisma } from './client/client.js';
import { readJson } from './read-json.js';
import type { Statements } from './transaction.js';

/** @param rows SQL that selects a column `name`. */
export async function readNames(db: Statements, rows: Prisma.Sql): Promise<Set<string>> {
  const names = await readJson<string[]>(
    db,
    Prisma.sql`SELECT coalesce(json_agg(n."name"), '[]')::text FROM (${rows}) AS n`,
  );
  return new Set(names);
}
