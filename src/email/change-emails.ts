// Queues email about changes. Each kind of change that people are told of by email has one row in a table.
import { endOfStep } from '../changes/change-page.js';
import type { ChangeAction, ChangeKind } from '../changes/change-subjects.js';
import { Prisma } from '../database/client/client.js';
import type { Database } from '../database/open.js';
import { findJson, readJson } from '../database/read-json.js';
import { readNames } from '../database/read-names.js';
import type { Statements } from '../database/transaction.js';
import { tryEach } from '../database/try-each.js';
import { globalId } from '../pagination/global-id.js';
import { insertEmails, readAdminAddresses } from './email.js';
import type { EmailText } from './email.js';

/** A change that email can tell of. */
interface ChangeFacts {
  sequence: number;
  kind: ChangeKind;
  verb: ChangeAction;
  resourceId: string | null;
  name: string | null;
  message: string | null;
  /** Name of its account. */
  account: string;
}

interface ChangeEmail {
  kind: ChangeKind;
  verb: ChangeAction;
  /** Reads the addresses of the recipients. */
  recipients: (db: Statements, accountId: string, change: ChangeFacts, now: Date) => Promise<string[]>;
  /** @param publicUrl the URL of the console. */
  text: (change: ChangeFacts, publicUrl: string) => EmailText;
}

/** A new row is all that another kind of message needs. */
const changeEmails: readonly ChangeEmail[] = [
  {
    kind: 'INVITATION',
    verb: 'created',
    recipients: readInvited,
    text: ({ account, resourceId }, publicUrl) => ({
      subject: `You are invited to ${account}`,
      body:
        `You are invited to the account ${account} of the control plane.\n\n` +
        `Sign in with this email address to accept or decline the invitation:\n` +
        `${publicUrl}/v0/oauth/account?invitation=${globalId('Invitation', resourceId ?? '')}\n\n` +
        'If you do not expect this invitation, ignore this message.\n',
    }),
  },
  {
    kind: 'BUDGET',
    verb: 'threshold_reached',
    recipients: readAdminAddresses,
    text: ({ account, name, message }, publicUrl) => ({
      subject: `Budget ${name ?? ''} of ${account} reached a threshold`,
      body: `${message ?? ''}\n\nThe budgets of the account ${account}:\n${publicUrl}/a/${account}/budgets\n`,
    }),
  },
];

/** Changes before this are too old to tell of, for example when email is turned on (ms). */
const ageMsMax = 24 * 60 * 60_000;

/** The maximum number of accounts of one run, which takes them in any order, and of changes that it looks at for each. */
const accountsMax = 200;
const changesMax = 5_000;

/**
 * Queues the email of all changes that were not looked at yet. The position of an account moves with the messages in one
 * transaction, so that each change is looked at once, by one process.
 */
export async function queueChangeEmails(db: Database, now: Date, publicUrl: string): Promise<void> {
  const behind = await readJson<string[]>(
    db,
    Prisma.sql`
      SELECT coalesce(json_agg(b."account_id"), '[]')::text FROM (
        SELECT h."account_id" FROM "change_head" AS h
        JOIN "account" AS a ON a."id" = h."account_id"
        LEFT JOIN "email_position" AS p ON p."account_id" = h."account_id"
        WHERE h."last" > coalesce(p."position", 0) ORDER BY random() LIMIT ${accountsMax}::int) AS b`,
  );
  await tryEach(behind, (accountId) => queueOfAccount(db, accountId, now, publicUrl));
}

async function queueOfAccount(db: Database, accountId: string, now: Date, publicUrl: string): Promise<void> {
  const since = new Date(now.getTime() - ageMsMax);
  await db.$begin(async (tx) => {
    await tx.$executeRaw`
      INSERT INTO "email_position" ("account_id", "position")
      SELECT ${accountId}::uuid, coalesce((SELECT c."sequence" FROM "change" AS c
        WHERE c."account_id" = ${accountId}::uuid AND c."time" < ${since}::timestamptz
        ORDER BY c."sequence" DESC LIMIT 1), 0)
      ON CONFLICT DO NOTHING`;
    const locked = await findJson<{ position: number; last: number }>(
      tx,
      Prisma.sql`
        SELECT json_build_object('position', p."position", 'last', ${endOfStep(Prisma.sql`p."position"`, changesMax)})::text
        FROM "email_position" AS p JOIN "change_head" AS h ON h."account_id" = p."account_id"
        WHERE p."account_id" = ${accountId}::uuid FOR UPDATE OF p SKIP LOCKED`,
    );
    if (locked === undefined) return;
    const pairs = changeEmails.map(({ kind, verb }) => Prisma.sql`(${kind}, ${verb})`);
    const changes = await readJson<ChangeFacts[]>(
      tx,
      Prisma.sql`
        SELECT coalesce(json_agg(f), '[]')::text FROM (
          SELECT c."sequence", c."kind", c."verb", c."resource_id" AS "resourceId", c."name", c."message", a."name" AS "account"
          FROM "change" AS c JOIN "account" AS a ON a."id" = c."account_id"
          WHERE c."account_id" = ${accountId}::uuid AND c."sequence" > ${locked.position}::bigint
            AND c."sequence" <= ${locked.last}::bigint AND c."time" >= ${since}::timestamptz
            AND (c."kind", c."verb") IN (${Prisma.join(pairs)})
          ORDER BY c."sequence") AS f`,
    );
    for (const change of changes) {
      const row = changeEmails.find(({ kind, verb }) => kind === change.kind && verb === change.verb);
      if (row === undefined) continue;
      const recipients = await row.recipients(tx, accountId, change, now);
      const reason = `change ${change.sequence}`;
      await insertEmails(tx, { accountId, reason, recipients, now, ...row.text(change, publicUrl) });
    }
    await tx.$executeRaw`
      UPDATE "email_position" SET "position" = ${locked.last}::bigint WHERE "account_id" = ${accountId}::uuid`;
  });
}

/** The invited address, if the invitation still waits for an answer. */
async function readInvited(
  db: Statements,
  _accountId: string,
  { resourceId }: ChangeFacts,
  now: Date,
): Promise<string[]> {
  const invited = Prisma.sql`
    SELECT "name" FROM "invitation"
    WHERE "id" = ${resourceId}::uuid AND "status" = 'pending' AND "expires_at" > ${now}::timestamptz`;
  return [...(await readNames(db, invited))];
}
