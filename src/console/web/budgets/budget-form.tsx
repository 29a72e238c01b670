import { useState } from 'react';
import type { ReactElement } from 'react';
import { PlaceChoice } from '../access/place-choice.js';
import { useBilled } from '../costs/use-billed.js';
import { Choice } from '../look/choice.js';
import { DialogForm, TextField } from '../look/form-dialog.js';
import { wordOf } from '../look/words.js';
import { termsOf } from './budget-draft.js';
import type { BudgetDraft, BudgetTerms } from './budget-draft.js';

const anyType = '';

interface BudgetFormProps {
  /** Global id of the account that it is of. */
  account: string;
  first: BudgetDraft;
  /** Whether it is there: its name stays then. */
  isThere: boolean;
  submit: string;
  /** @returns why it was not saved, for people. */
  save: (name: string, terms: BudgetTerms) => Promise<string | undefined>;
}

/** The terms of a budget. */
export function BudgetForm({ account, first, isThere, submit, save }: BudgetFormProps): ReactElement {
  const [draft, setDraft] = useState(first);
  const { types } = useBilled(account);
  const change = (part: Partial<BudgetDraft>) => setDraft((before) => ({ ...before, ...part }));
  const typeNames = [...new Set([...types.keys(), ...(draft.resourceType === '' ? [] : [draft.resourceType])])];
  const send = async () => {
    const terms = termsOf(draft);
    return 'problem' in terms ? terms.problem : save(draft.name.trim(), terms);
  };
  return (
    <DialogForm submit={submit} send={send}>
      {!isThere && (
        <TextField
          label="Name"
          hint="Lowercase letters, digits and hyphens. It stays."
          isRequired
          maxLength={49}
          value={draft.name}
          onChange={(name) => change({ name })}
        />
      )}
      <TextField
        label="Amount in US dollars"
        inputMode="decimal"
        isRequired
        value={draft.amount}
        onChange={(amount) => change({ amount })}
      />
      <Choice
        label="In"
        value={draft.period}
        options={[
          { value: 'MONTHLY', label: 'a calendar month, in UTC' },
          { value: 'ROLLING', label: 'the last so many days' },
        ]}
        onChange={(period) => change({ period })}
      />
      {draft.period === 'ROLLING' && (
        <TextField
          label="Days"
          inputMode="numeric"
          isRequired
          value={draft.days}
          onChange={(days) => change({ days })}
        />
      )}
      <div className="form-pair">
        <PlaceChoice
          label="Of"
          account={account}
          value={draft.workspace}
          onChange={(workspace) => change({ workspace })}
        />
        <Choice
          label="and"
          value={draft.resourceType}
          options={[
            { value: anyType, label: 'everything' },
            ...typeNames.map((value) => ({ value, label: wordOf(value) })),
          ]}
          onChange={(resourceType) => change({ resourceType })}
        />
      </div>
      <TextField
        label="Only the resource called"
        placeholder="any"
        maxLength={200}
        value={draft.resourceName}
        onChange={(resourceName) => change({ resourceName })}
      />
      <div className="form-pair">
        <TextField
          label="Tell when used, in %"
          inputMode="text"
          value={draft.ofActual}
          onChange={(ofActual) => change({ ofActual })}
        />
        <TextField
          label="when heading for, in %"
          inputMode="text"
          value={draft.ofForecast}
          onChange={(ofForecast) => change({ ofForecast })}
        />
      </div>
    </DialogForm>
  );
}
