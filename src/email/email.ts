// Messages that wait to be sent.
import { Prisma } from '../database/client/client.js';
import type { Statements } from '../database/transaction.js';

/** Plain text. */
export interface EmailText {
  subject: string;
  body: string;
}

interface NewEmails extends EmailText {
  accountId: string;
  /** A recipient gets one message for each reason of an account. */
  reason: string;
  recipients: readonly string[];
  now: Date;
}

/** Queues a message for each recipient who has none for the same reason. */
export async function insertEmails(db: Statements, email: NewEmails): Promise<void> {
  const { accountId, reason, recipients, subject, body, now } = email;
  const addresses = recipients.filter(isAddress);
  await db.$executeRaw(Prisma.sql`
    INSERT INTO "email" ("account_id", "reason", "recipient", "subject", "body", "created_at", "next_at")
    SELECT ${accountId}::uuid, ${reason}, r, ${subject}, ${body}, ${now}::timestamptz, now()
    FROM unnest(${addresses}::text[]) AS r
    ON CONFLICT DO NOTHING`);
}

/** The email addresses of the admins of an account: users are named by their address. */
export async function readAdminAddresses(db: Statements, accountId: string): Promise<string[]> {
  const rows = await (
    await db.$prisma()
  ).$queryRaw<{ name: string }[]>`
    SELECT p."name" FROM "account_member" AS m JOIN "principal" AS p ON p."id" = m."principal_id"
    WHERE m."account_id" = ${accountId}::uuid AND m."role" = 'admin' AND p."kind" = 'user' AND p."disabled_at" IS NULL
    ORDER BY p."name"`;
  return rows.map(({ name }) => name);
}

/** Users of an identity provider can have names that are no addresses. */
function isAddress(name: string): boolean {
  return /^[^\s@<>,;"]+@[^\s@<>,;"]+$/.test(name);
}
