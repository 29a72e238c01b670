import { useState } from 'react';
import type { ReactElement } from 'react';
import { perform } from '../api/perform.js';
import { Choice } from '../look/choice.js';
import { DialogForm, FormDialog, TextField } from '../look/form-dialog.js';
import { capitalize } from '../look/labels.js';
import { allowanceOf } from './invitation-texts.js';
import { inviteMutation, roles } from './member-queries.js';
import type { Role } from './member-queries.js';

interface InviteMemberProps {
  /** Undefined for the account itself. */
  workspace: string | undefined;
  onDone: () => void;
}

export function InviteMember({ workspace, onDone }: InviteMemberProps): ReactElement {
  return (
    <FormDialog
      isPrimary
      trigger="Invite member"
      title={`Invite member to ${workspace ?? 'the account'}`}
      description="Copy the link of the invitation and send it. It is valid for 7 days. An email is sent only if the gateway has a mail server."
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
    <DialogForm submit="Send invitation" send={send}>
      <TextField label="Email address" type="email" isRequired value={email} onChange={setEmail} />
      <Choice isField label="Role" value={role} options={roles} onChange={setRole} />
      <p className="hint" role="status">
        {capitalize(role.toLowerCase())}: {allowanceOf(role, workspace)}.
      </p>
    </DialogForm>
  );
}
