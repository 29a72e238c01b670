// The budgets of the demo: one within its amount, one over a threshold, and one over its amount. The service itself
// computes their costs.
import { budgetChange } from '../billing/budget-changes.js';
import type { BudgetTerms } from '../billing/budget.js';
import type { ChangeRow } from '../changes/change-rows.js';
import { changeRowBy } from '../changes/record-changes.js';
import type { Prisma } from '../database/client/client.js';
import { requestBy } from './actors.js';
import { demoOwner, mainWorkspace, platformAccount } from './company.js';
import type { DemoAccount } from './company.js';
import { idOf } from './random.js';
import { dayMs, workTime } from './times.js';

const dollar = 1_000_000_000n;

const thresholds: BudgetTerms['thresholds'] = [
  { percent: 80, measure: 'actual' },
  { percent: 100, measure: 'actual' },
];

interface DemoBudget {
  name: string;
  terms: BudgetTerms;
  createdDaysAgo: number;
}

export const demoBudgets: readonly DemoBudget[] = [
  {
    name: 'production-agents',
    terms: {
      amount: 4_200n * dollar,
      period: 'rolling',
      days: 30,
      filters: { workspace: mainWorkspace, resourceType: 'agent' },
      thresholds,
      action: 'notify',
    },
    createdDaysAgo: 1.5,
  },
  {
    name: 'research',
    terms: {
      amount: 820n * dollar,
      period: 'rolling',
      days: 30,
      filters: { workspace: 'meridian-research' },
      thresholds,
      action: 'notify',
    },
    createdDaysAgo: 1.5,
  },
  {
    name: 'platform',
    terms: {
      amount: 9_500n * dollar,
      period: 'monthly',
      days: null,
      filters: {},
      thresholds: [
        { percent: 90, measure: 'forecast' },
        { percent: 100, measure: 'actual' },
      ],
      action: 'notify',
    },
    createdDaysAgo: 1.5,
  },
];

/** Inserts the budgets of an account. @returns their changes */
export async function loadBudgets(
  tx: Prisma.TransactionClient,
  { name: account }: DemoAccount,
  end: Date,
): Promise<ChangeRow[]> {
  if (account !== platformAccount) return [];
  const rows = demoBudgets.map(({ name, terms, createdDaysAgo }) => {
    const createdAt = workTime(new Date(end.getTime() - createdDaysAgo * dayMs), name);
    return { id: idOf(`${account} budget ${name}`), name, ...terms, version: 1, createdAt, updatedAt: createdAt };
  });
  await tx.budget.createMany({
    data: rows.map((row) => ({
      ...row,
      accountId: idOf(account),
      thresholds: row.thresholds.map((each) => ({ ...each })),
    })),
  });
  return rows.map((row) =>
    changeRowBy(requestBy(demoOwner, row.createdAt, row.id), undefined, budgetChange('created', row, undefined, row)),
  );
}
