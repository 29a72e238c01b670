import { makeOperation, mapExchange } from '@urql/core';
import type { Exchange } from '@urql/core';

/**
 * Gives each mutation a key of its own. The cache takes two mutations with the same variables for one while both are
 * running: the second would get the response of the first, and the first none.
 */
export function separateMutations(): Exchange {
  const keys = new Map<number, number>();
  // Keys of other operations are not negative.
  let last = 0;
  return mapExchange({
    onOperation: (operation) => {
      if (operation.kind !== 'mutation') return operation;
      keys.set(--last, operation.key);
      return makeOperation('mutation', { ...operation, key: last });
    },
    onResult: (result) => {
      const key = keys.get(result.operation.key);
      if (key === undefined) return result;
      keys.delete(result.operation.key);
      return { ...result, operation: makeOperation('mutation', { ...result.operation, key }) };
    },
  });
}
