import type { ReactElement } from 'react';
import { fieldsOf } from '../editing/patch.js';
import type { Fields } from '../editing/patch.js';
import { useVersionedForm } from '../editing/use-versioned-form.js';
import type { ViewerAccount } from '../frame/viewer.js';
import { FormDialog } from '../look/form-dialog.js';
import { changedTerms, draftOf, termsOf } from './budget-draft.js';
import type { BudgetDraft, BudgetTerms } from './budget-draft.js';
import { BudgetForm } from './budget-form.js';
import { readBudget, updateBudgetMutation } from './budget-queries.js';
import type { Budget } from './budget-queries.js';
import '../editing/edit-dialog.css';

interface EditBudgetProps {
  /** The budget as it was when the dialog was opened. */
  budget: Budget;
  account: ViewerAccount;
  onChange: () => void;
  onClose: () => void;
}

/** The dialog to edit a budget. */
export function EditBudget({ onClose, ...props }: EditBudgetProps): ReactElement {
  return (
    <FormDialog control={{ isOpen: true, onOpenChange: onClose }} title={`Edit ${props.budget.name}`}>
      {(close) => <EditForm {...props} close={close} />}
    </FormDialog>
  );
}

function EditForm({
  budget,
  account,
  onChange,
  close,
}: Omit<EditBudgetProps, 'onClose'> & { close: () => void }): ReactElement {
  const { base, draft, setDraft, save, conflict } = useVersionedForm({
    stored: budget,
    draftOf,
    readAgain: () => readBudget(account.id, budget.name),
    shownFields: termFieldsOf,
  });
  const saveTerms = async (name: string, terms: BudgetTerms) => {
    const input = { account: account.name, name, ifVersion: base.version, ...changedTerms(draftOf(base), terms) };
    return save(updateBudgetMutation, { input }, () => {
      close();
      onChange();
    });
  };
  return (
    <BudgetForm
      account={account}
      draft={draft}
      onChange={setDraft}
      exists
      submit="Save"
      save={saveTerms}
      conflict={conflict}
    />
  );
}

/** The terms of a draft by their names in the API; its own fields while it is invalid. */
function termFieldsOf(draft: BudgetDraft): Fields {
  const terms = termsOf(draft);
  return fieldsOf('problem' in terms ? draft : terms);
}
