import type { ReactElement } from 'react';
import { Time } from '../look/time-text.js';
import type { ForeignChange } from './change-resource.js';

interface ConflictNoticeProps {
  changes: readonly ForeignChange[];
  isBusy: boolean;
  onTake: (keepsMine: boolean) => void;
}

/** Somebody else was faster: who changed what, and the ways to go on. */
export function ConflictNotice({ changes, isBusy, onTake }: ConflictNoticeProps): ReactElement {
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
