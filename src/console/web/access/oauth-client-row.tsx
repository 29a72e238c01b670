import type { ReactElement } from 'react';
import { attempt, perform } from '../api/perform.js';
import { useViewer } from '../frame/viewer.js';
import { Confirm } from '../look/confirm.js';
import { CopyButton } from '../look/copy-button.js';
import { Time } from '../look/time-text.js';
import { ActsAs } from './acts-as.js';
import { EditOauthClient } from './edit-oauth-client.js';
import { deleteClientMutation, revokeClientMutation, rotateClientSecretMutation } from './oauth-client-queries.js';
import type { OauthClient } from './oauth-client-queries.js';
import type { ShownSecret } from './secret-dialog.js';

interface OauthClientRowProps {
  client: OauthClient;
  onChange: () => void;
  onSecret: (secret: ShownSecret) => void;
}

export function OauthClientRow({ client, onChange, onSecret }: OauthClientRowProps): ReactElement {
  const { name, displayName, scopes, owner, workspace, isManagedByOperator, revokedAt } = client;
  return (
    <li className={revokedAt === null ? '' : 'ended'}>
      <div>
        <strong>{displayName}</strong> <code className="quiet">{name}</code>
        <CopyButton text={name} label={`Copy client id ${name}`} />
        <ActsAs scopes={scopes} owner={owner} workspace={workspace} />
        <ClientStatus client={client} />
      </div>
      {!isManagedByOperator && (
        <span className="key-actions">
          {revokedAt === null ? (
            <ClientActions client={client} onChange={onChange} onSecret={onSecret} />
          ) : (
            <Confirm
              trigger="Delete…"
              label={`Delete ${name}`}
              title={`Delete ${displayName}?`}
              confirm="Delete client"
              keep="Cancel"
              run={() => afterSuccess(perform(deleteClientMutation, { name }), onChange)}
            >
              The client is removed from this list and its id {name} can be used again. Its activity is kept.
            </Confirm>
          )}
        </span>
      )}
    </li>
  );
}

/** The dates of a client and its secrets. */
function ClientStatus({ client }: { client: OauthClient }): ReactElement {
  const { createdAt, previousSecretExpiresAt, revokedAt, isManagedByOperator } = client;
  return (
    <p className="quiet">
      Created <Time value={createdAt} />.{' '}
      {revokedAt !== null && (
        <>
          Revoked <Time value={revokedAt} />.{' '}
        </>
      )}
      {previousSecretExpiresAt !== null && Date.parse(previousSecretExpiresAt) > Date.now() && (
        <>
          Previous secret expires <Time value={previousSecretExpiresAt} />.{' '}
        </>
      )}
      {isManagedByOperator && 'Managed by the operator.'}
    </p>
  );
}

function ClientActions({ client, onChange, onSecret }: OauthClientRowProps): ReactElement {
  const viewer = useViewer();
  const { name, displayName, owner, ownerKind } = client;
  return (
    <>
      <EditOauthClient client={client} onDone={onChange} />
      {(ownerKind !== 'USER' || owner === viewer.name) && (
        <Confirm
          trigger="Rotate secret…"
          isDestructive={false}
          label={`Rotate secret of ${name}`}
          title={`Rotate secret of ${displayName}?`}
          confirm="Rotate secret"
          keep="Cancel"
          run={async () => {
            const { done, why } = await attempt(rotateClientSecretMutation, { input: { name } });
            if (done !== undefined) onSecret({ name: displayName, text: done.secret });
            return why;
          }}
        >
          The new secret is shown once. The old secret works for one more day, so that you can replace it.
        </Confirm>
      )}
      <Confirm
        trigger="Revoke…"
        label={`Revoke ${name}`}
        title={`Revoke ${displayName}?`}
        confirm="Revoke"
        keep="Cancel"
        run={() => afterSuccess(perform(revokeClientMutation, { name }), onChange)}
      >
        Requests with the client and its tokens fail within one second. This cannot be undone.
      </Confirm>
    </>
  );
}

async function afterSuccess(why: Promise<string | undefined>, onDone: () => void): Promise<string | undefined> {
  const problem = await why;
  if (problem === undefined) onDone();
  return problem;
}
