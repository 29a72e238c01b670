import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import type { Kind } from '../kinds/kinds.js';
import { Icon } from '../look/icon.js';
import { StateMark } from '../look/state-mark.js';
import { Time } from '../look/time-text.js';
import type { ListRow } from './list-rows.js';

interface ListRowCellsProps {
  row: ListRow;
  workspace: string;
  kind: Kind;
  isOpen: boolean;
  isChosen: boolean;
  /** With `isRange`, selects all rows since the last one. */
  onChoose: (isRange: boolean) => void;
  onFocus: () => void;
  onPeek: () => void;
}

/** The cells of a row. */
export function ListRowCells({
  row,
  workspace,
  kind,
  isOpen,
  isChosen,
  onChoose,
  onFocus,
  onPeek,
}: ListRowCellsProps): ReactElement {
  return (
    <>
      <span role="cell" className="cell-check">
        <input
          type="checkbox"
          name="selected"
          aria-label={`Select ${row.name}`}
          checked={isChosen}
          tabIndex={-1}
          onClick={(event) => onChoose(event.shiftKey)}
          onChange={() => {}}
        />
      </span>
      <span role="cell" className="cell-state">
        <StateMark state={row.status} />
      </span>
      <span role="cell" className="cell-name">
        <Link
          to="/w/$workspace/$kind/$name"
          params={{ workspace, kind, name: row.name }}
          className="mono cut"
          title={row.name}
          onFocus={onFocus}
        >
          {row.name}
        </Link>
        {row.displayName !== null && !isEcho(row.displayName, row.name) && (
          <span className="quiet cut" title={row.displayName}>
            {row.displayName}
          </span>
        )}
      </span>
      <span role="cell" className="cell-text cell-detail quiet">
        <span title={row.detail}>{row.detail}</span>
      </span>
      <span role="cell" className="cell-text cell-region quiet">
        <span title={row.region ?? undefined}>{row.region}</span>
      </span>
      <span role="cell" className="cell-text cell-labels quiet">
        <span title={labelText(row)}>{labelText(row)}</span>
      </span>
      <span role="cell" className="cell-time quiet">
        {row.updatedAt !== null && <Time value={row.updatedAt} />}
      </span>
      <span role="cell" className="cell-action">
        <button
          type="button"
          className="button bare square"
          aria-pressed={isOpen}
          aria-label={`Preview ${row.name}`}
          onClick={onPeek}
          tabIndex={-1}
        >
          <Icon name="right" />
        </button>
      </span>
    </>
  );
}

/** Whether a title only repeats the name: "Customs triage" of customs-triage. */
function isEcho(title: string, name: string): boolean {
  return title.toLowerCase().replaceAll(' ', '-') === name;
}

function labelText({ labels }: ListRow): string {
  return labels.map(({ key, value }) => `${key} ${value}`).join(', ');
}
