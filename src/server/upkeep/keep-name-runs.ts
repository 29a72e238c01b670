import { keepNameRuns } from '../../store/read/keep-name-runs.js';
import type { UpkeepJob } from './upkeep-job.js';

/** The first runs of a large list take minutes. They are made bit by bit, so that a job that hangs is told from one that has much to do. */
const workMsMax = 15_000;

/** What was written since is looked at by each search in the order of names: there should not be much. */
export const keepNameRunsJob: UpkeepJob = {
  name: 'keep runs of names',
  everyMs: 20_000,
  run: ({ db }, _, stopping) => keepNameRuns(db, AbortSignal.any([stopping, AbortSignal.timeout(workMsMax)])),
};
