import type { ExecutionStatus, Task } from '../resources/jobs/execution.js';
import type { ExecutionInput, JobInput } from '../resources/jobs/job-input.js';
import { createRandom, idOf } from './random.js';
import type { Random } from './random.js';
import { dayMs, hourMs, minuteMs } from './times.js';

/** How the executions of a job went, the newest first; then all over again. */
const course: ExecutionStatus[] = [
  'running', 'succeeded', 'succeeded', 'failed', 'succeeded', 'cancelled', 'succeeded', 'timeout', 'succeeded',
]; // prettier-ignore

/** What only the newest execution of a few jobs is. */
const newest: ExecutionStatus[] = ['running', 'queued', 'pending', 'cancelling'];

type TaskEnd = 'succeeded' | 'failed' | 'cancelled' | 'running' | 'waiting';

/** How the tasks of an execution ended: all alike, but for the last one or two where something went wrong. */
const taskEnds: Record<ExecutionStatus, { most: TaskEnd; last: TaskEnd }> = {
  queued: { most: 'waiting', last: 'waiting' },
  pending: { most: 'waiting', last: 'waiting' },
  running: { most: 'succeeded', last: 'running' },
  cancelling: { most: 'cancelled', last: 'running' },
  cancelled: { most: 'succeeded', last: 'cancelled' },
  failed: { most: 'succeeded', last: 'failed' },
  succeeded: { most: 'succeeded', last: 'succeeded' },
  timeout: { most: 'succeeded', last: 'cancelled' },
};

/** Executions of a job, one a day: between 3 and 40 of them. */
export function demoExecutions(job: JobInput, order: number, end: Date): ExecutionInput[] {
  const count = 3 + ((order * 17) % 38);
  return Array.from({ length: count }, (_, index) => demoExecution(job, order, index, end));
}

function demoExecution(job: JobInput, order: number, index: number, end: Date): ExecutionInput {
  const id = idOf(`${job.id} execution ${index}`);
  const random = createRandom(id);
  const first = newest[order % newest.length] ?? 'running';
  const status = index === 0 ? first : (course[index % course.length] ?? 'succeeded');
  const isWaiting = status === 'queued' || status === 'pending';
  const isOver = !isWaiting && status !== 'running' && status !== 'cancelling';
  const createdAt = new Date(end.getTime() - index * dayMs - (random.below(50) + 5) * minuteMs);
  const startedAt = new Date(createdAt.getTime() + random.below(60_000));
  const completedAt = new Date(startedAt.getTime() + (random.below(40) + 2) * minuteMs);
  const isOld = index > 30;
  const tasks = tasksOf(random, status, startedAt, completedAt);
  const ends = endsOf(tasks.length, status);
  const times = {
    createdAt: createdAt.toISOString(),
    updatedAt: (isOver ? completedAt : startedAt).toISOString(),
    ...(isWaiting ? {} : { startedAt: startedAt.toISOString() }),
    ...(isOver ? { completedAt: completedAt.toISOString() } : {}),
    ...(isOld ? { expiredAt: new Date(completedAt.getTime() + 30 * dayMs).toISOString() } : {}),
    ...(isOld && index % 2 === 0
      ? { deletedAt: new Date(completedAt.getTime() + 30 * dayMs + hourMs).toISOString() }
      : {}),
  };
  const counted = (wanted: TaskEnd) => ends.filter((each) => each === wanted).length;
  return {
    id,
    jobId: job.id ?? '',
    cluster: `${job.spec.region ?? 'eu-frankfurt-1'}-${random.pick(['a', 'b'])}`,
    ...times,
    status,
    spec: {
      ...(random.percent(30)
        ? { envOverride: { RUN_DATE: times.createdAt.slice(0, 10), LEDGER_TOKEN: `led-${id.slice(0, 12)}` } }
        : {}),
      ...(random.percent(20) ? { memoryOverride: 8192 } : {}),
      parallelism: job.spec.parallelism ?? 1,
      timeout: job.spec.timeout ?? 900,
    },
    stats: {
      total: tasks.length,
      success: counted('succeeded'),
      failure: counted('failed'),
      cancelled: counted('cancelled'),
      running: counted('running'),
      retried: status === 'failed' ? 1 : 0,
    },
    tasks,
  };
}

function endsOf(count: number, status: ExecutionStatus): TaskEnd[] {
  const { most, last } = taskEnds[status];
  return Array.from({ length: count }, (_, index) => (index === count - 1 ? last : most));
}

function tasksOf(random: Random, status: ExecutionStatus, startedAt: Date, completedAt: Date): Task[] {
  const count = random.below(7) + 2;
  const step = Math.floor((completedAt.getTime() - startedAt.getTime()) / count);
  return endsOf(count, status).map((ended, index): Task => {
    const begin = new Date(startedAt.getTime() + index * step).toISOString();
    const over = new Date(startedAt.getTime() + (index + 1) * step).toISOString();
    const hasStarted = ended !== 'waiting';
    const isOver = hasStarted && ended !== 'running';
    return {
      metadata: {
        name: `task-${index}`,
        createdAt: startedAt.toISOString(),
        ...(hasStarted ? { scheduledAt: begin, startedAt: begin, updatedAt: isOver ? over : begin } : {}),
        ...(isOver ? { completedAt: over } : {}),
      },
      spec: { maxRetries: status === 'failed' ? 1 : 0, timeout: '15m' },
      conditions: conditionsOf(ended, status),
    };
  });
}

function conditionsOf(ended: TaskEnd, status: ExecutionStatus): Task['conditions'] {
  if (ended === 'waiting') return [{ type: 'Scheduled', state: 'False', reason: 'WaitingForCapacity' }];
  const scheduled = { type: 'Scheduled', state: 'True', reason: 'Placed' };
  if (ended === 'running') return [scheduled, { type: 'Running', state: 'True', reason: 'ContainerStarted' }];
  if (ended === 'succeeded')
    return [scheduled, { type: 'Completed', state: 'True', reason: 'Exited', message: 'exit code 0' }];
  const isTimeout = status === 'timeout';
  const failure =
    ended === 'failed'
      ? {
          reason: 'NonZeroExit',
          executionReason: 'RetriesExhausted',
          message: 'exit code 137 after 1 retry: out of memory',
        }
      : {
          reason: isTimeout ? 'DeadlineExceeded' : 'Cancelled',
          executionReason: isTimeout ? 'Timeout' : 'StoppedByUser',
          message: isTimeout ? 'the execution ran over its timeout' : 'stopped on request',
        };
  const severity = ended === 'failed' ? 'Error' : 'Warning';
  return [scheduled, { type: 'Completed', state: 'False', severity, ...failure }];
}
