import type { ReactElement } from 'react';
import { Time } from '../look/time-text.js';
import { Value } from './difference-table.js';
import type { Side } from './patch.js';
import type { ForeignChange } from './change-resource.js';

interface ConflictNoticeProps {
  changes: readonly ForeignChange[];
  /** What both made of it; undefined until theirs is known. */
  sides?: readonly Side[] | undefined;
  isBusy: boolean;
  onTake: (keepsMine: boolean) => void;
}

/** Somebody else was faster: who changed what, and the ways to go on. */
export function ConflictNotice({ changes, sides, isBusy, onTake }: ConflictNoticeProps): ReactElement {
  return (
    <div className="conflict" role="alert">
      <h3>It was changed since you opened it. Nothing of yours was saved yet.</h3>
      <ul>
        {changes.map(({ version, time, by, fields }) => (
          <li key={version}>
            <strong>{by ?? 'The platform'}</strong> changed{' '}
            <span className="mono wrap">{fields.length === 0 ? 'its state' : fields.join(', ')}</span>{' '}
            <span className="quiet">
              <Time value={time} />
            </span>
          </li>
        ))}
      </ul>
      {sides !== undefined && sides.length > 0 && <SideTable sides={sides} />}
      <span className="conflict-buttons">
        <button type="button" className="button primary" disabled={isBusy} onClick={() => onTake(true)}>
          Load theirs, keep my changes on top
        </button>
        <button type="button" className="button" disabled={isBusy} onClick={() => onTake(false)}>
          Load theirs, drop mine
        </button>
      </span>
    </div>
  );
}

/** What it was, what they made of it, and what you did. */
function SideTable({ sides }: { sides: readonly Side[] }): ReactElement {
  return (
    <div className="table-space difference sides" tabIndex={0} role="region" aria-label="Theirs and yours">
      <table className="plain-table">
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col">Was</th>
            <th scope="col">Theirs</th>
            <th scope="col">Yours</th>
          </tr>
        </thead>
        <tbody>
          {sides.map(({ path, was, theirs, mine, isContested }) => (
            <tr key={path} className={isContested ? 'contested' : ''}>
              <th scope="row" className="mono">
                {path}
                {isContested && <p className="contested-word">both changed it: yours would stand</p>}
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
