import { useState } from 'react';
import type { ReactElement } from 'react';
import { attempt } from '../api/perform.js';
import { Choice } from '../look/choice.js';
import { DialogForm, FormDialog, TextField } from '../look/form-dialog.js';
import { createKeyMutation } from './api-key-queries.js';
import { PlaceChoice } from './workspace-choice.js';
import { PurposeChoice } from './purpose-choice.js';
import { purposes } from './purposes.js';
import type { Purpose } from './purposes.js';
import type { ShownSecret } from './secret-dialog.js';

const dayMs = 86_400_000;
const lifetimes = { '30': '30 days', '90': '90 days', '365': '1 year' } as const;
type Lifetime = keyof typeof lifetimes;

/** Creates an API key with a purpose and an expiry. */
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
  const [purpose, setPurpose] = useState<Purpose>('costs');
  const [workspace, setWorkspace] = useState<string>();
  const [lifetime, setLifetime] = useState<Lifetime>('90');
  const send = async () => {
    const { done, why } = await attempt(createKeyMutation, {
      input: {
        name: name.trim(),
        scopes: [...purposes[purpose].scopes],
        expiresAt: new Date(Date.now() + Number(lifetime) * dayMs).toISOString(),
        ...(workspace === undefined ? {} : { workspace }),
      },
    });
    if (done !== undefined) onCreated({ name: done.apiKey.name, text: done.secret });
    return why;
  };
  return (
    <DialogForm submit="Create API key" send={send}>
      <TextField label="Name" isRequired maxLength={63} value={name} onChange={setName} />
      <PurposeChoice value={purpose} onChange={setPurpose} />
      <PlaceChoice value={workspace} onChange={setWorkspace} />
      <Choice
        label="Expires"
        value={lifetime}
        options={(['30', '90', '365'] as const).map((value) => ({ value, label: lifetimes[value] }))}
        onChange={setLifetime}
      />
    </DialogForm>
  );
}
