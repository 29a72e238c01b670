import type { ExecutionStatus } from '../resources/jobs/execution.js';
import type { ExecutionInput, JobInput } from './rows/job-input.js';
import { dataPlane } from './actors.js';
import { createRandom, idOf } from './random.js';
import { queuedJob, retryingJob, sundayJob } from './story.js';
import { demoTasks, statsOf } from './tasks.js';
import { dayMs, hourMs, minuteMs } from './times.js';

/** The results of a job's executions, newest first; then repeated. */
const course: ExecutionStatus[] = [
  'succeeded', 'succeeded', 'failed', 'succeeded', 'cancelled', 'succeeded', 'timeout', 'succeeded',
]; // prettier-ignore

/** States that only the newest execution of a deployed job can have. */
const newest: ExecutionStatus[] = ['running', 'queued', 'pending', 'cancelling'];

const queueLength = 14;

/** The executions of a job, one a day: between 3 and 40 of them. */
export function demoExecutions(job: JobInput, order: number, end: Date): ExecutionInput[] {
  const { name } = job.metadata;
  if (name === sundayJob) return nightlyExecutions(job, end);
  if (name === queuedJob && job.status === 'DEPLOYED') return queuedExecutions(job, end);
  const count = name === retryingJob ? 30 : 3 + ((order * 17) % 38);
  return Array.from({ length: count }, (_, index) => {
    const isNewest = index === 0 && job.status === 'DEPLOYED';
    const statuses = isNewest ? newest : course;
    return demoExecution(job, statuses[(index + order) % statuses.length] ?? 'succeeded', index, end);
  });
}

/** The hour (UTC) of the nightly job. */
const nightHour = 2;
const nights = 40;

function nightlyExecutions(job: JobInput, end: Date): ExecutionInput[] {
  const midnight = Math.floor(end.getTime() / dayMs) * dayMs;
  const last = midnight + nightHour * hourMs;
  // The execution of this night is over, or that of the night before is the last.
  const newestAt = last + 2 * hourMs < end.getTime() ? last : last - dayMs;
  return Array.from({ length: nights }, (_, index) => {
    const createdAt = new Date(newestAt - index * dayMs + 4_000);
    const isSunday = createdAt.getUTCDay() === 0;
    return demoExecution(job, isSunday ? 'failed' : 'succeeded', index, end, createdAt);
  });
}

function queuedExecutions(job: JobInput, end: Date): ExecutionInput[] {
  return Array.from({ length: queueLength + 8 }, (_, index) => {
    const status = index < queueLength ? 'queued' : index === queueLength ? 'running' : 'succeeded';
    const isOver = status === 'succeeded';
    const minutesAgo = isOver ? (index - queueLength) * 24 * 60 + 70 : 2 + index * 1.5;
    return demoExecution(job, status, index, end, new Date(end.getTime() - minutesAgo * minuteMs));
  });
}

/** @param at when it was created; by default one each day */
function demoExecution(job: JobInput, status: ExecutionStatus, index: number, end: Date, at?: Date): ExecutionInput {
  const id = idOf(`${job.id} execution ${index}`);
  const random = createRandom(id);
  const timeout = job.spec.timeout ?? 900;
  const isWaiting = status === 'queued' || status === 'pending';
  const isOver = !newest.includes(status);
  // Executions in progress are minutes old, and therefore within every timeout.
  const ageMs = isOver ? index * dayMs + (random.below(120) + 61) * minuteMs : (random.below(8) + 3) * minuteMs;
  const createdAt = at ?? new Date(end.getTime() - ageMs);
  const startedAt = new Date(createdAt.getTime() + random.below(60_000));
  const seconds = status === 'timeout' ? timeout : Math.floor((timeout * (random.below(75) + 10)) / 100);
  const until = isOver ? new Date(startedAt.getTime() + seconds * 1000) : end;
  const tasks = demoTasks(random, { job, status, timeout, startedAt, until });
  return {
    id,
    jobId: job.id ?? '',
    ...(status === 'queued' ? {} : { cluster: dataPlane }),
    createdAt: createdAt.toISOString(),
    updatedAt: (isOver ? until : isWaiting ? createdAt : startedAt).toISOString(),
    ...(isWaiting ? {} : { startedAt: startedAt.toISOString() }),
    ...(isOver ? { completedAt: until.toISOString() } : {}),
    status,
    spec: {
      ...(random.percent(30)
        ? { envOverride: { RUN_DATE: createdAt.toISOString().slice(0, 10), LEDGER_TOKEN: `led-${id.slice(0, 12)}` } }
        : {}),
      ...(random.percent(20) ? { memoryOverride: 8192 } : {}),
      parallelism: job.spec.parallelism ?? 1,
      timeout,
    },
    stats: statsOf(tasks),
    tasks: tasks.map(({ task }) => task),
  };
}
