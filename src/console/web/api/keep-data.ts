import { mapExchange } from '@urql/core';
import type { CombinedError, Exchange, Operation } from '@urql/core';
import { isTemporary } from './failed-refreshes.js';

/** The number of queries whose last data is kept. */
const queriesKept = 100;

/**
 * Keeps the last data of a query if a refresh fails for a reason that may pass, so that the view stays, with its open menus
 * and dialogs. The error stays beside the data until a refresh succeeds. It must come before the cache, which drops the data
 * of failed responses.
 */
export function keepData(): Exchange {
  const kept = new Map<number, { data: object; error: CombinedError | undefined }>();
  return mapExchange({
    onResult: (result) => {
      const { operation, data, error } = result;
      if (operation.kind !== 'query') return result;
      const known = kept.get(operation.key);
      kept.delete(operation.key);
      const isKept = error !== undefined && known !== undefined && isTemporary(error);
      const shown: unknown = isKept ? known.data : data;
      if (typeof shown !== 'object' || shown === null) return result;
      const shownError = isFromCache(operation) ? known?.error : error;
      kept.set(operation.key, { data: shown, error: shownError });
      const [oldest] = kept.keys();
      if (oldest !== undefined && kept.size > queriesKept) kept.delete(oldest);
      return { ...result, data: shown, ...(shownError === undefined ? {} : { error: shownError }) };
    },
  });
}

/** Whether the cache repeats a result, such as because another query changed a part of it. */
function isFromCache({ context }: Operation): boolean {
  const outcome = context.meta?.cacheOutcome;
  return outcome === 'hit' || outcome === 'partial';
}
