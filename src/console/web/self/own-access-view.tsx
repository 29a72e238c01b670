import { useSyncExternalStore } from 'react';
import type { ReactElement, ReactNode } from 'react';
import { MyInvitations } from '../access/my-invitations.js';
import { perform } from '../api/perform.js';
import { useAnswer } from '../api/use-answer.js';
import type { Answer } from '../api/use-answer.js';
import { currentTheme, onThemeChange, setTheme, themes } from '../frame/theme.js';
import { titleOf, useViewer } from '../frame/viewer.js';
import { Choice } from '../look/choice.js';
import { Confirm } from '../look/confirm.js';
import { capitalize } from '../look/labels.js';
import { FailureNotice } from '../look/notice.js';
import { Setting, Settings } from '../look/settings.js';
import { Skeletons } from '../look/skeletons.js';
import { Section } from '../resources/section.js';
import { signOut } from '../session/session.js';
import { pathPrefix, settings } from '../session/settings.js';
import type { UserAuthorization, UserSession } from './access-fields.js';
import { AuthorizationTable, SessionTable } from './access-tables.js';
import { browserWord } from './browser-name.js';
import {
  authorizationsQuery,
  endSessionsMutation,
  revokeAuthorizationMutation,
  sessionsQuery,
} from './own-access-queries.js';
import '../access/access-view.css';

/** The user's profile: name, password, theme, sessions and authorized applications. */
export function OwnAccessView(): ReactElement {
  return (
    <div className="view settings-view">
      <div className="view-bar">
        <h1>Profile</h1>
      </div>
      <General />
      <MyInvitations />
      <Sessions />
      <Authorizations />
      <Section title="Danger zone" isDanger>
        <Settings>
          <Setting name="Sign out everywhere" action={<SignOutEverywhere />}>
            Ends all your sessions and authorized applications. API keys keep working.
          </Setting>
        </Settings>
      </Section>
    </div>
  );
}

function General(): ReactElement {
  const { name, displayName, accounts } = useViewer();
  const theme = useSyncExternalStore(onThemeChange, currentTheme);
  return (
    <Section title="General">
      <Settings>
        {displayName !== null && (
          <Setting name="Name">
            <bdi>{displayName}</bdi>
          </Setting>
        )}
        <Setting name="Email address">{name}</Setting>
        {accounts.map((account) => (
          <Setting key={account.id} name="Account">
            <bdi>{titleOf(account)}</bdi>
            <span className="quiet">{capitalize(account.viewerRole.toLowerCase())}</span>
          </Setting>
        ))}
        <Setting
          name="Password"
          action={
            <a className="button" href={`${pathPrefix}/v0/oauth/account#password`}>
              Change password
            </a>
          }
        >
          ••••••••
        </Setting>
        <Setting
          name="Theme"
          action={
            <Choice
              label="Theme"
              isLabelHidden
              value={theme}
              options={themes.map((value) => ({ value, label: capitalize(value) }))}
              onChange={setTheme}
            />
          }
        >
          In this browser
        </Setting>
      </Settings>
    </Section>
  );
}

interface LoadedProps<Item> {
  items: readonly Item[] | undefined;
  error: Answer<unknown>['error'];
  onRetry: () => void;
  /** What is shown without items. */
  none: string;
  children: (items: readonly Item[]) => ReactNode;
}

function Loaded<Item>({ items, error, onRetry, none, children }: LoadedProps<Item>): ReactNode {
  if (items === undefined) {
    return error === undefined ? <Skeletons /> : <FailureNotice error={error} onRetry={onRetry} />;
  }
  return items.length === 0 ? <p className="quiet">{none}</p> : children(items);
}

function Sessions(): ReactElement {
  const [{ data, error }, again] = useAnswer({ query: sessionsQuery });
  const refresh = () => again({ requestPolicy: 'network-only' });
  return (
    <Section title="Sessions">
      <Loaded items={data?.viewer.sessions ?? undefined} error={error} onRetry={refresh} none="No sessions.">
        {(sessions) => (
          <SessionTable
            sessions={sessions}
            currentId={data?.viewer.currentSessionId}
            action={(session) => (
              <EndSession
                session={session}
                isCurrent={session.sessionId === data?.viewer.currentSessionId}
                onChange={refresh}
              />
            )}
          />
        )}
      </Loaded>
    </Section>
  );
}

interface EndSessionProps {
  session: UserSession;
  /** Whether it is the session of this browser. */
  isCurrent: boolean;
  onChange: () => void;
}

function EndSession({ session, isCurrent, onChange }: EndSessionProps): ReactElement {
  const { sessionId, address, userAgent } = session;
  const browser = browserWord(userAgent);
  return (
    <Confirm
      trigger="Sign out…"
      isDestructive={false}
      label={`Sign out of ${browser}${address === null ? '' : ` from ${address}`}`}
      title={`Sign out of ${browser}?`}
      confirm="Sign out"
      keep="Cancel"
      run={async () => {
        const why = await perform(endSessionsMutation, { sessionId });
        if (why !== undefined) return why;
        if (isCurrent) await signOut();
        else onChange();
        return undefined;
      }}
    >
      This session ends, and so do the applications that you authorized in it.{' '}
      {isCurrent
        ? 'It is the session of this browser: you sign in again afterwards.'
        : 'If you do not recognize it, change your password as well.'}
    </Confirm>
  );
}

/** Ends all sessions, including this one. */
function SignOutEverywhere(): ReactElement {
  return (
    <Confirm
      trigger="Sign out everywhere…"
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
      <Loaded items={authorizations} error={error} onRetry={refresh} none="No authorized applications in this account.">
        {(shown) => (
          <AuthorizationTable
            authorizations={shown}
            action={(authorization) => <Revoke authorization={authorization} onChange={refresh} />}
          />
        )}
      </Loaded>
    </Section>
  );
}

interface RevokeProps {
  authorization: UserAuthorization;
  onChange: () => void;
}

function Revoke({ authorization: { clientId, displayName }, onChange }: RevokeProps): ReactElement {
  return (
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
  );
}
