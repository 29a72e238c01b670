import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import type { AllNodes } from '../api/use-all-nodes.js';
import { kindNames, kinds } from '../kinds/kinds.js';
import { FurtherPages } from '../look/further-pages.js';
import { capitalize } from '../look/labels.js';
import { formatCount } from '../look/money.js';
import { PlainTable } from '../look/plain-table.js';
import { StateMark } from '../look/state-mark.js';
import { Time } from '../look/time-text.js';
import { Section } from '../resources/section.js';
import type { ApiKey } from './api-key-queries.js';
import type { Member } from './member-queries.js';
import type { OauthClient } from './oauth-client-queries.js';
import { Permissions } from './permissions.js';
import type { PersonAccess, PersonAccount, PersonAnswer } from './person-query.js';

const originWord = { MANUAL: 'Manual', PROVIDER: 'Group of the identity provider' } as const;

interface RolesProps {
  member: Member;
  /** The display name of the account. */
  account: string;
  roles: PersonAccess['workspaceRoles'];
}

/** The role in the account, and those in single workspaces. */
export function Roles({ member, account, roles }: RolesProps): ReactElement {
  const isOverall = member.role !== 'MEMBER';
  const rows = [
    {
      place: account,
      what: isOverall ? 'With all workspaces' : 'Account',
      role: member.role,
      origin: member.origin,
      memberSince: member.memberSince,
    },
    ...roles.map(({ workspaceName, ...role }) => ({ place: workspaceName, what: 'Workspace', ...role })),
  ];
  return (
    <Section title="Roles">
      <PlainTable
        columns={['Role', 'Account or workspace', 'Scope', 'Origin', 'Member since']}
        hasNoActions
        label="Roles"
        rows={rows}
      >
        {({ place, what, role, origin, memberSince }) => (
          <tr key={`${what} ${place}`}>
            <td>
              <strong>{capitalize(role.toLowerCase())}</strong>
            </td>
            <td>
              <bdi>{place}</bdi>
            </td>
            <td data-label="Scope">{what}</td>
            <td data-label="Origin">{originWord[origin]}</td>
            <td data-label="Member since">{memberSince === null ? '–' : <Time value={memberSince} />}</td>
          </tr>
        )}
      </PlainTable>
    </Section>
  );
}

/** The latest sign-ins and sign-outs. A service account has none. */
export function SignIns({
  found,
  account,
  name,
}: {
  found: NonNullable<PersonAnswer['signIns']>;
  account: string;
  name: string;
}): ReactElement {
  return (
    <Section
      title={`Sign-ins (${formatCount(found.filteredCount)})`}
      aside={
        <Link
          to="/a/$account/activity"
          params={{ account }}
          search={{ actor: name, kind: 'sign-in' }}
          className="text-link"
        >
          All sign-ins
        </Link>
      }
    >
      <PlainTable
        columns={['Event', 'IP address', 'Time']}
        hasNoActions
        label="Sign-ins"
        rows={found.nodes.toReversed()}
      >
        {({ id, time, message, address }) => (
          <tr key={id}>
            <td className="free-text">{message}</td>
            <td data-label="IP address" className="mono">
              {address}
            </td>
            <td>
              <Time value={time} />
            </td>
          </tr>
        )}
      </PlainTable>
    </Section>
  );
}

/** @param totalCount how many there are, although further ones may still be loading */
export function Keys({ list, totalCount }: { list: AllNodes<ApiKey>; totalCount: number }): ReactElement {
  return (
    <Section title={`API keys (${formatCount(totalCount)})`}>
      <PlainTable
        columns={['Name', 'Permissions', 'Workspace', 'Last used', 'Expires']}
        hasNoActions
        label="API keys"
        rows={list.nodes}
      >
        {({ id, name: title, prefix, scopes, workspace, lastUsedAt, expiresAt }) => (
          <tr key={id}>
            <td>
              <strong>
                <bdi>{title}</bdi>
              </strong>{' '}
              <code className="quiet">{prefix}…</code>
            </td>
            <td className="whole">
              <Permissions scopes={scopes} />
            </td>
            <td data-label="Workspace">{workspace?.name ?? <span className="quiet">All</span>}</td>
            <td data-label="Last used">{lastUsedAt === null ? 'Never' : <Time value={lastUsedAt} />}</td>
            <td data-label="Expires">{expiresAt === null ? 'Never' : <Time value={expiresAt} />}</td>
          </tr>
        )}
      </PlainTable>
      <FurtherPages of="API keys" list={list} totalCount={totalCount} />
    </Section>
  );
}

export function Clients({ clients }: { clients: readonly OauthClient[] }): ReactElement {
  return (
    <Section title={`OAuth clients (${formatCount(clients.length)})`}>
      <PlainTable columns={['Name', 'Client ID', 'Created']} hasNoActions label="OAuth clients" rows={clients}>
        {(client) => (
          <tr key={client.name}>
            <td>
              <strong>
                <bdi>{client.displayName}</bdi>
              </strong>
            </td>
            <td data-label="Client ID" className="mono">
              {client.name}
            </td>
            <td data-label="Created">
              <Time value={client.createdAt} />
            </td>
          </tr>
        )}
      </PlainTable>
    </Section>
  );
}

export function countOf(account: PersonAccount): number {
  return kindNames.reduce((sum, kind) => sum + (account[kind]?.filteredCount ?? 0), 0);
}

/** The newest resources of each kind that the member created, in all workspaces. */
export function Created({ found }: { found: PersonAccount }): ReactElement {
  const total = countOf(found);
  const rows = kindNames.flatMap((kind) => (found[kind]?.nodes ?? []).map((node) => ({ kind, ...node })));
  return (
    <Section title={`Created resources (${formatCount(total)})`}>
      <PlainTable
        columns={['Name', 'State', 'Kind', 'Workspace', 'Created']}
        hasNoActions
        label="Created resources"
        rows={rows}
      >
        {({ id, kind, status, metadata: { name, workspaceName: workspace, createdAt } }) => (
          <tr key={id}>
            <td className="mono">
              <Link to="/w/$workspace/$kind/$name" params={{ workspace, kind, name }} className="text-link">
                {name}
              </Link>
            </td>
            <td>
              <StateMark state={status} />
            </td>
            <td data-label="Kind">{capitalize(kinds[kind].one)}</td>
            <td data-label="Workspace">{workspace}</td>
            <td data-label="Created">{createdAt !== null && <Time value={createdAt} />}</td>
          </tr>
        )}
      </PlainTable>
      {total > rows.length && (
        <p className="quiet">
          Showing {formatCount(rows.length)} of {formatCount(total)} resources, the newest of each kind. The lists of a
          workspace filter by creator.
        </p>
      )}
    </Section>
  );
}
