import { useMemo, useState } from 'react';
import type { Kind } from '../kinds/kinds.js';
import { readStored, store } from './browser-storage.js';
import { columns, columnsOf, defaultColumns } from './columns.js';
import type { Column, ColumnName } from './columns.js';

/**
 * The columns of a kind that the browser shows, in the order of the table, and a function that changes them.
 *
 * @param isFailed whether the list shows failed resources only; its columns are chosen separately
 */
export function useColumns(
  kind: Kind,
  isFailed: boolean,
): [ColumnName[], (next: readonly ColumnName[] | undefined) => void] {
  const key = isFailed ? `console:columns:${kind}:failed` : `console:columns:${kind}`;
  // By key, so that a change of the filter shows the columns of the other list.
  const [chosen, setChosen] = useState<Readonly<Record<string, unknown>>>({});
  const choose = (next: readonly ColumnName[] | undefined) => {
    store(key, next);
    setChosen({ ...chosen, [key]: next });
  };
  const stored = useMemo(() => readStored(key), [key]);
  return [storedColumns(key in chosen ? chosen[key] : stored, kind, isFailed), choose];
}

/** @param stored the names of the chosen columns; anything else shows the default ones */
export function storedColumns(stored: unknown, kind: Kind, isFailed = false): ColumnName[] {
  const names: readonly unknown[] = Array.isArray(stored) ? stored : defaultColumns(kind, isFailed);
  return columnsOf(kind).filter((name) => {
    const { isFixed = false }: Column = columns[name];
    return isFixed || names.includes(name);
  });
}
