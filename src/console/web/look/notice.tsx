import type { CombinedError } from '@urql/core';
import type { ReactElement, ReactNode } from 'react';
import { failureFrom } from '../api/failure.js';
import { useRefresh } from '../api/use-refresh.js';
import { CopyButton } from './copy-button.js';
import './notice.css';

/** Something that is not there: what would be, and how to get it. */
export function Notice({ title, children }: { title: string; children?: ReactNode }): ReactElement {
  return (
    <div className="notice">
      <h2>{title}</h2>
      <div className="quiet">{children}</div>
    </div>
  );
}

/**
 * What failed, why, what to do, and the id to tell the operator. While the service is not reached it tries again by
 * itself.
 */
export function FailureNotice({ error, onRetry }: { error: CombinedError; onRetry?: () => void }): ReactElement {
  const failure = failureFrom(error);
  useRefresh(() => {
    if (error.networkError !== undefined) onRetry?.();
  });
  return (
    <div className="notice failure" role="alert">
      <h2>{failure.title}</h2>
      <p className="quiet">{failure.message}</p>
      {failure.canRetry && onRetry !== undefined && (
        <button type="button" className="button" onClick={onRetry}>
          Try again
        </button>
      )}
      {failure.requestId !== undefined && (
        <p className="quiet request">
          Request <code>{failure.requestId}</code>
          <CopyButton text={failure.requestId} label="Copy the request id" />
        </p>
      )}
    </div>
  );
}
