import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { perform } from '../api/perform.js';
import { useAnswer } from '../api/use-answer.js';
import { useAccount } from '../frame/viewer.js';
import type { ViewerAccount } from '../frame/viewer.js';
import { kindNames, kinds } from '../kinds/kinds.js';
import { plural } from '../look/amount.js';
import { Confirm } from '../look/confirm.js';
import { capitalize } from '../look/labels.js';
import { formatCount } from '../look/money.js';
import { FailureNotice, Notice } from '../look/notice.js';
import { PageHeading } from '../look/page-heading.js';
import { PlainTable } from '../look/plain-table.js';
import { Skeletons } from '../look/skeletons.js';
import { StateMark } from '../look/state-mark.js';
import { Time } from '../look/time-text.js';
import { showToast } from '../look/toasts.js';
import { Section } from '../resources/section.js';
import { removeMemberMutation } from './member-queries.js';
import type { Member } from './member-queries.js';
import { NoAccount } from './no-account.js';
import { Permissions } from './permissions.js';
import { personQuery } from './person-query.js';
import type { PersonAnswer } from './person-query.js';
import './access-view.css';

const route = getRouteApi('/a/$account/members/$name');

/** A member of an account: role, credentials, and what it created. Only for admins of the account. */
export function PersonView(): ReactElement {
  const { account: accountName, name } = route.useParams();
  const account = useAccount(accountName);
  if (account === undefined) return <NoAccount name={accountName} />;
  if (account.viewerRole !== 'ADMIN') {
    return (
      <div className="view">
        <h1 className="hidden">{name}</h1>
        <Notice title="Only account admins can view members">Ask an account admin for access.</Notice>
      </div>
    );
  }
  return <Person key={`${accountName} ${name}`} account={account} name={name} />;
}

function Person({ account, name }: { account: ViewerAccount; name: string }): ReactElement {
  const [{ data, error }, again] = useAnswer({ query: personQuery, variables: { account: account.id, name } });
  if (data?.account == null) {
    return (
      <div className="resource" aria-busy={error === undefined}>
        <PageHeading title={name} />
        {error === undefined ? (
          <Skeletons />
        ) : (
          <FailureNotice error={error} onRetry={() => again({ requestPolicy: 'network-only' })} />
        )}
      </div>
    );
  }
  const member = data.account.members?.nodes.find((each) => each.name === name);
  const keys = data.apiKeys?.nodes ?? [];
  const clients = (data.oauthClients?.nodes ?? []).filter(
    ({ owner, revokedAt }) => owner === name && revokedAt === null,
  );
  const lastUsed = keys
    .flatMap(({ lastUsedAt }) => lastUsedAt ?? [])
    .toSorted()
    .at(-1);
  const held = {
    keys: plural(data.apiKeys?.filteredCount ?? 0, 'API key'),
    clients: plural(clients.length, 'OAuth client'),
    resources: plural(countOf(data.account), 'resource'),
  };
  return (
    <div className="resource">
      <PageHeading
        title={member?.displayName ?? name}
        essentials={
          <>
            {member?.displayName != null && <span>{name}</span>}
            {member === undefined ? <span>Not a member of the account</span> : <Membership member={member} />}
            {lastUsed !== undefined && (
              <span>
                API last used <Time value={lastUsed} />
              </span>
            )}
          </>
        }
        actions={
          <div className="resource-buttons">
            <Link
              to="/a/$account/activity"
              params={{ account: account.name }}
              search={{ actor: name }}
              className="button"
            >
              View activity
            </Link>
            {member !== undefined && !member.isInherited && <RemovePerson account={account} name={name} held={held} />}
          </div>
        }
      />
      <SignIns found={data.signIns} account={account} name={name} />
      <Section title={`API keys (${formatCount(data.apiKeys?.filteredCount ?? 0)})`}>
        {keys.length === 0 ? (
          <p className="quiet">No active API keys.</p>
        ) : (
          <PlainTable
            columns={['Name', 'Permissions', 'Workspace', 'Last used', 'Expires']}
            hasNoActions
            label="API keys"
          >
            {keys.map(({ id, name: title, prefix, scopes, workspace, lastUsedAt, expiresAt }) => (
              <tr key={id}>
                <td>
                  <strong>{title}</strong> <code className="quiet">{prefix}…</code>
                </td>
                <td className="whole">
                  <Permissions scopes={scopes} />
                </td>
                <td data-label="Workspace">{workspace?.name ?? <span className="quiet">All</span>}</td>
                <td data-label="Last used">{lastUsedAt === null ? 'Never' : <Time value={lastUsedAt} />}</td>
                <td data-label="Expires">{expiresAt === null ? 'Never' : <Time value={expiresAt} />}</td>
              </tr>
            ))}
          </PlainTable>
        )}
      </Section>
      <Section title={`OAuth clients (${formatCount(clients.length)})`}>
        {clients.length === 0 ? (
          <p className="quiet">No OAuth clients.</p>
        ) : (
          <PlainTable columns={['Name', 'Client ID', 'Created']} hasNoActions label="OAuth clients">
            {clients.map((client) => (
              <tr key={client.name}>
                <td>
                  <strong>{client.displayName}</strong>
                </td>
                <td data-label="Client ID" className="mono">
                  {client.name}
                </td>
                <td data-label="Created">
                  <Time value={client.createdAt} />
                </td>
              </tr>
            ))}
          </PlainTable>
        )}
      </Section>
      <Created found={data.account} />
    </div>
  );
}

type PersonAccount = NonNullable<PersonAnswer['account']>;

function countOf(account: PersonAccount): number {
  return kindNames.reduce((sum, kind) => sum + (account[kind]?.filteredCount ?? 0), 0);
}

function Membership({ member }: { member: Member }): ReactElement {
  const { role, kind, isDisabled, origin, memberSince } = member;
  return (
    <>
      <span>{capitalize(role.toLowerCase())}</span>
      <span>{kind === 'USER' ? 'User' : 'Service account'}</span>
      {origin === 'PROVIDER' && <span>By a group of the identity provider</span>}
      {isDisabled && <span>Disabled by the operator</span>}
      {memberSince !== null && (
        <span>
          Member since <Time value={memberSince} />
        </span>
      )}
    </>
  );
}

interface SignInsProps {
  found: PersonAnswer['signIns'];
  account: ViewerAccount;
  name: string;
}

/** The latest sign-ins and sign-outs. A service account has none. */
function SignIns({ found, account, name }: SignInsProps): ReactElement | null {
  if (found === null || found.filteredCount === 0) return null;
  return (
    <Section
      title={`Sign-ins (${formatCount(found.filteredCount)})`}
      aside={
        <Link
          to="/a/$account/activity"
          params={{ account: account.name }}
          search={{ actor: name, kind: 'sign-in' }}
          className="text-link"
        >
          All sign-ins
        </Link>
      }
    >
      <PlainTable columns={['Time', 'What', 'Address']} hasNoActions label="Sign-ins">
        {found.nodes.toReversed().map(({ id, time, message, address }) => (
          <tr key={id}>
            <td>
              <Time value={time} />
            </td>
            <td data-label="What">{message}</td>
            <td data-label="Address" className="mono">
              {address}
            </td>
          </tr>
        ))}
      </PlainTable>
    </Section>
  );
}

/** The newest resources of each kind that the member created, in all workspaces. */
function Created({ found }: { found: PersonAccount }): ReactElement {
  const total = countOf(found);
  const rows = kindNames.flatMap((kind) => (found[kind]?.nodes ?? []).map((node) => ({ kind, ...node })));
  return (
    <Section title={`Created resources (${formatCount(total)})`}>
      {rows.length === 0 ? (
        <p className="quiet">No resources.</p>
      ) : (
        <PlainTable columns={['Name', 'State', 'Kind', 'Workspace', 'Created']} hasNoActions label="Created resources">
          {rows.map(({ id, kind, status, metadata: { name, workspaceName: workspace, createdAt } }) => (
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
          ))}
        </PlainTable>
      )}
      {total > rows.length && (
        <p className="quiet">
          Showing {formatCount(rows.length)} of {formatCount(total)} resources, the newest of each kind. The lists of a
          workspace filter by creator.
        </p>
      )}
    </Section>
  );
}

interface RemovePersonProps {
  account: ViewerAccount;
  name: string;
  /** What the member has, such as "2 API keys". */
  held: { keys: string; clients: string; resources: string };
}

/** Ends all access of a member. The question says what is revoked and what stays. */
function RemovePerson({ account, name, held: { keys, clients, resources } }: RemovePersonProps): ReactElement {
  const navigate = useNavigate();
  return (
    <Confirm
      trigger="Remove…"
      title={`Remove ${name} from the account?`}
      confirm="Remove"
      keep="Cancel"
      run={async () => {
        const why = await perform(removeMemberMutation, { input: { name } });
        if (why !== undefined) return why;
        showToast(`${name} removed`);
        await navigate({ to: '/a/$account/members', params: { account: account.name } });
        return undefined;
      }}
    >
      {keys}, {clients}, and all tokens and authorized applications are revoked, in all workspaces. A new invitation
      does not restore them. {capitalize(resources)} that the member created are kept.
    </Confirm>
  );
}
