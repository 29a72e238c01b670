import { Link } from '@tanstack/react-router';
import { CombinedError } from '@urql/core';
import type { ReactElement } from 'react';
import { CopyButton } from '../look/copy-button.js';
import { Icon } from '../look/icon.js';
import { FailureNotice, Notice } from '../look/notice.js';
import { Skeletons } from '../look/skeletons.js';
import { StateMark } from '../look/state-mark.js';
import { Time } from '../look/time-text.js';
import { exactTime } from '../look/time.js';
import { Fact, Section } from '../resources/section.js';
import type { WholeChange } from './activity-queries.js';
import { ChangeContent } from './change-content.js';
import { oneOfKind, verbWord, wordOfAddress } from './change-words.js';
import { LastKnown } from './last-known.js';
import { SubjectLink, placeOf } from './subject-link.js';
import { subjectName } from './subject-name.js';
import { useChange } from './use-change.js';
import type { WhichChange } from './use-change.js';
import '../resources/resource-panel.css';

/** All that is known of one change, also of what is gone since. */
export function ChangePanel({ which, onClose }: { which: WhichChange; onClose: () => void }): ReactElement {
  const change = useChange(which);
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
        <Notice title="There is no such change for you">
          It may be older than what is kept of the history, or about something that you may not see.
        </Notice>
      ) : change instanceof CombinedError ? (
        <FailureNotice error={change} />
      ) : (
        <Told change={change} workspace={which.workspace} />
      )}
    </article>
  );
}

function Told({ change, workspace }: { change: WholeChange; workspace: string }): ReactElement {
  const { time, verb, kind, name, status, message, version, client, address, requestId, actor } = change;
  const one = oneOfKind(kind);
  const title = subjectName(change);
  const isThere = placeOf(change) !== undefined;
  return (
    <>
      <header className="resource-heading">
        <div>
          <h1 className="mono change-title">{title ?? one}</h1>
          <p className="quiet">{title === undefined ? '' : one}</p>
        </div>
      </header>
      <p className="resource-state">
        {verb === 'STATUS' && status !== null ? <StateMark state={status} /> : <strong>{verbWord(verb)}</strong>}
        <span className="quiet">
          <Time value={time} />
          {actor.name === null ? '' : ` by ${actor.name}`}
        </span>
        {message !== null && !isOfActor(message, actor.name) && <span className="wrap">{message}</span>}
      </p>
      <p className="change-ways">
        {isThere && (
          <SubjectLink change={change} workspace={workspace} className="button">
            {kind === 'SANDBOX_PREVIEW' ? 'Its sandbox now' : `The ${one} now`}
          </SubjectLink>
        )}
        {name !== null && (
          <Link
            to="/w/$workspace/activity"
            params={{ workspace }}
            search={{ kind: wordOfAddress(kind), name }}
            className="button"
          >
            All that was done to it
          </Link>
        )}
        {actor.name !== null && (
          <Link to="/w/$workspace/activity" params={{ workspace }} search={{ actor: actor.name }} className="button">
            All that they did
          </Link>
        )}
      </p>
      {!isThere && verb !== 'DELETED' && kind !== 'SIGN_IN' && kind !== 'USAGE' && (
        <p className="quiet change-gone">It is gone, or has no page of its own. This is what is known of it.</p>
      )}
      <ChangeContent change={change} />
      {!isThere && name !== null && change.before === null && change.after === null && (
        <LastKnown workspace={workspace} kind={kind} name={name} at={time} />
      )}
      <Section title="About">
        <dl className="facts">
          <Fact name="When">{exactTime(time)}</Fact>
          <Fact name="Who">
            {actor.name ?? 'the service itself'} <span className="quiet">{wordOfActor(actor.kind)}</span>
          </Fact>
          {client !== null && (
            <Fact name="Through">
              <span className="mono">{client}</span>
            </Fact>
          )}
          {address !== null && (
            <Fact name="From">
              <span className="mono">{address}</span>
            </Fact>
          )}
          {version !== null && <Fact name="Version">{version}</Fact>}
          {requestId !== null && (
            <Fact name="Request">
              <span className="mono cut">{requestId}</span>
              <CopyButton text={requestId} label="Copy the request id" />
            </Fact>
          )}
        </dl>
      </Section>
    </>
  );
}

/** Such as "Updated by ines@example.com", which stands there already. */
function isOfActor(message: string, actor: string | null): boolean {
  return actor !== null && message.endsWith(` by ${actor}`);
}

function wordOfActor(kind: WholeChange['actor']['kind']): string {
  return kind.toLowerCase().replaceAll('_', ' ');
}
