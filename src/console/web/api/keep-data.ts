import { mapExchange } from '@urql/core';
import type { Exchange } from '@urql/core';

/**
 * What a query was answered last stays while the service is not reached: a refresh that fails then must not take away what
 * is shown. It stands in front of the cache, which forgets the data of an answer that failed.
 */
export function keepData(): Exchange {
  const kept = new Map<number, object>();
  return mapExchange({
    onOperation: ({ kind, key }) => {
      if (kind === 'teardown') kept.delete(key);
    },
    onResult: (result) => {
      const { kind, key } = result.operation;
      if (kind !== 'query') return result;
      if (typeof result.data === 'object' && result.data !== null) kept.set(key, result.data);
      else if (result.error?.networkError !== undefined) return { ...result, data: kept.get(key) };
      return result;
    },
  });
}
