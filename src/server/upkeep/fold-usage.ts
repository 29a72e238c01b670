import { foldShareOfUsage } from '../../metering/fold-all-usage.js';
import type { UpkeepJob } from './upkeep-job.js';

/** Answers fold what waits themselves: the more often it is done before, the less is left to them. */
export const foldUsageJob: UpkeepJob = {
  name: 'fold usage',
  everyMs: 1_000,
  run: async ({ db, now, measurements, traces }) => {
    const { waiting } = measurements.usage;
    if (traces === undefined) return foldShareOfUsage(db, now(), waiting);
    await traces.fold((onWaiting) =>
      foldShareOfUsage(db, now(), (events) => {
        waiting(events);
        onWaiting(events);
      }),
    );
  },
};
