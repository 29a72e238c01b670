// Records when each background task last succeeded, for metrics and for /readyz.
import type { UpkeepMeasurements } from '../telemetry/upkeep-measurements.js';

interface JobRecord {
  everyMs: number;
  /** When it last succeeded; before that, when it was to begin. */
  wellMs: number;
}

export interface TaskRecord {
  /** Says that a job will run from now on. */
  expect: (job: string, everyMs: number) => void;
  /** A job is over, for this time. */
  ran: (job: string, seconds: number, isDone: boolean) => void;
  /** The jobs that have not succeeded for much longer than they should, and for how many seconds. */
  stalled: () => { job: string; seconds: number }[];
}

/** A job may miss two turns, and take a while for the third. */
const turnsMissedMax = 3;
const lateMsMax = 60_000;

/** @param clock milliseconds that never go back. */
export function createTaskRecord(measurements: UpkeepMeasurements, clock = () => performance.now()): TaskRecord {
  const records = new Map<string, JobRecord>();
  return {
    expect: (job, everyMs) => void records.set(job, { everyMs, wellMs: clock() }),
    ran: (job, seconds, isDone) => {
      measurements.ran(job, seconds, isDone);
      const record = records.get(job);
      if (record !== undefined && isDone) record.wellMs = clock();
    },
    stalled: () =>
      [...records].flatMap(([job, { everyMs, wellMs }]) => {
        const sinceMs = clock() - wellMs;
        const isLate = sinceMs > everyMs * turnsMissedMax + lateMsMax;
        return isLate ? [{ job, seconds: Math.round(sinceMs / 1_000) }] : [];
      }),
  };
}
