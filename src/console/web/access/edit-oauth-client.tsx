import { useState } from 'react';
import type { ReactElement } from 'react';
import { openingScopes } from '../../../auth/scopes.js';
import { perform } from '../api/perform.js';
import { DialogForm, FormDialog, TextField } from '../look/form-dialog.js';
import type { DialogControl } from '../look/row-menu.js';
import { updateClientMutation } from './oauth-client-queries.js';
import type { OauthClient } from './oauth-client-queries.js';
import { ScopeChoice } from './scope-choice.js';

interface EditOauthClientProps {
  client: OauthClient;
  onDone: () => void;
}

export function EditOauthClient({
  client,
  onDone,
  control,
}: EditOauthClientProps & { control: DialogControl }): ReactElement {
  return (
    <FormDialog
      control={control}
      title={`Edit ${client.displayName}`}
      description="Existing tokens keep their permissions for up to 15 minutes."
    >
      {(close) => (
        <ClientForm
          client={client}
          onDone={() => {
            close();
            onDone();
          }}
        />
      )}
    </FormDialog>
  );
}

function ClientForm({ client, onDone }: EditOauthClientProps): ReactElement {
  // The client as the form was opened with it. Only changed fields are sent.
  const [first] = useState(client);
  const [displayName, setDisplayName] = useState(first.displayName);
  const [scopes, setScopes] = useState<readonly string[]>(first.scopes);
  const send = async () => {
    if (scopes.length === 0) return 'Choose at least one permission.';
    const isOther = scopes.toSorted().join(' ') !== first.scopes.toSorted().join(' ');
    const why = await perform(updateClientMutation, {
      input: {
        name: first.name,
        ...(displayName.trim() === first.displayName ? {} : { displayName: displayName.trim() }),
        ...(isOther ? { scopes: [...scopes] } : {}),
      },
    });
    if (why === undefined) onDone();
    return why;
  };
  return (
    <DialogForm submit="Save" send={send}>
      <TextField label="Display name" isRequired maxLength={63} value={displayName} onChange={setDisplayName} />
      <ScopeChoice offered={openingScopes} value={scopes} onChange={setScopes} />
    </DialogForm>
  );
}
