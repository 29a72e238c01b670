import { useState } from 'react';
import type { ReactElement } from 'react';
import { attempt } from '../api/perform.js';
import { Choice } from '../look/choice.js';
import { DialogForm, FormDialog, TextField } from '../look/form-dialog.js';
import { createKeyMutation } from './api-key-queries.js';
import { PlaceChoice } from './place-choice.js';
import { PurposeChoice } from './purpose-choice.js';
import { purposes } from './purposes.js';
import type { Purpose } from './purposes.js';
import type { ShownSecret } from './secret-dialog.js';

const dayMs = 86_400_000;
const lives = { '30': '30 days', '90': '90 days', '365': 'a year' } as const;
type Life = keyof typeof lives;

/** A key is made with the least that it needs, and an end. */
export function NewKey({ onMade }: { onMade: (made: ShownSecret) => void }): ReactElement {
  return (
    <FormDialog isPrimary trigger="Make a key" title="Make a key">
      {(close) => (
        <KeyForm
          onMade={(made) => {
            close();
            onMade(made);
          }}
        />
      )}
    </FormDialog>
  );
}

function KeyForm({ onMade }: { onMade: (made: ShownSecret) => void }): ReactElement {
  const [name, setName] = useState('');
  const [purpose, setPurpose] = useState<Purpose>('costs');
  const [workspace, setWorkspace] = useState<string>();
  const [life, setLife] = useState<Life>('90');
  const send = async () => {
    const { done, why } = await attempt(createKeyMutation, {
      input: {
        name: name.trim(),
        scopes: [...purposes[purpose].scopes],
        expiresAt: new Date(Date.now() + Number(life) * dayMs).toISOString(),
        ...(workspace === undefined ? {} : { workspace }),
      },
    });
    if (done !== undefined) onMade({ name: done.apiKey.name, text: done.secret });
    return why;
  };
  return (
    <DialogForm submit="Make the key" send={send}>
      <TextField label="What it is for" isRequired maxLength={63} value={name} onChange={setName} />
      <PurposeChoice value={purpose} onChange={setPurpose} />
      <PlaceChoice value={workspace} onChange={setWorkspace} />
      <Choice
        label="For"
        value={life}
        options={(['30', '90', '365'] as const).map((value) => ({ value, label: lives[value] }))}
        onChange={setLife}
      />
    </DialogForm>
  );
}
