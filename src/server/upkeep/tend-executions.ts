import { tendInvocations } from '../../lifecycle/invocation-steps.js';
import { tendExecutions } from '../../lifecycle/tend-executions.js';
import type { UpkeepJob } from './upkeep-job.js';

/** Timeouts hold whatever executors do, and what nobody runs any more ends. */
export const tendExecutionsJob: UpkeepJob = {
  name: 'tend executions',
  everyMs: 1_000,
  run: async ({ db, now }) => {
    await tendExecutions(db, now());
    await tendInvocations(db, now());
  },
};
