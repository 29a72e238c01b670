import type { AuthorizedWorkspace } from '../../auth/authorize.js';
import type { Prisma } from '../../database/client/client.js';
import { readNames } from '../../database/read-names.js';
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
  const found = await readNames(db, precondition.names);
  if (found.size !== precondition.count) throw precondition.refuse(found);
}
