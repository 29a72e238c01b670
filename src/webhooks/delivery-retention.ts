import type { Database } from '../database/open.js';

/** How many deliveries are removed by one statement. */
const stepMax = 1_000;

/** Removes deliveries of before a time that are over, with their attempts. @returns how many. */
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
