import { Link, getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useAnswer } from '../api/use-answer.js';
import { NoAccount } from '../access/no-account.js';
import { perform } from '../api/perform.js';
import { usePolling } from '../api/use-polling.js';
import { NoneVisible, useIsAdminWithin } from '../frame/change-rights.js';
import { useAccount } from '../frame/viewer.js';
import type { ViewerAccount } from '../frame/viewer.js';
import { plural } from '../look/amount.js';
import { Confirm } from '../look/confirm.js';
import { FailureNotice } from '../look/notice.js';
import { PlainTable, useTableRows } from '../look/plain-table.js';
import type { TableColumn } from '../look/plain-table.js';
import { Problems } from '../look/problems.js';
import { RowMenu } from '../look/row-menu.js';
import { Skeletons } from '../look/skeletons.js';
import { StateMark } from '../look/state-mark.js';
import { Time } from '../look/time-text.js';
import { ListCount } from '../look/list-count.js';
import { RecentDeliveries } from './recent-deliveries.js';
import { NewWebhook } from './new-webhook.js';
import { RetryText } from './retry-text.js';
import { deleteWebhookMutation, updateWebhookMutation } from './webhook-mutations.js';
import { webhooksQuery } from './webhook-queries.js';
import type { ListedWebhook } from './webhook-queries.js';
import { sendsText, stateOf } from './webhook-texts.js';
import '../access/access-view.css';
import '../resources/resource-panel.css';
import './webhooks.css';

const route = getRouteApi('/a/$account/webhooks');

/** The webhooks of an account and their states. */
export function WebhooksView(): ReactElement {
  const { account: name } = route.useParams();
  const account = useAccount(name);
  return account === undefined ? <NoAccount name={name} /> : <Webhooks key={account.id} account={account} />;
}

const columns: TableColumn<ListedWebhook>[] = [
  { label: 'Webhook', value: ({ name }) => name },
  { label: 'State', value: stateOf },
  { label: 'Sends', value: ({ filter }) => sendsText(filter) },
  { label: 'Recent deliveries', value: ({ recent }) => recent?.nodes[0]?.createdAt },
];

const textOf = ({ name, url, filter }: ListedWebhook) => `${name} ${url} ${sendsText(filter)}`;

function Webhooks({ account }: { account: ViewerAccount }): ReactElement {
  const navigate = useNavigate();
  const canCreate = useIsAdminWithin(account);
  const [{ data, error }, again] = useAnswer({ query: webhooksQuery, variables: { account: account.id } });
  const webhooks = data?.account?.webhooks ?? undefined;
  const canSeeAny = canCreate || (webhooks !== undefined && webhooks.nodes.length > 0);
  usePolling(again, canSeeAny ? 15_000 : undefined);
  const refresh = () => again({ requestPolicy: 'network-only' });
  const { rows, headings, filterField, noMatch } = useTableRows(webhooks?.nodes ?? [], columns, textOf);
  const open = (id: string) => navigate({ to: '/a/$account/webhooks/$id', params: { account: account.name, id } });
  return (
    <div className="view">
      <div className="view-bar">
        <h1>Webhooks</h1>
        {filterField}
        <ListCount
          of="webhooks"
          text={webhooks === undefined ? undefined : plural(rows.length, 'webhook')}
          error={error}
        />
        {canCreate && <NewWebhook account={account} onCreated={(id) => void open(id)} />}
      </div>
      {webhooks === undefined ? (
        error === undefined ? (
          <Skeletons />
        ) : (
          <FailureNotice error={error} onRetry={refresh} />
        )
      ) : webhooks.nodes.length === 0 ? (
        <NoneVisible account={account} many="webhooks">
          A webhook sends changes to your URL as they happen, in signed requests.
        </NoneVisible>
      ) : (
        <div className="webhook-list">
          <PlainTable columns={headings} rows={rows} noMatch={noMatch}>
            {(webhook) => <WebhookRow key={webhook.id} webhook={webhook} account={account} onChange={refresh} />}
          </PlainTable>
        </div>
      )}
    </div>
  );
}

interface WebhookRowProps {
  webhook: ListedWebhook;
  account: ViewerAccount;
  onChange: () => void;
}

function WebhookRow({ webhook, account: { name: account }, onChange }: WebhookRowProps): ReactElement {
  const navigate = useNavigate();
  const [problem, setProblem] = useState<string>();
  const { id, name, url, workspace, filter, recent, pauseReason, retryAt } = webhook;
  const [last] = recent?.nodes ?? [];
  const params = { account, id };
  const pause = async () => {
    setProblem(await perform(updateWebhookMutation, { input: { id, paused: true } }));
    onChange();
  };
  return (
    <tr>
      <td className="webhook-name">
        <Link to="/a/$account/webhooks/$id" params={{ account, id }}>
          {name}
        </Link>
        <span className="quiet mono wrap">{url}</span>
        <Problems text={problem} />
      </td>
      <td className="webhook-state">
        <StateMark state={stateOf(webhook)} />
      </td>
      <td className="webhook-sends">
        {sendsText(filter)}
        <span className="quiet">{workspace === null ? 'in the whole account' : `in ${workspace.name}`}</span>
      </td>
      <td className="webhook-lately">
        {last === undefined ? (
          <span className="quiet">No deliveries yet</span>
        ) : (
          <>
            <RecentDeliveries deliveries={recent?.nodes ?? []} />
            <span className="quiet">
              {pauseReason ??
                (retryAt === null ? (
                  <>
                    Last <Time value={last.createdAt} />
                  </>
                ) : (
                  <RetryText at={retryAt} />
                ))}
            </span>
          </>
        )}
      </td>
      <td>
        <RowMenu
          label={`Actions of ${name}`}
          actions={[
            {
              label: 'View failed deliveries',
              run: () => void navigate({ to: '/a/$account/webhooks/$id', params, search: { status: 'failed' } }),
            },
            ...(webhook.status === 'ACTIVE' ? [{ label: 'Pause', run: () => void pause() }] : []),
            {
              label: 'Delete…',
              isDestructive: true,
              dialog: (control) => (
                <Confirm
                  control={control}
                  title={`Delete ${name}?`}
                  confirm="Delete webhook"
                  keep="Cancel"
                  run={async () => {
                    const why = await perform(deleteWebhookMutation, { id });
                    if (why === undefined) onChange();
                    return why;
                  }}
                >
                  Its deliveries and secret are deleted, and waiting deliveries are not sent. This cannot be undone.
                </Confirm>
              ),
            },
          ]}
        />
      </td>
    </tr>
  );
}
