import { Dialog } from '@base-ui/react/dialog';
import { useState } from 'react';
import type { FormEvent, ReactElement } from 'react';
import { useMutation } from 'urql';
import { problemOf } from '../api/failure.js';
import { useViewer } from '../frame/viewer.js';
import { Choice } from '../look/choice.js';
import { createKeyMutation, purposeNames, purposes } from './api-key-queries.js';
import type { Purpose } from './api-key-queries.js';

const dayMs = 86_400_000;
const lives = { '30': '30 days', '90': '90 days', '365': 'a year' } as const;
type Life = keyof typeof lives;

/** A key is made with the least that it needs, and an end. */
export function NewKey({ onMade }: { onMade: (made: { name: string; text: string }) => void }): ReactElement {
  const { workspaces } = useViewer();
  const [isOpen, setOpen] = useState(false);
  const [{ fetching }, create] = useMutation(createKeyMutation);
  const [name, setName] = useState('');
  const [purpose, setPurpose] = useState<Purpose>('costs');
  const [place, setPlace] = useState('all');
  const [life, setLife] = useState<Life>('90');
  const [problem, setProblem] = useState<string>();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const { data, error } = await create({
      input: {
        name: name.trim(),
        scopes: [...purposes[purpose].scopes],
        expiresAt: new Date(Date.now() + Number(life) * dayMs).toISOString(),
        ...(place === 'all' ? {} : { workspace: place }),
      },
    });
    const result = data?.createApiKey;
    if (result?.__typename !== 'CreateApiKeyPayload') return setProblem(problemOf(result, error));
    setOpen(false);
    setName('');
    setProblem(undefined);
    return onMade({ name: result.apiKey.name, text: result.secret });
  };
  return (
    <Dialog.Root open={isOpen} onOpenChange={setOpen}>
      <Dialog.Trigger className="button primary">Make a key</Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="confirm">
          <Dialog.Title render={<h2 />}>Make a key</Dialog.Title>
          <form className="form" onSubmit={(event) => void submit(event)}>
            <label>
              What it is for
              <input
                className="field"
                required
                maxLength={63}
                value={name}
                onChange={(event) => setName(event.target.value)}
                autoComplete="off"
              />
            </label>
            <Choice
              label="It may"
              value={purpose}
              options={purposeNames.map((value) => ({ value, label: purposes[value].label }))}
              onChange={setPurpose}
            />
            <Choice
              label="In"
              value={place}
              options={[
                { value: 'all', label: 'all workspaces' },
                ...workspaces.map((workspace) => ({ value: workspace.name, label: workspace.name })),
              ]}
              onChange={setPlace}
            />
            <Choice
              label="For"
              value={life}
              options={(['30', '90', '365'] as const).map((value) => ({ value, label: lives[value] }))}
              onChange={setLife}
            />
            {problem !== undefined && (
              <p className="problem" role="alert">
                {problem}
              </p>
            )}
            <div className="confirm-buttons">
              <Dialog.Close className="button">Cancel</Dialog.Close>
              <button type="submit" className="button primary" disabled={fetching}>
                Make the key
              </button>
            </div>
          </form>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
