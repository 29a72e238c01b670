import { useState } from 'react';
import type { ReactElement } from 'react';
import { openingScopes } from '../../../auth/scopes.js';
import { attempt } from '../api/perform.js';
import type { ViewerAccount } from '../frame/viewer.js';
import { DialogForm, FormDialog, TextField } from '../look/form-dialog.js';
import { createClientMutation } from './oauth-client-queries.js';
import { OwnerChoice } from './owner-choice.js';
import { PlaceChoice } from './workspace-choice.js';
import { ScopeChoice } from './scope-choice.js';
import type { ShownSecret } from './secret-dialog.js';

interface NewOauthClientProps {
  account: ViewerAccount;
  onCreated: (created: ShownSecret) => void;
}

export function NewOauthClient({ account, onCreated }: NewOauthClientProps): ReactElement {
  return (
    <FormDialog isPrimary isWide trigger="Create OAuth client" title="Create OAuth client">
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
  const [scopes, setScopes] = useState<string[]>([]);
  const [workspace, setWorkspace] = useState<string>();
  const [owner, setOwner] = useState<string>();
  const send = async () => {
    if (scopes.length === 0) return 'Choose at least one permission.';
    const { done, why } = await attempt(createClientMutation, {
      input: {
        name: name.trim(),
        scopes,
        ...(displayName.trim() === '' ? {} : { displayName: displayName.trim() }),
        ...(workspace === undefined ? {} : { workspace }),
        ...(owner === undefined ? {} : { owner }),
      },
    });
    if (done !== undefined) onCreated({ name: done.oauthClient.displayName, text: done.secret });
    return why;
  };
  return (
    <DialogForm submit="Create OAuth client" send={send}>
      <TextField
        label="Client ID"
        hint="Lowercase letters, digits and hyphens. Cannot be changed later."
        isRequired
        maxLength={49}
        value={name}
        onChange={setName}
      />
      <TextField label="Display name" maxLength={63} value={displayName} onChange={setDisplayName} />
      <ScopeChoice offered={openingScopes} value={scopes} onChange={setScopes} />
      <PlaceChoice account={account.id} value={workspace} onChange={setWorkspace} />
      <OwnerChoice account={account} value={owner} onChange={setOwner} />
    </DialogForm>
  );
}
