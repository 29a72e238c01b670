import { useElementScrollRestoration } from '@tanstack/react-router';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { KeyboardEvent, ReactElement, ReactNode } from 'react';
import { HeadingText } from '../look/heading-text.js';
import type { PageWindow } from './page-window.js';
import './row-window.css';

/** A column heading, with its sort order if the column is sortable. */
export interface Heading {
  label: string;
  /** The name of the column in the style sheet, if a narrow list hides it. */
  name?: string;
  isHidden?: boolean;
  sort?: 'ascending' | 'descending' | 'none';
  onSort?: () => void;
}

interface RowWindowProps<Row extends { id: string }> {
  label: string;
  window: PageWindow<Row>;
  /** Identifies the query. A new one starts at the top. */
  question: string;
  /** Whether a newer result is loading. The rows are dimmed until then. */
  isOld: boolean;
  /** The row with the keyboard focus; -1 for none. */
  active: number;
  onKeyDown: (event: KeyboardEvent) => void;
  headings: readonly Heading[];
  /** The sizes of the columns, without that of the preview button; those of the style sheet if omitted. */
  template?: string;
  row: (row: Row, index: number) => ReactNode;
}

const spareRows = 12;
/** Browsers render nothing beyond about 30 million pixels. Longer lists scroll in steps. */
const pixelsMax = 12_000_000;

/** Renders the visible rows, and some around them, of a list of any length. */
export function RowWindow<Row extends { id: string }>(props: RowWindowProps<Row>): ReactElement {
  const { window, active, headings, label } = props;
  const { length, hasLoaded } = window.state;
  const scroller = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (props.template !== undefined) scroller.current?.style.setProperty('--chosen', props.template);
  }, [props.template]);
  const [view, setView] = useState({ top: 0, height: 800, rowHeight: 36 });

  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    const measure = () => {
      // A preview covers the list: it keeps its rows.
      if (element.clientHeight === 0) return;
      const rowHeight = Number.parseFloat(getComputedStyle(element).getPropertyValue('--row-height')) || 36;
      setView({ top: element.scrollTop, height: element.clientHeight, rowHeight });
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    element.addEventListener('scroll', measure, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', measure);
    };
    // Rows with another set of columns can have another height.
  }, [props.template]);

  // A new query starts at the top.
  useLayoutEffect(() => {
    // Braces: browsers answer with a promise, which an effect must not return.
    scroller.current?.scrollTo({ top: 0 });
  }, [window]);

  // After Back, the list is where it was left, as soon as it has its length.
  const { scrollY: leftAt = 0 } = useElementScrollRestoration({ id: 'list' }) ?? {};
  const startAt = useRef(leftAt);
  useLayoutEffect(() => {
    if (hasLoaded) scroller.current?.scrollTo({ top: startAt.current });
  }, [hasLoaded]);

  const { rowHeight } = view;
  const totalHeight = length * rowHeight;
  const scale = Math.min(1, pixelsMax / Math.max(totalHeight, 1));
  const seenFrom = Math.floor(view.top / scale / rowHeight);
  const seen = Math.ceil(view.height / rowHeight);
  const from = Math.max(0, seenFrom - spareRows);
  const to = Math.min(hasLoaded ? length : seen, seenFrom + seen + spareRows);
  useEffect(() => {
    window.want(from, Math.max(to - 1, from));
  }, [window, from, to]);

  useEffect(() => {
    scroller.current?.scrollTo({ top: 0 });
  }, [props.question]);

  useEffect(() => {
    const element = scroller.current;
    if (element === null || active < 0) return;
    const [top, bottom] = [active * rowHeight * scale, (active + 1) * rowHeight * scale];
    if (top < element.scrollTop) element.scrollTo({ top });
    else if (bottom > element.scrollTop + element.clientHeight - rowHeight) {
      element.scrollTo({ top: bottom - element.clientHeight + rowHeight });
    }
    element.querySelector<HTMLElement>(`[data-index="${active}"] a`)?.focus({ preventScroll: true });
  }, [active, rowHeight, scale]);

  const indexes = Array.from({ length: Math.max(to - from, 0) }, (_none, offset) => from + offset);
  const offset = view.top - (view.top / scale - from * rowHeight);
  return (
    <div
      className="row-scroller"
      data-scroll-restoration-id="list"
      ref={scroller}
      onKeyDown={props.onKeyDown}
      tabIndex={-1}
    >
      <div role="table" aria-label={label} aria-rowcount={hasLoaded ? length + 1 : -1}>
        <div role="rowgroup" className="row-head">
          <div role="row" className="row-grid">
            {headings.map(({ label: column, name, isHidden = false, sort, onSort }) => (
              <span
                key={column}
                role="columnheader"
                aria-sort={sort}
                className={isHidden ? 'hidden' : name === undefined ? '' : `cell-${name}`}
              >
                <HeadingText label={column} sort={sort} onSort={onSort} />
              </span>
            ))}
            <span role="columnheader">
              <span className="hidden">Preview</span>
            </span>
          </div>
        </div>
        <div
          role="rowgroup"
          className={props.isOld ? 'row-space older' : 'row-space'}
          aria-busy={props.isOld}
          style={{ height: Math.min(totalHeight, pixelsMax) }}
        >
          {indexes.map((index) => {
            const row = window.rowAt(index);
            return (
              <div
                key={row?.id ?? index}
                role="row"
                aria-rowindex={index + 2}
                data-index={index}
                className={index === active ? 'row-grid active' : 'row-grid'}
                style={{
                  transform: `translateY(${(scale === 1 ? from * rowHeight : offset) + (index - from) * rowHeight}px)`,
                }}
              >
                {row === undefined ? <RowSkeleton index={index} columns={headings.length} /> : props.row(row, index)}
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}

function RowSkeleton({ index, columns }: { index: number; columns: number }): ReactElement {
  const widths = Array.from({ length: columns }, (_none, column) => 50 + ((index * 37 + column * 53) % 60));
  return (
    <>
      {widths.map((width, column) => (
        <span key={column} role="cell">
          <span className="skeleton" style={{ width: `min(100%, ${width}px)` }} />
        </span>
      ))}
      <span role="cell" />
    </>
  );
}
