import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { Icon } from '../look/icon.js';
import { StateMark } from '../look/state-mark.js';
import { Time } from '../look/time-text.js';
import type { Change } from './activity-queries.js';
import { oneOfKind, verbWord } from './change-words.js';
import { SubjectLink } from './subject-link.js';
import { subjectName } from './subject-name.js';
import './activity.css';

interface ChangeLineProps {
  change: Change;
  workspace: string;
  /** Whether it stands where it is clear what was changed. */
  isAlone?: boolean;
}

/** One change: when, who, what was done to what, and the way to all that is known of it. */
export function ChangeLine({ change, workspace, isAlone = false }: ChangeLineProps): ReactElement {
  const { id, time, verb, kind, status, fields, message, actor } = change;
  const name = subjectName(change);
  const told = verb === 'STATUS' && status !== null ? undefined : verbWord(verb);
  return (
    <>
      <span className="quiet change-time">
        <Time value={time} />
      </span>
      <span className="change-what">
        {told === undefined ? <StateMark state={status} /> : <strong>{told}</strong>}{' '}
        {name !== undefined && !isAlone && (
          <SubjectLink change={change} workspace={workspace} className="mono">
            {name}
          </SubjectLink>
        )}{' '}
        <span className="quiet">
          {[isAlone ? '' : oneOfKind(kind), actor.name === null ? '' : `by ${actor.name}`]
            .filter((part) => part !== '')
            .join(', ')}
        </span>
      </span>
      <Link
        to="/w/$workspace/activity"
        params={{ workspace }}
        search={(before) => ({ ...before, change: id, at: time })}
        resetScroll={false}
        className="change-open"
        aria-label={`All of this change: ${told ?? status?.toLowerCase() ?? ''} ${name ?? ''}, ${time}`}
        title="All that is known of this change"
      >
        <Icon name="right" />
      </Link>
      {verb === 'STATUS' ? (
        message !== null && <span className="change-more quiet">{message}</span>
      ) : (
        <span className="change-more mono quiet">{fields.filter((field) => field !== 'status').join(', ')}</span>
      )}
    </>
  );
}
