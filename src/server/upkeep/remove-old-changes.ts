import { removeChangesBefore } from '../../changes/change-retention.js';
import type { UpkeepJob } from './upkeep-job.js';

const dayMs = 24 * 60 * 60_000;

/** The history is kept for so many days, but for the events of what exists. */
export const removeOldChangesJob: UpkeepJob = {
  name: 'remove old changes',
  everyMs: 10 * 60_000,
  run: async ({ db, now }, config, stopping) => {
    await removeChangesBefore(db, new Date(now().getTime() - config.CHANGE_RETENTION_DAYS * dayMs), stopping);
  },
};
