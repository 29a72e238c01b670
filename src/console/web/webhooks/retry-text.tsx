import type { ReactElement } from 'react';
import { Time, useNow } from '../look/time-text.js';

/** When an address is tried again that failed last. */
export function RetryText({ at }: { at: string }): ReactElement {
  return Date.parse(at) <= useNow() ? (
    <>Tried again now</>
  ) : (
    <>
      Tried again <Time value={at} />
    </>
  );
}
