import { CombinedError } from '@urql/core';
import type { ReactElement } from 'react';
import { BesideTitle } from '../look/beside.js';
import { CopyButton } from '../look/copy-button.js';
import { Icon } from '../look/icon.js';
import { FailureNotice, Notice } from '../look/notice.js';
import { Skeletons } from '../look/skeletons.js';
import { StateMark } from '../look/state-mark.js';
import { Time } from '../look/time-text.js';
import { exactTime } from '../look/time.js';
import { capitalize } from '../look/labels.js';
import { OptionsState } from '../look/options-state.js';
import { Fact, Section } from '../resources/section.js';
import { ActivityLink } from './activity-link.js';
import type { ActivityPlace } from './activity-link.js';
import type { ChangeDetails } from './activity-queries.js';
import { ChangeContent } from './change-content.js';
import { oneOfKind, actionLabel, urlValueOf } from './change-labels.js';
import { LastKnown, useLastKnown } from './last-known.js';
import { RestoreButton, CreateAgainButton } from './restore-button.js';
import { SubjectLink, kindOfChange, placeOf } from './subject-link.js';
import { subjectName } from './subject-name.js';
import { useRequesters } from './requesters.js';
import { useChange } from './use-change.js';
import type { WhichChange } from './use-change.js';
import '../look/page-heading.css';
import '../resources/resource-panel.css';

interface ChangePanelProps {
  which: WhichChange;
  place: ActivityPlace;
  onClose: () => void;
}

/** The details of a change. The changed resource may have been deleted since. */
export function ChangePanel({ which, place, onClose }: ChangePanelProps): ReactElement {
  const { change, again } = useChange(which);
  return (
    <article className="resource change-panel" aria-label="Change" aria-busy={change === undefined}>
      <button
        type="button"
        className="button bare square change-close"
        aria-label="Close"
        title="Close (Esc)"
        onClick={onClose}
      >
        <Icon name="close" />
      </button>
      {change === undefined ? (
        <Skeletons />
      ) : change === null ? (
        <Notice title="Change not found">
          It is older than the retention period, or you do not have access to it.
        </Notice>
      ) : change instanceof CombinedError ? (
        <FailureNotice error={change} onRetry={again} />
      ) : (
        <ChangeFacts change={change} place={place} />
      )}
    </article>
  );
}

function ChangeFacts({ change, place }: { change: ChangeDetails; place: ActivityPlace }): ReactElement {
  const workspace = place.workspace ?? change.workspaceName ?? undefined;
  const { time, action, kind, name, status, message, version, client, address, requestId, actor } = change;
  const one = oneOfKind(kind);
  const title = subjectName(change);
  const exists = placeOf(change) !== undefined;
  const isWithout =
    workspace !== undefined && !exists && name !== null && change.before === null && change.after === null;
  const { last, state: ofLast } = useLastKnown(
    { workspace: workspace ?? '', kind, name: name ?? '', at: time },
    isWithout,
  );
  const requester = useRequesters(workspace, [change]).get(change.id);
  return (
    <>
      <header className="resource-heading">
        <div>
          <BesideTitle className="mono change-title">{title ?? one}</BesideTitle>
          <p className="quiet">{title === undefined ? '' : one}</p>
        </div>
      </header>
      <p className="resource-state">
        {action === 'STATUS' && status !== null ? (
          <StateMark state={status} />
        ) : (
          <strong>{capitalize(actionLabel(action))}</strong>
        )}
        <span className="quiet">
          <Time value={time} />
          {actor.name === null
            ? ''
            : requester === undefined
              ? ` by ${actor.name}`
              : ` by ${requester} via ${actor.name}`}
        </span>
        {message !== null && !isOfActor(message, actor.name) && <span className="wrap">{message}</span>}
      </p>
      <p className="change-ways">
        {workspace !== undefined && (
          <VersionButton change={change} workspace={workspace} exists={exists} last={last?.record} />
        )}
        {exists && workspace !== undefined && (
          <SubjectLink change={change} workspace={workspace} className="button">
            {kind === 'SANDBOX_PREVIEW' ? 'View sandbox' : `View ${one}`}
          </SubjectLink>
        )}
        {name !== null && (
          <ActivityLink place={place} search={() => ({ kind: urlValueOf(kind), name })} className="button">
            View its activity
          </ActivityLink>
        )}
        {(requester ?? actor.name) !== null && (
          <ActivityLink place={place} search={() => ({ actor: requester ?? actor.name ?? '' })} className="button">
            View activity of this actor
          </ActivityLink>
        )}
      </p>
      {!exists && place.workspace !== undefined && action !== 'DELETED' && kind !== 'SIGN_IN' && kind !== 'USAGE' && (
        <p className="quiet change-gone">This resource was deleted or has no page.</p>
      )}
      <ChangeContent change={change} />
      {isWithout && <OptionsState of="the last known state" state={ofLast} />}
      {last !== undefined && <LastKnown {...last} />}
      <Section title="Details">
        <dl className="facts">
          <Fact name="Time">{exactTime(time)}</Fact>
          {requester !== undefined && <Fact name="Requested by">{requester}</Fact>}
          <Fact name={requester === undefined ? 'Actor' : 'Carried out by'}>
            {actor.name ?? 'Service'} <span className="quiet">{wordOfActor(actor.kind)}</span>
          </Fact>
          {client !== null && (
            <Fact name="Client">
              <span className="mono">{client}</span>
            </Fact>
          )}
          {address !== null && (
            <Fact name="IP address">
              <span className="mono">{address}</span>
            </Fact>
          )}
          {version !== null && <Fact name="Version">{version}</Fact>}
          {requestId !== null && (
            <Fact name="Request ID">
              <span className="mono cut" title={requestId}>
                {requestId}
              </span>
              <CopyButton text={requestId} label="Copy request ID" />
            </Fact>
          )}
        </dl>
      </Section>
    </>
  );
}

interface VersionButtonProps {
  change: ChangeDetails;
  workspace: string;
  /** Whether the resource exists. */
  exists: boolean;
  /** The last version of a deleted resource, if the change does not have it. */
  last: unknown;
}

/** Restores the version of a change, or creates the resource again that was deleted. */
function VersionButton({ change, workspace, exists, last }: VersionButtonProps): ReactElement | null {
  const { id, time, action, kind: changed, name, before, after } = change;
  const kind = kindOfChange(changed);
  if (kind === undefined || name === null) return null;
  if (exists && after !== null && (action === 'CREATED' || action === 'UPDATED')) {
    return (
      <>
        {action === 'UPDATED' && before !== null && (
          <RestoreButton which={{ workspace, id, at: time }} isBefore kind={kind} name={name} />
        )}
        <RestoreButton which={{ workspace, id, at: time }} kind={kind} name={name} />
      </>
    );
  }
  const record = before ?? last;
  if (exists || action !== 'DELETED' || record === undefined) return null;
  return <CreateAgainButton workspace={workspace} kind={kind} name={name} record={record} />;
}

/** Whether a message only repeats the actor, such as "Updated by ines@example.com". */
function isOfActor(message: string, actor: string | null): boolean {
  return actor !== null && message.endsWith(` by ${actor}`);
}

function wordOfActor(kind: ChangeDetails['actor']['kind']): string {
  return kind.toLowerCase().replaceAll('_', ' ');
}
