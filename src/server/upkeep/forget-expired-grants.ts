import { forgetExpired } from '../../auth/grants/housekeeping.js';
import type { UpkeepJob } from './upkeep-job.js';

/** Tokens, codes, sessions and counted attempts that have expired. */
export const forgetExpiredGrantsJob: UpkeepJob = {
  name: 'forget expired grants',
  everyMs: 10 * 60_000,
  run: async ({ db, now }) => {
    await forgetExpired(db, now());
  },
};
