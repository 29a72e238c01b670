import { mapExchange } from '@urql/core';
import type { Exchange } from '@urql/core';

/**
 * Keeps the last data of a query while the connection is lost, so that a failed refresh does not clear the view. It must come
 * before the cache, which drops the data of failed responses.
 */
export function keepData(): Exchange {
  const lastData = new Map<number, object>();
  return mapExchange({
    onOperation: ({ kind, key }) => {
      if (kind === 'teardown') lastData.delete(key);
    },
    onResult: (result) => {
      const { kind, key } = result.operation;
      if (kind !== 'query') return result;
      if (typeof result.data === 'object' && result.data !== null) lastData.set(key, result.data);
      else if (result.error?.networkError !== undefined) return { ...result, data: lastData.get(key) };
      return result;
    },
  });
}
