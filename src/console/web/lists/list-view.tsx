import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { KeyboardEvent, ReactElement } from 'react';
import { loadPart } from '../api/load-part.js';
import { LazyCreateDialog } from '../editing/create-button.js';
import { useCanChange, ViewOnly } from '../frame/change-rights.js';
import { useViewActions } from '../frame/shortcuts.js';
import { kinds } from '../kinds/kinds.js';
import type { Kind } from '../kinds/kinds.js';
import { plural } from '../look/amount.js';
import { Beside } from '../look/beside.js';
import { Choice } from '../look/choice.js';
import { FilterBar, useIsNarrow } from '../look/filter-bar.js';
import { Icon } from '../look/icon.js';
import { formatCount } from '../look/money.js';
import { FailureNotice } from '../look/notice.js';
import { Older } from '../look/older.js';
import { ListCount } from '../look/list-count.js';
import { ResourcePanel } from '../resources/resource-panel.js';
import { activeFilters, listFilter } from './active-filters.js';
import { columns } from './columns.js';
import type { Column, ColumnName } from './columns.js';
import { EmptyList } from './empty-list.js';
import { findAll } from './find-all.js';
import { AddFilter, FilterChips, SearchField, ToneFilter } from './list-filters.js';
import { ListRowCells } from './list-row.js';
import { listSources } from './list-rows.js';
import type { ListRow } from './list-rows.js';
import { isSort, sorts } from './list-search.js';
import type { ListSearch, Sort } from './list-search.js';
import type { FetchPage, WindowState } from './page-window.js';
import { RowWindow } from './row-window.js';
import type { Heading } from './row-window.js';
import { isSameView, useSavedViews } from './saved-views.js';
import { useColumns } from './use-columns.js';
import { usePageWindow } from './use-page-window.js';
import { useSelection } from './use-selection.js';
import { ViewsBar } from './views-bar.js';
import '../look/chip.css';
import './list-view.css';

/** Loaded when the first row is selected. */
const BulkBar = lazy(() => loadPart(() => import('./bulk-bar.js')));

const ColumnsMenu = lazy(() => loadPart(() => import('./columns-menu.js')));
const SaveView = lazy(() => loadPart(() => import('./save-view.js')));

const route = getRouteApi('/w/$workspace/$kind');

/** The list of a workspace's resources of one kind, with an optional preview of one resource. */
export function ListView(): ReactElement {
  const { workspace, kind } = route.useParams();
  return <List key={`${workspace} ${kind}`} workspace={workspace} kind={kind} />;
}

function List({ workspace, kind }: { workspace: string; kind: Kind }): ReactElement {
  const search = route.useSearch();
  const { sort = 'newest', peek, new: isCreating } = search;
  const navigate = useNavigate();
  const canChange = useCanChange(workspace);
  const isNarrow = useIsNarrow();
  const fetchPage = pagesOf(workspace, kind, search);
  const { window, asked, question, isOld, failure, reload } = usePageWindow(questionOf(search), search, fetchPage);
  const { state } = window;
  const selection = useSelection(questionOf(asked), window);
  const [shownColumns, setColumns] = useColumns(kind, search.state === 'failed');
  const saved = useSavedViews(kind);
  const [active, setActive] = useState(-1);
  const searchField = useRef<HTMLInputElement>(null);

  const openPeek = useCallback(
    (name: string | undefined) => {
      void navigate({
        to: '/w/$workspace/$kind',
        params: { workspace, kind },
        search: (before) => {
          const { peek: _closed, ...rest } = before;
          return name === undefined ? rest : { ...rest, peek: name };
        },
        replace: true,
        resetScroll: false,
      });
    },
    [navigate, workspace, kind],
  );
  const sortBy = (value: Sort) =>
    void navigate({
      to: '/w/$workspace/$kind',
      params: { workspace, kind },
      search: (before) => ({ ...before, sort: value }),
      replace: true,
    });
  const openCreating = useCallback(
    (isOpen: boolean) => {
      void navigate({
        to: '/w/$workspace/$kind',
        params: { workspace, kind },
        search: ({ new: _before, ...rest }) => (isOpen ? { ...rest, new: true } : rest),
        replace: true,
        resetScroll: false,
      });
    },
    [navigate, workspace, kind],
  );
  const move = useCallback(
    (step: number) => {
      const next = Math.min(Math.max(active + step, 0), state.length - 1);
      setActive(next);
      const row = window.rowAt(next);
      if (peek !== undefined && row !== undefined) openPeek(row.name);
    },
    [active, state.length, window, peek, openPeek],
  );
  const peekActive = useCallback(() => {
    const row = window.rowAt(active);
    if (row !== undefined) openPeek(row.name === peek ? undefined : row.name);
  }, [window, active, openPeek, peek]);

  const toggle = useRef(selection.toggle);
  const dismiss = useRef(() => {});
  useEffect(() => {
    toggle.current = selection.toggle;
    dismiss.current = () => (selection.chosen.size > 0 ? selection.clear() : openPeek(undefined));
  });
  useViewActions(
    useMemo(
      () => [
        {
          title: `Filter ${kinds[kind].many.toLowerCase()}`,
          group: 'List',
          keys: ['/'],
          run: () => searchField.current?.focus(),
        },
        ...(canChange
          ? [{ title: `Create ${kinds[kind].one}`, group: 'Create', keys: ['c'], run: () => openCreating(true) }]
          : []),
        { title: 'Select row', group: 'List', keys: ['x'], run: () => toggle.current(active, false) },
        { title: 'Next row', group: 'List', keys: ['j'], run: () => move(1) },
        { title: 'Previous row', group: 'List', keys: ['k'], run: () => move(-1) },
        { title: 'Preview row', group: 'List', keys: [' '], run: peekActive },
        // Escape clears the selection first, then closes the preview.
        { title: 'Clear selection or close preview', group: 'List', keys: ['Escape'], run: () => dismiss.current() },
      ],
      [kind, active, move, peekActive, openPeek, openCreating, canChange],
    ),
  );

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    event.preventDefault();
    move(event.key === 'ArrowDown' ? 1 : -1);
  };

  const filters = (
    <FilterBar count={activeFilters(search).filter(({ key }) => key !== 'q').length}>
      {isNarrow && (
        <Choice
          label="Sort"
          value={sort}
          options={sortNames.map((value) => ({ value, label: sorts[value].label }))}
          onChange={sortBy}
        />
      )}
      <ToneFilter workspace={workspace} kind={kind} />
      <FilterChips workspace={workspace} kind={kind} />
      <AddFilter workspace={workspace} kind={kind} rows={() => window.rows} />
      {!isSameView(search, {}) && !saved.views.some((view) => isSameView(search, view.search)) && (
        <Suspense>
          <SaveView search={search} saved={saved} />
        </Suspense>
      )}
    </FilterBar>
  );

  return (
    <div className={peek === undefined ? 'list-layout' : 'list-layout peeking'}>
      <section className={selection.chosen.size > 0 ? 'list choosing' : 'list'} aria-label={kinds[kind].many}>
        <div className="list-bar">
          <h1>{kinds[kind].many}</h1>
          <ListCount
            of={kinds[kind].many.toLowerCase()}
            text={state.hasLoaded && !isOld ? countText(state, kind) : undefined}
            error={state.error}
          />
          <SearchField workspace={workspace} kind={kind} field={searchField} />
          {isNarrow && filters}
          <Suspense fallback={columnsButton}>
            <ColumnsMenu kind={kind} chosen={shownColumns} onChange={setColumns} />
          </Suspense>
          {canChange ? (
            <button type="button" className="button primary" title="Press c" onClick={() => openCreating(true)}>
              <span>
                Create <span className="create-what">{kinds[kind].one}</span>
              </span>
            </button>
          ) : (
            <ViewOnly />
          )}
        </div>
        <ViewsBar workspace={workspace} kind={kind} search={search} saved={saved} />
        <div className="list-filters">
          {!isNarrow && filters}
          {state.newRows + state.goneRows > 0 && (
            <button type="button" className="button new-rows" onClick={reload}>
              {refreshText(state.newRows, state.goneRows)}
            </button>
          )}
        </div>
        {failure !== undefined ? (
          <FailureNotice error={failure} onRetry={reload} />
        ) : state.hasLoaded && state.length === 0 ? (
          <Older isOld={isOld}>
            <EmptyList
              kind={kind}
              workspace={workspace}
              search={asked}
              countOf={async (other) => (await pagesOf(workspace, kind, other)({ first: 1, isSkipped: true })).count}
            />
          </Older>
        ) : (
          <RowWindow
            label={kinds[kind].many}
            window={window}
            question={question}
            isOld={isOld}
            active={active}
            onKeyDown={onKeyDown}
            headings={[
              { label: 'Select', isHidden: true },
              ...shownColumns.map((column) => headingOf(column, asked.sort ?? 'newest', sortBy)),
            ]}
            template={templateOf(shownColumns)}
            row={(row, index) => (
              <ListRowCells
                row={row}
                columns={shownColumns}
                workspace={workspace}
                kind={kind}
                isOpen={row.name === peek}
                isChosen={selection.chosen.has(row.id)}
                onChoose={(isRange) => selection.toggle(index, isRange)}
                onFocus={() => setActive(index)}
                onPeek={() => {
                  setActive(index);
                  openPeek(row.name === peek ? undefined : row.name);
                }}
              />
            )}
          />
        )}
      </section>
      {selection.chosen.size > 0 && (
        <Suspense>
          <BulkBar
            kind={kind}
            workspace={workspace}
            selection={selection}
            count={state.length}
            findAll={async () => findAll(pagesOf(workspace, kind, asked))}
            onDone={reload}
          />
        </Suspense>
      )}
      {isCreating === true && canChange && (
        <LazyCreateDialog
          type={kinds[kind].type}
          scope={{ workspace }}
          onClose={() => openCreating(false)}
          onCreated={(name) => void navigate({ to: '/w/$workspace/$kind/$name', params: { workspace, kind, name } })}
        />
      )}
      {peek !== undefined && (
        <Beside label={`${kinds[kind].one} ${peek}`} opened=".row-grid:has([aria-pressed=true]) a">
          <ResourcePanel key={peek} workspace={workspace} kind={kind} name={peek} onClose={() => openPeek(undefined)} />
        </Beside>
      )}
    </div>
  );
}

const sortNames = Object.keys(sorts).filter(isSort);

/** Until the menu is loaded. */
const columnsButton = (
  <button type="button" className="button columns-button" disabled>
    Columns
    <Icon name="down" />
  </button>
);

function pagesOf(workspace: string, kind: Kind, search: ListSearch): FetchPage<ListRow> {
  const { q, sort = 'newest' } = search;
  return listSources[kind]({ workspace, search: q, sort, filter: listFilter(search) });
}

/** What the rows depend on, without the open preview. */
function questionOf(search: ListSearch): string {
  return JSON.stringify([search.sort ?? 'newest', search.q, listFilter(search)]);
}

/** The sizes of the columns. The state is narrow beside a column that has its reason. */
function templateOf(shown: readonly ColumnName[]): string {
  const hasReason = shown.includes('reason');
  return shown.map((column) => (hasReason && column === 'state' ? '120px' : columns[column].width)).join(' ');
}

function refreshText(newRows: number, goneRows: number): string {
  const parts = [newRows > 0 ? `${newRows} new` : '', goneRows > 0 ? `${goneRows} deleted` : ''];
  return `Show ${parts.filter((part) => part !== '').join(', ')}`;
}

function headingOf(name: ColumnName, sort: Sort, onSort: (sort: Sort) => void): Heading {
  const { label, sorts: orders }: Column = columns[name];
  if (orders === undefined) return { label, name };
  const [first, second] = orders;
  const direction = sorts[sort].order.direction === 'ASC' ? 'ascending' : 'descending';
  return {
    label,
    name,
    sort: orders.includes(sort) ? direction : 'none',
    onSort: () => onSort(sort === first ? second : first),
  };
}

/** Such as "12 of 5,000 agents". */
function countText({ count, total = count }: WindowState, kind: Kind): string {
  const all = plural(total, kinds[kind].one, kinds[kind].many.toLowerCase());
  return total === count ? all : `${formatCount(count)} of ${all}`;
}
