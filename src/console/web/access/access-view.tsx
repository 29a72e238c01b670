import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useAnswer } from '../api/use-answer.js';
import { attempt, perform } from '../api/perform.js';
import { useAccount } from '../frame/viewer.js';
import { plural } from '../look/amount.js';
import { Confirm } from '../look/confirm.js';
import { FailureNotice, Notice } from '../look/notice.js';
import { PlainTable, useTableRows } from '../look/plain-table.js';
import type { TableColumn } from '../look/plain-table.js';
import { RowMenu } from '../look/row-menu.js';
import { Skeletons } from '../look/skeletons.js';
import { Time } from '../look/time-text.js';
import { ActsAs } from './acts-as.js';
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
  { label: 'Created', value: ({ createdAt }) => createdAt },
  { label: 'Last used', value: ({ lastUsedAt }) => lastUsedAt },
  { label: 'Expires', value: ({ expiresAt, revokedAt }) => revokedAt ?? expiresAt },
];

const textOf = ({ name, prefix, owner, scopes }: ApiKey) => [name, prefix, owner, ...scopes].join(' ');

/** The API keys with their permissions and last use. */
export function AccessView(): ReactElement {
  const { account: name } = route.useParams();
  const account = useAccount(name);
  const [isAll, setAll] = useState(false);
  const [secret, setSecret] = useState<ShownSecret>();
  const [{ data, error }, again] = useAnswer({ query: keysQuery, variables: isAll ? {} : { status: 'ACTIVE' } });
  const refresh = () => again({ requestPolicy: 'network-only' });
  const keys = data?.apiKeys ?? undefined;
  const { rows, headings, filterField } = useTableRows(keys?.nodes ?? [], columns, textOf);
  if (account === undefined) return <NoAccount name={name} />;
  return (
    <div className="view">
      <div className="view-bar">
        <h1>API keys</h1>
        <button type="button" className="button" aria-pressed={isAll} onClick={() => setAll(!isAll)}>
          Show expired
        </button>
        {filterField}
        <span className="quiet" role="status">
          {keys === undefined ? '' : plural(keys.filteredCount, 'key')}
        </span>
        <NewKey
          onCreated={(created) => {
            setSecret(created);
            refresh();
          }}
        />
      </div>
      {error !== undefined && keys === undefined ? (
        <FailureNotice error={error} onRetry={refresh} />
      ) : keys === undefined ? (
        <Skeletons />
      ) : keys.nodes.length === 0 ? (
        <Notice title="No API keys yet">An API key lets a program use the API without signing in.</Notice>
      ) : (
        <PlainTable columns={headings}>
          {rows.map((key) => (
            <KeyRow key={key.id} apiKey={key} onChange={refresh} onSecret={setSecret} />
          ))}
        </PlainTable>
      )}
      {keys?.pageInfo.hasNextPage === true && (
        <p className="quiet">
          Showing the newest {keys.nodes.length} of {keys.filteredCount} keys.
        </p>
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
  const { id, name, prefix, owner, scopes, status, workspace, createdAt, createdBy, lastUsedAt, expiresAt, revokedAt } =
    apiKey;
  const [includeDescendants, setIncludeDescendants] = useState(false);
  return (
    <tr className={status === 'ACTIVE' ? '' : 'ended'}>
      <td>
        <strong>{name}</strong>
        <br />
        <code className="quiet">{prefix}…</code>
      </td>
      <td>
        <ActsAs scopes={scopes} owner={owner} workspace={workspace} from={apiKey.addressRanges} />
      </td>
      <td data-label="Created">
        <Time value={createdAt} />
        {createdBy !== null && <span className="quiet"> by {createdBy}</span>}
      </td>
      <td data-label="Last used">{lastUsedAt === null ? 'Never' : <Time value={lastUsedAt} />}</td>
      <td>
        {revokedAt !== null ? (
          <>
            Revoked <Time value={revokedAt} />
          </>
        ) : expiresAt === null ? (
          'Never expires'
        ) : (
          <>
            {status === 'EXPIRED' ? 'Expired' : 'Expires'} <Time value={expiresAt} />
          </>
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
