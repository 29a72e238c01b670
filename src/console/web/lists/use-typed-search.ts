import { useRouter } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';

const typingMs = 150;

/**
 * The text of a search field that is stored in the URL. Calls `tell` with the new value when typing pauses, unless the user has
 * navigated away.
 */
export function useTypedSearch(
  q: string | undefined,
  tell: (wanted: string | undefined) => void,
): [text: string, setText: (text: string) => void] {
  const router = useRouter();
  const asked = q ?? '';
  const [text, setText] = useState(asked);
  const told = useRef(asked);
  const latest = useRef(tell);
  useEffect(() => {
    latest.current = tell;
  });
  useEffect(() => {
    // The URL lags behind the input and must not overwrite newer text.
    if (asked !== told.current) setText(asked);
    told.current = asked;
  }, [asked]);
  useEffect(() => {
    const wanted = text.trim();
    if (wanted === asked) return undefined;
    const { pathname } = router.latestLocation;
    const timer = setTimeout(() => {
      if (router.latestLocation.pathname !== pathname) return;
      told.current = wanted;
      latest.current(wanted === '' ? undefined : wanted);
    }, typingMs);
    return () => clearTimeout(timer);
  }, [text, asked, router]);
  return [text, setText];
}
