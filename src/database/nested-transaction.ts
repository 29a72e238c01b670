import type { Transactional } from './open.js';
import type { Statements } from './transaction.js';

/** Nested transactions that are all part of one transaction. */
export interface NestedTransaction {
  tx: Transactional;
  /** @throws if a nested transaction failed: the outer transaction must then be rolled back. */
  requireWhole: () => void;
}

/**
 * Creates nested transactions without savepoints, so that they cost no statements: what they defer is sent with the next
 * statement of the outer transaction, or with its COMMIT. After a failure the outer transaction must not commit.
 */
export function nestedTransaction(outer: Statements): NestedTransaction {
  let isBroken = false;
  const $begin = async <Result>(act: (inner: Statements) => Promise<Result>): Promise<Result> => {
    try {
      // It must be a new object: code compares it with the database to see whether it is in a transaction.
      return await act({ ...outer });
    } catch (error) {
      isBroken = true;
      throw error;
    }
  };
  const tx: Transactional = { ...outer, $begin, isNested: true };
  return {
    tx,
    requireWhole: () => {
      if (isBroken) throw new Error('a nested transaction was rolled back, and the transaction around it continued');
    },
  };
}
