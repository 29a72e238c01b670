import { Link, getRouteApi, useNavigate } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useQuery } from 'urql';
import { NoAccount } from '../access/no-account.js';
import { usePolling } from '../api/use-polling.js';
import { useAccount } from '../frame/viewer.js';
import type { ViewerAccount } from '../frame/viewer.js';
import { plural } from '../look/amount.js';
import { FailureNotice, Notice } from '../look/notice.js';
import { Skeletons } from '../look/skeletons.js';
import { StateMark } from '../look/state-mark.js';
import { Time } from '../look/time-text.js';
import { RecentDeliveries } from './recent-deliveries.js';
import { NewWebhook } from './new-webhook.js';
import { RetryText } from './retry-text.js';
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

function Webhooks({ account }: { account: ViewerAccount }): ReactElement {
  const navigate = useNavigate();
  const [{ data, error }, again] = useQuery({ query: webhooksQuery, variables: { account: account.id } });
  usePolling(again, 15_000);
  const webhooks = data?.account?.webhooks ?? undefined;
  const open = (id: string) => navigate({ to: '/a/$account/webhooks/$id', params: { account: account.name, id } });
  return (
    <div className="view">
      <div className="view-bar">
        <h1>Webhooks</h1>
        <span className="quiet" role="status">
          {webhooks === undefined ? '' : plural(webhooks.totalCount, 'webhook')}
        </span>
        <NewWebhook account={account} onCreated={(id) => void open(id)} />
      </div>
      {webhooks === undefined ? (
        error === undefined ? (
          <Skeletons />
        ) : (
          <FailureNotice error={error} onRetry={() => again({ requestPolicy: 'network-only' })} />
        )
      ) : webhooks.nodes.length === 0 ? (
        <Notice title="No webhooks yet">A webhook sends changes to your URL as they happen, in signed requests.</Notice>
      ) : (
        <div className="webhook-list">
          <table className="plain-table">
            <thead>
              <tr>
                <th scope="col">State</th>
                <th scope="col">Webhook</th>
                <th scope="col">Sends</th>
                <th scope="col">Recent deliveries</th>
              </tr>
            </thead>
            <tbody>
              {webhooks.nodes.map((webhook) => (
                <WebhookRow key={webhook.id} webhook={webhook} account={account.name} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </div>
  );
}

function WebhookRow({ webhook, account }: { webhook: ListedWebhook; account: string }): ReactElement {
  const { id, name, url, workspace, filter, recent, pauseReason, retryAt } = webhook;
  const [last] = recent?.nodes ?? [];
  return (
    <tr>
      <td className="webhook-state">
        <StateMark state={stateOf(webhook)} />
      </td>
      <th scope="row" className="webhook-name">
        <Link to="/a/$account/webhooks/$id" params={{ account, id }}>
          {name}
        </Link>
        <span className="quiet mono wrap">{url}</span>
      </th>
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
    </tr>
  );
}
