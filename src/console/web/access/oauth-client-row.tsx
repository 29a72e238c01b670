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
        <CopyButton text={name} label={`Copy the client id ${name}`} />
        <ActsAs scopes={scopes} owner={owner} workspace={workspace} />
        <Course client={client} />
      </div>
      {!isManagedByOperator && (
        <span className="key-actions">
          {revokedAt === null ? (
            <Doings client={client} onChange={onChange} onSecret={onSecret} />
          ) : (
            <Confirm
              trigger="Remove…"
              label={`Remove ${name}`}
              title={`Remove ${displayName}?`}
              confirm="Remove it"
              keep="Keep it in sight"
              run={() => thenTell(perform(deleteClientMutation, { name }), onChange)}
            >
              It goes from this list, and another client can be called {name}. What it did stays in the activity.
            </Confirm>
          )}
        </span>
      )}
    </li>
  );
}

/** What came of it so far. */
function Course({ client }: { client: OauthClient }): ReactElement {
  const { createdAt, previousSecretEndsAt, revokedAt, isManagedByOperator } = client;
  return (
    <p className="quiet">
      Made <Time value={createdAt} />.{' '}
      {revokedAt !== null && (
        <>
          Revoked <Time value={revokedAt} />.{' '}
        </>
      )}
      {previousSecretEndsAt !== null && Date.parse(previousSecretEndsAt) > Date.now() && (
        <>
          The secret before works until <Time value={previousSecretEndsAt} />.{' '}
        </>
      )}
      {isManagedByOperator && 'People sign in to it as well: the operator of the service alone changes it.'}
    </p>
  );
}

function Doings({ client, onChange, onSecret }: OauthClientRowProps): ReactElement {
  const viewer = useViewer();
  const { name, displayName, owner, ownerKind } = client;
  return (
    <>
      <EditOauthClient client={client} onDone={onChange} />
      {(ownerKind !== 'USER' || owner === viewer.name) && (
        <Confirm
          trigger="New secret…"
          label={`A new secret for ${name}`}
          title={`A new secret for ${displayName}?`}
          confirm="Make the new secret"
          keep="Keep it as it is"
          run={async () => {
            const { done, why } = await attempt(rotateClientSecretMutation, { input: { name } });
            if (done !== undefined) onSecret({ name: displayName, text: done.secret });
            return why;
          }}
        >
          The new one is shown once. The old one goes on for a day, so that the program can change over.
        </Confirm>
      )}
      <Confirm
        trigger="Revoke…"
        label={`Revoke ${name}`}
        title={`Revoke ${displayName}?`}
        confirm="Revoke"
        keep="Keep it"
        run={() => thenTell(perform(revokeClientMutation, { name }), onChange)}
      >
        It and the tokens that it has are refused within a second, and it cannot be brought back.
      </Confirm>
    </>
  );
}

async function thenTell(why: Promise<string | undefined>, onDone: () => void): Promise<string | undefined> {
  const problem = await why;
  if (problem === undefined) onDone();
  return problem;
}
