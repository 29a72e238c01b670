import type { CombinedError } from '@urql/core';
import type { ReactElement } from 'react';
import { isUnreachable } from '../api/failure.js';
import { formatCount } from './money.js';

interface FurtherPagesProps {
  /** The plural of the objects in the list, such as "keys". */
  of: string;
  /** The list, whose pages are read one after another. */
  list: { nodes: readonly unknown[]; isComplete: boolean; error: CombinedError | undefined; onRetry: () => void };
  /** The number of objects of all pages. */
  totalCount: number;
}

/** Below a list: how much of it is shown while its further pages are loading, or when they could not be loaded. */
export function FurtherPages({ of, list, totalCount }: FurtherPagesProps): ReactElement | null {
  const { nodes, isComplete, error, onRetry } = list;
  const isLost = error !== undefined && isUnreachable(error);
  if (isComplete || nodes.length >= totalCount) return null;
  const shown = `${formatCount(nodes.length)} of ${formatCount(totalCount)}`;
  if (error === undefined) {
    return (
      <p className="quiet" role="status">
        Loading all {of}: {shown}.
      </p>
    );
  }
  return (
    <p role={isLost ? 'status' : 'alert'}>
      Could not load all {of}: {shown}.{' '}
      <button type="button" className="button" onClick={onRetry}>
        Try again
      </button>
    </p>
  );
}
