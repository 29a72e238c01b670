/** Thrown to roll back a transaction that has a result nevertheless. */
class RolledBack<Result> extends Error {
  constructor(readonly result: Result) {
    super('rolled back');
  }
}

/**
 * Runs a function in a transaction that it can roll back without failing.
 *
 * @param run gets a function that rolls back the transaction by throwing; its argument becomes the result.
 */
export async function orRollBack<Result>(
  run: (rollBack: (result: Result) => never) => Promise<Result>,
): Promise<Result> {
  let rolledBack: RolledBack<Result> | undefined;
  const rollBack = (result: Result): never => {
    throw (rolledBack = new RolledBack(result));
  };
  try {
    return await run(rollBack);
  } catch (error) {
    if (rolledBack !== undefined && error === rolledBack) return rolledBack.result;
    throw error;
  }
}
