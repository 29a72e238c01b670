// Records when each background task last succeeded, for metrics and for /readyz.
import type { BackgroundTaskMetrics } from '../telemetry/background-task-metrics.js';

interface LastSuccess {
  everyMs: number;
  /** When it last succeeded, or was registered (ms of the clock). */
  wellMs: number;
}

export interface TaskRecord {
  /** Registers a task. */
  expect: (task: string, everyMs: number) => void;
  /** Records a run of a task. */
  ran: (task: string, seconds: number, isDone: boolean) => void;
  /** The tasks that are overdue, with the time since their last success (s). */
  stalled: () => { task: string; seconds: number }[];
}

/** A task is overdue after three missed runs and one more minute. */
const turnsMissedMax = 3;
const lateMsMax = 60_000;

/** @param clock a monotonic clock (ms). */
export function createTaskRecord(metrics: BackgroundTaskMetrics, clock = () => performance.now()): TaskRecord {
  const records = new Map<string, LastSuccess>();
  return {
    expect: (task, everyMs) => void records.set(task, { everyMs, wellMs: clock() }),
    ran: (task, seconds, isDone) => {
      metrics.ran(task, seconds, isDone);
      const record = records.get(task);
      if (record !== undefined && isDone) record.wellMs = clock();
    },
    stalled: () =>
      [...records].flatMap(([task, { everyMs, wellMs }]) => {
        const sinceMs = clock() - wellMs;
        const isLate = sinceMs > everyMs * turnsMissedMax + lateMsMax;
        return isLate ? [{ task, seconds: Math.round(sinceMs / 1_000) }] : [];
      }),
  };
}
