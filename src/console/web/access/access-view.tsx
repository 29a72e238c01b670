import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useAllNodes } from '../api/use-all-nodes.js';
import { useAnswer } from '../api/use-answer.js';
import { attempt, perform } from '../api/perform.js';
import { NoneVisible, useIsAdminWithin } from '../frame/change-rights.js';
import { useAccount } from '../frame/viewer.js';
import { plural } from '../look/amount.js';
import { Confirm } from '../look/confirm.js';
import { FurtherPages } from '../look/further-pages.js';
import { FailureNotice } from '../look/notice.js';
import { PlainTable, useTableRows } from '../look/plain-table.js';
import type { TableColumn } from '../look/plain-table.js';
import { RowMenu } from '../look/row-menu.js';
import { Skeletons } from '../look/skeletons.js';
import { Time, useNow } from '../look/time-text.js';
import { exactTime, formatDayOf } from '../look/time.js';
import { ListCount } from '../look/list-count.js';
import { Permissions } from './permissions.js';
import { keysQuery, revokeKeyMutation, rotateKeyMutation } from './api-key-queries.js';
import type { ApiKey } from './api-key-queries.js';
import { NewKey } from './new-key.js';
import { NoAccount } from './no-account.js';
import { scopesSummary } from './purposes.js';
import { SecretDialog } from './secret-dialog.js';
import type { ShownSecret } from './secret-dialog.js';
import './access-view.css';

const route = getRouteApi('/a/$account/access');

const columns: TableColumn<ApiKey>[] = [
  { label: 'Name', value: (key) => key.name },
  { label: 'Permissions', value: ({ scopes }) => scopesSummary(scopes) },
  { label: 'Owner', value: ({ owner }) => owner },
  { label: 'Workspace', value: ({ workspace }) => workspace?.name },
  { label: 'Addresses', value: ({ addressRanges }) => addressRanges.join() },
  { label: 'Created', value: ({ createdAt }) => createdAt },
  { label: 'Last used', value: ({ lastUsedAt }) => lastUsedAt },
  { label: 'Expires', value: ({ expiresAt, revokedAt }) => revokedAt ?? expiresAt },
];

const textOf = ({ name, prefix, owner, scopes }: ApiKey) => [name, prefix, owner, ...scopes].join(' ');

/** The API keys with their permissions and last use. */
export function AccessView(): ReactElement {
  const { account: name } = route.useParams();
  const account = useAccount(name);
  const canCreate = useIsAdminWithin(account);
  const [isAll, setAll] = useState(false);
  const [secret, setSecret] = useState<ShownSecret>();
  const variables = isAll ? {} : { status: 'ACTIVE' as const };
  const [{ data, error }, again] = useAnswer({ query: keysQuery, variables });
  const refresh = () => again({ requestPolicy: 'network-only' });
  const found = data?.apiKeys ?? undefined;
  const all = useAllNodes(found, { query: keysQuery, variables, pageOf: (answer) => answer.apiKeys });
  const keys = all?.nodes;
  const { rows, headings, filterField, noMatch } = useTableRows(keys ?? [], columns, textOf);
  if (account === undefined) return <NoAccount name={name} />;
  return (
    <div className="view">
      <div className="view-bar">
        <h1>API keys</h1>
        <button type="button" className="button" aria-pressed={isAll} onClick={() => setAll(!isAll)}>
          Show expired
        </button>
        {filterField}
        <ListCount
          of="keys"
          text={all?.isComplete === true ? plural(rows.length, 'key') : undefined}
          error={error ?? all?.error}
        />
        {canCreate && (
          <NewKey
            account={account}
            onCreated={(created) => {
              setSecret(created);
              refresh();
            }}
          />
        )}
      </div>
      {error !== undefined && keys === undefined ? (
        <FailureNotice error={error} onRetry={refresh} />
      ) : keys === undefined ? (
        <Skeletons />
      ) : keys.length === 0 ? (
        <NoneVisible account={account} many="API keys">
          An API key lets a program use the API without signing in.
        </NoneVisible>
      ) : (
        <PlainTable columns={headings} rows={rows} noMatch={noMatch}>
          {(key) => <KeyRow key={key.id} apiKey={key} onChange={refresh} onSecret={setSecret} />}
        </PlainTable>
      )}
      {found !== undefined && all !== undefined && (
        <FurtherPages of="keys" list={all} totalCount={found.filteredCount} />
      )}
      <SecretDialog of="key" secret={secret} onClose={() => setSecret(undefined)} />
    </div>
  );
}

interface KeyRowProps {
  apiKey: ApiKey;
  onChange: () => void;
  onSecret: (secret: ShownSecret) => void;
}

function KeyRow({ apiKey, onChange, onSecret }: KeyRowProps): ReactElement {
  const { id, name, prefix, owner, scopes, status, workspace, addressRanges } = apiKey;
  const { createdAt, createdBy, lastUsedAt, expiresAt, revokedAt } = apiKey;
  const [includeDescendants, setIncludeDescendants] = useState(false);
  return (
    <tr className={status === 'ACTIVE' ? '' : 'ended'}>
      <td>
        <strong>{name}</strong> <code className="quiet">{prefix}…</code>
      </td>
      <td className="whole">
        <Permissions scopes={scopes} />
      </td>
      <td className="wrap" data-label="Owner">
        {owner}
      </td>
      <td data-label="Workspace">
        {workspace === null ? <span className="quiet">All</span> : <span className="mono">{workspace.name}</span>}
      </td>
      <td data-label="Addresses">
        {addressRanges.length === 0 ? (
          <span className="quiet">Any</span>
        ) : (
          <span className="mono" title={addressRanges.join(', ')}>
            {addressRanges[0]}
            {addressRanges.length > 1 && ` +${addressRanges.length - 1}`}
          </span>
        )}
      </td>
      <td
        data-label="Created"
        title={`Created ${exactTime(createdAt)}${createdBy === null || createdBy === owner ? '' : ` by ${createdBy}`}`}
      >
        <time dateTime={createdAt}>{formatDayOf(createdAt)}</time>
      </td>
      <td data-label="Last used">{lastUsedAt === null ? 'Never' : <Time value={lastUsedAt} />}</td>
      <td data-label={revokedAt === null ? 'Expires' : undefined}>
        {revokedAt !== null ? (
          <>
            Revoked <Time value={revokedAt} />
          </>
        ) : expiresAt === null ? (
          'Never'
        ) : (
          <Expiry at={expiresAt} />
        )}
      </td>
      <td>
        {status === 'ACTIVE' && (
          <RowMenu
            label={`Actions of ${name}`}
            actions={[
              {
                label: 'Rotate…',
                dialog: (control) => (
                  <Confirm
                    control={control}
                    isDestructive={false}
                    title={`Rotate ${name}?`}
                    confirm="Rotate key"
                    keep="Cancel"
                    run={async () => {
                      const { done, why } = await attempt(rotateKeyMutation, { input: { id } });
                      if (done === undefined) return why;
                      onSecret({ name, text: done.secret, previousExpiresAt: done.previous.expiresAt });
                      onChange();
                      return undefined;
                    }}
                  >
                    The new key is shown once. It expires{' '}
                    {expiresAt === null ? (
                      'after the default lifetime of the service'
                    ) : (
                      <>
                        <Time value={expiresAt} />, like the old key
                      </>
                    )}
                    . The old key works for one more day, so that you can replace it.
                  </Confirm>
                ),
              },
              {
                label: 'Revoke…',
                isDestructive: true,
                dialog: (control) => (
                  <Confirm
                    control={control}
                    title={`Revoke ${name}?`}
                    confirm="Revoke"
                    keep="Cancel"
                    run={async () => {
                      const why = await perform(revokeKeyMutation, { id, includeDescendants });
                      if (why === undefined) onChange();
                      return why;
                    }}
                  >
                    Requests with this key fail within one second. This cannot be undone.
                    {lastUsedAt !== null && (
                      <>
                        {' '}
                        It was last used <Time value={lastUsedAt} />.
                      </>
                    )}
                    <label className="check">
                      <input
                        type="checkbox"
                        checked={includeDescendants}
                        onChange={({ target }) => setIncludeDescendants(target.checked)}
                      />{' '}
                      Also revoke the keys that were created with it
                    </label>
                  </Confirm>
                ),
              },
            ]}
          />
        )}
      </td>
    </tr>
  );
}

const dayMs = 86_400_000;
/** From then on the expiry stands out. */
const soonDays = 14;

/** When a key expires. Soon, it says in how many days, in amber. */
function Expiry({ at }: { at: string }): ReactElement {
  const days = (Date.parse(at) - useNow()) / dayMs;
  if (days < 0) {
    return (
      <>
        Expired <Time value={at} />
      </>
    );
  }
  if (days >= soonDays) {
    return (
      <time dateTime={at} title={exactTime(at)}>
        {formatDayOf(at)}
      </time>
    );
  }
  return (
    <time dateTime={at} title={exactTime(at)} className="expires-soon">
      {days < 1 ? 'within a day' : `in ${plural(Math.floor(days), 'day')}`}
    </time>
  );
}
