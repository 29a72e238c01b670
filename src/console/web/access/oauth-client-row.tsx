import type { ReactElement } from 'react';
import { attempt, perform } from '../api/perform.js';
import { useViewer } from '../frame/viewer.js';
import { Confirm } from '../look/confirm.js';
import { CopyButton } from '../look/copy-button.js';
import { RowMenu } from '../look/row-menu.js';
import type { RowAction } from '../look/row-menu.js';
import { StateMark } from '../look/state-mark.js';
import { Time } from '../look/time-text.js';
import { exactTime, formatDayOf } from '../look/time.js';
import { Permissions } from './permissions.js';
import { EditOauthClient } from './edit-oauth-client.js';
import { deleteClientMutation, revokeClientMutation, rotateClientSecretMutation } from './oauth-client-queries.js';
import type { OauthClient } from './oauth-client-queries.js';
import { OldSecret } from './old-secret.js';
import type { ShownSecret } from './secret-dialog.js';

interface OauthClientRowProps {
  client: OauthClient;
  onChange: () => void;
  onSecret: (secret: ShownSecret) => void;
}

export function OauthClientRow(props: OauthClientRowProps): ReactElement {
  const { client } = props;
  const { name, displayName, scopes, owner, workspace, isManagedByOperator, createdAt, revokedAt } = client;
  const actions = useActions(props);
  return (
    <tr className={revokedAt === null ? '' : 'ended'}>
      <td>
        <strong>
          <bdi>{displayName}</bdi>
        </strong>
        <span className="under-name">
          <code>{name}</code>
          <CopyButton text={name} label={`Copy client ID ${name}`} />
        </span>
      </td>
      <td>
        <StateMark state={revokedAt === null ? 'ACTIVE' : 'REVOKED'} />
        {revokedAt !== null && (
          <span className="under-name">
            <Time value={revokedAt} />
          </span>
        )}
        {isManagedByOperator && <span className="under-name">Managed by the operator</span>}
        <OldSecret expiresAt={client.previousSecretExpiresAt} />
      </td>
      <td className="whole">
        <Permissions scopes={scopes} />
      </td>
      <td className="wrap" data-label="Owner">
        {owner}
      </td>
      <td data-label="Workspace">
        {workspace === null ? <span className="quiet">All</span> : <span className="mono">{workspace.name}</span>}
      </td>
      <td data-label="Created">
        <time dateTime={createdAt} title={exactTime(createdAt)}>
          {formatDayOf(createdAt)}
        </time>
      </td>
      <td>{!isManagedByOperator && <RowMenu label={`Actions of ${name}`} actions={actions} />}</td>
    </tr>
  );
}

function useActions({ client, onChange, onSecret }: OauthClientRowProps): RowAction[] {
  const viewer = useViewer();
  const { name, displayName, owner, ownerKind, revokedAt } = client;
  const remove: RowAction = {
    label: 'Delete…',
    isDestructive: true,
    dialog: (control) => (
      <Confirm
        control={control}
        title={`Delete ${displayName}?`}
        confirm="Delete client"
        keep="Cancel"
        run={() => afterSuccess(perform(deleteClientMutation, { name }), onChange)}
      >
        The client is removed from this list and its ID {name} can be used again. Its activity is kept.
      </Confirm>
    ),
  };
  const rotate: RowAction = {
    label: 'Rotate secret…',
    dialog: (control) => (
      <Confirm
        control={control}
        isDestructive={false}
        title={`Rotate secret of ${displayName}?`}
        confirm="Rotate secret"
        keep="Cancel"
        run={async () => {
          const { done, why } = await attempt(rotateClientSecretMutation, { input: { name } });
          if (done !== undefined) {
            const until = done.oauthClient.previousSecretExpiresAt;
            onSecret({ name: displayName, text: done.secret, previousExpiresAt: until });
          }
          return why;
        }}
      >
        The new secret is shown once. The old secret works for one more day, so that you can replace it.
      </Confirm>
    ),
  };
  const revoke: RowAction = {
    label: 'Revoke…',
    isDestructive: true,
    dialog: (control) => (
      <Confirm
        control={control}
        title={`Revoke ${displayName}?`}
        confirm="Revoke"
        keep="Cancel"
        run={() => afterSuccess(perform(revokeClientMutation, { name }), onChange)}
      >
        Requests with the client and its tokens fail within one second. This cannot be undone.
      </Confirm>
    ),
  };
  if (revokedAt !== null) return [remove];
  const edit: RowAction = {
    label: 'Edit…',
    dialog: (control) => <EditOauthClient client={client} control={control} onDone={onChange} />,
  };
  const canRotate = ownerKind !== 'USER' || owner === viewer.name;
  return [edit, ...(canRotate ? [rotate] : []), revoke];
}

async function afterSuccess(why: Promise<string | undefined>, onDone: () => void): Promise<string | undefined> {
  const problem = await why;
  if (problem === undefined) onDone();
  return problem;
}
