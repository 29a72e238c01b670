import { useState } from 'react';
import type { ReactElement } from 'react';
import { useQuery } from 'urql';
import { attempt } from '../api/perform.js';
import type { ViewerAccount } from '../frame/viewer.js';
import { useViewer } from '../frame/viewer.js';
import { Choice } from '../look/choice.js';
import { DialogForm, FormDialog, TextField } from '../look/form-dialog.js';
import { accountMembersQuery } from './member-queries.js';
import { createClientMutation } from './oauth-client-queries.js';
import { PlaceChoice } from './place-choice.js';
import { PurposeChoice } from './purpose-choice.js';
import { purposes } from './purposes.js';
import type { Purpose } from './purposes.js';
import type { ShownSecret } from './secret-dialog.js';

interface NewOauthClientProps {
  account: ViewerAccount;
  onMade: (made: ShownSecret) => void;
}

export function NewOauthClient({ account, onMade }: NewOauthClientProps): ReactElement {
  return (
    <FormDialog isPrimary trigger="New OAuth client…" title="New OAuth client">
      {(close) => (
        <ClientForm
          account={account}
          onMade={(made) => {
            close();
            onMade(made);
          }}
        />
      )}
    </FormDialog>
  );
}

function ClientForm({ account, onMade }: NewOauthClientProps): ReactElement {
  const [name, setName] = useState('');
  const [displayName, setDisplayName] = useState('');
  const [purpose, setPurpose] = useState<Purpose>('costs');
  const [workspace, setWorkspace] = useState<string>();
  const [owner, setOwner] = useState(myself);
  const owners = useOwners(account);
  const send = async () => {
    const { done, why } = await attempt(createClientMutation, {
      input: {
        name: name.trim(),
        scopes: [...purposes[purpose].scopes],
        ...(displayName.trim() === '' ? {} : { displayName: displayName.trim() }),
        ...(workspace === undefined ? {} : { workspace }),
        ...(owner === myself ? {} : { owner }),
      },
    });
    if (done !== undefined) onMade({ name: done.oauthClient.displayName, text: done.secret });
    return why;
  };
  return (
    <DialogForm submit="Make the client" send={send}>
      <TextField
        label="Client id"
        hint="Lowercase letters, digits and hyphens. It stays."
        isRequired
        maxLength={49}
        value={name}
        onChange={setName}
      />
      <TextField label="Display name" maxLength={63} value={displayName} onChange={setDisplayName} />
      <PurposeChoice value={purpose} onChange={setPurpose} />
      <PlaceChoice account={account.id} value={workspace} onChange={setWorkspace} />
      {owners.length > 1 && <Choice label="As" value={owner} options={owners} onChange={setOwner} />}
    </DialogForm>
  );
}

const myself = '';

/** As whom a client can act: whoever makes it, or a service account of the account. */
function useOwners({ id, viewerRole }: ViewerAccount): { value: string; label: string }[] {
  const { name } = useViewer();
  const [{ data }] = useQuery({
    query: accountMembersQuery,
    variables: { account: id },
    requestPolicy: 'cache-first',
    pause: viewerRole !== 'ADMIN',
  });
  const programs = data?.account?.members?.nodes.filter(({ kind }) => kind === 'SERVICE_ACCOUNT') ?? [];
  return [{ value: myself, label: name }, ...programs.map((each) => ({ value: each.name, label: each.name }))];
}
