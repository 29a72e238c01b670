import { Dialog } from '@base-ui/react/dialog';
import { useState } from 'react';
import type { FormEvent, ReactElement } from 'react';
import { Choice } from '../look/choice.js';
import { inviteMutation, roles } from './member-queries.js';
import type { Role } from './member-queries.js';
import { perform } from '../api/perform.js';

interface InviteMemberProps {
  /** Into the account itself when it is undefined. */
  workspace: string | undefined;
  onDone: () => void;
}

export function InviteMember({ workspace, onDone }: InviteMemberProps): ReactElement {
  const [isOpen, setOpen] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('MEMBER');
  const [problem, setProblem] = useState<string>();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    const where = workspace === undefined ? {} : { workspace };
    const why = await perform(inviteMutation, { input: { email: email.trim(), role, ...where } });
    setBusy(false);
    setProblem(why);
    if (why !== undefined) return;
    setOpen(false);
    setEmail('');
    onDone();
  };
  return (
    <Dialog.Root open={isOpen} onOpenChange={setOpen}>
      <Dialog.Trigger className="button primary">Invite somebody</Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="confirm">
          <Dialog.Title render={<h2 />}>Invite into {workspace ?? 'the account'}</Dialog.Title>
          <Dialog.Description className="quiet">
            Nothing is sent: it waits for them here for 7 days. Tell them to sign in.
          </Dialog.Description>
          <form className="form" onSubmit={(event) => void submit(event)}>
            <label>
              Email address
              <input
                className="field"
                type="email"
                required
                autoComplete="off"
                value={email}
                onChange={(event) => setEmail(event.target.value)}
              />
            </label>
            <Choice label="As" value={role} options={roles} onChange={setRole} />
            {problem !== undefined && (
              <p className="problem" role="alert">
                {problem}
              </p>
            )}
            <div className="confirm-buttons">
              <Dialog.Close className="button">Cancel</Dialog.Close>
              <button type="submit" className="button primary" disabled={isBusy}>
                Invite
              </button>
            </div>
          </form>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
