import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { Icon } from '../look/icon.js';
import { capitalize } from '../look/labels.js';
import { StateMark } from '../look/state-mark.js';
import { Time } from '../look/time-text.js';
import type { Change } from './activity-queries.js';
import { oneOfKind, actionLabel } from './change-labels.js';
import { SubjectLink } from './subject-link.js';
import { subjectName } from './subject-name.js';
import './activity.css';

interface ChangeLineProps {
  change: Change;
  workspace: string;
  /** Whether the list is of one resource, so that its name is omitted. */
  isOfOneResource?: boolean;
}

/** A change in one line, with a link to its details. */
export function ChangeLine({ change, workspace, isOfOneResource = false }: ChangeLineProps): ReactElement {
  const { id, time, action, kind, status, fields, message, actor } = change;
  const name = subjectName(change);
  const label = action === 'STATUS' && status !== null ? undefined : actionLabel(action);
  return (
    <>
      <span className="quiet change-time">
        <Time value={time} />
      </span>
      <span className="change-what">
        <span className="change-action">
          {label === undefined ? <StateMark state={status} /> : <strong>{capitalize(label)}</strong>}
        </span>{' '}
        {!isOfOneResource && (
          <span className="change-subject">
            {name !== undefined && (
              <SubjectLink change={change} workspace={workspace} className="mono">
                {name}
              </SubjectLink>
            )}{' '}
            <span className="quiet">{oneOfKind(kind)}</span>
          </span>
        )}{' '}
        <span className="change-actor quiet">
          {actor.name !== null && (
            <>
              <span className="change-by">by </span>
              {actor.name}
            </>
          )}
        </span>
      </span>
      <Link
        to="/w/$workspace/activity"
        params={{ workspace }}
        search={(before) => ({ ...before, change: id, at: time })}
        resetScroll={false}
        className="change-open"
        aria-label={`View change: ${label ?? status?.toLowerCase() ?? ''} ${name ?? ''}, ${time}`}
        title="View change"
      >
        <Icon name="right" />
      </Link>
      {action === 'STATUS' ? (
        message !== null &&
        // The line names the actor already: a message such as "Deleted by …" adds nothing.
        (actor.name === null || !message.endsWith(` by ${actor.name}`)) && (
          <span className="change-more quiet">{message}</span>
        )
      ) : (
        <span className="change-more mono quiet">{fields.filter((field) => field !== 'status').join(', ')}</span>
      )}
    </>
  );
}
