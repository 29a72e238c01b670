import type { ReactElement } from 'react';
import { useQuery } from 'urql';
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
import { browserWord } from './browser-word.js';
import {
  authorizationsQuery,
  endSessionsMutation,
  revokeAuthorizationMutation,
  sessionsQuery,
} from './own-access-queries.js';
import type { OwnAuthorization, OwnSession } from './own-access-queries.js';
import '../access/access-view.css';

/** Where the viewer is signed in, and what programs may do for them. */
export function OwnAccessView(): ReactElement {
  const { name, displayName } = useViewer();
  return (
    <div className="view">
      <div className="view-bar">
        <h1>Your access</h1>
        <span className="quiet">{displayName === null ? name : `${displayName}, ${name}`}</span>
        <a className="button" href={`${pathPrefix}/v0/oauth/account`}>
          <Icon name="open" />
          Password and other accounts
        </a>
      </div>
      <MyInvitations />
      <Sessions />
      <Authorizations />
    </div>
  );
}

function Sessions(): ReactElement {
  const [{ data, error }, again] = useQuery({ query: sessionsQuery });
  const refresh = () => again({ requestPolicy: 'network-only' });
  const sessions = data?.viewer.sessions ?? undefined;
  return (
    <Section title="Where you are signed in" aside={<SignOutEverywhere />}>
      {sessions === undefined ? (
        error === undefined ? (
          <Skeletons />
        ) : (
          <FailureNotice error={error} onRetry={refresh} />
        )
      ) : sessions.length === 0 ? (
        <p className="quiet">In no browser.</p>
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
          Ends <Time value={expiresAt} />.
        </p>
      </div>
      <span className="key-actions">
        <Confirm
          trigger="Sign out…"
          label={`Sign out of ${browser}${address === null ? '' : ` from ${address}`}`}
          title={`Sign out of ${browser}?`}
          confirm="Sign out there"
          keep="Stay signed in"
          run={async () => {
            const why = await perform(endSessionsMutation, { sessionId });
            if (why === undefined) onChange();
            return why;
          }}
        >
          Whoever sits there has to sign in again, within a quarter of an hour at the latest. If you do not know it,
          change your password as well.
        </Confirm>
      </span>
    </li>
  );
}

/** Every browser, and every open console: this one too. */
function SignOutEverywhere(): ReactElement {
  return (
    <Confirm
      trigger="Sign out everywhere…"
      title="Sign out everywhere?"
      confirm="Sign out everywhere"
      keep="Stay signed in"
      run={async () => {
        const why = await perform(endSessionsMutation, {});
        if (why !== undefined) return why;
        // Open consoles hold a token for some minutes more. It may be the last thing that this one is let do.
        await perform(revokeAuthorizationMutation, { clientId: settings.clientId });
        await signOut();
        return undefined;
      }}
    >
      All your browsers are signed out at once, this one too. API keys and other programs go on.
    </Confirm>
  );
}

function Authorizations(): ReactElement {
  const [{ data, error }, again] = useQuery({ query: authorizationsQuery });
  const refresh = () => again({ requestPolicy: 'network-only' });
  // The console itself ends by signing out.
  const given = data?.viewer.authorizations?.filter(({ clientId }) => clientId !== settings.clientId);
  return (
    <Section title="What programs may do for you">
      {given === undefined ? (
        error === undefined ? (
          <Skeletons />
        ) : (
          <FailureNotice error={error} onRetry={refresh} />
        )
      ) : given.length === 0 ? (
        <p className="quiet">
          None may do anything in this account. A program that asks you to sign in shows here once you have let it.
        </p>
      ) : (
        <ul className="keys-list">
          {given.map((authorization) => (
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
  const { clientId, displayName, scopes, givenAt, lastUsedAt, workspace } = authorization;
  return (
    <li>
      <div>
        <strong>{displayName}</strong> <code className="quiet">{clientId}</code>
        <p>
          {scopes.includes('admin') ? 'everything that you may' : scopes.join(', ')}
          <span className="quiet">{workspace === null ? ', in all workspaces' : `, in ${workspace.name} alone`}</span>
        </p>
        <p className="quiet">
          Allowed <Time value={givenAt} />.{' '}
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
          trigger="Take back…"
          label={`Take back what ${displayName} may do`}
          title={`Take back what ${displayName} may do?`}
          confirm="Take it back"
          keep="Let it go on"
          run={async () => {
            const why = await perform(revokeAuthorizationMutation, { clientId });
            if (why === undefined) onChange();
            return why;
          }}
        >
          It is refused within a second, in every workspace of this account, and has to ask you again.
        </Confirm>
      </span>
    </li>
  );
}
