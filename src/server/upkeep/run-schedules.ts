import { runSchedules } from '../../resources/schedules/run-schedules.js';
import type { UpkeepJob } from './upkeep-job.js';

/** What comes round by the clock is made within a second or two of its time. */
export const runSchedulesJob: UpkeepJob = {
  name: 'run schedules',
  everyMs: 1_000,
  run: ({ db, seal, now }) => runSchedules({ db, seal, now }),
};
