// Messages that wait to be sent.
import { Prisma } from '../database/client/client.js';
import { readNames } from '../database/read-names.js';
import type { Statements } from '../database/transaction.js';

/**
 * SQL of a pattern of email addresses. Service accounts, and users of an identity provider, can have other names. U+1680 is the
 * only space outside of ASCII that names can have; not every locale knows it as one.
 */
const addressPattern = Prisma.sql`${String.raw`^[^\s\u1680@<>,;"]+@[^\s\u1680@<>,;"]+$`}::text`;

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
  await db.$executeRaw(Prisma.sql`
    INSERT INTO "email" ("account_id", "reason", "recipient", "subject", "body", "created_at", "next_at")
    SELECT ${accountId}::uuid, ${reason}, r, ${subject}, ${body}, ${now}::timestamptz, now()
    FROM unnest(${recipients}::text[]) AS r WHERE r ~ ${addressPattern}
    ON CONFLICT DO NOTHING`);
}

/** The email addresses of the admins of an account: users are named by their address. */
export async function readAdminAddresses(db: Statements, accountId: string): Promise<string[]> {
  return [...(await readNames(db, adminNamesSql(Prisma.sql`${accountId}::uuid`)))].toSorted();
}

/** SQL of the names of the admins of an account. */
function adminNamesSql(accountId: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`
    SELECT p."name" FROM "account_member" AS m JOIN "principal" AS p ON p."id" = m."principal_id"
    WHERE m."account_id" = ${accountId} AND m."role" = 'admin' AND p."kind" = 'user' AND p."disabled_at" IS NULL`;
}

/** SQL: whether email about a principal can reach anybody: the principal or an admin of the account. */
export function hasRecipientSql(name: Prisma.Sql, accountId: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`(
    ${name} ~ ${addressPattern} OR EXISTS (SELECT FROM (${adminNamesSql(accountId)}) AS a WHERE a."name" ~ ${addressPattern}))`;
}
