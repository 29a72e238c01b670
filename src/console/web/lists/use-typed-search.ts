import { useRouter } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';

const typingMs = 150;

/**
 * The text of a search field that is stored in the URL. Calls `tell` with the new value when typing pauses, unless the user has
 * navigated away.
 */
export function useTypedSearch(
  q: string | undefined,
  onSearch: (typed: string | undefined) => void,
): [text: string, setText: (text: string) => void] {
  const router = useRouter();
  const current = q ?? '';
  const [text, setText] = useState(current);
  const reported = useRef(current);
  const latest = useRef(onSearch);
  useEffect(() => {
    latest.current = onSearch;
  });
  useEffect(() => {
    // The URL lags behind the input and must not overwrite newer text.
    if (current !== reported.current) setText(current);
    reported.current = current;
  }, [current]);
  useEffect(() => {
    const typed = text.trim();
    if (typed === current) return undefined;
    const { pathname } = router.latestLocation;
    const timer = setTimeout(() => {
      if (router.latestLocation.pathname !== pathname) return;
      reported.current = typed;
      latest.current(typed === '' ? undefined : typed);
    }, typingMs);
    return () => clearTimeout(timer);
  }, [text, current, router]);
  return [text, setText];
}
