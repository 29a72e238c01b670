import { useState } from 'react';
import type { ReactElement } from 'react';
import { perform } from '../api/perform.js';
import { Choice } from '../look/choice.js';
import { DialogForm, FormDialog, TextField } from '../look/form-dialog.js';
import { updateClientMutation } from './oauth-client-queries.js';
import type { OauthClient } from './oauth-client-queries.js';
import { purposeNames, purposeOf, purposes, scopesText } from './purposes.js';

interface EditOauthClientProps {
  client: OauthClient;
  onDone: () => void;
}

export function EditOauthClient({ client, onDone }: EditOauthClientProps): ReactElement {
  return (
    <FormDialog
      trigger="Edit…"
      label={`Edit ${client.name}`}
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

/** Keeps custom scopes unless the user selects a purpose. */
const unchanged = 'unchanged';

function ClientForm({ client, onDone }: EditOauthClientProps): ReactElement {
  const { name, scopes } = client;
  const before = purposeOf(scopes) ?? unchanged;
  const [displayName, setDisplayName] = useState(client.displayName);
  const [purpose, setPurpose] = useState<typeof before>(before);
  const send = async () => {
    const isOther = purpose !== before && purpose !== unchanged;
    const why = await perform(updateClientMutation, {
      input: { name, displayName: displayName.trim(), ...(isOther ? { scopes: [...purposes[purpose].scopes] } : {}) },
    });
    if (why === undefined) onDone();
    return why;
  };
  return (
    <DialogForm submit="Save" send={send}>
      <TextField label="Display name" isRequired maxLength={63} value={displayName} onChange={setDisplayName} />
      <Choice
        label="Permissions"
        value={purpose}
        options={[
          ...(before === unchanged ? [{ value: unchanged, label: scopesText(scopes) } as const] : []),
          ...purposeNames.map((value) => ({ value, label: purposes[value].label })),
        ]}
        onChange={setPurpose}
      />
    </DialogForm>
  );
}
