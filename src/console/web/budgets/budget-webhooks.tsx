import type { ReactElement } from 'react';
import { stateOf, useAnswer } from '../api/use-answer.js';
import type { ViewerAccount } from '../frame/viewer.js';
import { OptionsState } from '../look/options-state.js';
import { eventPresets, receivesAlerts } from '../webhooks/event-groups.js';
import { NewWebhook } from '../webhooks/new-webhook.js';
import { webhooksQuery } from '../webhooks/webhook-queries.js';

/** The webhooks that receive the alerts of a budget. Without any, a button creates one in place. */
export function BudgetWebhooks({ account, budget }: { account: ViewerAccount; budget: string }): ReactElement | null {
  const asked = useAnswer({ query: webhooksQuery, variables: { account: account.id } });
  const [{ data }, again] = asked;
  const webhooks = data?.account?.webhooks;
  if (webhooks == null) return <OptionsState of="the webhooks that receive alerts" state={stateOf(asked)} />;
  const receivers = webhooks.nodes.filter(
    ({ workspace, filter }) => workspace === null && receivesAlerts(filter, budget),
  );
  const { kinds, actions } = eventPresets.Budgets;
  return (
    <div className="budget-webhooks">
      {receivers.length === 0 ? (
        <p>
          <strong>No webhook receives the alerts.</strong>{' '}
          <span className="quiet">They appear here and in the activity only.</span>
        </p>
      ) : (
        <p>
          Alerts go to{' '}
          {receivers.map(({ id, name, url, status }, index) => (
            <span key={id} title={url}>
              {index > 0 && ', '}
              <strong>{name}</strong>
              {status !== 'ACTIVE' && <span className="quiet"> (paused)</span>}
            </span>
          ))}
          .
        </p>
      )}
      {receivers.length === 0 && (
        <NewWebhook
          account={account}
          filter={{ kinds: [...kinds], actions: [...actions] }}
          onCreated={() => again({ requestPolicy: 'network-only' })}
        />
      )}
    </div>
  );
}
