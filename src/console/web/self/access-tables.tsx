import type { ReactElement, ReactNode } from 'react';
import { Permissions } from '../access/permissions.js';
import { PlainTable } from '../look/plain-table.js';
import { Time } from '../look/time-text.js';
import type { UserAuthorization, UserSession } from './access-fields.js';
import { browserWord } from './browser-name.js';

interface SessionTableProps {
  sessions: readonly UserSession[];
  /** The id of the session of this browser, if it is among them. */
  currentId?: string | null | undefined;
  /** The button at the end of a row. */
  action?: (session: UserSession) => ReactNode;
}

/** Browser sessions, the last used first. */
export function SessionTable({ sessions, currentId, action }: SessionTableProps): ReactElement {
  return (
    <PlainTable
      columns={['Browser', 'IP address', 'Signed in', 'Last used', 'Expires']}
      hasNoActions={action === undefined}
      label="Sessions"
      rows={sessions.toSorted(byLastUse)}
    >
      {(session) => (
        <tr key={session.sessionId}>
          <td>
            <strong title={session.userAgent ?? undefined}>{browserWord(session.userAgent)}</strong>
            {session.sessionId === currentId && <span className="under-name">This browser</span>}
          </td>
          <td data-label="IP address" className="mono">
            {session.address}
          </td>
          <td data-label="Signed in">
            <Time value={session.signedInAt} />
          </td>
          <td data-label="Last used">{session.lastUsedAt === null ? 'Never' : <Time value={session.lastUsedAt} />}</td>
          <td data-label="Expires">
            <Time value={session.expiresAt} />
          </td>
          {action !== undefined && <td>{action(session)}</td>}
        </tr>
      )}
    </PlainTable>
  );
}

function byLastUse(one: UserSession, other: UserSession): number {
  return (other.lastUsedAt ?? other.signedInAt).localeCompare(one.lastUsedAt ?? one.signedInAt);
}

interface AuthorizationTableProps {
  authorizations: readonly UserAuthorization[];
  /** The button at the end of a row. */
  action?: (authorization: UserAuthorization) => ReactNode;
}

/** Programs that may act for a user. */
export function AuthorizationTable({ authorizations, action }: AuthorizationTableProps): ReactElement {
  return (
    <PlainTable
      columns={['Application', 'Permissions', 'Workspace', 'Authorized', 'Last used']}
      hasNoActions={action === undefined}
      label="Authorized applications"
      rows={authorizations}
    >
      {(authorization) => {
        const { clientId, displayName, scopes, grantedAt, lastUsedAt, workspace } = authorization;
        return (
          <tr key={`${clientId} ${workspace?.name ?? ''}`}>
            <td className="wrap">
              <strong>
                <bdi>{displayName}</bdi>
              </strong>
              <span className="under-name mono">{clientId}</span>
            </td>
            <td className="whole">
              <Permissions scopes={scopes} />
            </td>
            <td data-label="Workspace">{workspace?.name ?? <span className="quiet">All</span>}</td>
            <td data-label="Authorized">
              <Time value={grantedAt} />
            </td>
            <td data-label="Last used">{lastUsedAt === null ? 'Not in use' : <Time value={lastUsedAt} />}</td>
            {action !== undefined && <td>{action(authorization)}</td>}
          </tr>
        );
      }}
    </PlainTable>
  );
}
