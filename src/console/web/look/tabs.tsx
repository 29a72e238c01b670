import { useEffect, useRef } from 'react';
import type { ReactElement, ReactNode } from 'react';
import './tabs.css';

interface TabsProps {
  label: string;
  /** The path of the page, so that the current tab is scrolled into view when it changes. */
  current: string;
  /** Links with the class `tab`. The current one has aria-current. */
  children: ReactNode;
}

/** The tabs of a page. They are links, so that each has an address and Back works. On a narrow screen they scroll. */
export function Tabs({ label, current, children }: TabsProps): ReactElement {
  const list = useRef<HTMLElement>(null);
  useEffect(() => {
    const tab = list.current?.querySelector<HTMLElement>('[aria-current=page]');
    if (list.current !== null && tab != null) list.current.scrollLeft = tab.offsetLeft - list.current.offsetLeft - 24;
  }, [current]);
  return (
    <nav ref={list} className="tabs" aria-label={label}>
      {children}
    </nav>
  );
}
