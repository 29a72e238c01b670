import { checkBudgets } from '../../billing/check-budgets.js';
import type { UpkeepJob } from './upkeep-job.js';

export const checkBudgetsJob: UpkeepJob = {
  name: 'check budgets',
  everyMs: 10_000,
  run: ({ db, now }) => checkBudgets(db, now),
};
