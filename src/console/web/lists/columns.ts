import type { Kind } from '../kinds/kinds.js';
import type { Sort } from './list-search.js';

export interface Column {
  label: string;
  /** A size of the grid. */
  width: string;
  /** The orders of the first and the second click on the heading, if the API sorts by it. */
  sorts?: readonly [first: Sort, second: Sort];
  /** Whether the column cannot be hidden. */
  isFixed?: boolean;
  /** The kinds that have the column; all if omitted. */
  of?: readonly Kind[];
}

/** The columns of the lists, in their order. */
export const columns = {
  name: { label: 'Name', width: 'minmax(190px, 2.4fr)', sorts: ['name', 'name-desc'], isFixed: true },
  state: { label: 'State', width: 'minmax(120px, 1.3fr)', sorts: ['state', 'state-desc'], isFixed: true },
  reason: { label: 'Reason', width: 'minmax(200px, 4fr)' },
  results: { label: 'Last results', width: '116px', of: ['jobs'] },
  schedule: { label: 'Schedule', width: 'minmax(110px, 1.2fr)', of: ['jobs'] },
  lastRun: { label: 'Last run', width: '116px', of: ['jobs'] },
  nextRun: { label: 'Next run', width: '116px', of: ['jobs'] },
  size: { label: 'Size', width: 'minmax(128px, 0.8fr)' },
  region: { label: 'Region', width: '104px' },
  labels: { label: 'Labels', width: 'minmax(96px, 1.5fr)' },
  created: { label: 'Created', width: '116px', sorts: ['newest', 'oldest'] },
  createdBy: { label: 'Created by', width: 'minmax(96px, 1fr)' },
  updated: { label: 'Updated', width: '116px', sorts: ['changed', 'changed-first'] },
  updatedBy: { label: 'Updated by', width: 'minmax(96px, 1fr)' },
} as const satisfies Record<string, Column>;

export type ColumnName = keyof typeof columns;

export const columnNames = Object.keys(columns).filter(isColumn);

export function isColumn(text: string): text is ColumnName {
  return Object.hasOwn(columns, text);
}

const defaults: Partial<Record<Kind, readonly ColumnName[]>> = {
  jobs: ['name', 'state', 'results', 'schedule', 'lastRun', 'nextRun', 'updated'],
};

/** The columns of a list of failed resources: the reason takes the width that it needs. */
const failedColumns: readonly ColumnName[] = ['name', 'state', 'reason', 'updated'];

const usual: readonly ColumnName[] = ['name', 'state', 'size', 'region', 'labels', 'created', 'updated'];

export function columnsOf(kind: Kind): ColumnName[] {
  return columnNames.filter((name) => {
    const { of }: Column = columns[name];
    return of === undefined || of.includes(kind);
  });
}

/** @param isFailed whether the list shows failed resources only */
export function defaultColumns(kind: Kind, isFailed: boolean): readonly ColumnName[] {
  return isFailed ? failedColumns : (defaults[kind] ?? usual);
}
