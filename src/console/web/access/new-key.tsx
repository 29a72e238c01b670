import { useState } from 'react';
import type { ReactElement } from 'react';
import { attempt } from '../api/perform.js';
import { DialogForm, FormDialog, TextField } from '../look/form-dialog.js';
import { createKeyMutation } from './api-key-queries.js';
import { dayAfter, ExpiryField, expiryInput } from './expiry-field.js';
import type { ChosenExpiry } from './expiry-field.js';
import { PlaceChoice } from './workspace-choice.js';
import { purposes } from './purposes.js';
import { ScopeChoice } from './scope-choice.js';
import type { ShownSecret } from './secret-dialog.js';

const usualDays = 90;

/** Creates an API key with permissions and an expiry. */
export function NewKey({ onCreated }: { onCreated: (created: ShownSecret) => void }): ReactElement {
  return (
    <FormDialog isPrimary trigger="Create API key" title="Create API key">
      {(close) => (
        <KeyForm
          onCreated={(created) => {
            close();
            onCreated(created);
          }}
        />
      )}
    </FormDialog>
  );
}

function KeyForm({ onCreated }: { onCreated: (created: ShownSecret) => void }): ReactElement {
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<string[]>([...purposes.costs.scopes]);
  const [workspace, setWorkspace] = useState<string>();
  const [expiry, setExpiry] = useState<ChosenExpiry>(() => dayAfter(usualDays));
  const send = async () => {
    if (scopes.length === 0) return 'Choose at least one permission.';
    const { done, why } = await attempt(createKeyMutation, {
      input: {
        name: name.trim(),
        scopes,
        ...expiryInput(expiry),
        ...(workspace === undefined ? {} : { workspace }),
      },
    });
    if (done !== undefined) onCreated({ name: done.apiKey.name, text: done.secret });
    return why;
  };
  return (
    <DialogForm submit="Create API key" send={send}>
      <TextField label="Name" isRequired maxLength={63} value={name} onChange={setName} />
      <ScopeChoice value={scopes} onChange={setScopes} />
      <PlaceChoice value={workspace} onChange={setWorkspace} />
      <ExpiryField value={expiry} onChange={setExpiry} />
    </DialogForm>
  );
}
