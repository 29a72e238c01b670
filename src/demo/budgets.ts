// The budgets of the demo: one within its amount, one over a threshold, and one over its amount. The service itself
// computes their costs.
import { createBudget } from '../billing/budget-changes.js';
import type { BudgetInput } from '../billing/budget-input.js';
import { requestAt } from './calls.js';
import type { Loading } from './calls.js';
import { demoOwner, mainWorkspace, platformAccount } from './company.js';
import { daysBefore, workTime } from './times.js';

const thresholds: BudgetInput['thresholds'] = [
  { percent: 80, measure: 'actual' },
  { percent: 100, measure: 'actual' },
];

const rolling = { period: 'rolling', days: 30, thresholds } as const;

const budgets: Readonly<Record<string, BudgetInput>> = {
  'production-agents': { ...rolling, amount: '4200', workspace: mainWorkspace, resourceType: 'agent' },
  research: { ...rolling, amount: '820', workspace: 'meridian-research' },
  platform: {
    amount: '9500',
    period: 'monthly',
    thresholds: [
      { percent: 90, measure: 'forecast' },
      { percent: 100, measure: 'actual' },
    ],
  },
};

const createdDaysAgo = 1.5;

export async function createBudgets(loading: Loading): Promise<void> {
  const day = daysBefore(loading.end, createdDaysAgo);
  for (const [name, terms] of Object.entries(budgets)) {
    const ctx = requestAt(loading, demoOwner, workTime(day, name));
    await createBudget(ctx, { ...terms, account: platformAccount, name });
  }
}
