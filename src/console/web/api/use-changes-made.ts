import { useEffect, useRef } from 'react';
import { onChangesMade } from './changes-made.js';

/** Calls when this page itself has changed something. */
export function useChangesMade(again: () => void): void {
  const latest = useRef(again);
  useEffect(() => {
    latest.current = again;
  });
  useEffect(() => {
    const stop = onChangesMade(() => latest.current());
    return () => {
      stop();
    };
  }, []);
}
