import { useLayoutEffect, useRef } from 'react';
import type { ReactElement, ReactNode } from 'react';
import { useIsNarrow } from './filter-bar.js';
import './beside.css';

interface BesideProps {
  label: string;
  /** Selects the link in the list that is open beside it. */
  opened: string;
  children: ReactNode;
}

/**
 * What is open beside a list. On a narrow screen it covers the list and takes the focus. When it closes, the focus returns to
 * the link in the list.
 */
export function Beside({ label, opened, children }: BesideProps): ReactElement {
  const aside = useRef<HTMLElement>(null);
  const link = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    link.current = document.querySelector<HTMLElement>(opened);
    if (document.activeElement?.checkVisibility() === false) aside.current?.focus({ preventScroll: true });
  });
  useLayoutEffect(() => {
    const element = aside.current;
    return () => {
      const { activeElement: focused } = document;
      if (element?.contains(focused) !== true && focused?.contains(element) !== true) return;
      // The list may be visible only then.
      requestAnimationFrame(() => link.current?.focus());
    };
  }, []);
  return (
    <aside className="peek" aria-label={label} ref={aside} tabIndex={-1}>
      {children}
    </aside>
  );
}

interface BesideTitleProps {
  className: string;
  children: ReactNode;
}

/** The title of what is open beside a list. It is that of the page where it covers the list. */
export function BesideTitle(props: BesideTitleProps): ReactElement {
  const Title = useIsNarrow() ? 'h1' : 'h2';
  return <Title {...props} />;
}
