import { Link } from '@tanstack/react-router';
import type { ReactElement, ReactNode } from 'react';
import type { Kind } from '../kinds/kinds.js';
import { Icon } from '../look/icon.js';
import { FewLabels } from '../look/label-chips.js';
import { StateMark } from '../look/state-mark.js';
import { Time } from '../look/time-text.js';
import type { ColumnName } from './columns.js';
import { LastResults, LastRun, NextRun, Schedule } from './job-cells.js';
import type { ListRow } from './list-rows.js';
import { useExecutions, useReason } from './row-details.js';
import type { RowExecutions } from './row-details.js';

interface ListRowCellsProps {
  row: ListRow;
  columns: readonly ColumnName[];
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
export function ListRowCells(props: ListRowCellsProps): ReactElement {
  const { row, kind, columns, isOpen, isChosen, onChoose, onPeek } = props;
  const showsRuns = columns.includes('results') || columns.includes('lastRun');
  const reason = useReason(row);
  const executions = useExecutions(kind === 'jobs' && showsRuns ? row.id : undefined);
  return (
    <>
      <span role="cell" className="cell-check">
        <label>
          <input
            type="checkbox"
            name="selected"
            aria-label={`Select ${row.name}`}
            checked={isChosen}
            tabIndex={-1}
            onClick={(event) => onChoose(event.shiftKey)}
            onChange={() => {}}
          />
        </label>
      </span>
      {columns.map((column) => (
        <Cell key={column} column={column} executions={executions} reason={reason} {...props} />
      ))}
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

interface CellProps extends ListRowCellsProps {
  column: ColumnName;
  executions: RowExecutions | undefined;
  reason: string | undefined;
}

function Cell({ column, executions, reason, row, workspace, kind, onFocus }: CellProps): ReactElement {
  switch (column) {
    case 'state':
      return <StateCell row={row} reason={reason} />;
    case 'name':
      return (
        <span role="cell" className="cell-name">
          <Link
            to="/w/$workspace/$kind/$name"
            params={{ workspace, kind, name: row.name }}
            className="mono row-name"
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
      );
    case 'reason':
      return <TextCell name="reason">{reason}</TextCell>;
    case 'results':
      return (
        <span role="cell" className="cell-results">
          <LastResults row={row} executions={executions} workspace={workspace} />
        </span>
      );
    case 'schedule':
      return (
        <TextCell name="schedule">
          <Schedule row={row} />
        </TextCell>
      );
    case 'lastRun':
      return (
        <TimeCell name="last-run">
          <LastRun executions={executions} />
        </TimeCell>
      );
    case 'nextRun':
      return (
        <TimeCell name="next-run">
          <NextRun row={row} />
        </TimeCell>
      );
    case 'size':
      return (
        <span role="cell" className="cell-text cell-size quiet" title={row.detailInWords}>
          <span>{row.detail}</span>
        </span>
      );
    case 'region':
      return <TextCell name="region">{row.region}</TextCell>;
    case 'labels':
      return (
        <span role="cell" className="cell-labels">
          <FewLabels labels={row.labels} />
        </span>
      );
    case 'created':
      return (
        <TimeCell name="created">
          <Time value={row.createdAt} />
        </TimeCell>
      );
    case 'createdBy':
      return <TextCell name="created-by">{row.createdBy}</TextCell>;
    case 'updated':
      return (
        <TimeCell name="updated">
          <Time value={row.updatedAt} />
        </TimeCell>
      );
    case 'updatedBy':
      return <TextCell name="updated-by">{row.updatedBy}</TextCell>;
  }
}

/** The state; if it failed, with the reason, unless there is a column of it. */
function StateCell({ row, reason }: { row: ListRow; reason: string | undefined }): ReactElement {
  return (
    <span role="cell" className="cell-state">
      <StateMark state={row.status} unknownSince={row.unknownSince} />
      {reason !== undefined && (
        <span className="state-reason quiet cut" title={reason}>
          {reason}
        </span>
      )}
    </span>
  );
}

function TextCell({ name, children }: { name: string; children: ReactNode }): ReactElement {
  return (
    <span role="cell" className={`cell-text cell-${name} quiet`}>
      <span title={typeof children === 'string' ? children : undefined}>{children}</span>
    </span>
  );
}

function TimeCell({ name, children }: { name: string; children: ReactNode }): ReactElement {
  return (
    <span role="cell" className={`cell-time cell-${name} quiet`}>
      {children}
    </span>
  );
}

/** Whether a title only repeats the name: "Customs triage" of customs-triage. */
function isEcho(title: string, name: string): boolean {
  return title.toLowerCase().replaceAll(' ', '-') === name;
}
