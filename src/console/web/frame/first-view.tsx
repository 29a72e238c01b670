import { useRouterState } from '@tanstack/react-router';
import { useSyncExternalStore } from 'react';
import type { ReactElement, ReactNode } from 'react';
import { isPartLate, onPartLateChange } from '../api/load-part.js';
import { LatePart } from './late-part.js';

/** Says that the first view does not load. The frame, which says so for other views, is shown together with the first one. */
export function FirstView({ children }: { children?: ReactNode }): ReactElement {
  const isLate = useSyncExternalStore(onPartLateChange, isPartLate);
  const isFirst = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation === undefined });
  return (
    <>
      {isLate && isFirst && (
        <main className="gate">
          <LatePart />
        </main>
      )}
      {children}
    </>
  );
}
