import type { ReactElement, ReactNode } from 'react';
import { PlaceChoice } from '../access/workspace-choice.js';
import { useBilled } from '../costs/use-billed.js';
import type { ViewerAccount } from '../frame/viewer.js';
import { Choice } from '../look/choice.js';
import { DialogForm, TextField } from '../look/form-dialog.js';
import { capitalize, wordOf } from '../look/labels.js';
import { formatPercent } from '../look/locale.js';
import { OptionsState } from '../look/options-state.js';
import { stopProblem, termsOf } from './budget-draft.js';
import type { BudgetDraft, BudgetTerms } from './budget-draft.js';
import { LabelConditions } from './label-conditions.js';
import { BudgetWebhooks } from './budget-webhooks.js';

const anyType = '';

interface BudgetFormProps {
  account: ViewerAccount;
  draft: BudgetDraft;
  onChange: (draft: BudgetDraft) => void;
  /** Whether the budget exists. Its name cannot be changed then. */
  exists: boolean;
  submit: string;
  /** @returns an error message, or undefined on success. */
  save: (name: string, terms: BudgetTerms) => Promise<string | undefined>;
  /** The conflict with another user's change, below the fields. */
  conflict?: ReactNode;
}

/** The form of a budget. */
export function BudgetForm(props: BudgetFormProps): ReactElement {
  const { account, draft, onChange, exists, submit, save, conflict } = props;
  const { types, state: ofTypes } = useBilled(account.id);
  const change = (part: Partial<BudgetDraft>) => onChange({ ...draft, ...part });
  const typeNames = [...new Set([...types.keys(), ...(draft.resourceType === '' ? [] : [draft.resourceType])])];
  const send = async () => {
    const terms = termsOf(draft);
    return 'problem' in terms ? terms.problem : save(draft.name.trim(), terms);
  };
  return (
    <DialogForm submit={submit} send={send}>
      {!exists && (
        <TextField
          label="Name"
          hint="Lowercase letters, digits and hyphens. Cannot be changed later."
          isRequired
          maxLength={49}
          value={draft.name}
          onChange={(name) => change({ name })}
        />
      )}
      <TextField
        label="Amount (USD)"
        inputMode="decimal"
        isRequired
        value={draft.amount}
        onChange={(amount) => change({ amount })}
      />
      <Choice
        isField
        label="Period"
        value={draft.period}
        options={[
          { value: 'MONTHLY', label: 'Calendar month (UTC)' },
          { value: 'ROLLING', label: 'Rolling days' },
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
        <PlaceChoice account={account.id} value={draft.workspace} onChange={(workspace) => change({ workspace })} />
        <Choice
          isField
          label="Resource type"
          value={draft.resourceType}
          options={[
            { value: anyType, label: 'All resource types' },
            ...typeNames.map((value) => ({ value, label: capitalize(wordOf(value)) })),
          ]}
          onChange={(resourceType) => change({ resourceType })}
        />
      </div>
      <OptionsState of="resource types" state={ofTypes} />
      <TextField
        label="Resource name"
        placeholder="Any"
        maxLength={200}
        value={draft.resourceName}
        onChange={(resourceName) => change({ resourceName })}
      />
      <LabelConditions account={account.id} value={draft.labels} onChange={(labels) => change({ labels })} />
      <div className="form-pair">
        <TextField
          label="Alert at actual cost (%)"
          inputMode="text"
          value={draft.ofActual}
          onChange={(ofActual) => change({ ofActual })}
        />
        <TextField
          label="Alert at forecast cost (%)"
          inputMode="text"
          value={draft.ofForecast}
          onChange={(ofForecast) => change({ ofForecast })}
        />
      </div>
      <Choice
        isField
        label={`At ${formatPercent(100)} of actual cost`}
        note={stopProblem(draft)}
        value={draft.action}
        options={[
          { value: 'NOTIFY', label: 'Only alert' },
          {
            value: 'STOP',
            label: 'Stop new deployments and executions',
            isDisabled: stopProblem(draft) !== undefined,
          },
        ]}
        onChange={(action) => change({ action })}
      />
      <BudgetWebhooks account={account} budget={draft.name.trim()} />
      {conflict}
    </DialogForm>
  );
}
