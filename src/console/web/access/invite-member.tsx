import { Dialog } from '@base-ui/react/dialog';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { attempt } from '../api/perform.js';
import { useNewInUrl } from '../frame/new-in-url.js';
import { Choice } from '../look/choice.js';
import { CopyButton } from '../look/copy-button.js';
import { DialogForm, FormDialog, TextField } from '../look/form-dialog.js';
import { capitalize } from '../look/labels.js';
import { allowanceOf, invitationLink } from './invitation-texts.js';
import { inviteMutation, roles } from './member-queries.js';
import type { Role } from './member-queries.js';

interface InviteMemberProps {
  /** Undefined for the account itself. */
  workspace: string | undefined;
  onDone: () => void;
}

export function InviteMember({ workspace, onDone }: InviteMemberProps): ReactElement {
  const { isOpen, onOpenChange } = useNewInUrl();
  const [invited, setInvited] = useState<Invited>();
  return (
    <FormDialog
      control={{
        isOpen,
        onOpenChange: (next) => {
          setInvited(undefined);
          onOpenChange(next);
        },
      }}
      isSaved={invited !== undefined}
      isPrimary
      trigger="Invite member"
      title={`Invite member to ${workspace ?? 'the account'}`}
      description="Copy the link of the invitation and send it. It is valid for 7 days. An email is sent only if the gateway has a mail server."
    >
      {() =>
        invited === undefined ? (
          <InvitationForm
            workspace={workspace}
            onInvited={(invitation) => {
              setInvited(invitation);
              onDone();
            }}
          />
        ) : (
          <InvitationSent invited={invited} />
        )
      }
    </FormDialog>
  );
}

interface Invited {
  id: string;
  email: string;
}

/** The link of an invitation. */
function InvitationSent({ invited }: { invited: Invited }): ReactElement {
  const link = invitationLink(invited.id);
  return (
    <div className="form">
      <p role="status">{invited.email} is invited. Send this link:</p>
      <div className="secret">
        <code className="wrap">{link}</code>
        <CopyButton text={link} label="Copy invitation link" />
      </div>
      <div className="confirm-buttons">
        <Dialog.Close className="button primary">Done</Dialog.Close>
      </div>
    </div>
  );
}

interface InvitationFormProps {
  workspace: string | undefined;
  onInvited: (invited: Invited) => void;
}

function InvitationForm({ workspace, onInvited }: InvitationFormProps): ReactElement {
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('MEMBER');
  const send = async () => {
    const where = workspace === undefined ? {} : { workspace };
    const { done, why } = await attempt(inviteMutation, { input: { email: email.trim(), role, ...where } });
    if (done !== undefined) onInvited({ id: done.invitation.id, email: email.trim() });
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
