import { useLayoutEffect, useRef, useState } from 'react';
import type { ReactElement, ReactNode, RefObject } from 'react';
import { HeadingText } from './heading-text.js';
import { compareTexts } from './locale.js';
import { formatCount } from './money.js';
import { Notice } from './notice.js';

/** A heading, with its order if its column sorts the rows. */
export interface TableHeading {
  label: string;
  /** Whether the column has numbers, which are aligned on the right. */
  isNumber?: boolean;
  sort?: 'ascending' | 'descending' | 'none';
  onSort?: () => void;
}

interface PlainTableProps<Row> {
  /** The headings; the last column has actions and only a heading for screen readers. */
  columns: readonly (string | TableHeading)[];
  /** Whether there is no column of actions. */
  hasNoActions?: boolean;
  /** The accessible name of the table, if its context is not enough. */
  label?: string;
  rows: readonly Row[];
  /** Shown in place of the table if the filter of `useTableRows` matches no row. */
  noMatch?: ReactElement | undefined;
  /** Renders a row: a cell for each column and, unless the table has none, one for the actions. */
  children: (row: Row) => ReactNode;
}

/** Rendering some thousand rows takes seconds. A page of the API has no more than this. */
const shownStep = 200;

/**
 * A table whose rows take several lines where its columns have no room. Cells repeat their heading there by `data-label`.
 * Many rows are shown step by step.
 */
export function PlainTable<Row>({ noMatch, ...table }: PlainTableProps<Row>): ReactElement {
  return noMatch ?? <Table {...table} />;
}

function Table<Row>({
  columns,
  hasNoActions = false,
  label,
  rows,
  children,
}: Omit<PlainTableProps<Row>, 'noMatch'>): ReactElement {
  const headings = columns.map((column): TableHeading => (typeof column === 'string' ? { label: column } : column));
  const space = useRef<HTMLDivElement>(null);
  const isStacked = useIsTooWide(space);
  const [shownMax, setShownMax] = useState(shownStep);
  const actions = hasNoActions ? '' : ' with-actions';
  return (
    <>
      <div className="table-space" ref={space}>
        <table className={`plain-table two-lines${actions}${isStacked ? ' stacked' : ''}`} aria-label={label}>
          <thead>
            <tr>
              {headings.map(({ label: text, isNumber = false, sort, onSort }) => (
                <th key={text} scope="col" aria-sort={sort} className={isNumber ? 'number' : ''}>
                  <HeadingText label={text} sort={sort} onSort={onSort} />
                </th>
              ))}
              {!hasNoActions && (
                <th scope="col">
                  <span className="hidden">Actions</span>
                </th>
              )}
            </tr>
          </thead>
          <tbody>{rows.slice(0, shownMax).map((row) => children(row))}</tbody>
        </table>
      </div>
      {rows.length > shownMax && (
        <p className="table-pages">
          <span className="quiet">
            Showing {formatCount(shownMax)} of {formatCount(rows.length)} rows.
          </span>
          <button type="button" className="button" onClick={() => setShownMax(shownMax + shownStep)}>
            Show more
          </button>
        </p>
      )}
    </>
  );
}

/** Whether a table is wider than its space. It is measured as a table, when its space or its content changes. */
function useIsTooWide(space: RefObject<HTMLDivElement | null>): boolean {
  const [isTooWide, setTooWide] = useState(false);
  useLayoutEffect(() => {
    const element = space.current;
    const table = element?.querySelector('table');
    if (element == null || table == null) return undefined;
    const measure = () => {
      const wasStacked = table.classList.replace('stacked', 'measured');
      setTooWide(table.scrollWidth > element.clientWidth);
      if (wasStacked) table.classList.replace('measured', 'stacked');
    };
    measure();
    const sizes = new ResizeObserver(measure);
    sizes.observe(element);
    // Styles and fonts that arrive later change only the table.
    sizes.observe(table);
    const contents = new MutationObserver(measure);
    contents.observe(table, { childList: true, subtree: true, characterData: true });
    return () => {
      sizes.disconnect();
      contents.disconnect();
    };
  }, [space]);
  return isTooWide;
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
  /** A field that filters the rows; nothing if there are only a few rows and no filter. */
  filterField: ReactNode;
  /** Names the filter and offers to remove it; undefined if rows match. */
  noMatch: ReactElement | undefined;
}

/** With fewer rows there is nothing to search. */
export const searchedFrom = 10;

/**
 * The order and the filter of a table whose rows are all loaded. Without a chosen order, rows keep their own.
 *
 * @param textOf the text that the filter searches; without it, there is no filter
 */
export function useTableRows<Row>(
  all: readonly Row[],
  columns: readonly TableColumn<Row>[],
  textOf?: (row: Row) => string,
): TableRows<Row> {
  const [order, setOrder] = useState<{ label: string; isDescending: boolean }>();
  const [typed, setTyped] = useState('');
  const words = typed.trim().toLowerCase();
  const rows = all.filter((row) => textOf === undefined || textOf(row).toLowerCase().includes(words));
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
      textOf === undefined || (all.length < searchedFrom && typed === '') ? null : (
        <input
          className="field"
          type="search"
          placeholder="Filter"
          aria-label="Filter rows"
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
      ),
    noMatch:
      rows.length > 0 || words === '' ? undefined : (
        <Notice title={`No rows match “${typed.trim()}”`}>
          <button type="button" className="link-button text-link" onClick={() => setTyped('')}>
            Clear filter
          </button>
        </Notice>
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
