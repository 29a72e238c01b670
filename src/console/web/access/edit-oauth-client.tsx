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
      description="Tokens that it has go on as they are, for a quarter of an hour at most."
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

/** Scopes that are put together otherwise than for a purpose stay as they are unless one is chosen. */
const asItIs = 'as-it-is';

function ClientForm({ client, onDone }: EditOauthClientProps): ReactElement {
  const { name, scopes } = client;
  const before = purposeOf(scopes) ?? asItIs;
  const [displayName, setDisplayName] = useState(client.displayName);
  const [purpose, setPurpose] = useState<typeof before>(before);
  const send = async () => {
    const isOther = purpose !== before && purpose !== asItIs;
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
        label="It may"
        value={purpose}
        options={[
          ...(before === asItIs ? [{ value: asItIs, label: scopesText(scopes) } as const] : []),
          ...purposeNames.map((value) => ({ value, label: purposes[value].label })),
        ]}
        onChange={setPurpose}
      />
    </DialogForm>
  );
}
