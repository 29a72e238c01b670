// What a caller changes under a key of theirs is done once. What they were answered is kept in the transaction of the
// change, so that neither is without the other, and is what the same request gets again.
import { authorizeReach } from '../auth/authorize.js';
import { contextUnderKey, contextWithin } from '../auth/context.js';
import type { RequestContext } from '../auth/context.js';
import { keptSince, KeptAnswer, onceOf } from '../auth/once.js';
import type { IdempotentRequest } from '../auth/once.js';
import { Prisma } from '../database/client/client.js';
import type { Database } from '../database/open.js';
import { withinOne } from '../database/within-one.js';

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
  request: IdempotentRequest,
  form: AnswerForm<Answer>,
  act: (ctx: RequestContext) => Promise<Answer>,
): Promise<Answer> {
  const once = onceOf(ctx, request, String);
  if (once === undefined) return act(ctx);
  const outcome: { refusal?: Refusal<Answer> } = {};
  try {
    const kept = await authorizeReach(ctx).transaction(async ({ db }) => {
      once.isClaimed(await db.$text(Prisma.sql`SELECT ${once.claim()}`));
      const within = withinOne(db);
      const answer = await act(contextWithin(ctx, within.tx));
      const text = form.textFrom(answer);
      if (text === undefined) throw (outcome.refusal = new Refusal(answer));
      within.requireWhole();
      await db.$executeRaw(once.keeping(Prisma.sql`${once.sealed(text)}`));
      return text;
    });
    return form.answerFrom(kept);
  } catch (error) {
    if (outcome.refusal !== undefined && error === outcome.refusal) return outcome.refusal.answer;
    if (error instanceof KeptAnswer && error.once === once) return form.answerFrom(error.text);
    throw error;
  }
}

/**
 * The same for a change that takes the key and keeps its answer in its own statements, which are fewer.
 *
 * @param act makes the change by the context that it gets, whose `once` it honours.
 * @throws like changeOnce().
 */
export async function changeUnderKey<Answer>(
  ctx: RequestContext,
  request: IdempotentRequest,
  form: { textFrom: (resource: unknown) => string; answerFrom: (text: string) => Answer },
  act: (ctx: RequestContext) => Promise<Answer>,
): Promise<Answer> {
  const once = onceOf(ctx, request, form.textFrom);
  if (once === undefined) return act(ctx);
  try {
    return await act(contextUnderKey(ctx, once));
  } catch (error) {
    if (error instanceof KeptAnswer && error.once === once) return form.answerFrom(error.text);
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
