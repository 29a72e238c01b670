import { useState } from 'react';
import type { ReactElement } from 'react';
import { perform } from '../api/perform.js';
import { useVersionedForm } from '../editing/use-versioned-form.js';
import { useViewer } from '../frame/viewer.js';
import type { ViewerAccount } from '../frame/viewer.js';
import { Choice } from '../look/choice.js';
import { DialogForm, FormDialog, TextField } from '../look/form-dialog.js';
import type { DialogControl } from '../look/row-menu.js';
import { createGroupRoleMutation, inWorkspace, readGroupRole, updateGroupRoleMutation } from './group-role-queries.js';
import type { GroupRole, Provider } from './group-role-queries.js';
import { roles } from './member-queries.js';
import type { Role } from './member-queries.js';
import '../editing/edit-dialog.css';

interface NewGroupRoleProps {
  account: ViewerAccount;
  /** At least one. */
  providers: readonly Provider[];
  onDone: () => void;
}

export function NewGroupRole({ onDone, ...of }: NewGroupRoleProps): ReactElement {
  return (
    <FormDialog
      isPrimary
      trigger="Add group role"
      title="Add group role"
      description="Members of the group get the role when they next sign in with the provider."
    >
      {(close) => (
        <CreateForm
          {...of}
          onDone={() => {
            close();
            onDone();
          }}
        />
      )}
    </FormDialog>
  );
}

const wholeAccount = '';

function CreateForm({ account, providers, onDone }: NewGroupRoleProps): ReactElement {
  const { workspaces } = useViewer();
  const [provider, setProvider] = useState(providers[0]?.providerId ?? '');
  const [name, setName] = useState('');
  const [workspaceName, setWorkspaceName] = useState(wholeAccount);
  const [role, setRole] = useState<Role>('MEMBER');
  const send = async () => {
    const where = workspaceName === wholeAccount ? {} : { workspace: workspaceName };
    const why = await perform(createGroupRoleMutation, { input: { provider, name, role, ...where } });
    if (why === undefined) onDone();
    return why;
  };
  return (
    <DialogForm submit="Add group role" send={send}>
      <TextField
        label="Group"
        hint={`Exactly as in the claim ${providers.find(({ providerId }) => providerId === provider)?.groupsClaim ?? ''} of the provider.`}
        isRequired
        maxLength={256}
        value={name}
        onChange={setName}
      />
      {providers.length > 1 && (
        <Choice
          isField
          label="Provider"
          value={provider}
          options={providers.map(({ providerId, name: title }) => ({ value: providerId, label: title }))}
          onChange={setProvider}
        />
      )}
      <Choice
        isField
        label="Scope"
        value={workspaceName}
        options={[
          { value: wholeAccount, label: 'Account' },
          ...workspaces
            .filter((each) => each.account.id === account.id)
            .map((each) => ({ value: each.name, label: each.name })),
        ]}
        onChange={setWorkspaceName}
      />
      <Choice isField label="Role" value={role} options={roles} onChange={setRole} />
    </DialogForm>
  );
}

interface EditGroupRoleProps {
  /** The id of the account. */
  account: string;
  groupRole: GroupRole;
  onDone: () => void;
}

export function EditGroupRole({
  control,
  onDone,
  ...of
}: EditGroupRoleProps & { control: DialogControl }): ReactElement {
  const { name, workspaceName } = of.groupRole;
  return (
    <FormDialog
      control={control}
      title={`Edit the role of ${name} in ${workspaceName ?? 'the account'}`}
      description="Members of the group get the new role when they next sign in."
    >
      {(close) => (
        <EditForm
          {...of}
          onDone={() => {
            close();
            onDone();
          }}
        />
      )}
    </FormDialog>
  );
}

function EditForm({ account, groupRole, onDone }: EditGroupRoleProps): ReactElement {
  const { base, draft, setDraft, save, conflict } = useVersionedForm({
    stored: groupRole,
    draftOf: ({ role }) => ({ role }),
    readAgain: () => readGroupRole(account, groupRole),
  });
  const send = async () => {
    const { provider, name, version } = base;
    const input = { provider, name, role: draft.role, ifVersion: version, ...inWorkspace(base) };
    return save(updateGroupRoleMutation, { input }, onDone);
  };
  return (
    <DialogForm submit="Save" send={send}>
      <Choice isField label="Role" value={draft.role} options={roles} onChange={(role) => setDraft({ role })} />
      {conflict}
    </DialogForm>
  );
}
