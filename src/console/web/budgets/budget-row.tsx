import { useNavigate } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { perform } from '../api/perform.js';
import { labelGrouping } from '../costs/costs-search.js';
import type { CostsSearch } from '../costs/costs-search.js';
import { presets } from '../costs/window.js';
import { zoneOf } from '../costs/zone.js';
import type { ViewerAccount } from '../frame/viewer.js';
import { Confirm } from '../look/confirm.js';
import { labelFilterText, labelPresenceText } from '../lists/label-filter.js';
import { nanoFrom } from '../look/decimal.js';
import { formatPercent } from '../look/locale.js';
import { Money } from '../look/money-text.js';
import { RowMenu } from '../look/row-menu.js';
import { Time } from '../look/time-text.js';
import { BudgetBar, percentOf, percentText } from './budget-bar.js';
import { deleteBudgetMutation } from './budget-queries.js';
import type { Budget } from './budget-queries.js';
import { periodText, scopeText } from './budget-texts.js';

interface BudgetRowProps {
  budget: Budget;
  account: ViewerAccount;
  onEdit: () => void;
  onChange: () => void;
}

export function BudgetRow({ budget, account, onEdit, onChange }: BudgetRowProps): ReactElement {
  const { name, actual, forecast, computedAt } = budget;
  const navigate = useNavigate();
  const amount = nanoFrom(budget.amount);
  return (
    <tr>
      <td className="budget-name">
        <strong>{name}</strong>
        <span className="quiet">{scopeText(budget)}</span>
        <span className="quiet">{periodText(budget)}</span>
      </td>
      <td className="budget-used">
        {actual === null ? (
          <span className="quiet">
            Calculating… of <Money nano={amount} />
          </span>
        ) : (
          <>
            <Used nano={nanoFrom(actual)} of={amount} />
            <BudgetBar budget={budget} />
          </>
        )}
      </td>
      <td className="number" data-label="Forecast">
        {forecast !== null && <Forecast nano={nanoFrom(forecast)} of={amount} />}
        {computedAt !== null && (
          <span className="quiet budget-period">
            Updated <Time value={computedAt} />
          </span>
        )}
      </td>
      <td className="budget-alerts">
        <Alerts budget={budget} />
      </td>
      <td>
        <RowMenu
          label={`Actions of ${name}`}
          actions={[
            {
              label: 'View costs',
              run: () =>
                void navigate({
                  to: '/a/$account/costs',
                  params: { account: account.name },
                  search: costsOf(budget),
                }),
            },
            {
              label: 'Edit…',
              run: onEdit,
            },
            {
              label: 'Delete…',
              isDestructive: true,
              dialog: (control) => (
                <Confirm
                  control={control}
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
              ),
            },
          ]}
        />
      </td>
    </tr>
  );
}

/** What is used of the budget, in red above it. */
function Used({ nano, of }: { nano: bigint; of: bigint }): ReactElement {
  const percent = percentOf(nano, of);
  return (
    <span className="budget-share">
      <span>
        <span className={percent > 100 ? 'over-budget' : ''}>
          <Money nano={nano} />
        </span>{' '}
        <span className="quiet">
          of <Money nano={of} />
        </span>
      </span>
      <span className={percent > 100 ? 'over-budget' : ''}>{percentText(percent)}</span>
    </span>
  );
}

function Forecast({ nano, of }: { nano: bigint; of: bigint }): ReactElement {
  const percent = percentOf(nano, of);
  return (
    <span className={percent > 100 ? 'over-budget' : ''}>
      <Money nano={nano} /> ({percentText(percent)})
    </span>
  );
}

/** The thresholds, each with the last time it was reached. */
function Alerts({ budget: { thresholds, crossings, action } }: { budget: Budget }): ReactElement {
  return (
    <>
      <ul aria-label="Alerts">
        {byPercent(thresholds).map(({ percent, measure }) => {
          // The latest comes first.
          const reached = crossings.find((each) => each.percent === percent && each.measure === measure);
          return (
            <li key={`${percent} ${measure}`}>
              <span className={reached === undefined ? 'threshold' : 'threshold reached'}>
                {formatPercent(percent)} {measure === 'ACTUAL' ? 'used' : 'forecast'}
              </span>
              <span className="quiet">
                {reached === undefined ? (
                  'Not reached'
                ) : (
                  <>
                    Reached <Time value={reached.crossedAt} /> at <Money nano={nanoFrom(reached.cost)} />
                  </>
                )}
              </span>
            </li>
          );
        })}
      </ul>
      {action === 'STOP' && (
        <span className="quiet">Stops new deployments and executions at {formatPercent(100)} of actual cost.</span>
      )}
    </>
  );
}

function byPercent(thresholds: Budget['thresholds']): Budget['thresholds'] {
  return thresholds.toSorted((one, other) => one.percent - other.percent);
}

/** The filters of the costs view for a budget. */
function costsOf({
  period,
  days,
  workspaceName,
  resourceType,
  resourceName,
  billingDimension,
  labels,
}: Budget): CostsSearch {
  const now = new Date();
  const hourMs = 3_600_000;
  // A rolling period ends with the current hour.
  const endMs = (Math.floor(now.getTime() / hourMs) + 1) * hourMs;
  const window =
    period === 'MONTHLY'
      ? presets.month.window(now, zoneOf(undefined))
      : {
          from: new Date(endMs - (days ?? 1) * 24 * hourMs).toISOString(),
          to: new Date(endMs).toISOString(),
        };
  const label = labels.map(({ key, in: values, isSet }) => {
    const [value] = values?.length === 1 ? values : [];
    if (value !== undefined) return labelFilterText(key, value);
    return labelPresenceText(key, isSet !== false);
  });
  // A condition of the URL has one value. Of several, the groups show those that the budget counts.
  const several = labels.find(({ in: values }) => values !== null && values.length !== 1);
  return {
    ...window,
    ...(workspaceName === null ? {} : { workspace: workspaceName }),
    ...(resourceType === null ? {} : { type: resourceType }),
    ...(resourceName === null ? {} : { name: resourceName }),
    ...(billingDimension === null ? {} : { dimension: billingDimension }),
    ...(label.length === 0 ? {} : { label }),
    ...(several === undefined ? {} : { by: [labelGrouping(several.key)] }),
  };
}
