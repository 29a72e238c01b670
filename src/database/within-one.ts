import type { Statements, Transactional } from './open.js';

/** A transaction in which others begin that are all part of it. */
export interface WithinOne {
  tx: Transactional;
  /** @throws when one of them was given up: then what it has done may not stay, so nothing may. */
  requireWhole: () => void;
}

/** Transactions within one: they have no beginning and no end of their own, so that they cost no statements. */
export function withinOne(outer: Statements): WithinOne {
  let isBroken = false;
  const $begin = async <Result>(act: (inner: Statements) => Promise<Result>): Promise<Result> => {
    try {
      // Another object than what it is within: that is how one tells that it is in a transaction.
      const inner: Statements = Object.create(outer);
      return await act(inner);
    } catch (error) {
      isBroken = true;
      throw error;
    }
  };
  const tx: Transactional = Object.create(outer, { $begin: { value: $begin } });
  return {
    tx,
    requireWhole: () => {
      if (isBroken) throw new Error('a transaction within another was given up, and what is around it went on');
    },
  };
}
