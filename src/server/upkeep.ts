// What a process does by itself from time to time. Every process does it; the database sees to it that one of them is
// enough. Each job has a clock of its own, so that one that fails or hangs keeps none of the others waiting.
import type { Config } from '../config.js';
import type { Services } from './services.js';
import { checkBudgetsJob } from './upkeep/check-budgets.js';
import { foldUsageJob } from './upkeep/fold-usage.js';
import { forgetAssignmentsJob } from './upkeep/forget-assignments.js';
import { forgetExpiredGrantsJob } from './upkeep/forget-expired-grants.js';
import { forgetIdempotentAnswersJob } from './upkeep/forget-idempotent-answers.js';
import { forgetInvitationsJob } from './upkeep/forget-invitations.js';
import { forgetUsageBatchesJob } from './upkeep/forget-usage-batches.js';
import { giveUpAssignmentsJob } from './upkeep/give-up-assignments.js';
import { keepNameRunsJob } from './upkeep/keep-name-runs.js';
import { measureAssignmentsJob } from './upkeep/measure-assignments.js';
import { removeOldChangesJob } from './upkeep/remove-old-changes.js';
import { removeOldDeliveriesJob } from './upkeep/remove-old-deliveries.js';
import { rotateSigningKeysJob } from './upkeep/rotate-signing-keys.js';
import { runSchedulesJob } from './upkeep/run-schedules.js';
import { tellOfRefusalsJob } from './upkeep/tell-of-refusals.js';
import { tendExecutionsJob } from './upkeep/tend-executions.js';
import type { UpkeepJob } from './upkeep/upkeep-job.js';

export const upkeepJobs: readonly UpkeepJob[] = [
  foldUsageJob,
  rotateSigningKeysJob,
  forgetExpiredGrantsJob,
  forgetInvitationsJob,
  forgetUsageBatchesJob,
  forgetIdempotentAnswersJob,
  removeOldChangesJob,
  removeOldDeliveriesJob,
  tellOfRefusalsJob,
  checkBudgetsJob,
  giveUpAssignmentsJob,
  tendExecutionsJob,
  runSchedulesJob,
  keepNameRunsJob,
  measureAssignmentsJob,
  forgetAssignmentsJob,
];

export interface Upkeep {
  /** Begins nothing more, and waits for what is being done. */
  stop: () => Promise<void>;
}

/** Begins at once. A failure is logged; the next time it is tried again. */
export function startUpkeep(services: Services, config: Config, jobs = upkeepJobs): Upkeep {
  const stopping = new AbortController();
  const running = jobs.map((job) => {
    services.upkeep.expect(job.name, job.everyMs);
    return repeat(job.everyMs, () => runJob(job, services, config, stopping.signal));
  });
  return {
    stop: async () => {
      stopping.abort();
      await Promise.all(running.map(({ stop }) => stop()));
    },
  };
}

/** Runs every job once. A failure is logged, and the other jobs are done all the same. */
export async function runUpkeep(services: Services, config: Config, jobs = upkeepJobs): Promise<void> {
  const { signal } = new AbortController();
  await Promise.all(jobs.map((job) => runJob(job, services, config, signal)));
}

async function runJob(job: UpkeepJob, services: Services, config: Config, stopping: AbortSignal): Promise<void> {
  const startedMs = performance.now();
  try {
    await job.run(services, config, stopping);
    services.upkeep.ran(job.name, secondsSince(startedMs), true);
  } catch (error) {
    services.upkeep.ran(job.name, secondsSince(startedMs), false);
    services.log.error({ err: error, job: job.name }, 'upkeep failed');
  }
}

function secondsSince(startedMs: number): number {
  return (performance.now() - startedMs) / 1_000;
}

/** Runs a task now and then, never twice at a time. */
function repeat(everyMs: number, task: () => Promise<void>): Upkeep {
  let running: Promise<void> | undefined;
  const run = () => {
    running ??= task().finally(() => {
      running = undefined;
    });
  };
  run();
  const timer = setInterval(run, everyMs);
  timer.unref();
  return {
    stop: async () => {
      clearInterval(timer);
      await running;
    },
  };
}
