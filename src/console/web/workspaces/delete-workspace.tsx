import { AlertDialog } from '@base-ui/react/alert-dialog';
import { useEffect, useId, useState } from 'react';
import type { ReactElement } from 'react';
import { client } from '../api/client.js';
import { problemOf } from '../api/failure.js';
import { formatCount } from '../look/money.js';
import type { DialogControl } from '../look/row-menu.js';
import { Skeletons } from '../look/skeletons.js';
import { countedWord } from '../webhooks/webhook-texts.js';
import { deleteWorkspaceMutation } from './workspace-queries.js';
import { Problems } from '../look/problems.js';
import { BusyButton } from '../look/busy-button.js';

interface ContentCount {
  kind: string;
  count: number;
}

interface DeleteWorkspaceProps {
  workspace: { name: string; version: number };
  onDone: () => void;
}

/** Deletes a workspace and its contents, after showing their counts and asking for its name. */
export function DeleteWorkspace({
  workspace,
  onDone,
  control,
}: DeleteWorkspaceProps & { control: DialogControl }): ReactElement {
  return (
    <AlertDialog.Root open={control.isOpen} onOpenChange={control.onOpenChange}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="backdrop" />
        <AlertDialog.Popup className="confirm">
          <Confirmation workspace={workspace} onDone={onDone} />
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}

function Confirmation({ workspace: { name, version }, onDone }: DeleteWorkspaceProps): ReactElement {
  const id = useId();
  const [contents, setContents] = useState<readonly ContentCount[]>();
  const [typed, setWritten] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    const ask = async () => {
      const found = await contentsOf(name);
      if (typeof found === 'string') setProblem(found);
      else setContents(found);
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
        if (typed === name && contents !== undefined) void remove();
      }}
    >
      <AlertDialog.Title render={<h2 />}>Delete workspace {name}?</AlertDialog.Title>
      <AlertDialog.Description render={<div />}>
        {contents === undefined ? (
          problem === undefined && <Skeletons />
        ) : contents.length === 0 ? (
          'The workspace is empty.'
        ) : (
          <>
            Its contents are deleted as well:
            <ul className="holdings">
              {contents.map(({ kind, count }) => (
                <li key={kind}>
                  <strong>{formatCount(count)}</strong> {countedWord(count, kind)}
                </li>
              ))}
            </ul>
          </>
        )}
        <p>This cannot be undone. Its past costs stay on the bill, and its activity stays with the account.</p>
      </AlertDialog.Description>
      <div className="form">
        <label htmlFor={id}>
          <span>
            Type <code>{name}</code> to confirm
          </span>
          <input
            id={id}
            className="field"
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            value={typed}
            onChange={(event) => setWritten(event.target.value)}
          />
        </label>
      </div>
      <Problems text={problem} />
      <div className="confirm-buttons">
        <AlertDialog.Close className="button">Cancel</AlertDialog.Close>
        <BusyButton
          type="submit"
          className="button danger"
          isBusy={isBusy}
          disabled={typed !== name || contents === undefined}
        >
          Delete workspace
        </BusyButton>
      </div>
    </form>
  );
}

/** The contents of a workspace, by a dry run of its deletion; an error message if that fails. */
async function contentsOf(name: string): Promise<readonly ContentCount[] | string> {
  const input = { name, validateOnly: true };
  const { data, error } = await client.mutation(deleteWorkspaceMutation, { input }).toPromise();
  const result = data?.result;
  if (result?.__typename === 'DeleteWorkspacePayload') return [];
  const contents = result?.__typename === 'ConflictError' ? result.contents : undefined;
  return contents ?? problemOf(result, error);
}
