import { Counter, Gauge } from 'prom-client';
import type { Registry } from 'prom-client';

export interface BackgroundTaskMetrics {
  /** Records a run of a background task. */
  ran: (task: string, seconds: number, isDone: boolean) => void;
}

/** Metrics of background tasks. */
export function createBackgroundTaskMetrics(registry: Registry): BackgroundTaskMetrics {
  const registers = [registry];
  // Prometheus adds the labels `job` and `instance` to every series, and renames those of the process.
  const labelNames = ['task'] as const;
  const runs = new Counter({
    name: 'wcp_background_task_runs_total',
    help: 'Runs of a background task, successful or not.',
    labelNames,
    registers,
  });
  const failures = new Counter({
    name: 'wcp_background_task_failures_total',
    help: 'Failed runs of a background task.',
    labelNames,
    registers,
  });
  const seconds = new Counter({
    name: 'wcp_background_task_seconds_total',
    help: 'Total duration of the runs of a background task (seconds).',
    labelNames,
    registers,
  });
  const lastSuccess = new Gauge({
    name: 'wcp_background_task_last_success_timestamp_seconds',
    help: 'Time of the last successful run of a background task (Unix time).',
    labelNames,
    registers,
  });
  return {
    ran: (task, took, isDone) => {
      runs.inc({ task });
      seconds.inc({ task }, took);
      failures.inc({ task }, isDone ? 0 : 1);
      if (isDone) lastSuccess.setToCurrentTime({ task });
    },
  };
}
