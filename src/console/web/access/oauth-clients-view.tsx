import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useAllNodes } from '../api/use-all-nodes.js';
import { useAnswer } from '../api/use-answer.js';
import { NoneVisible, useIsAdminWithin } from '../frame/change-rights.js';
import { useAccount } from '../frame/viewer.js';
import { plural } from '../look/amount.js';
import { FurtherPages } from '../look/further-pages.js';
import { formatCount } from '../look/money.js';
import { FailureNotice } from '../look/notice.js';
import { PlainTable, useTableRows } from '../look/plain-table.js';
import type { TableColumn } from '../look/plain-table.js';
import { CopiedSetting, Setting, Settings } from '../look/settings.js';
import { Skeletons } from '../look/skeletons.js';
import { ListCount } from '../look/list-count.js';
import { Section } from '../resources/section.js';
import { settings } from '../session/settings.js';
import { NewOauthClient } from './new-oauth-client.js';
import { NoAccount } from './no-account.js';
import { OauthClientRow } from './oauth-client-row.js';
import { oauthClientsQuery } from './oauth-client-queries.js';
import type { OauthClient } from './oauth-client-queries.js';
import { scopesSummary } from './purposes.js';
import { SecretDialog } from './secret-dialog.js';
import type { ShownSecret } from './secret-dialog.js';
import './access-view.css';

const route = getRouteApi('/a/$account/clients');

const columns: TableColumn<OauthClient>[] = [
  { label: 'Client', value: ({ displayName }) => displayName },
  { label: 'State', value: ({ revokedAt }) => revokedAt },
  { label: 'Permissions', value: ({ scopes }) => scopesSummary(scopes) },
  { label: 'Owner', value: ({ owner }) => owner },
  { label: 'Workspace', value: ({ workspace }) => workspace?.name },
  { label: 'Created', value: ({ createdAt }) => createdAt },
];

const textOf = ({ name, displayName, owner, scopes }: OauthClient) => [name, displayName, owner, ...scopes].join(' ');

/** The OAuth clients with their permissions and secrets. */
export function OauthClientsView(): ReactElement {
  const { account: name } = route.useParams();
  const account = useAccount(name);
  const canCreate = useIsAdminWithin(account);
  const [isAll, setAll] = useState(false);
  const [secret, setSecret] = useState<ShownSecret>();
  const [{ data, error }, again] = useAnswer({ query: oauthClientsQuery });
  const refresh = () => again({ requestPolicy: 'network-only' });
  const found = data?.oauthClients ?? undefined;
  const all = useAllNodes(found, {
    query: oauthClientsQuery,
    variables: {},
    pageOf: (answer) => answer.oauthClients,
  });
  const clients = all?.nodes;
  const listed = clients?.filter(({ revokedAt }) => isAll || revokedAt === null) ?? [];
  const revokedCount = clients?.filter(({ revokedAt }) => revokedAt !== null).length ?? 0;
  const { rows, headings, filterField, noMatch } = useTableRows(listed, columns, textOf);
  if (account === undefined) return <NoAccount name={name} />;
  const show = (shown: ShownSecret) => {
    setSecret(shown);
    refresh();
  };
  return (
    <div className="view">
      <div className="view-bar">
        <h1>OAuth clients</h1>
        {revokedCount > 0 && (
          <button type="button" className="button" aria-pressed={isAll} onClick={() => setAll(!isAll)}>
            Show revoked <span className="quiet">{formatCount(revokedCount)}</span>
          </button>
        )}
        {filterField}
        <ListCount
          of="clients"
          text={all?.isComplete === true ? plural(rows.length, 'client') : undefined}
          error={error ?? all?.error}
        />
        {canCreate && <NewOauthClient account={account} onCreated={show} />}
      </div>
      {clients === undefined ? (
        error === undefined ? (
          <Skeletons />
        ) : (
          <FailureNotice error={error} onRetry={refresh} />
        )
      ) : listed.length === 0 ? (
        <NoneVisible account={account} many="OAuth clients">
          An OAuth client lets a program exchange its secret for short-lived access tokens.
        </NoneVisible>
      ) : (
        <PlainTable columns={headings} rows={rows} noMatch={noMatch}>
          {(client) => <OauthClientRow key={client.name} client={client} onChange={refresh} onSecret={show} />}
        </PlainTable>
      )}
      {found !== undefined && all !== undefined && (
        <FurtherPages of="clients" list={all} totalCount={found.totalCount} />
      )}
      {clients !== undefined && <Endpoints />}
      <SecretDialog of="client" secret={secret} onClose={() => setSecret(undefined)} />
    </div>
  );
}

/** What a program needs besides its client ID and its secret. */
function Endpoints(): ReactElement {
  return (
    <Section title="Connect a program">
      <Settings>
        <CopiedSetting name="Token endpoint" text={settings.token} />
        <CopiedSetting name="Grant type" text="client_credentials" />
        <CopiedSetting name="Metadata" text={`${settings.issuer}/.well-known/openid-configuration`} />
        <Setting name="Client authentication">
          Client ID and secret with HTTP Basic
          <span className="quiet">or as client_id and client_secret in the body</span>
        </Setting>
      </Settings>
    </Section>
  );
}
