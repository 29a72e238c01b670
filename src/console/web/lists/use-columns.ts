import { useState } from 'react';
import type { Kind } from '../kinds/kinds.js';
import { readStored, store } from './browser-storage.js';
import { columns, columnsOf, defaultColumns } from './columns.js';
import type { Column, ColumnName } from './columns.js';

/** The columns of a kind that the browser shows, in the order of the table, and a function that changes them. */
export function useColumns(kind: Kind): [ColumnName[], (next: readonly ColumnName[] | undefined) => void] {
  const [chosen, setChosen] = useState(() => storedColumns(readStored(keyOf(kind)), kind));
  const choose = (next: readonly ColumnName[] | undefined) => {
    store(keyOf(kind), next);
    setChosen(storedColumns(next, kind));
  };
  return [chosen, choose];
}

/** @param stored the names of the chosen columns; anything else shows the default ones */
export function storedColumns(stored: unknown, kind: Kind): ColumnName[] {
  const names: readonly unknown[] = Array.isArray(stored) ? stored : defaultColumns(kind);
  return columnsOf(kind).filter((name) => {
    const { isFixed = false }: Column = columns[name];
    return isFixed || names.includes(name);
  });
}

function keyOf(kind: Kind): string {
  return `console:columns:${kind}`;
}
