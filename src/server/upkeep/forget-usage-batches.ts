import { forgetFoldedBatches } from '../../metering/usage-fold.js';
import type { UpkeepJob } from './upkeep-job.js';

export const forgetUsageBatchesJob: UpkeepJob = {
  name: 'forget folded batches of usage',
  everyMs: 10 * 60_000,
  run: async ({ db, now }) => {
    await forgetFoldedBatches(db, now());
  },
};
