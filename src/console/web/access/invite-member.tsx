import { useState } from 'react';
import type { ReactElement } from 'react';
import { perform } from '../api/perform.js';
import { Choice } from '../look/choice.js';
import { DialogForm, FormDialog, TextField } from '../look/form-dialog.js';
import { inviteMutation, roles } from './member-queries.js';
import type { Role } from './member-queries.js';

interface InviteMemberProps {
  /** Into the account itself when it is undefined. */
  workspace: string | undefined;
  onDone: () => void;
}

export function InviteMember({ workspace, onDone }: InviteMemberProps): ReactElement {
  return (
    <FormDialog
      isPrimary
      trigger="Invite somebody"
      title={`Invite into ${workspace ?? 'the account'}`}
      description="Nothing is sent: it waits for them here for 7 days. Tell them to sign in."
    >
      {(close) => (
        <InvitationForm
          workspace={workspace}
          onDone={() => {
            close();
            onDone();
          }}
        />
      )}
    </FormDialog>
  );
}

function InvitationForm({ workspace, onDone }: InviteMemberProps): ReactElement {
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('MEMBER');
  const send = async () => {
    const where = workspace === undefined ? {} : { workspace };
    const why = await perform(inviteMutation, { input: { email: email.trim(), role, ...where } });
    if (why === undefined) onDone();
    return why;
  };
  return (
    <DialogForm submit="Invite" send={send}>
      <TextField label="Email address" type="email" isRequired value={email} onChange={setEmail} />
      <Choice label="As" value={role} options={roles} onChange={setRole} />
    </DialogForm>
  );
}
