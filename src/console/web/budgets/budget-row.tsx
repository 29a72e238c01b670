import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { perform } from '../api/perform.js';
import type { CostsSearch } from '../costs/costs-search.js';
import { presets } from '../costs/window.js';
import { zoneOf } from '../costs/zone.js';
import type { ViewerAccount } from '../frame/viewer.js';
import { Confirm } from '../look/confirm.js';
import { nanoFrom } from '../look/decimal.js';
import { FormDialog } from '../look/form-dialog.js';
import { formatMoney } from '../look/money.js';
import { Money } from '../look/money-text.js';
import { Time } from '../look/time-text.js';
import { BudgetBar, percentOf } from './budget-bar.js';
import { draftOf } from './budget-draft.js';
import { BudgetForm } from './budget-form.js';
import { deleteBudgetMutation, updateBudgetMutation } from './budget-queries.js';
import type { Budget } from './budget-queries.js';
import { scopeText, thresholdsText } from './budget-texts.js';

interface BudgetRowProps {
  budget: Budget;
  account: ViewerAccount;
  onChange: () => void;
}

export function BudgetRow({ budget, account, onChange }: BudgetRowProps): ReactElement {
  const { name, version } = budget;
  return (
    <li>
      <div className="budget">
        <p>
          <strong>{name}</strong>{' '}
          <span className="quiet">
            {formatMoney(nanoFrom(budget.amount))} per{' '}
            {budget.period === 'MONTHLY' ? 'month' : `rolling ${budget.days} days`}, {scopeText(budget)}
          </span>
        </p>
        <BudgetStatus budget={budget} />
        <BudgetBar budget={budget} />
        <p className="quiet">
          {thresholdsText(budget.thresholds)}
          {budget.action === 'STOP' && ' Stops new deployments and executions at 100 % of actual cost.'}
        </p>
        <Crossings budget={budget} />
      </div>
      <span className="key-actions">
        <Link
          className="button"
          to="/a/$account/costs"
          params={{ account: account.name }}
          search={costsOf(budget)}
          aria-label={`View costs of ${name}`}
        >
          View costs
        </Link>
        <FormDialog trigger="Edit…" label={`Edit ${name}`} title={`Edit ${name}`}>
          {(close) => (
            <BudgetForm
              account={account.id}
              first={draftOf(budget)}
              exists
              submit="Save"
              save={async (_name, terms) => {
                const input = { account: account.name, name, ifVersion: version, ...terms };
                const why = await perform(updateBudgetMutation, { input });
                onChange();
                if (why === undefined) close();
                return why;
              }}
            />
          )}
        </FormDialog>
        <Confirm
          trigger="Delete…"
          label={`Delete ${name}`}
          title={`Delete budget ${name}?`}
          confirm="Delete budget"
          keep="Cancel"
          run={async () => {
            const why = await perform(deleteBudgetMutation, { input: { account: account.name, name } });
            if (why === undefined) onChange();
            return why;
          }}
        >
          Its alerts stop. Past alerts stay in the activity.
        </Confirm>
      </span>
    </li>
  );
}

/** The actual and forecast cost of the period. */
function BudgetStatus({ budget: { amount, actual, forecast, computedAt } }: { budget: Budget }): ReactElement {
  if (actual === null) return <p className="quiet">Calculating…</p>;
  const used = nanoFrom(actual);
  const projected = nanoFrom(forecast ?? actual);
  return (
    <p>
      <Money nano={used} /> used ({percentOf(used, nanoFrom(amount))} %)
      <span className="quiet">
        {' '}
        · Forecast <Money nano={projected} /> ({percentOf(projected, nanoFrom(amount))} %)
        {computedAt !== null && (
          <>
            {' '}
            · Updated <Time value={computedAt} />
          </>
        )}
      </span>
    </p>
  );
}

/** The recently crossed thresholds. */
function Crossings({ budget: { crossings } }: { budget: Budget }): ReactElement | null {
  if (crossings.length === 0) return null;
  return (
    <ul className="crossings" aria-label="Crossed thresholds">
      {crossings.slice(0, 4).map(({ percent, measure, period, cost, crossedAt }) => (
        <li key={`${percent} ${measure} ${period ?? ''} ${crossedAt}`}>
          {percent} % {measure === 'ACTUAL' ? 'used' : 'forecast'}
          <span className="quiet">
            {' '}
            at <Money nano={nanoFrom(cost)} />, <Time value={crossedAt} />
          </span>
        </li>
      ))}
    </ul>
  );
}

/** The filters of the costs view for a budget. */
function costsOf({ period, days, workspaceName, resourceType, resourceName, billingDimension }: Budget): CostsSearch {
  const now = new Date();
  const end = presets.month.window(now, zoneOf(undefined)).to;
  const dayMs = 86_400_000;
  const window =
    period === 'MONTHLY'
      ? presets.month.window(now, zoneOf(undefined))
      : {
          from: new Date(Math.floor(now.getTime() / dayMs - (days ?? 1)) * dayMs).toISOString(),
          to: new Date(Math.min(Date.parse(end), Math.ceil(now.getTime() / dayMs) * dayMs)).toISOString(),
        };
  return {
    ...window,
    ...(workspaceName === null ? {} : { workspace: workspaceName }),
    ...(resourceType === null ? {} : { type: resourceType }),
    ...(resourceName === null ? {} : { name: resourceName }),
    ...(billingDimension === null ? {} : { dimension: billingDimension }),
  };
}
