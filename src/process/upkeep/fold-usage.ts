import { foldAllUsage } from '../../usage/usage-fold.js';
import type { UpkeepJob } from './upkeep-job.js';

/** Answers fold what waits themselves: the more often it is done before, the less is left to them. */
export const foldUsageJob: UpkeepJob = {
  name: 'fold usage',
  everyMs: 1_000,
  run: async ({ db, now, measurements, traces }) => {
    const { waiting } = measurements.usage;
    if (traces === undefined) return foldAllUsage(db, now(), waiting);
    await traces.fold((onWaiting) =>
      foldAllUsage(db, now(), (events) => {
        waiting(events);
        onWaiting(events);
      }),
    );
  },
};
