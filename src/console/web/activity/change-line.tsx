import type { ReactElement } from 'react';
import { Icon } from '../look/icon.js';
import { capitalize } from '../look/labels.js';
import { StateMark } from '../look/state-mark.js';
import { Time } from '../look/time-text.js';
import { exactTime, formatClock } from '../look/time.js';
import { ActivityLink } from './activity-link.js';
import type { ActivityPlace } from './activity-link.js';
import type { Change } from './activity-queries.js';
import { oneOfKind, actionLabel } from './change-labels.js';
import { changeSummary } from './change-summary.js';
import { SubjectLink } from './subject-link.js';
import { subjectName } from './subject-name.js';
import './activity.css';

interface ChangeLineProps {
  change: Change;
  place: ActivityPlace;
  /** Whether the list is of one resource, so that its name is omitted. */
  isOfOneResource?: boolean;
  /** Whether the change is below a heading with its day. */
  isUnderDay?: boolean;
  /** Who asked for the change, if the actor is an executor. */
  requestedBy?: string | undefined;
}

/** A change in one line. The whole line opens its details. */
export function ChangeLine(props: ChangeLineProps): ReactElement {
  const { change, place, isOfOneResource = false, isUnderDay = false, requestedBy } = props;
  const { id, time, action, kind, status, message, actor } = change;
  const name = subjectName(change);
  const label = action === 'STATUS' && status !== null ? undefined : actionLabel(action);
  // The line names the actor already: a message such as "Deleted by …" adds nothing.
  const told = message !== null && (actor.name === null || !message.endsWith(` by ${actor.name}`)) ? message : '';
  const summary = action === 'STATUS' ? '' : changeSummary(change);
  return (
    <>
      <span className="quiet change-time">
        {isUnderDay ? (
          <time dateTime={time} title={exactTime(time)}>
            {formatClock(time)}
          </time>
        ) : (
          <Time value={time} />
        )}
      </span>
      <span className="change-what">
        <span className="change-action">
          {label === undefined ? <StateMark state={status} /> : <strong>{capitalize(label)}</strong>}
        </span>{' '}
        {!isOfOneResource && (
          <span className="change-subject">
            {name !== undefined && (
              <SubjectLink change={change} workspace={place.workspace ?? change.workspaceName} className="mono">
                {name}
              </SubjectLink>
            )}{' '}
            <span className="quiet">{oneOfKind(kind)}</span>
          </span>
        )}{' '}
        <ChangeActor actor={actor.name} requestedBy={requestedBy} />
      </span>
      <ActivityLink
        place={place}
        search={(before) => ({ ...before, change: id, at: time })}
        keepsScroll
        className="change-open"
        label={`View change: ${label ?? status?.toLowerCase() ?? ''} ${name ?? ''}, ${time}`}
        title="View change"
      >
        <Icon name="right" />
      </ActivityLink>
      {(summary !== '' || told !== '') && (
        <span className="change-more quiet" title={change.fields.join('\n')}>
          {summary === '' ? told : summary}
        </span>
      )}
    </>
  );
}

interface ChangeActorProps {
  /** The name of the person or program that made the change; null for the service. */
  actor: string | null;
  requestedBy: string | undefined;
}

/** Who made a change: the person who asked for it, and the executor that carried it out. */
function ChangeActor({ actor, requestedBy }: ChangeActorProps): ReactElement {
  return (
    <span className="change-actor quiet">
      {actor !== null && (
        <>
          <span className="change-by">by </span>
          {requestedBy === undefined ? actor : `${requestedBy} via ${actor}`}
        </>
      )}
    </span>
  );
}
