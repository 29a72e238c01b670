import { Counter, Gauge } from 'prom-client';
import type { Registry } from 'prom-client';

export interface BackgroundTaskMetrics {
  /** Records a run of a background task. */
  ran: (job: string, seconds: number, isDone: boolean) => void;
}

/** Metrics of background tasks. */
export function createBackgroundTaskMetrics(registry: Registry): BackgroundTaskMetrics {
  const registers = [registry];
  const labelNames = ['job'] as const;
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
    ran: (job, took, isDone) => {
      runs.inc({ job });
      seconds.inc({ job }, took);
      failures.inc({ job }, isDone ? 0 : 1);
      if (isDone) lastSuccess.setToCurrentTime({ job });
    },
  };
}
