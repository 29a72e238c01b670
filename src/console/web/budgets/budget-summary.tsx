import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useAnswer } from '../api/use-answer.js';
import { usePolling } from '../api/use-polling.js';
import type { ViewerAccount } from '../frame/viewer.js';
import { nanoFrom } from '../look/decimal.js';
import { MissingSection } from '../look/missing-section.js';
import { Money } from '../look/money-text.js';
import { BudgetBar, percentOf, percentText } from './budget-bar.js';
import { budgetsQuery } from './budget-queries.js';
import type { Budget } from './budget-queries.js';
import './budgets.css';

const shownMax = 3;

/**
 * The most used budgets of an account, or of one of its workspaces. Nothing without budgets, and for users who may not
 * see them.
 */
export function BudgetSummary({ account, workspace }: BudgetSummaryProps): ReactElement | null {
  const canView = account.viewerRole === 'ADMIN';
  const [{ data, error }, again] = useAnswer({
    query: budgetsQuery,
    variables: { account: account.id },
    pause: !canView,
  });
  usePolling(again, canView ? 60_000 : undefined);
  if (data === undefined && error !== undefined) {
    return <MissingSection title="Budgets" error={error} onRetry={() => again({ requestPolicy: 'network-only' })} />;
  }
  const all = data?.account?.budgets?.nodes ?? [];
  const budgets = mostUsed(all.filter(({ workspaceName }) => workspaceName === null || workspaceName === workspace));
  if (budgets.length === 0) return null;
  return (
    <section className="panel" aria-labelledby="budgets-title">
      <header>
        <h2 id="budgets-title">Budgets</h2>
        <Link to="/a/$account/budgets" params={{ account: account.name }} className="text-link">
          All budgets
        </Link>
      </header>
      <ul className="budget-summary">
        {budgets.slice(0, shownMax).map((budget) => (
          <li key={budget.name}>
            <span className="cut" title={budget.name}>
              {budget.name}
            </span>
            <BudgetShare budget={budget} />
            <BudgetBar budget={budget} />
          </li>
        ))}
      </ul>
    </section>
  );
}

interface BudgetSummaryProps {
  account: ViewerAccount;
  workspace: string;
}

function BudgetShare({ budget: { actual, amount } }: { budget: Budget }): ReactElement {
  if (actual === null) return <span className="quiet">Calculating…</span>;
  const percent = percentOf(nanoFrom(actual), nanoFrom(amount));
  return (
    <span className={percent > 100 ? 'number over-budget' : 'number'}>
      {percentText(percent)} of <Money nano={nanoFrom(amount)} />
    </span>
  );
}

/** Budgets by the used part of their amount, the highest first. */
export function mostUsed(budgets: readonly Budget[]): Budget[] {
  const partOf = ({ actual, amount }: Budget) => (actual === null ? -1 : percentOf(nanoFrom(actual), nanoFrom(amount)));
  return budgets.toSorted((one, other) => partOf(other) - partOf(one));
}
