import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import type { ReactElement } from 'react';
import { SecretDialog } from '../access/secret-dialog.js';
import { client, pageClient } from '../api/client.js';
import { problemOf } from '../api/failure.js';
import { loadPart } from '../api/load-part.js';
import { perform } from '../api/perform.js';
import { readingOf } from '../api/reading.js';
import type { Reading } from '../api/reading.js';
import { refusalIn } from '../editing/change-resource.js';
import type { ViewerAccount } from '../frame/viewer.js';
import { Confirm } from '../look/confirm.js';
import { RowMenu } from '../look/row-menu.js';
import { ResumeWebhook } from './resume-webhook.js';
import { changesOf, draftOf } from './webhook-draft.js';
import {
  deleteWebhookMutation,
  rotateSecretMutation,
  testWebhookMutation,
  updateWebhookMutation,
} from './webhook-mutations.js';
import { webhookQuery } from './webhook-queries.js';
import type { Webhook } from './webhook-queries.js';
import { Problems } from '../look/problems.js';
import { BusyButton } from '../look/busy-button.js';
import '../editing/edit-dialog.css';

const WebhookDialog = lazy(() => loadPart(() => import('./webhook-dialog.js')));

interface WebhookActionsProps {
  webhook: Webhook;
  account: ViewerAccount;
  onChange: () => void;
}

/** The actions of a webhook. */
export function WebhookActions({ webhook, account, onChange }: WebhookActionsProps): ReactElement {
  const navigate = useNavigate();
  const { id, name, status } = webhook;
  const [isEditing, setEditing] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [secret, setSecret] = useState<{ name: string; text: string }>();
  const act = async (why: Promise<string | undefined>) => {
    setBusy(true);
    setProblem(await why);
    setBusy(false);
    onChange();
  };
  const test = async () => {
    setBusy(true);
    const { data, error } = await client.mutation(testWebhookMutation, { id }).toPromise();
    const result = data?.result;
    setBusy(false);
    if (result?.__typename !== 'TestWebhookPayload') return setProblem(problemOf(result, error));
    setProblem(undefined);
    const search = { open: result.delivery.id };
    return navigate({ to: '/a/$account/webhooks/$id', params: { account: account.name, id }, search });
  };
  const rotate = async () => {
    const { data, error } = await client.mutation(rotateSecretMutation, { id }).toPromise();
    const result = data?.result;
    if (result?.__typename !== 'RotateWebhookSecretPayload') return problemOf(result, error);
    setSecret({ name, text: result.secret });
    return undefined;
  };
  const remove = async () => {
    const why = await perform(deleteWebhookMutation, { id });
    if (why === undefined) await navigate({ to: '/a/$account/webhooks', params: { account: account.name } });
    return why;
  };
  return (
    <div className="resource-buttons">
      <button type="button" className="button primary" onClick={() => setEditing(true)}>
        Edit
      </button>
      <BusyButton className="button" isBusy={isBusy} onClick={() => void test()}>
        Send test
      </BusyButton>
      {status === 'ACTIVE' ? (
        <BusyButton
          className="button"
          isBusy={isBusy}
          onClick={() => void act(perform(updateWebhookMutation, { input: { id, paused: true } }))}
        >
          Pause
        </BusyButton>
      ) : (
        <ResumeWebhook name={name} resume={(skipMissed) => resume(id, skipMissed)} onDone={onChange} />
      )}
      <RowMenu
        label="More actions"
        actions={[
          {
            label: 'Rotate secret…',
            dialog: (control) => (
              <Confirm
                control={control}
                isDestructive={false}
                title={`Rotate secret of ${name}?`}
                confirm="Rotate secret"
                keep="Cancel"
                run={rotate}
              >
                The new secret is shown once. For one day, deliveries are signed with both secrets.
                {webhook.previousSecretExpiresAt !== null && ' The previous secret expires immediately.'}
              </Confirm>
            ),
          },
          {
            label: 'Delete webhook…',
            isDestructive: true,
            dialog: (control) => (
              <Confirm control={control} title={`Delete ${name}?`} confirm="Delete webhook" keep="Cancel" run={remove}>
                Its deliveries and secret are deleted, and waiting deliveries are not sent. This cannot be undone.
              </Confirm>
            ),
          },
        ]}
      />
      <Problems text={problem} />
      {isEditing && (
        <Suspense>
          <WebhookDialog
            title={`Edit ${name}`}
            save="Save"
            account={account}
            webhook={webhook}
            onClose={() => setEditing(false)}
            reload={() => readAgain(id)}
            onSave={async (draft, base = webhook) => {
              const input = { id, ifVersion: base.version, ...changesOf(draftOf(base), draft) };
              const { data, error } = await client.mutation(updateWebhookMutation, { input }).toPromise();
              if (data?.result.__typename !== 'UpdateWebhookPayload') return refusalIn(data?.result, error);
              setEditing(false);
              onChange();
              return undefined;
            }}
          />
        </Suspense>
      )}
      <SecretDialog
        of="webhook"
        secret={secret}
        onClose={() => {
          setSecret(undefined);
          onChange();
        }}
      />
    </div>
  );
}

async function resume(id: string, skipMissed: boolean): Promise<string | undefined> {
  return perform(updateWebhookMutation, { input: { id, paused: false, skipMissed } });
}

async function readAgain(id: string): Promise<Reading<Webhook>> {
  const { data, error } = await pageClient.query(webhookQuery, { id }).toPromise();
  return readingOf('webhook', data?.node?.__typename === 'Webhook' ? data.node : undefined, error);
}
