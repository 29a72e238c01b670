import type { Statements, Transactional } from './open.js';

/**
 * A transaction in which others can begin and be given up: each is a savepoint of it. They begin one after the other, or
 * one within another.
 */
export function withSavepoints(tx: Statements): Transactional {
  const $begin = async <Result>(act: (inner: Statements) => Promise<Result>): Promise<Result> => {
    await tx.$executeRaw`SAVEPOINT "inner"`;
    try {
      // Another object than what it is within: that is how one tells that it is in a transaction.
      const inner: Statements = Object.create(tx);
      const result = await act(inner);
      await tx.$executeRaw`RELEASE SAVEPOINT "inner"`;
      return result;
    } catch (error) {
      await tx.$executeRaw`ROLLBACK TO SAVEPOINT "inner"`;
      throw error;
    }
  };
  const own: Transactional = Object.create(tx, { $begin: { value: $begin } });
  return own;
}
