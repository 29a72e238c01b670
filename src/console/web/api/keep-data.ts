import { makeOperation, mapExchange } from '@urql/core';
import type { CombinedError, Exchange, Operation } from '@urql/core';

/** A query whose last refresh failed, although its view shows older data. */
interface FailedRefresh {
  error: CombinedError;
  retry: () => void;
}

const temporaryCodes = ['internal_error', 'unavailable', 'timeout', 'too_many_requests'];

let failedRefreshes: readonly FailedRefresh[] = [];
const listeners = new Set<() => void>();

export function listFailedRefreshes(): readonly FailedRefresh[] {
  return failedRefreshes;
}

export function onFailedRefreshesChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/**
 * Keeps the last data of a query if a refresh fails for a reason that may pass, so that the view stays, with its open menus
 * and dialogs. It must come before the cache, which drops the data of failed responses.
 */
export function keepData(): Exchange {
  const lastData = new Map<number, object>();
  const failed = new Map<number, FailedRefresh>();
  const publish = () => {
    failedRefreshes = [...failed.values()];
    for (const listener of listeners) listener();
  };
  const succeed = (key: number) => {
    if (failed.delete(key)) publish();
  };
  return (input) => {
    const retry = (operation: Operation) => {
      const context = { ...operation.context, requestPolicy: 'network-only' } as const;
      input.client.reexecuteOperation(makeOperation(operation.kind, operation, context));
    };
    return mapExchange({
      onOperation: ({ kind, key }) => {
        if (kind !== 'teardown') return;
        lastData.delete(key);
        succeed(key);
      },
      onResult: (result) => {
        const { operation, error } = result;
        if (operation.kind !== 'query') return result;
        const { key } = operation;
        const known = lastData.get(key);
        if (error !== undefined && known !== undefined && isTemporary(error)) {
          failed.set(key, { error, retry: () => retry(operation) });
          publish();
          return { ...result, data: known };
        }
        if (!result.stale) succeed(key);
        if (typeof result.data === 'object' && result.data !== null) lastData.set(key, result.data);
        return result;
      },
    })(input);
  };
}

/** Whether a query failed for a passing reason. The user still has access to its last data. */
function isTemporary({ networkError, graphQLErrors }: CombinedError): boolean {
  const codes = graphQLErrors.map(({ extensions }) => String(extensions['code']));
  return networkError !== undefined || codes.every((code) => temporaryCodes.includes(code));
}
