import { Link, getRouteApi } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useAnswer } from '../api/use-answer.js';
import { NoAccount } from '../access/no-account.js';
import { usePolling } from '../api/use-polling.js';
import { useIsAdminWithin } from '../frame/change-rights.js';
import { useAccount } from '../frame/viewer.js';
import type { ViewerAccount } from '../frame/viewer.js';
import { CopyButton } from '../look/copy-button.js';
import { FailureNotice, Notice } from '../look/notice.js';
import { PageHeading } from '../look/page-heading.js';
import { Skeletons } from '../look/skeletons.js';
import { StateMark } from '../look/state-mark.js';
import { Time } from '../look/time-text.js';
import { Fact, Section } from '../resources/section.js';
import { Deliveries } from './deliveries.js';
import { WebhookActions } from './webhook-actions.js';
import { webhookQuery } from './webhook-queries.js';
import type { Webhook } from './webhook-queries.js';
import { RetryText } from './retry-text.js';
import { sendsText, stateOf } from './webhook-texts.js';
import '../resources/resource-panel.css';
import './webhooks.css';

const route = getRouteApi('/a/$account/webhooks/$id');

/** A webhook: status, filter and deliveries. */
export function WebhookView(): ReactElement {
  const { account: name, id } = route.useParams();
  const account = useAccount(name);
  const canView = useIsAdminWithin(account);
  const [{ data, error }, again] = useAnswer({ query: webhookQuery, variables: { id } });
  const webhook = data?.node?.__typename === 'Webhook' ? data.node : undefined;
  usePolling(again, canView || webhook !== undefined ? 10_000 : undefined);
  const refresh = () => again({ requestPolicy: 'network-only' });
  if (account === undefined) return <NoAccount name={name} />;
  if (webhook !== undefined) return <WebhookPage webhook={webhook} account={account} onChange={refresh} />;
  return (
    <div className="view">
      <h1 className="hidden">Webhook</h1>
      {!canView ? (
        <Notice title="Only admins can view webhooks">
          Ask an admin of the account or of the workspace of the webhook for access.
        </Notice>
      ) : data !== undefined ? (
        <Notice title="Webhook not found">
          It was deleted, or you do not have access.{' '}
          <Link to="/a/$account/webhooks" params={{ account: name }} className="text-link">
            View all webhooks
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

interface WebhookPageProps {
  webhook: Webhook;
  account: ViewerAccount;
  onChange: () => void;
}

function WebhookPage({ webhook, account, onChange }: WebhookPageProps): ReactElement {
  const { id, name, url, workspace, filter, pauseReason, pausedAt, retryAt, createdAt, createdBy } = webhook;
  const secretEndsAt = webhook.previousSecretExpiresAt;
  return (
    <div className="resource-page webhook-page">
      <article className="resource">
        <PageHeading
          title={name}
          state={<StateMark state={stateOf(webhook)} />}
          essentials={
            <>
              <span className="mono wrap">
                {url} <CopyButton text={url} label="Copy URL" />
              </span>
              <span>{workspace === null ? 'Whole account' : workspace.name}</span>
            </>
          }
          reason={
            pauseReason !== null && pausedAt !== null ? (
              <p className="resource-reason quiet">
                <span>
                  {pauseReason}, <Time value={pausedAt} />. Changes are queued for the retention period.
                </span>
              </p>
            ) : retryAt !== null ? (
              <p className="resource-reason failed">
                <span>
                  The last delivery failed. <RetryText at={retryAt} />.
                </span>
              </p>
            ) : undefined
          }
          actions={<WebhookActions webhook={webhook} account={account} onChange={onChange} />}
        />
        <Section title="Details">
          <dl className="facts">
            <Fact name="Sends">
              {sendsText(filter)}, {workspace === null ? 'in the whole account' : `in ${workspace.name}`}
            </Fact>
            {secretEndsAt !== null && (
              <Fact name="Secret">
                <span>
                  Rotated. The previous secret is valid until <Time value={secretEndsAt} />
                </span>
              </Fact>
            )}
            <Fact name="Created">
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
