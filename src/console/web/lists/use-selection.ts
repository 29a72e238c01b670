import { useRef, useState } from 'react';
import type { ListRow } from './list-rows.js';
import type { PageWindow } from './page-window.js';

export type Chosen = Pick<ListRow, 'id' | 'name'>;

export interface Selection {
  chosen: ReadonlyMap<string, Chosen>;
  /** Selects or deselects a row; with `isRange`, all rows since the last one. */
  toggle: (index: number, isRange: boolean) => void;
  choose: (rows: readonly Chosen[]) => void;
  clear: () => void;
}

/** The selected rows. A new query starts without a selection. */
export function useSelection(question: string, window: PageWindow<ListRow>): Selection {
  const [selection, setHeld] = useState<{ of: string; chosen: ReadonlyMap<string, Chosen> }>({
    of: question,
    chosen: none,
  });
  const last = useRef<{ index: number; id: string }>(undefined);
  const chosen = selection.of === question ? selection.chosen : none;
  const keep = (next: ReadonlyMap<string, Chosen>) => setHeld({ of: question, chosen: next });
  return {
    chosen,
    toggle: (index, isRange) => {
      const row = window.rowAt(index);
      if (row === undefined) return;
      const isIn = !chosen.has(row.id);
      // In another query, and above newer rows, the last one has another place.
      const before = last.current;
      const isThere = before !== undefined && window.rowAt(before.index)?.id === before.id;
      const from = isRange && isThere ? before.index : index;
      last.current = { index, id: row.id };
      const next = new Map(chosen);
      for (let at = Math.min(from, index); at <= Math.max(from, index); at++) {
        const each = window.rowAt(at);
        if (each === undefined) continue;
        if (isIn) next.set(each.id, { id: each.id, name: each.name });
        else next.delete(each.id);
      }
      keep(next);
    },
    choose: (rows) => keep(new Map(rows.map(({ id, name }) => [id, { id, name }]))),
    clear: () => keep(none),
  };
}

const none: ReadonlyMap<string, Chosen> = new Map();
