import type { Database } from '../database/open.js';

/** The maximum number of deliveries deleted by one statement. */
const stepMax = 1_000;

/** Deletes finished deliveries created before a time, with their attempts. @returns the number deleted. */
export async function removeDeliveriesBefore(db: Database, before: Date): Promise<number> {
  let removed = 0;
  for (;;) {
    const step = await db.$executeRaw`
      DELETE FROM "webhook_delivery" WHERE "id" IN (
        SELECT d."id" FROM "webhook_delivery" AS d
        WHERE d."created_at" < ${before}::timestamptz AND d."status" <> 'waiting' ORDER BY d."created_at" LIMIT ${stepMax}::int)`;
    removed += step;
    if (step < stepMax) return removed;
  }
}
