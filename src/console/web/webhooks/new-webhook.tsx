import { lazy, Suspense, useState } from 'react';
import type { ReactElement } from 'react';
import { SecretDialog } from '../access/secret-dialog.js';
import { client } from '../api/client.js';
import { loadPart } from '../api/load-part.js';
import type { ViewerAccount } from '../frame/viewer.js';
import { refusalIn } from '../editing/change-resource.js';
import type { FilterInput } from './webhook-draft.js';
import { createWebhookMutation } from './webhook-mutations.js';

const WebhookDialog = lazy(() => loadPart(() => import('./webhook-dialog.js')));

interface NewWebhookProps {
  account: ViewerAccount;
  /** Called with the id of the created webhook once the user has copied its secret. */
  onCreated: (id: string) => void;
  /** What the form starts with, beside a form that needs the webhook. */
  filter?: FilterInput;
}

export function NewWebhook({ account, onCreated, filter: first }: NewWebhookProps): ReactElement {
  const [isOpen, setOpen] = useState(false);
  const [created, setCreated] = useState<{ id: string; name: string; text: string }>();
  return (
    <span>
      <button type="button" className={first === undefined ? 'button primary' : 'button'} onClick={() => setOpen(true)}>
        Create webhook
      </button>
      {isOpen && (
        <Suspense>
          <WebhookDialog
            title="Create webhook"
            save="Create webhook"
            account={account}
            webhook={undefined}
            {...(first === undefined ? {} : { filter: first })}
            onClose={() => setOpen(false)}
            onSave={async ({ name, url, format, workspace, filter }) => {
              const where = workspace === undefined ? {} : { workspace };
              const { data, error } = await client
                .mutation(createWebhookMutation, { input: { name, url, format, filter, ...where } })
                .toPromise();
              const result = data?.result;
              if (result?.__typename !== 'CreateWebhookPayload') return refusalIn(result, error);
              setOpen(false);
              setCreated({ id: result.webhook.id, name, text: result.secret });
              return undefined;
            }}
          />
        </Suspense>
      )}
      <SecretDialog
        of="webhook"
        secret={created}
        onClose={() => {
          if (created !== undefined) onCreated(created.id);
          setCreated(undefined);
        }}
      />
    </span>
  );
}
