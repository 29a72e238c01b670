import type { ReactElement } from 'react';
import { Time, useNow } from '../look/time-text.js';

/** The time of the next retry. */
export function RetryText({ at }: { at: string }): ReactElement {
  return Date.parse(at) <= useNow() ? (
    <>Retrying now</>
  ) : (
    <>
      Next retry <Time value={at} />
    </>
  );
}
