import type { CombinedError } from '@urql/core';
import type { ReactElement } from 'react';
import { FailureNotice } from './notice.js';
import { Skeletons } from './skeletons.js';

interface MissingSectionProps {
  title: string;
  error: CombinedError | undefined;
  onRetry: () => void;
}

/** In place of a section: that it is loading, or why it could not be loaded. */
export function MissingSection({ title, error, onRetry }: MissingSectionProps): ReactElement {
  return (
    <section className="panel" aria-label={title} aria-busy={error === undefined}>
      <header>
        <h2>{title}</h2>
      </header>
      {error === undefined ? <Skeletons /> : <FailureNotice error={error} onRetry={onRetry} />}
    </section>
  );
}
