// Credentials and the end of access. A transaction that creates a credential locks its user or service account, and one that
// ends credentials locks the user or service account first. So the second waits for the first, and finds what it created.
import type { Transaction } from '../database/open.js';

/**
 * Locks a user or service account until the transaction ends, before a credential of it is created.
 *
 * @returns false if it is disabled or deleted.
 */
export async function lockEnabledPrincipal(tx: Pick<Transaction, '$queryRaw'>, principalId: string): Promise<boolean> {
  const rows = await tx.$queryRaw<object[]>`
    SELECT "id" FROM "principal" WHERE "id" = ${principalId}::text::uuid AND "disabled_at" IS NULL FOR SHARE`;
  return rows.length > 0;
}

/** Locks a user or service account until the transaction ends, before credentials of it end. */
export async function lockEndingPrincipal(tx: Pick<Transaction, '$queryRaw'>, principalId: string): Promise<void> {
  await tx.$queryRaw`SELECT "id" FROM "principal" WHERE "id" = ${principalId}::text::uuid FOR NO KEY UPDATE`;
}
