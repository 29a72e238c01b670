// Sends queued email by SMTP.
import type { Logger } from 'pino';
import { Prisma } from '../database/client/client.js';
import type { Database } from '../database/open.js';
import { findJson } from '../database/read-json.js';

interface EmailSettings {
  /** The URL of the mail server. Its password is a secret. */
  url: string;
  /** The address of the sender. */
  from: string;
  now: () => Date;
  log: Logger;
  /** Aborts when the process stops. */
  stopping: AbortSignal;
}

interface TakenEmail {
  id: string;
  recipient: string;
  subject: string;
  body: string;
  attemptCount: number;
  /** When it was taken, by performance.now(). */
  takenMs: number;
}

/** Pauses before each retry (minutes). They cover a day. */
const pausesMinutes = [1, 5, 15, 60, 180, 360, 720];

/**
 * The maximum time from taking a message until it is sent, and of sending it (ms). A taken message is not taken again within
 * the first pause, which is longer than both together.
 */
const startMsMax = 30_000;
const sendMsMax = 20_000;

/** How long email is kept as the record that it was sent (days). */
const keptDays = 90;

/**
 * Sends the email that is due. A message is taken before it is sent, so that several processes do not send it, and that
 * a server that fails is not flooded. Only a process that ends between sending and recording sends a message twice; both
 * then have the same Message-ID.
 */
export async function sendEmails(db: Database, { url, from, now, log, stopping }: EmailSettings): Promise<void> {
  let taken = await takeEmail(db);
  if (taken === undefined) return;
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({
    url,
    connectionTimeout: sendMsMax / 4,
    greetingTimeout: sendMsMax / 4,
    socketTimeout: sendMsMax / 2,
  });
  try {
    for (; taken !== undefined; taken = stopping.aborted ? undefined : await takeEmail(db)) {
      const { id, recipient, subject, body, attemptCount, takenMs } = taken;
      // This process stood still, so another one may have taken the message again.
      if (performance.now() - takenMs > startMsMax) continue;
      try {
        const messageId = `<${id}@${from.slice(from.indexOf('@') + 1)}>`;
        const headers = { 'Auto-Submitted': 'auto-generated' };
        // An object, not text, so that a name is never read as a list of addresses.
        const to = { name: '', address: recipient };
        const signal = AbortSignal.timeout(sendMsMax);
        await transport.sendMail({ from, to, subject, text: body, messageId, headers, signal });
        await db.$executeRaw`
          UPDATE "email" SET "sent_at" = ${now()}::timestamptz, "next_at" = NULL WHERE "id" = ${id}::uuid`;
      } catch (error) {
        const failure = failureOf(error);
        const isFinal = failure.isRefused || pausesMinutes[attemptCount] === undefined;
        if (isFinal) await db.$executeRaw`UPDATE "email" SET "next_at" = NULL WHERE "id" = ${id}::uuid`;
        const { code, responseCode } = failure;
        log.warn({ email: id, code, responseCode }, isFinal ? 'email not sent' : 'cannot send email now');
        if (!failure.isOfRecipient) return;
      }
    }
  } finally {
    transport.close();
  }
}

/**
 * Takes the next message just before it is sent. It becomes due again after its pause, unless it is sent. The clock of the
 * database decides, because those of the processes differ.
 */
async function takeEmail(db: Database): Promise<TakenEmail | undefined> {
  const takenMs = performance.now();
  const taken = await findJson<Omit<TakenEmail, 'takenMs'>>(
    db,
    Prisma.sql`
    UPDATE "email" AS e SET "attempt_count" = e."attempt_count" + 1, "next_at" = now()
      + (ARRAY[${Prisma.join(pausesMinutes)}]::int[])[least(e."attempt_count" + 1, ${pausesMinutes.length}::int)]
        * interval '1 minute'
    FROM (SELECT d."id" FROM "email" AS d WHERE d."next_at" <= now()
      ORDER BY d."next_at" LIMIT 1 FOR UPDATE SKIP LOCKED) AS due
    WHERE e."id" = due."id"
    RETURNING json_build_object('id', e."id", 'recipient', e."recipient", 'subject', e."subject", 'body', e."body",
      'attemptCount', e."attempt_count" - 1)::text`,
  );
  return taken && { ...taken, takenMs };
}

interface Failure {
  code: string | undefined;
  responseCode: number | undefined;
  /** Whether the server refused this recipient or message for good. */
  isRefused: boolean;
  /** Whether other messages may still be sent now. */
  isOfRecipient: boolean;
}

/** What can be logged of an error of SMTP. Its message and command can contain the password. */
function failureOf(error: unknown): Failure {
  const isFailure = error instanceof Error;
  const code = isFailure && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  const responseCode =
    isFailure && 'responseCode' in error && typeof error.responseCode === 'number' ? error.responseCode : undefined;
  const isOfRecipient = code === 'EENVELOPE' || code === 'EMESSAGE';
  return { code, responseCode, isRefused: isOfRecipient && (responseCode ?? 0) >= 500, isOfRecipient };
}

/** Deletes email that was queued long ago. */
export async function deleteOldEmails(db: Database, now: Date): Promise<void> {
  const before = new Date(now.getTime() - keptDays * 24 * 60 * 60_000);
  await db.$executeRaw`DELETE FROM "email" WHERE "created_at" < ${before}::timestamptz`;
}
