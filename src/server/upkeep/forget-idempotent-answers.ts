import { forgetIdempotentAnswers } from '../../changes/idempotent-change.js';
import type { UpkeepJob } from './upkeep-job.js';

export const forgetIdempotentAnswersJob: UpkeepJob = {
  name: 'forget idempotent answers',
  everyMs: 10 * 60_000,
  run: async ({ db, now }) => {
    await forgetIdempotentAnswers(db, now());
  },
};
