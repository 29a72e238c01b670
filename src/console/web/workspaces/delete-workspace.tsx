import { AlertDialog } from '@base-ui/react/alert-dialog';
import { useEffect, useId, useState } from 'react';
import type { ReactElement } from 'react';
import { client } from '../api/client.js';
import { problemOf } from '../api/failure.js';
import { formatCount } from '../look/money.js';
import { Skeletons } from '../look/skeletons.js';
import { countedWord } from '../webhooks/webhook-words.js';
import { holdingsIn } from './holdings.js';
import type { Holding } from './holdings.js';
import { deleteWorkspaceMutation } from './workspace-queries.js';

interface DeleteWorkspaceProps {
  workspace: { name: string; version: number };
  onDone: () => void;
}

/** Deletes a workspace with all that it holds: counted first, and only for who writes its name. */
export function DeleteWorkspace({ workspace, onDone }: DeleteWorkspaceProps): ReactElement {
  const [isOpen, setOpen] = useState(false);
  return (
    <AlertDialog.Root open={isOpen} onOpenChange={setOpen}>
      <AlertDialog.Trigger className="button" aria-label={`Delete ${workspace.name}`}>
        Delete…
      </AlertDialog.Trigger>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="backdrop" />
        <AlertDialog.Popup className="confirm">
          <Asked workspace={workspace} onDone={onDone} />
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}

function Asked({ workspace: { name, version }, onDone }: DeleteWorkspaceProps): ReactElement {
  const id = useId();
  const [holds, setHolds] = useState<Holding[]>();
  const [written, setWritten] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    const ask = async () => {
      const found = await holdingsOf(name);
      if (typeof found === 'string') setProblem(found);
      else setHolds(found);
    };
    void ask();
  }, [name]);
  const remove = async () => {
    setBusy(true);
    const input = { name, ifVersion: version, force: true };
    const { data, error } = await client.mutation(deleteWorkspaceMutation, { input }).toPromise();
    setBusy(false);
    if (data?.result.__typename !== 'DeleteWorkspacePayload') return setProblem(problemOf(data?.result, error));
    return onDone();
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (written === name && holds !== undefined) void remove();
      }}
    >
      <AlertDialog.Title render={<h2 />}>Delete the workspace {name}?</AlertDialog.Title>
      <AlertDialog.Description render={<div />}>
        {holds === undefined ? (
          problem === undefined && <Skeletons />
        ) : holds.length === 0 ? (
          'It is empty.'
        ) : (
          <>
            All that it holds goes with it:
            <ul className="holdings">
              {holds.map(({ kind, count }) => (
                <li key={kind}>
                  <strong>{formatCount(count)}</strong> {countedWord(count, kind)}
                </li>
              ))}
            </ul>
          </>
        )}
        <p>It cannot be brought back. What it cost stays on the bill, and its history with the account.</p>
      </AlertDialog.Description>
      <div className="form">
        <label htmlFor={id}>
          <span>
            Write <code>{name}</code> to say that you mean it
          </span>
          <input
            id={id}
            className="field"
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            value={written}
            onChange={(event) => setWritten(event.target.value)}
          />
        </label>
      </div>
      {problem !== undefined && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
      <div className="confirm-buttons">
        <AlertDialog.Close className="button">Keep it</AlertDialog.Close>
        <button type="submit" className="button primary" disabled={isBusy || written !== name || holds === undefined}>
          Delete the workspace
        </button>
      </div>
    </form>
  );
}

/** What a workspace holds, by a deletion that is only tried; a text when that cannot be known. */
async function holdingsOf(name: string): Promise<Holding[] | string> {
  const input = { name, validateOnly: true };
  const { data, error } = await client.mutation(deleteWorkspaceMutation, { input }).toPromise();
  const result = data?.result;
  if (result?.__typename === 'DeleteWorkspacePayload') return [];
  const details = result?.__typename === 'ConflictError' ? result.details : undefined;
  return holdingsIn(details) ?? problemOf(result, error);
}
