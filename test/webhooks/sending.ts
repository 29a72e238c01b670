// Shared parts of the webhook tests.
import { startDeliveries } from '../../src/server/deliveries.js';
import type { DeliveryLoop } from '../../src/webhooks/delivery-loop.js';
import { mutate } from '../resources/mutations.js';
import type { TestApp } from '../harness.js';

/** Settings under which webhooks lead to receivers of tests. */
export const toReceivers = { WEBHOOK_HTTP: 'on', WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32' };

export interface TestWebhook {
  /** Its global id, and that of its row. */
  id: string;
  rowId: string;
  secret: string;
}

export async function makeWebhook(app: TestApp, key: string, input: object): Promise<TestWebhook> {
  const made = await mutate(app, key, 'createWebhook', 'secret webhook { id }', { name: 'a test', ...input });
  if (made.webhook === undefined) throw new Error(JSON.stringify(made));
  const [, , rowId = ''] = Buffer.from(made.webhook.id, 'base64url').toString().split(':');
  return { id: made.webhook.id, rowId, secret: made.secret };
}

/** Sends to webhooks, as a process does, while something is done. */
export async function whileDelivering<Result>(
  app: TestApp,
  act: (loop: DeliveryLoop) => Promise<Result>,
): Promise<Result> {
  const loop = startDeliveries(app.services, app.database.changesDb);
  try {
    return await act(loop);
  } finally {
    await loop.stop(0);
  }
}

/** Has everything that waits be tried at the next look. */
export async function hurry({ services: { db } }: TestApp, rowId: string): Promise<void> {
  await db.$executeRaw`UPDATE "webhook_delivery" SET "next_at" = now() - interval '1 second' WHERE "webhook_id" = ${rowId}::uuid`;
  await db.$executeRaw`UPDATE "webhook" SET "blocked_until" = NULL WHERE "id" = ${rowId}::uuid`;
}

/**
 * Moves the clock of a webhook on to the next attempt, if nothing is being sent: all its times become older.
 *
 * @returns by how many seconds; 0 while something is due.
 */
export async function skipPause({ services: { db } }: TestApp, rowId: string): Promise<number> {
  const [pause] = await db.$queryRaw<{ seconds: number }[]>`
    SELECT extract(epoch FROM greatest(min(d."next_at"), w."blocked_until") - now())::float8 AS "seconds"
    FROM "webhook" AS w JOIN "webhook_delivery" AS d ON d."webhook_id" = w."id" AND d."status" = 'waiting'
    WHERE w."id" = ${rowId}::uuid GROUP BY w."id"`;
  const seconds = Math.max(pause?.seconds ?? 0, 0);
  if (seconds === 0) return 0;
  await db.$executeRaw`
    UPDATE "webhook_delivery" SET "next_at" = "next_at" - ${seconds}::float8 * interval '1 second',
      "tried_since" = "tried_since" - ${seconds}::float8 * interval '1 second'
    WHERE "webhook_id" = ${rowId}::uuid`;
  await db.$executeRaw`
    UPDATE "webhook" SET "blocked_until" = "blocked_until" - ${seconds}::float8 * interval '1 second',
      "succeeded_at" = "succeeded_at" - ${seconds}::float8 * interval '1 second'
    WHERE "id" = ${rowId}::uuid`;
  return seconds;
}
