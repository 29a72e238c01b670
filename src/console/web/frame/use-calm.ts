import { useEffect, useState } from 'react';

const calmAfterMs = 500;
const calmAtLatestMs = 2_000;

/**
 * Whether the first view has rendered. Menus and dialogs load after that, or immediately if the user interacts.
 */
export function useCalm(): boolean {
  const [isCalm, setCalm] = useState(false);
  useEffect(() => {
    const begin = () => setCalm(true);
    const timer = setTimeout(() => {
      if ('requestIdleCallback' in globalThis) requestIdleCallback(begin, { timeout: calmAtLatestMs });
      else begin();
    }, calmAfterMs);
    for (const event of doings) addEventListener(event, begin, { once: true, capture: true });
    return () => {
      clearTimeout(timer);
      for (const event of doings) removeEventListener(event, begin, { capture: true });
    };
  }, []);
  return isCalm;
}

const doings = ['pointermove', 'pointerdown', 'keydown'] as const;
