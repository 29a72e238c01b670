import { useState } from 'react';
import type { ReactElement } from 'react';
import { apiKeyScopes } from '../../../auth/scopes.js';
import { attempt } from '../api/perform.js';
import { useNewInUrl } from '../frame/new-in-url.js';
import type { ViewerAccount } from '../frame/viewer.js';
import { DialogForm, FormDialog, TextField } from '../look/form-dialog.js';
import { AddressesField, rangesIn } from './addresses-field.js';
import { createKeyMutation } from './api-key-queries.js';
import { dayAfter, ExpiryField, expiryInput } from './expiry-field.js';
import type { ChosenExpiry } from './expiry-field.js';
import { OwnerChoice } from './owner-choice.js';
import { PlaceChoice } from './workspace-choice.js';
import { ScopeChoice } from './scope-choice.js';
import type { ShownSecret } from './secret-dialog.js';

const usualDays = 90;

interface NewKeyProps {
  account: ViewerAccount;
  onCreated: (created: ShownSecret) => void;
}

/** Creates an API key with permissions and an expiry. */
export function NewKey(props: NewKeyProps): ReactElement {
  const { account, onCreated } = props;
  return (
    <FormDialog control={useNewInUrl()} isPrimary isWide trigger="Create API key" title="Create API key">
      {(close) => (
        <KeyForm
          account={account}
          onCreated={(created) => {
            close();
            onCreated(created);
          }}
        />
      )}
    </FormDialog>
  );
}

function KeyForm({ account, onCreated }: NewKeyProps): ReactElement {
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<string[]>([]);
  const [workspace, setWorkspace] = useState<string>();
  const [owner, setOwner] = useState<string>();
  const [addresses, setAddresses] = useState('');
  const [expiry, setExpiry] = useState<ChosenExpiry>(() => dayAfter(usualDays));
  const send = async () => {
    if (scopes.length === 0) return 'Choose at least one permission.';
    const addressRanges = rangesIn(addresses);
    const { done, why } = await attempt(createKeyMutation, {
      input: {
        name: name.trim(),
        scopes,
        ...expiryInput(expiry),
        ...(workspace === undefined ? {} : { workspace }),
        ...(owner === undefined ? {} : { owner }),
        ...(addressRanges.length === 0 ? {} : { addressRanges }),
      },
    });
    if (done !== undefined) onCreated({ name: done.apiKey.name, text: done.secret });
    return why;
  };
  return (
    <DialogForm submit="Create API key" send={send}>
      <TextField label="Name" isRequired maxLength={63} value={name} onChange={setName} />
      <ScopeChoice offered={apiKeyScopes} value={scopes} onChange={setScopes} />
      <PlaceChoice account={account.id} value={workspace} onChange={setWorkspace} />
      <OwnerChoice account={account} value={owner} onChange={setOwner} />
      <AddressesField value={addresses} onChange={setAddresses} />
      <ExpiryField value={expiry} onChange={setExpiry} />
    </DialogForm>
  );
}
