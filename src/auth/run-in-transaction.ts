import { retryConflicts } from '../database/retry-conflicts.js';
import { orRollBack } from '../database/roll-back.js';
import type { Authorized } from './authorize.js';

/** An authorization that can open a transaction. */
interface Changing<Within extends Authorized> {
  beginsTransaction: boolean;
  transaction: <Result>(act: (within: Within) => Promise<Result>) => Promise<Result>;
}

/**
 * Runs a change in a transaction, and again after a conflict with another one (retryConflicts()).
 *
 * @param act must do everything again when it is called again.
 * @param validateOnly whether to roll back the transaction (dry run).
 * @returns the result of the change, also after a dry run.
 */
export async function runInTransaction<Within extends Authorized, Result>(
  authorized: Changing<Within>,
  validateOnly: boolean | null | undefined,
  act: (within: Within) => Promise<Result>,
): Promise<Result> {
  const run = () =>
    validateOnly === true
      ? orRollBack<Result>((rollBack) =>
          authorized.transaction(async (within) => {
            const result = await act(within);
            await within.db.$flush();
            return rollBack(result);
          }),
        )
      : authorized.transaction(act);
  // A transaction in another one cannot be repeated alone.
  return authorized.beginsTransaction ? retryConflicts(run) : run();
}
