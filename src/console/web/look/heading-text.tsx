import type { ReactElement } from 'react';
import { Icon } from './icon.js';

interface HeadingTextProps {
  label: string;
  sort?: 'ascending' | 'descending' | 'none' | undefined;
  /** Sorts the rows by the column; absent if it does not sort them. */
  onSort?: (() => void) | undefined;
}

/** The text of a column heading: a button with the order, if the column sorts the rows. */
export function HeadingText({ label, sort = 'none', onSort }: HeadingTextProps): ReactElement {
  if (onSort === undefined) return <>{label}</>;
  return (
    <button type="button" className="sort-button" onClick={onSort}>
      {label}
      {sort !== 'none' && <Icon name={sort === 'ascending' ? 'up' : 'down'} />}
    </button>
  );
}
