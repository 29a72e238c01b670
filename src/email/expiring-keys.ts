// Queues email about API keys that expire soon.
import { Prisma } from '../database/client/client.js';
import type { Database } from '../database/open.js';
import { readJson } from '../database/read-json.js';
import { tryEach } from '../database/try-each.js';
import { hasRecipientSql, insertEmails, readAdminAddresses } from './email.js';

/** How long before a key expires the email is sent (days). Keys with a shorter life are meant to expire. */
const noticeDays = 7;

/** The maximum number of keys of one run: those that expire first. Keys without a recipient are left out. */
const keysMax = 1_000;

interface ExpiringKey {
  id: string;
  name: string;
  prefix: string;
  expiresAt: string;
  accountId: string;
  account: string;
  owner: string;
}

/** Tells the owner of each key and the admins of its account once that the key expires. A rotated key has a new one. */
export async function queueExpiryEmails(db: Database, now: Date, publicUrl: string): Promise<void> {
  const keys = await readJson<ExpiringKey[]>(
    db,
    Prisma.sql`
    SELECT coalesce(json_agg(x), '[]')::text FROM (
    SELECT k."id", k."name", k."prefix", k."expires_at" AS "expiresAt", k."account_id" AS "accountId",
      a."name" AS "account", p."name" AS "owner"
    FROM "api_key" AS k JOIN "account" AS a ON a."id" = k."account_id" JOIN "principal" AS p ON p."id" = k."principal_id"
    WHERE k."expires_at" > ${now}::timestamptz
      AND k."expires_at" <= ${now}::timestamptz + ${noticeDays}::int * interval '1 day'
      AND k."created_at" < k."expires_at" - ${noticeDays}::int * interval '1 day'
      AND k."revoked_at" IS NULL AND k."successor_id" IS NULL AND p."disabled_at" IS NULL
      AND NOT EXISTS (SELECT FROM "email" AS e
        WHERE e."account_id" = k."account_id" AND e."reason" = 'expiring key ' || k."id"::text)
      AND ${hasRecipientSql(Prisma.sql`p."name"`, Prisma.sql`k."account_id"`)}
    ORDER BY k."expires_at", k."id" LIMIT ${keysMax}::int) AS x`,
  );
  await tryEach(keys, async ({ id, name, prefix, expiresAt, accountId, account, owner }) => {
    const day = new Date(expiresAt).toISOString().slice(0, 10);
    await insertEmails(db, {
      accountId,
      reason: `expiring key ${id}`,
      recipients: [...new Set([owner, ...(await readAdminAddresses(db, accountId))])],
      now,
      subject: `An API key of ${account} expires on ${day}`,
      body:
        `The API key ${name} (${prefix}…) of ${owner} in the account ${account} expires on ${day}.\n\n` +
        `Create a new key before, and replace the old one where it is used:\n${publicUrl}/a/${account}/access\n`,
    });
  });
}
