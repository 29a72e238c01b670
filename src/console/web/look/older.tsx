import type { ReactElement, ReactNode } from 'react';

interface OlderProps {
  /** Whether the next answer is loading. */
  isOld: boolean;
  children: ReactNode;
}

/** Content that may answer an earlier question: marked as loading until the next answer is there. */
export function Older({ isOld, children }: OlderProps): ReactElement {
  return (
    <div className={isOld ? 'older' : ''} aria-busy={isOld}>
      {children}
    </div>
  );
}
