import { mapExchange } from '@urql/core';
import type { Client, Exchange, Operation } from '@urql/core';
import { isPageHeld, onPageReleased } from './page-hold.js';

/**
 * Holds back a new answer to a question of the page that was asked before the page was held: the answer could say that the
 * object of the form is gone. The question is asked again once the page is released. A first answer is not held back, because
 * the form may wait for it too.
 *
 * @param reader asks again
 */
export function holdAnswers(reader: Client): Exchange {
  const askedBefore = new WeakSet<Operation>();
  const answered = new Set<number>();
  return mapExchange({
    onOperation: (operation) => {
      if (operation.kind === 'query' && !isPageHeld()) askedBefore.add(operation);
    },
    onResult: (result) => {
      const { operation, data } = result;
      if (isPageHeld() && askedBefore.has(operation) && answered.has(operation.key))
        return askOnRelease(reader, operation);
      if (data != null) answered.add(operation.key);
      return result;
    },
  });
}

async function askOnRelease(reader: Client, operation: Operation) {
  await new Promise<void>((resolve) => {
    const stop = onPageReleased(() => {
      stop();
      resolve();
    });
  });
  const result = await reader.query(operation.query, operation.variables).toPromise();
  return { ...result, operation };
}
