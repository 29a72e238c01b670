import type { Authorized } from '../../auth/authorize.js';

/** What a change that is only tried out would have led to. */
class TriedOut<Result> extends Error {
  constructor(readonly result: Result) {
    super('tried out');
  }
}

/** The right to change something, which it takes along into a transaction. */
interface Changing<Within extends Authorized> {
  transaction: <Result>(act: (within: Within) => Promise<Result>) => Promise<Result>;
}

/**
 * Runs a change in a transaction, which is given up at its end when the change is only tried out.
 *
 * @param validateOnly whether it is only tried out.
 * @returns what the change led to, or would have led to.
 */
export async function concluded<Within extends Authorized, Result>(
  authorized: Changing<Within>,
  validateOnly: boolean | null | undefined,
  act: (within: Within) => Promise<Result>,
): Promise<Result> {
  if (validateOnly !== true) return authorized.transaction(act);
  const trial: { outcome?: TriedOut<Result> } = {};
  try {
    return await authorized.transaction(async (within) => {
      trial.outcome = new TriedOut(await act(within));
      throw trial.outcome;
    });
  } catch (error) {
    if (trial.outcome !== undefined && error === trial.outcome) return trial.outcome.result;
    throw error;
  }
}

/** The same of a change that is one statement: all or nothing by itself, it needs no transaction but to be tried out. */
export function concludedAtOnce<Within extends Authorized & Changing<Within>, Result>(
  authorized: Within,
  validateOnly: boolean | null | undefined,
  act: (within: Within) => Promise<Result>,
): Promise<Result> {
  return validateOnly === true ? concluded(authorized, true, act) : act(authorized);
}
