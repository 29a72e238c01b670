import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useAllNodes } from '../api/use-all-nodes.js';
import { useAnswer } from '../api/use-answer.js';
import { titleOf, useAccount, useViewer } from '../frame/viewer.js';
import type { ViewerAccount } from '../frame/viewer.js';
import { FurtherPages } from '../look/further-pages.js';
import { capitalize } from '../look/labels.js';
import { formatCount } from '../look/money.js';
import { MissingSection } from '../look/missing-section.js';
import { FailureNotice, Notice } from '../look/notice.js';
import { PageHeading } from '../look/page-heading.js';
import { Skeletons } from '../look/skeletons.js';
import { Time } from '../look/time-text.js';
import { Section } from '../resources/section.js';
import { AuthorizationTable, SessionTable } from '../self/access-tables.js';
import { keysQuery } from './api-key-queries.js';
import { EndAccess } from './end-access.js';
import type { Member } from './member-queries.js';
import { NoAccount } from './no-account.js';
import { oauthClientsQuery } from './oauth-client-queries.js';
import type { OauthClient } from './oauth-client-queries.js';
import { personQuery } from './person-query.js';
import type { PersonAnswer } from './person-query.js';
import { Clients, countOf, Created, Keys, Roles, SignIns } from './person-sections.js';
import './access-view.css';

const route = getRouteApi('/a/$account/members/$name');

/** A member of an account: roles, sessions, credentials, and what it created. Only for admins of the account. */
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
  const [ofClients, clientsAgain] = useAnswer({ query: oauthClientsQuery });
  const refresh = () => {
    again({ requestPolicy: 'network-only' });
    clientsAgain({ requestPolicy: 'network-only' });
  };
  const allClients = useAllNodes(ofClients.data?.oauthClients, {
    query: oauthClientsQuery,
    variables: {},
    pageOf: (answer) => answer.oauthClients,
  });
  if (data?.account == null) {
    return (
      <div className="resource" aria-busy={error === undefined}>
        <PageHeading title={name} />
        {error === undefined ? <Skeletons /> : <FailureNotice error={error} onRetry={refresh} />}
      </div>
    );
  }
  const member = data.account.memberAccess?.member;
  const lastActive = lastActiveOf(data);
  return (
    <div className="resource aligned">
      <PageHeading
        title={member?.displayName ?? name}
        essentials={
          <>
            {member?.displayName != null && <span>{name}</span>}
            {member === undefined ? <span>Not a member of the account</span> : <Membership member={member} />}
            <span>{lastActive === undefined ? 'Never active' : <LastActive value={lastActive} />}</span>
          </>
        }
        actions={<Actions account={account} name={name} member={member} onEnded={refresh} />}
      />
      <Sections
        answer={data}
        account={account}
        member={member}
        name={name}
        clients={allClients?.nodes.filter(({ owner, revokedAt }) => owner === name && revokedAt === null) ?? []}
        hasAllClients={allClients?.isComplete === true}
      />
      {ofClients.data === undefined && (
        <MissingSection title="OAuth clients" error={ofClients.error} onRetry={refresh} />
      )}
      {allClients !== undefined && (
        <FurtherPages of="OAuth clients" list={allClients} totalCount={ofClients.data?.oauthClients?.totalCount ?? 0} />
      )}
    </div>
  );
}

function LastActive({ value }: { value: string }): ReactElement {
  return (
    <>
      Last active <Time value={value} />
    </>
  );
}

/** The last use of the account in a browser, or with a program, key or client. */
function lastActiveOf({ account, apiKeys }: PersonAnswer): string | undefined {
  const { sessions = [], authorizations = [] } = account?.memberAccess ?? {};
  return [...sessions, ...authorizations, ...(apiKeys?.nodes ?? [])]
    .flatMap(({ lastUsedAt }) => lastUsedAt ?? [])
    .toSorted()
    .at(-1);
}

function Membership({ member }: { member: Member }): ReactElement {
  const { role, kind, isDisabled } = member;
  return (
    <>
      <span>{capitalize(role.toLowerCase())}</span>
      <span>{kind === 'USER' ? 'User' : 'Service account'}</span>
      {isDisabled && <span>Disabled by the operator</span>}
    </>
  );
}

interface ActionsProps {
  account: ViewerAccount;
  name: string;
  member: Member | undefined;
  onEnded: () => void;
}

/** One's own access ends on the profile. Only admins of the platform end access to other accounts. */
function Actions({ account, name, member, onEnded }: ActionsProps): ReactElement {
  const navigate = useNavigate();
  const { name: me, isPlatformAdmin } = useViewer();
  const toMembers = () => void navigate({ to: '/a/$account/members', params: { account: account.name } });
  return (
    <div className="resource-buttons">
      <Link to="/a/$account/activity" params={{ account: account.name }} search={{ actor: name }} className="button">
        View activity
      </Link>
      {name === me ? (
        <Link to="/profile" className="button">
          View your profile
        </Link>
      ) : (
        <>
          {member !== undefined && <EndAccess name={name} account={account.name} onDone={toMembers} />}
          {isPlatformAdmin && <EndAccess name={name} account={undefined} onDone={onEnded} />}
        </>
      )}
    </div>
  );
}

interface SectionsProps {
  answer: PersonAnswer;
  account: ViewerAccount;
  member: Member | undefined;
  name: string;
  clients: readonly OauthClient[];
  /** Whether these are all clients of the member. */
  hasAllClients: boolean;
}

/** A section for each thing that the member has. The last line names those it does not have. */
function Sections(props: SectionsProps): ReactElement {
  const { account, member, name, clients, hasAllClients } = props;
  const { account: found, ...data } = props.answer;
  const { sessions = [], authorizations = [], workspaceRoles = [] } = found?.memberAccess ?? {};
  const keys = useAllNodes(data.apiKeys, {
    query: keysQuery,
    variables: { owner: name, status: 'ACTIVE' as const },
    pageOf: (answer) => answer.apiKeys,
  });
  const created = found == null ? 0 : countOf(found);
  const missing = [
    sessions.length === 0 && member?.kind !== 'SERVICE_ACCOUNT' && 'sessions',
    authorizations.length === 0 && member?.kind !== 'SERVICE_ACCOUNT' && 'authorized applications',
    keys?.nodes.length === 0 && 'active API keys',
    hasAllClients && clients.length === 0 && 'OAuth clients',
    created === 0 && 'created resources',
  ].filter((each) => each !== false);
  return (
    <>
      {member !== undefined && <Roles member={member} account={titleOf(account)} roles={workspaceRoles} />}
      {sessions.length > 0 && (
        <Section title={`Sessions (${formatCount(sessions.length)})`}>
          <SessionTable sessions={sessions} />
        </Section>
      )}
      {data.signIns !== null && data.signIns.filteredCount > 0 && (
        <SignIns found={data.signIns} account={account.name} name={name} />
      )}
      {authorizations.length > 0 && (
        <Section title={`Authorized applications (${formatCount(authorizations.length)})`}>
          <AuthorizationTable authorizations={authorizations} />
        </Section>
      )}
      {keys !== undefined && keys.nodes.length > 0 && (
        <Keys list={keys} totalCount={data.apiKeys?.filteredCount ?? 0} />
      )}
      {clients.length > 0 && <Clients clients={clients} />}
      {found != null && created > 0 && <Created found={found} />}
      {missing.length > 0 && <p className="quiet none-of">No {missing.join(', ').replace(/, (?=[^,]*$)/, ' or ')}.</p>}
    </>
  );
}
