import { forgetTakenDown } from '../../lifecycle/give-up.js';
import type { UpkeepJob } from './upkeep-job.js';

export const forgetAssignmentsJob: UpkeepJob = {
  name: 'forget assignments that are done',
  everyMs: 10 * 60_000,
  run: async ({ db }) => {
    await forgetTakenDown(db);
  },
};
