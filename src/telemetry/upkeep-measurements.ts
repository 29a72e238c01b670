import { Counter, Gauge } from 'prom-client';
import type { Registry } from 'prom-client';

export interface UpkeepMeasurements {
  /** A job of upkeep is over. */
  ran: (job: string, seconds: number, isDone: boolean) => void;
}

/** What the process does by itself, job by job. */
export function createUpkeepMeasurements(registry: Registry): UpkeepMeasurements {
  const registers = [registry];
  const labelNames = ['job'] as const;
  const runs = new Counter({
    name: 'wcp_upkeep_runs_total',
    help: 'How often a job of upkeep ran, whatever came of it.',
    labelNames,
    registers,
  });
  const failures = new Counter({
    name: 'wcp_upkeep_failures_total',
    help: 'How often a job of upkeep failed.',
    labelNames,
    registers,
  });
  const seconds = new Counter({
    name: 'wcp_upkeep_seconds_total',
    help: 'How long a job of upkeep ran, added up.',
    labelNames,
    registers,
  });
  const lastSuccess = new Gauge({
    name: 'wcp_upkeep_last_success_timestamp_seconds',
    help: 'When a job of upkeep last succeeded, as a Unix time.',
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
