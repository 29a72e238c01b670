import type { AuthorizedWorkspace } from '../../auth/authorize.js';
import { Prisma } from '../../database/client/client.js';
import { readJson } from '../../database/read-json.js';
import type { ApiError } from '../../errors.js';

/** Rows that must exist for a change, such as the volumes of an agent. */
export interface Precondition {
  /** SQL that selects the rows' names, each once, and locks the rows. */
  names: Prisma.Sql;
  /** The exact number of names that must be found. */
  count: number;
  /** The error when it fails, given the names that were found. */
  refuse: (found: ReadonlySet<string>) => ApiError;
}

/** Locks the rows of a precondition until the transaction ends. @throws the precondition's error. */
export async function lockPrecondition(
  { db }: AuthorizedWorkspace,
  precondition: Precondition | undefined,
): Promise<void> {
  if (precondition === undefined) return;
  const names = await readJson<string[]>(db, Prisma.sql`SELECT ${namesSql(precondition)}::text`);
  requirePrecondition(precondition, names);
}

/** SQL of a JSON list with the names of the rows, which it locks. */
export function namesSql(precondition: Precondition | undefined): Prisma.Sql {
  if (precondition === undefined) return Prisma.sql`'[]'::json`;
  return Prisma.sql`(SELECT coalesce(json_agg(n."name"), '[]') FROM (${precondition.names}) AS n)`;
}

/** Checks the names that namesSql() has found. @throws the precondition's error. */
export function requirePrecondition(precondition: Precondition | undefined, names: readonly string[]): void {
  const found = new Set(names);
  if (precondition !== undefined && found.size !== precondition.count) throw precondition.refuse(found);
}
