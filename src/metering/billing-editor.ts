import type { NewChange } from '../changes/record-changes.js';
import type { Prisma } from '../database/client/client.js';

/**
 * Whoever changes what the platform bills: its admins, and its operator. They differ in how a change is recorded; what may
 * be changed is the same for both.
 */
export interface BillingEditor {
  /** Holds one row until the transaction ends: SQL that selects it for an update. */
  hold: <Row>(held: Prisma.Sql) => Promise<Row | null>;
  /**
   * Writes one row and tells of it, all or nothing.
   *
   * @param written SQL that writes the row, and returns it.
   * @param along SQL of what goes with the row.
   * @returns false where there was no row to write.
   */
  write: (written: Prisma.Sql, change: NewChange, ...along: Prisma.Sql[]) => Promise<boolean>;
}
