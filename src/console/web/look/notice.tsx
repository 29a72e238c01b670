import type { CombinedError } from '@urql/core';
import type { ReactElement, ReactNode } from 'react';
import { failureFrom, isUnreachable } from '../api/failure.js';
import { CopyButton } from './copy-button.js';
import './notice.css';

/** An empty state: a sentence and, if there is one, an action. */
export function Notice({ title, children }: { title: string; children?: ReactNode }): ReactElement {
  return (
    <div className="notice">
      <h2>{title}</h2>
      <div className="quiet">{children}</div>
    </div>
  );
}

interface FailureNoticeProps {
  error: CombinedError;
  onRetry: () => void;
  /** Another next step, such as a link to the first page for a cursor that has expired. */
  children?: ReactNode;
}

/** An error with its reason, the next step and the request id. */
export function FailureNotice({ error, onRetry, children }: FailureNoticeProps): ReactElement {
  const failure = failureFrom(error);
  // The banner says that the connection is lost. The view loads once it is back.
  if (isUnreachable(error)) {
    return (
      <div className="notice">
        <p className="quiet" role="status">
          This view loads when the connection is back.
        </p>
      </div>
    );
  }
  return (
    <div className="notice failure" role="alert">
      <h2>{failure.title}</h2>
      <p className="quiet">{failure.message}</p>
      {failure.canRetry && (
        <button type="button" className="button" onClick={onRetry}>
          Try again
        </button>
      )}{' '}
      {children}
      {failure.requestId !== undefined && (
        <p className="quiet request">
          Request ID <code>{failure.requestId}</code>
          <CopyButton text={failure.requestId} label="Copy request ID" />
        </p>
      )}
    </div>
  );
}
