import { useState } from 'react';
import type { ReactElement, ReactNode } from 'react';
import { Icon } from './icon.js';
import { compareTexts } from './locale.js';

/** A heading, with its order if its column sorts the rows. */
export interface TableHeading {
  label: string;
  /** Whether the column has numbers, which are aligned on the right. */
  isNumber?: boolean;
  sort?: 'ascending' | 'descending' | 'none';
  onSort?: () => void;
}

interface PlainTableProps {
  /** The headings; the last column has actions and only a heading for screen readers. */
  columns: readonly (string | TableHeading)[];
  /** The accessible name of the table, if its context is not enough. */
  label?: string;
  /** Rows with a cell for each column and one for the actions. */
  children: ReactNode;
}

/** A table whose rows take several lines on a narrow screen. Cells repeat their heading there by `data-label`. */
export function PlainTable({ columns, label, children }: PlainTableProps): ReactElement {
  const headings = columns.map((column): TableHeading => (typeof column === 'string' ? { label: column } : column));
  return (
    <div className="table-space">
      <table className="plain-table two-lines" aria-label={label}>
        <thead>
          <tr>
            {headings.map(({ label: text, isNumber = false, sort, onSort }) => (
              <th key={text} scope="col" aria-sort={sort} className={isNumber ? 'number' : ''}>
                {onSort === undefined ? (
                  text
                ) : (
                  <button type="button" className="sort-button" onClick={onSort}>
                    {text}
                    {sort !== undefined && sort !== 'none' && <Icon name={sort === 'ascending' ? 'up' : 'down'} />}
                  </button>
                )}
              </th>
            ))}
            <th scope="col">
              <span className="hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

/** A column of rows that are all loaded. Without a value, it does not sort. */
export interface TableColumn<Row> {
  label: string;
  isNumber?: boolean;
  /** The value to sort by. Rows without one come last. */
  value?: (row: Row) => string | number | bigint | boolean | null | undefined;
}

interface TableRows<Row> {
  /** The rows that match the filter, in the chosen order. */
  rows: Row[];
  headings: TableHeading[];
  /** A field that filters the rows; nothing if there are only a few rows. */
  filterField: ReactNode;
}

/** With fewer rows there is nothing to search. */
const searchedFrom = 10;

/**
 * The order and the filter of a table whose rows are all loaded. Without a chosen order, rows keep their own.
 *
 * @param textOf the text that the filter searches
 */
export function useTableRows<Row>(
  all: readonly Row[],
  columns: readonly TableColumn<Row>[],
  textOf: (row: Row) => string,
): TableRows<Row> {
  const [order, setOrder] = useState<{ label: string; isDescending: boolean }>();
  const [typed, setTyped] = useState('');
  const words = typed.trim().toLowerCase();
  const rows = all.filter((row) => textOf(row).toLowerCase().includes(words));
  const valueOf = columns.find(({ label }) => label === order?.label)?.value;
  if (valueOf !== undefined) rows.sort((one, other) => compare(valueOf(one), valueOf(other), order?.isDescending));
  return {
    rows,
    headings: columns.map(({ label, isNumber = false, value }) => {
      if (value === undefined) return { label, isNumber };
      const isSorted = order?.label === label;
      return {
        label,
        isNumber,
        sort: isSorted ? (order.isDescending ? 'descending' : 'ascending') : 'none',
        onSort: () => setOrder({ label, isDescending: isSorted && !order.isDescending }),
      };
    }),
    filterField:
      all.length < searchedFrom ? null : (
        <input
          className="field"
          type="search"
          placeholder="Filter"
          aria-label="Filter rows"
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
      ),
  };
}

type Value = ReturnType<NonNullable<TableColumn<unknown>['value']>>;

/** Compares two values of a column. Missing values come last in both directions. */
export function compare(one: Value, other: Value, isDescending = false): number {
  if (one == null || other == null) return Number(one == null) - Number(other == null);
  const order =
    typeof one === 'string' && typeof other === 'string'
      ? compareTexts(one, other)
      : one < other
        ? -1
        : Number(one > other);
  return isDescending ? -order : order;
}
