import type { ReactElement } from 'react';
import { useAnswer } from '../api/use-answer.js';
import { MyInvitations } from '../access/my-invitations.js';
import { perform } from '../api/perform.js';
import { useViewer } from '../frame/viewer.js';
import { Confirm } from '../look/confirm.js';
import { Icon } from '../look/icon.js';
import { FailureNotice } from '../look/notice.js';
import { Skeletons } from '../look/skeletons.js';
import { Time } from '../look/time-text.js';
import { Section } from '../resources/section.js';
import { signOut } from '../session/session.js';
import { pathPrefix, settings } from '../session/settings.js';
import { browserWord } from '../../../api/oauth/browser-name.js';
import {
  authorizationsQuery,
  endSessionsMutation,
  revokeAuthorizationMutation,
  sessionsQuery,
} from './own-access-queries.js';
import type { OwnAuthorization, OwnSession } from './own-access-queries.js';
import '../access/access-view.css';

/** The user's sessions and authorized applications. */
export function OwnAccessView(): ReactElement {
  const { name, displayName } = useViewer();
  return (
    <div className="view">
      <div className="view-bar">
        <h1>Profile</h1>
        <span className="quiet">{displayName === null ? name : `${displayName}, ${name}`}</span>
        <a className="button" href={`${pathPrefix}/v0/oauth/account`}>
          <Icon name="open" />
          Password and account settings
        </a>
      </div>
      <MyInvitations />
      <Sessions />
      <Authorizations />
    </div>
  );
}

function Sessions(): ReactElement {
  const [{ data, error }, again] = useAnswer({ query: sessionsQuery });
  const refresh = () => again({ requestPolicy: 'network-only' });
  const sessions = data?.viewer.sessions ?? undefined;
  return (
    <Section title="Sessions" aside={<SignOutEverywhere />}>
      {sessions === undefined ? (
        error === undefined ? (
          <Skeletons />
        ) : (
          <FailureNotice error={error} onRetry={refresh} />
        )
      ) : sessions.length === 0 ? (
        <p className="quiet">No sessions.</p>
      ) : (
        <ul className="keys-list">
          {sessions.toSorted(byLastUse).map((session) => (
            <SessionRow key={session.sessionId} session={session} onChange={refresh} />
          ))}
        </ul>
      )}
    </Section>
  );
}

function byLastUse(one: OwnSession, other: OwnSession): number {
  return (other.lastUsedAt ?? other.signedInAt).localeCompare(one.lastUsedAt ?? one.signedInAt);
}

function SessionRow({ session, onChange }: { session: OwnSession; onChange: () => void }): ReactElement {
  const { sessionId, signedInAt, lastUsedAt, expiresAt, address, userAgent } = session;
  const browser = browserWord(userAgent);
  return (
    <li>
      <div>
        <strong title={userAgent ?? undefined}>{browser}</strong>{' '}
        {address !== null && <span className="quiet">from {address}</span>}
        <p className="quiet">
          Signed in <Time value={signedInAt} />.{' '}
          {lastUsedAt !== null && (
            <>
              Last used <Time value={lastUsedAt} />.{' '}
            </>
          )}
          Expires <Time value={expiresAt} />.
        </p>
      </div>
      <span className="key-actions">
        <Confirm
          trigger="Sign out…"
          isDestructive={false}
          label={`Sign out of ${browser}${address === null ? '' : ` from ${address}`}`}
          title={`Sign out of ${browser}?`}
          confirm="Sign out"
          keep="Cancel"
          run={async () => {
            const why = await perform(endSessionsMutation, { sessionId });
            if (why === undefined) onChange();
            return why;
          }}
        >
          This session ends, and so do the applications that you authorized in it. If you do not recognize it, change
          your password as well.
        </Confirm>
      </span>
    </li>
  );
}

/** Ends all sessions, including this one. */
function SignOutEverywhere(): ReactElement {
  return (
    <Confirm
      trigger="Sign out everywhere…"
      isDestructive={false}
      title="Sign out everywhere?"
      confirm="Sign out everywhere"
      keep="Cancel"
      run={async () => {
        const why = await perform(endSessionsMutation, {});
        if (why !== undefined) return why;
        await signOut();
        return undefined;
      }}
    >
      All your sessions end immediately, including this one, and so do the applications that you authorized. API keys
      keep working.
    </Confirm>
  );
}

function Authorizations(): ReactElement {
  const [{ data, error }, again] = useAnswer({ query: authorizationsQuery });
  const refresh = () => again({ requestPolicy: 'network-only' });
  // The console itself is ended by signing out.
  const authorizations = data?.viewer.authorizations?.filter(({ clientId }) => clientId !== settings.clientId);
  return (
    <Section title="Authorized applications">
      {authorizations === undefined ? (
        error === undefined ? (
          <Skeletons />
        ) : (
          <FailureNotice error={error} onRetry={refresh} />
        )
      ) : authorizations.length === 0 ? (
        <p className="quiet">No authorized applications in this account.</p>
      ) : (
        <ul className="keys-list">
          {authorizations.map((authorization) => (
            <AuthorizationRow
              key={`${authorization.clientId} ${authorization.workspace?.name ?? ''}`}
              authorization={authorization}
              onChange={refresh}
            />
          ))}
        </ul>
      )}
    </Section>
  );
}

interface AuthorizationRowProps {
  authorization: OwnAuthorization;
  onChange: () => void;
}

function AuthorizationRow({ authorization, onChange }: AuthorizationRowProps): ReactElement {
  const { clientId, displayName, scopes, grantedAt, lastUsedAt, workspace } = authorization;
  return (
    <li>
      <div>
        <strong>{displayName}</strong> <code className="quiet">{clientId}</code>
        <p>
          {scopes.includes('admin') ? 'All your permissions' : scopes.join(', ')}
          <span className="quiet">{workspace === null ? ', in all workspaces' : `, only in ${workspace.name}`}</span>
        </p>
        <p className="quiet">
          Authorized <Time value={grantedAt} />.{' '}
          {lastUsedAt === null ? (
            'Not in use.'
          ) : (
            <>
              Last used <Time value={lastUsedAt} />.
            </>
          )}
        </p>
      </div>
      <span className="key-actions">
        <Confirm
          trigger="Revoke…"
          label={`Revoke access of ${displayName}`}
          title={`Revoke access of ${displayName}?`}
          confirm="Revoke"
          keep="Cancel"
          run={async () => {
            const why = await perform(revokeAuthorizationMutation, { clientId });
            if (why === undefined) onChange();
            return why;
          }}
        >
          Its requests fail within one second in all workspaces of this account. It must ask for your consent again.
        </Confirm>
      </span>
    </li>
  );
}
