import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useAnswer } from '../api/use-answer.js';
import { NoAccount } from '../access/no-account.js';
import { perform } from '../api/perform.js';
import { usePolling } from '../api/use-polling.js';
import { useNewInUrl } from '../frame/new-in-url.js';
import { useAccount } from '../frame/viewer.js';
import type { ViewerAccount } from '../frame/viewer.js';
import { plural } from '../look/amount.js';
import { FormDialog } from '../look/form-dialog.js';
import { FailureNotice, Notice } from '../look/notice.js';
import { nanoFrom } from '../look/decimal.js';
import { PlainTable, useTableRows } from '../look/plain-table.js';
import type { TableColumn } from '../look/plain-table.js';
import { Skeletons } from '../look/skeletons.js';
import { ListCount } from '../look/list-count.js';
import { percentOf } from './budget-bar.js';
import { emptyDraft } from './budget-draft.js';
import { BudgetForm } from './budget-form.js';
import { budgetsQuery, createBudgetMutation } from './budget-queries.js';
import type { Budget } from './budget-queries.js';
import { BudgetRow } from './budget-row.js';
import { EditBudget } from './edit-budget.js';
import { scopeText } from './budget-texts.js';
import '../access/access-view.css';
import './budgets.css';

const route = getRouteApi('/a/$account/budgets');
/** Budgets are calculated every ten seconds. */
const pollMs = 10_000;

/** The budgets of an account and their status. */
export function BudgetsView(): ReactElement {
  const { account: name } = route.useParams();
  const account = useAccount(name);
  if (account === undefined) return <NoAccount name={name} />;
  return account.viewerRole === 'ADMIN' ? <Budgets key={account.id} account={account} /> : <ForAdmins />;
}

const columns: TableColumn<Budget>[] = [
  { label: 'Budget', value: ({ name }) => name },
  { label: 'Used', value: ({ actual, amount }) => actual && percentOf(nanoFrom(actual), nanoFrom(amount)) },
  {
    label: 'Forecast',
    isNumber: true,
    value: ({ forecast, amount }) => forecast && percentOf(nanoFrom(forecast), nanoFrom(amount)),
  },
  { label: 'Alerts' },
];

const textOf = (budget: Budget) => `${budget.name} ${scopeText(budget)}`;

function Budgets({ account }: { account: ViewerAccount }): ReactElement {
  const [{ data, error }, again] = useAnswer({ query: budgetsQuery, variables: { account: account.id } });
  usePolling(again, pollMs);
  const refresh = () => again({ requestPolicy: 'network-only' });
  const budgets = data?.account?.budgets?.nodes;
  const { rows, headings, filterField, noMatch } = useTableRows(budgets ?? [], columns, textOf);
  const [edited, setEdited] = useState<Budget>();
  return (
    <div className="view">
      <div className="view-bar">
        <h1>Budgets</h1>
        {filterField}
        <ListCount
          of="budgets"
          text={budgets === undefined ? undefined : plural(rows.length, 'budget')}
          error={error}
        />
        <NewBudget account={account} onDone={refresh} />
      </div>
      {budgets === undefined ? (
        error === undefined ? (
          <Skeletons />
        ) : (
          <FailureNotice error={error} onRetry={refresh} />
        )
      ) : budgets.length === 0 ? (
        <Notice title="No budgets yet">
          A budget sends alerts when actual or forecast costs reach a threshold. It can also stop new deployments and
          executions.
        </Notice>
      ) : (
        <PlainTable columns={headings} rows={rows} noMatch={noMatch}>
          {(budget) => (
            <BudgetRow
              key={budget.name}
              budget={budget}
              account={account}
              onEdit={() => setEdited(budget)}
              onChange={refresh}
            />
          )}
        </PlainTable>
      )}
      {edited !== undefined && (
        <EditBudget budget={edited} account={account} onChange={refresh} onClose={() => setEdited(undefined)} />
      )}
    </div>
  );
}

/** Users who see only the costs of their workspaces cannot see the budgets of the account. */
function ForAdmins(): ReactElement {
  return (
    <div className="view">
      <h1 className="hidden">Budgets</h1>
      <Notice title="Only account admins can view budgets">Ask an account admin for access.</Notice>
    </div>
  );
}

function NewBudget({ account, onDone }: { account: ViewerAccount; onDone: () => void }): ReactElement {
  return (
    <FormDialog control={useNewInUrl()} isPrimary trigger="Create budget" title="Create budget">
      {(close) => (
        <CreateForm
          account={account}
          onDone={() => {
            close();
            onDone();
          }}
        />
      )}
    </FormDialog>
  );
}

function CreateForm({ account, onDone }: { account: ViewerAccount; onDone: () => void }): ReactElement {
  const [draft, setDraft] = useState(emptyDraft);
  return (
    <BudgetForm
      account={account}
      draft={draft}
      onChange={setDraft}
      exists={false}
      submit="Create budget"
      save={async (name, terms) => {
        const why = await perform(createBudgetMutation, { input: { account: account.name, name, ...terms } });
        if (why === undefined) onDone();
        return why;
      }}
    />
  );
}
