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
    const tabs = list.current;
    const tab = tabs?.querySelector<HTMLElement>('[aria-current=page]');
    if (tabs === null || tab == null) return undefined;
    const show = () => {
      tabs.scrollLeft = tab.offsetLeft - tabs.offsetLeft - 24;
    };
    show();
    // The typeface arrives later, and changes their widths.
    const sizes = new ResizeObserver(show);
    for (const each of tabs.children) sizes.observe(each);
    return () => sizes.disconnect();
  }, [current]);
  return (
    <nav ref={list} className="tabs" aria-label={label}>
      {children}
    </nav>
  );
}
