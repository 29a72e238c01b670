import { useState } from 'react';
import type { ReactElement } from 'react';
import { useAnswer } from '../api/use-answer.js';
import { attempt } from '../api/perform.js';
import type { ViewerAccount } from '../frame/viewer.js';
import { useViewer } from '../frame/viewer.js';
import { Choice } from '../look/choice.js';
import { DialogForm, FormDialog, TextField } from '../look/form-dialog.js';
import { accountMembersQuery } from './member-queries.js';
import { createClientMutation } from './oauth-client-queries.js';
import { PlaceChoice } from './workspace-choice.js';
import { purposes } from './purposes.js';
import { ScopeChoice } from './scope-choice.js';
import type { ShownSecret } from './secret-dialog.js';

interface NewOauthClientProps {
  account: ViewerAccount;
  onCreated: (created: ShownSecret) => void;
}

export function NewOauthClient({ account, onCreated }: NewOauthClientProps): ReactElement {
  return (
    <FormDialog isPrimary trigger="Create OAuth client" title="Create OAuth client">
      {(close) => (
        <ClientForm
          account={account}
          onCreated={(created) => {
            close();
            onCreated(created);
          }}
        />
      )}
    </FormDialog>
  );
}

function ClientForm({ account, onCreated }: NewOauthClientProps): ReactElement {
  const [name, setName] = useState('');
  const [displayName, setDisplayName] = useState('');
  const [scopes, setScopes] = useState<string[]>([...purposes.costs.scopes]);
  const [workspace, setWorkspace] = useState<string>();
  const [owner, setOwner] = useState(myself);
  const owners = useOwners(account);
  const send = async () => {
    if (scopes.length === 0) return 'Choose at least one permission.';
    const { done, why } = await attempt(createClientMutation, {
      input: {
        name: name.trim(),
        scopes,
        ...(displayName.trim() === '' ? {} : { displayName: displayName.trim() }),
        ...(workspace === undefined ? {} : { workspace }),
        ...(owner === myself ? {} : { owner }),
      },
    });
    if (done !== undefined) onCreated({ name: done.oauthClient.displayName, text: done.secret });
    return why;
  };
  return (
    <DialogForm submit="Create OAuth client" send={send}>
      <TextField
        label="Client id"
        hint="Lowercase letters, digits and hyphens. Cannot be changed later."
        isRequired
        maxLength={49}
        value={name}
        onChange={setName}
      />
      <TextField label="Display name" maxLength={63} value={displayName} onChange={setDisplayName} />
      <ScopeChoice value={scopes} onChange={setScopes} />
      <PlaceChoice account={account.id} value={workspace} onChange={setWorkspace} />
      {owners.length > 1 && <Choice label="Owner" value={owner} options={owners} onChange={setOwner} />}
    </DialogForm>
  );
}

const myself = '';

/** The possible owners of a client: the user, or a service account. */
function useOwners({ id, viewerRole }: ViewerAccount): { value: string; label: string }[] {
  const { name } = useViewer();
  const [{ data }] = useAnswer({
    query: accountMembersQuery,
    variables: { account: id },
    requestPolicy: 'cache-first',
    pause: viewerRole !== 'ADMIN',
  });
  const programs = data?.account?.members?.nodes.filter(({ kind }) => kind === 'SERVICE_ACCOUNT') ?? [];
  return [{ value: myself, label: name }, ...programs.map((each) => ({ value: each.name, label: each.name }))];
}
