// Names that are unique across accounts: a change that asks for one tells whether another account has it. Such a change
// has no other way to refuse a taken name, so what accounts can learn is limited.
import type { Statements } from '../database/transaction.js';
import type { ErrorCode } from '../error-codes.js';
import { ApiError, tooManyRequests } from '../errors.js';
import type { AuthorizedAccount } from './authorize.js';
import { afterTransaction } from './context.js';
import { countNameQuestion, nameQuestionsWait } from './sign-in/sign-in-attempts.js';

/**
 * Runs a change whose outcome depends on the names of other accounts. A change that leaves no trace counts against a
 * limit of the account: a dry run, and one that fails for the name. It is counted outside its transaction, which is
 * rolled back. A caller can exceed the limit by the requests that it has in flight.
 *
 * @param telling the errors that tell whether the name exists.
 * @throws 429 `too_many_requests` over the limit, before the change runs; the errors of the change.
 */
export async function askForForeignName<Result>(
  { ctx, db, account }: AuthorizedAccount,
  { validateOnly }: { validateOnly?: boolean | null | undefined },
  telling: readonly ErrorCode[],
  change: () => Promise<Result>,
): Promise<Result> {
  // An operator sees all accounts.
  if (ctx.caller.isOperator === true) return change();
  const wait = await nameQuestionsWait(await db.$prisma(), account.id, ctx.now());
  if (wait !== undefined) {
    const message = 'This account has tried too many names that other accounts may have. Try again after Retry-After.';
    throw tooManyRequests(message, wait.retryAfterSeconds);
  }
  const count = async (outside: Statements) => countNameQuestion(await outside.$prisma(), account.id, ctx.now());
  try {
    const result = await change();
    if (validateOnly === true) await count(db);
    return result;
  } catch (error) {
    if (error instanceof ApiError && telling.includes(error.error)) await afterTransaction(ctx, db, count);
    throw error;
  }
}
