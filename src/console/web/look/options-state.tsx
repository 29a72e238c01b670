import type { ReactElement } from 'react';
import type { AnswersState } from '../api/use-answer.js';
import { isUnreachable } from '../api/failure.js';

interface OptionsStateProps {
  /** The plural of the options, such as "labels". */
  of: string;
  state: AnswersState;
}

/** Beside options that come from the service: that they are loading, or that they could not be loaded. */
export function OptionsState({ of, state: { isLoading, error, onRetry } }: OptionsStateProps): ReactElement | null {
  const isLost = error !== undefined && isUnreachable(error);
  // The banner says that the connection is lost.
  if (isLost) {
    return (
      <p className="options-state quiet" role="status">
        Could not load {of} yet.
      </p>
    );
  }
  if (error !== undefined) {
    return (
      <p className="options-state" role="alert">
        Could not load {of}.{' '}
        <button type="button" className="link-button text-link" onClick={onRetry}>
          Try again
        </button>
      </p>
    );
  }
  if (!isLoading) return null;
  return (
    <p className="options-state quiet" role="status">
      Loading {of}…
    </p>
  );
}
