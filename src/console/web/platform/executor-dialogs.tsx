import { useState } from 'react';
import type { ReactElement } from 'react';
import { AddressesField, rangesIn } from '../access/addresses-field.js';
import { chosenExpiry, dayAfter, ExpiryField, expiryInput } from '../access/expiry-field.js';
import type { ChosenExpiry } from '../access/expiry-field.js';
import type { ShownSecret } from '../access/secret-dialog.js';
import { attempt, perform } from '../api/perform.js';
import { DialogForm, FormDialog, TextField } from '../look/form-dialog.js';
import type { DialogControl } from '../look/row-menu.js';
import { TickList } from '../look/tick-list.js';
import {
  createExecutorMutation,
  everyRegion,
  keyChanges,
  updateExecutorMutation,
  workKinds,
} from './executor-queries.js';
import type { Executor, WorkKind } from './executor-queries.js';

const usualDays = 365;

interface NewExecutorProps {
  /** The names of all regions. */
  regions: readonly string[];
  onCreated: (created: ShownSecret) => void;
}

/** Registers an executor with a key. */
export function NewExecutor({ regions, onCreated }: NewExecutorProps): ReactElement {
  return (
    <FormDialog
      isPrimary
      isWide
      trigger="Register executor"
      title="Register executor"
      description="From then on, created and updated resources of its kinds in its regions wait for it."
    >
      {(close) => (
        <NewExecutorForm
          regions={regions}
          onCreated={(created) => {
            close();
            onCreated(created);
          }}
        />
      )}
    </FormDialog>
  );
}

function NewExecutorForm({ regions, onCreated }: NewExecutorProps): ReactElement {
  const [name, setName] = useState('');
  const [served, setServed] = useState<string[]>([]);
  const [kinds, setKinds] = useState<WorkKind[]>(workKinds.map(({ value }) => value));
  const [addresses, setAddresses] = useState('');
  const [expiry, setExpiry] = useState<ChosenExpiry>(() => dayAfter(usualDays));
  const send = async () => {
    if (kinds.length === 0) return 'Choose at least one kind of work.';
    const addressRanges = rangesIn(addresses);
    const { done, why } = await attempt(createExecutorMutation, {
      input: {
        name: name.trim(),
        regions: served.length === 0 ? [everyRegion] : served,
        kinds,
        ...expiryInput(expiry),
        ...(addressRanges.length === 0 ? {} : { addressRanges }),
      },
    });
    if (done !== undefined) onCreated({ name: done.executor.name, text: done.secret });
    return why;
  };
  return (
    <DialogForm submit="Register executor" send={send}>
      <TextField
        label="Name"
        hint="Lowercase letters, digits and hyphens. Cannot be changed later."
        isRequired
        maxLength={49}
        value={name}
        onChange={setName}
      />
      <TickList legend="Work" none="None" options={workKinds} chosen={kinds} onChange={setKinds} />
      <TickList
        legend="Regions"
        none="All, and resources without a region"
        options={regions.map((value) => ({ value, label: value }))}
        chosen={served}
        onChange={setServed}
      />
      <AddressesField value={addresses} onChange={setAddresses} />
      <ExpiryField value={expiry} onChange={setExpiry} />
    </DialogForm>
  );
}

interface EditExecutorProps {
  executor: Executor;
  onDone: () => void;
}

/** Changes when the key of an executor expires, and from where it works. */
export function EditExecutor({
  executor,
  control,
  onDone,
}: EditExecutorProps & { control: DialogControl }): ReactElement {
  return (
    <FormDialog
      control={control}
      title={`Edit the key of ${executor.name}`}
      description="Its regions and its work cannot be changed. Register another executor for others."
    >
      {(close) => (
        <EditExecutorForm
          executor={executor}
          onDone={() => {
            close();
            onDone();
          }}
        />
      )}
    </FormDialog>
  );
}

function EditExecutorForm({ executor, onDone }: EditExecutorProps): ReactElement {
  // The executor as the form was opened with it.
  const [first] = useState(executor);
  const [expiry, setExpiry] = useState(() => chosenExpiry(first.expiresAt));
  const [addresses, setAddresses] = useState((first.addressRanges ?? []).join('\n'));
  const send = async () => {
    const why = await perform(updateExecutorMutation, {
      input: { name: first.name, ...keyChanges(first, expiry, addresses) },
    });
    if (why === undefined) onDone();
    return why;
  };
  return (
    <DialogForm submit="Save" send={send}>
      <AddressesField value={addresses} onChange={setAddresses} />
      <ExpiryField value={expiry} onChange={setExpiry} />
    </DialogForm>
  );
}
