import type { ReactElement } from 'react';
import { Time } from '../look/time-text.js';
import { Value } from './difference-table.js';
import type { Side } from './patch.js';
import type { Conflict } from './change-resource.js';
import { BusyButton } from '../look/busy-button.js';

interface ConflictNoticeProps {
  conflict: Conflict;
  /** Both versions of the changed fields; undefined while loading. */
  sides?: readonly Side[] | undefined;
  isBusy: boolean;
  onTake: (keepsMine: boolean) => void;
}

/** A conflict with the changes of others, and the ways to resolve it. */
export function ConflictNotice({ conflict, sides, isBusy, onTake }: ConflictNoticeProps): ReactElement {
  const { updatedBy, updatedAt, changedFields } = conflict;
  return (
    <div className="conflict" role="alert">
      <h3>Another change was saved since you opened this. Your changes are not saved yet.</h3>
      <p>
        Changed:{' '}
        <span className="mono wrap">{changedFields.length === 0 ? 'the state' : changedFields.join(', ')}</span>. Last
        change by <strong>{updatedBy ?? 'the platform'}</strong>
        {updatedAt !== null && (
          <span className="quiet">
            {' '}
            <Time value={updatedAt} />
          </span>
        )}
      </p>
      {sides !== undefined && sides.length > 0 && <SideTable sides={sides} />}
      <span className="conflict-buttons">
        <BusyButton className="button primary" isBusy={isBusy} onClick={() => onTake(true)}>
          Apply my changes on top
        </BusyButton>
        <BusyButton className="button" isBusy={isBusy} onClick={() => onTake(false)}>
          Discard my changes
        </BusyButton>
      </span>
    </div>
  );
}

/** The original, their and your value of each changed field. */
function SideTable({ sides }: { sides: readonly Side[] }): ReactElement {
  return (
    <div className="table-space difference sides" tabIndex={0} role="region" aria-label="Conflicting changes">
      <table className="plain-table">
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col">Original</th>
            <th scope="col">Theirs</th>
            <th scope="col">Yours</th>
          </tr>
        </thead>
        <tbody>
          {sides.map(({ path, was, theirs, mine, isContested }) => (
            <tr key={path} className={isContested ? 'contested' : ''}>
              <th scope="row" className="mono">
                {path}
                {isContested && <p className="contested-word">Both changed this field. Your value is used.</p>}
              </th>
              <td>
                <Value value={was} />
              </td>
              <td>
                <Value value={theirs} />
              </td>
              <td>
                <Value value={mine} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
