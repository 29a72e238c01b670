import { Dialog } from '@base-ui/react/dialog';
import { useSyncExternalStore } from 'react';
import type { ReactElement, ReactNode } from 'react';
import { Icon } from './icon.js';
import './filter-bar.css';

const narrow = matchMedia('(max-width: 899px)');

/** Whether the page is narrow: filters are in a sheet then. */
export function useIsNarrow(): boolean {
  return useSyncExternalStore(
    (listener) => {
      narrow.addEventListener('change', listener);
      return () => narrow.removeEventListener('change', listener);
    },
    () => narrow.matches,
  );
}

interface FilterBarProps {
  /** The number of active filters. */
  count: number;
  children: ReactNode;
}

/** The filters of a view: in its bar, or on a narrow page in a sheet behind one button. */
export function FilterBar({ count, children }: FilterBarProps): ReactElement {
  const isNarrow = useIsNarrow();
  if (!isNarrow) return <>{children}</>;
  return (
    <Dialog.Root>
      <Dialog.Trigger className={count > 0 ? 'button filters-on' : 'button'}>
        <Icon name="filter" />
        Filters
        {count > 0 && <span className="quiet">{count}</span>}
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="filter-sheet">
          <header>
            <Dialog.Title>Filters</Dialog.Title>
            <Dialog.Close className="button">Done</Dialog.Close>
          </header>
          <div className="filter-sheet-body">{children}</div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
