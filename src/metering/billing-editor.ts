import type { NewChange } from '../changes/record-changes.js';
import type { Prisma } from '../database/client/client.js';

/**
 * The caller that changes the billing catalog: an admin of the platform's account, or the operator. Both follow the
 * same rules and differ in how a change is recorded.
 */
export interface BillingEditor {
  /** Locks one row until the transaction ends. Takes a `SELECT ... FOR UPDATE` statement. */
  lock: <Row>(locked: Prisma.Sql) => Promise<Row | null>;
  /**
   * Writes one row and records the change in one transaction.
   *
   * @param written SQL that writes and returns the row.
   * @param along SQL of related rows to write with it.
   * @returns false when there was no row to write.
   */
  write: (written: Prisma.Sql, change: NewChange, ...along: Prisma.Sql[]) => Promise<boolean>;
}
