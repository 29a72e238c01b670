import { giveUpExhausted } from '../../lifecycle/give-up.js';
import type { UpkeepJob } from './upkeep-job.js';

/** What was claimed again and again without being carried out has failed. */
export const giveUpAssignmentsJob: UpkeepJob = {
  name: 'give up assignments',
  everyMs: 1_000,
  run: async ({ db, now }) => {
    await giveUpExhausted(db, now());
  },
};
