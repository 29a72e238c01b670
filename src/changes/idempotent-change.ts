// What a caller changes under a key of theirs is done once. What they were answered is kept in the transaction of the
// change, so that neither is without the other, and is what the same request gets again.
import { createHash } from 'node:crypto';
import { authorizeReach } from '../access/authorize.js';
import { contextWithin } from '../access/context.js';
import type { RequestContext } from '../access/context.js';
import { Prisma } from '../database/client/client.js';
import type { Database, Statements } from '../database/open.js';
import { withSavepoints } from '../database/savepoint.js';
import { ApiError } from '../errors.js';
import type { RowSeal, Seal } from '../seal.js';

/** For how long an answer is given again. */
const keptMs = 24 * 60 * 60_000;

/** A longer name of a part is kept as its digest: callers choose it, and an index holds no long ones. */
const partLengthMax = 100;

/** What answers are sealed for. */
export const answerPurpose = 'idempotent answer';

/** What is asked, as far as it tells one request from another. */
export interface IdempotentRequest {
  /** All that the caller asks for. */
  content: readonly unknown[];
  /** Which change of the request it is, where one has several. */
  part: string;
}

/** How an answer is kept. */
export interface AnswerForm<Answer> {
  /** Undefined for a refusal, which changed nothing: it is not kept, and the key is free. */
  textFrom: (answer: Answer) => string | undefined;
  answerFrom: (text: string) => Answer;
}

/**
 * Makes a change once for each idempotency key, and answers the same to the same request for a day. Without a key it is
 * simply made.
 *
 * @param act makes the change by the context that it gets: in the transaction in which its answer is kept.
 * @throws 409 `idempotency_key_in_use` while the first request under the key still runs; 422 `idempotency_key_reused`
 *   where that was another one.
 */
export async function changeOnce<Answer>(
  ctx: RequestContext,
  { content, part: place }: IdempotentRequest,
  form: AnswerForm<Answer>,
  act: (ctx: RequestContext) => Promise<Answer>,
): Promise<Answer> {
  const { idempotencyKey, caller } = ctx;
  const [account] = caller.accounts;
  if (idempotencyKey === undefined || account === undefined) return act(ctx);
  const key: KeyOfCaller = { accountId: account.id, principalId: caller.principal.id, key: idempotencyKey };
  const digest = digestOf(ctx, content);
  const part = place.length > partLengthMax ? digestOf(ctx, [place]) : place;
  const outcome: { refusal?: Refusal<Answer> } = {};
  try {
    const text = await authorizeReach(ctx).transaction(async ({ db }) => {
      await holdKey(db, key);
      const kept = await keptAnswer(ctx, db, key, part, digest);
      if (kept !== undefined) return kept;
      const answer = await act(contextWithin(ctx, withSavepoints(db)));
      const given = form.textFrom(answer);
      if (given === undefined) throw (outcome.refusal = new Refusal(answer));
      await keepAnswer(ctx, db, key, part, JSON.stringify([digest, given]));
      return given;
    });
    return form.answerFrom(text);
  } catch (error) {
    if (outcome.refusal !== undefined && error === outcome.refusal) return outcome.refusal.answer;
    throw error;
  }
}

/** Forgets the answers that are given no more. */
export async function forgetIdempotentAnswers(db: Database, now: Date): Promise<void> {
  await db.idempotencyKey.deleteMany({ where: { createdAt: { lte: keptSince(now) } } });
}

/** Gives a transaction up, because what was asked was refused. */
class Refusal<Answer> extends Error {
  constructor(readonly answer: Answer) {
    super('refused');
  }
}

export interface KeyOfCaller {
  accountId: string;
  principalId: string;
  key: string;
}

/** What the credential may is part of the request: one that may less is not told what another one was. */
function digestOf({ workspaceName, caller }: RequestContext, content: readonly unknown[]): string {
  const { confinedTo, scopes } = caller;
  const asked = JSON.stringify([content, workspaceName ?? null, confinedTo ?? null, [...scopes].toSorted()]);
  return createHash('sha256').update(asked).digest('base64url');
}

/** Of two requests at the same time the second does not wait: it may be the same one, sent again too soon. */
async function holdKey(db: Statements, { accountId, principalId, key }: KeyOfCaller): Promise<void> {
  const name = JSON.stringify(['idempotency key', accountId, principalId, key]);
  const held = await db.$text(Prisma.sql`
    SELECT CASE WHEN pg_try_advisory_xact_lock(hashtextextended(${name}, 0)) THEN 'held' ELSE '' END`);
  if (held === 'held') return;
  throw new ApiError(
    'idempotency_key_in_use',
    'A request with this Idempotency-Key still runs. Ask again soon: the answer will be that of the first.',
    { headers: { 'Retry-After': '1' } },
  );
}

/** @throws 422 `idempotency_key_reused` where the key was used for another request, or for one that cannot be read. */
async function keptAnswer(
  { seal, now }: RequestContext,
  db: Statements,
  key: KeyOfCaller,
  part: string,
  digest: string,
): Promise<string | undefined> {
  const rows = await db.idempotencyKey.findMany({ where: { ...key, createdAt: { gt: keptSince(now()) } } });
  const row = rows.find((each) => each.part === part) ?? rows[0];
  if (row === undefined) return undefined;
  const [keptDigest, answer]: string[] = JSON.parse(
    sealOf(seal, key, row.part).open(answerPurpose, row.answer) ?? '[]',
  );
  if (keptDigest !== digest) {
    throw new ApiError(
      'idempotency_key_reused',
      'This Idempotency-Key was used for another request within the last 24 hours. Use a new one for each request.',
    );
  }
  return row.part === part ? answer : undefined;
}

async function keepAnswer(
  { seal, now }: RequestContext,
  db: Statements,
  keyOfCaller: KeyOfCaller,
  part: string,
  content: string,
): Promise<void> {
  const { accountId, principalId, key } = keyOfCaller;
  const answer = sealOf(seal, keyOfCaller, part).seal(answerPurpose, content);
  // One that is over, and was not forgotten yet, makes room.
  await db.$executeRaw`
    INSERT INTO "idempotency_key" ("account_id", "principal_id", "key", "part", "answer", "created_at")
    VALUES (${accountId}::uuid, ${principalId}::uuid, ${key}, ${part}, ${answer}, ${now()}::timestamptz)
    ON CONFLICT ("account_id", "principal_id", "key", "part")
    DO UPDATE SET "answer" = EXCLUDED."answer", "created_at" = EXCLUDED."created_at"`;
}

/** An answer is sealed for its own place in the table. */
export function keyOfAnswer({ accountId, principalId, key }: KeyOfCaller, part: string): string {
  return JSON.stringify([accountId, principalId, key, part]);
}

function sealOf(seal: Seal, key: KeyOfCaller, part: string): RowSeal {
  return seal.ofRow('idempotency_key', keyOfAnswer(key, part));
}

function keptSince(now: Date): Date {
  return new Date(now.getTime() - keptMs);
}
