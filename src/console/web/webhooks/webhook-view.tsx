import { Link, getRouteApi } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useQuery } from 'urql';
import { NoAccount } from '../access/no-account.js';
import { usePolling } from '../api/use-polling.js';
import { useAccount } from '../frame/viewer.js';
import type { ViewerAccount } from '../frame/viewer.js';
import { CopyButton } from '../look/copy-button.js';
import { FailureNotice, Notice } from '../look/notice.js';
import { Skeletons } from '../look/skeletons.js';
import { StateMark } from '../look/state-mark.js';
import { Time } from '../look/time-text.js';
import { Fact, Section } from '../resources/section.js';
import { Deliveries } from './deliveries.js';
import { WebhookActions } from './webhook-actions.js';
import { webhookQuery } from './webhook-queries.js';
import type { Webhook } from './webhook-queries.js';
import { RetryText } from './retry-text.js';
import { sendsText, stateOf } from './webhook-words.js';
import '../resources/resource-panel.css';
import './webhooks.css';

const route = getRouteApi('/a/$account/webhooks/$id');

/** One webhook: whether it arrives, what it sends, and each delivery. */
export function WebhookView(): ReactElement {
  const { account: name, id } = route.useParams();
  const account = useAccount(name);
  const [{ data, error }, again] = useQuery({ query: webhookQuery, variables: { id } });
  usePolling(again, 10_000);
  const refresh = () => again({ requestPolicy: 'network-only' });
  if (account === undefined) return <NoAccount name={name} />;
  const webhook = data?.node;
  if (webhook?.__typename === 'Webhook') return <Shown webhook={webhook} account={account} onChange={refresh} />;
  return (
    <div className="view">
      <h1 className="hidden">Webhook</h1>
      {data !== undefined ? (
        <Notice title="There is no such webhook for you">
          It was deleted, or its place has other admins.{' '}
          <Link to="/a/$account/webhooks" params={{ account: name }} className="text-link">
            Show all of them
          </Link>
        </Notice>
      ) : error === undefined ? (
        <Skeletons />
      ) : (
        <FailureNotice error={error} onRetry={refresh} />
      )}
    </div>
  );
}

interface ShownProps {
  webhook: Webhook;
  account: ViewerAccount;
  onChange: () => void;
}

function Shown({ webhook, account, onChange }: ShownProps): ReactElement {
  const { id, name, url, workspace, filter, pauseReason, pausedAt, retryAt, createdAt, createdBy } = webhook;
  const secretEndsAt = webhook.previousSecretEndsAt;
  return (
    <div className="resource-page webhook-page">
      <article className="resource">
        <header className="resource-heading">
          <div>
            <h1>{name}</h1>
          </div>
        </header>
        <p className="resource-state">
          <StateMark state={stateOf(webhook)} />
          {pauseReason !== null && pausedAt !== null && (
            <span className="quiet">
              {pauseReason}, <Time value={pausedAt} />. What happens waits, for as long as the history is kept.
            </span>
          )}
          {retryAt !== null && (
            <span className="quiet">
              Its address did not take the last one. <RetryText at={retryAt} />.
            </span>
          )}
        </p>
        <WebhookActions webhook={webhook} account={account} onChange={onChange} />
        <Section title="What it is">
          <dl className="facts">
            <Fact name="Address">
              <span className="mono">{url}</span>
              <CopyButton text={url} label="Copy the address" />
            </Fact>
            <Fact name="Is sent">
              {sendsText(filter)}, {workspace === null ? 'of the whole account' : `of ${workspace.name}`}
            </Fact>
            {secretEndsAt !== null && (
              <Fact name="Secret">
                <span>
                  was rotated: the old one verifies as well, until it ends <Time value={secretEndsAt} />
                </span>
              </Fact>
            )}
            <Fact name="Made">
              <Time value={createdAt} />
              {createdBy !== null && <span className="quiet">by {createdBy}</span>}
            </Fact>
          </dl>
        </Section>
        <Deliveries key={id} id={id} account={account.name} />
      </article>
    </div>
  );
}
