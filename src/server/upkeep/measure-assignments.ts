import { countAssignments } from '../../lifecycle/count-assignments.js';
import type { UpkeepJob } from './upkeep-job.js';

export const measureAssignmentsJob: UpkeepJob = {
  name: 'measure assignments',
  everyMs: 15_000,
  run: async ({ db, measurements }) => {
    measurements.work.counted(await countAssignments(db));
  },
};
