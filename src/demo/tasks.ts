import type { ExecutionStats, ExecutionStatus, Task, TaskCondition } from '../resources/jobs/execution.js';
import type { JobInput } from './rows/job-input.js';
import type { Random } from './random.js';
import { retryingJob } from './story.js';

type TaskEnd = 'succeeded' | 'failed' | 'cancelled' | 'running' | 'waiting';

/** The results of an execution's tasks: all the same, except for the last one of a failed execution. */
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

/** A task, and its contribution to the statistics of its execution. */
interface DemoTask {
  task: Task;
  ended: TaskEnd;
  isRetried: boolean;
}

interface Run {
  job: JobInput;
  status: ExecutionStatus;
  /** Seconds. */
  timeout: number;
  startedAt: Date;
  /** The end, or the end of the demo data while it is running. */
  until: Date;
}

/** The tasks of one execution, between its start and its end, with the parallelism of its job. */
export function demoTasks(random: Random, run: Run): DemoTask[] {
  const { most, last } = taskEnds[run.status];
  const count = random.below(7) + 2;
  const atOnce = run.job.spec.parallelism ?? 1;
  const maxRetries = run.job.spec.maxRetries ?? 0;
  const step = Math.floor((run.until.getTime() - run.startedAt.getTime()) / Math.ceil(count / atOnce));
  return Array.from({ length: count }, (_, index): DemoTask => {
    const ended = index === count - 1 ? last : most;
    const isRetried =
      maxRetries > 0 &&
      (ended === 'failed' || (ended === 'succeeded' && random.percent(run.job.metadata.name === retryingJob ? 45 : 5)));
    const round = Math.floor(index / atOnce);
    const begin = new Date(run.startedAt.getTime() + round * step).toISOString();
    // The last task ends with the execution, so that a timeout is exact.
    const over = (
      index === count - 1 ? run.until : new Date(run.startedAt.getTime() + (round + 1) * step)
    ).toISOString();
    const hasStarted = ended !== 'waiting';
    const isOver = hasStarted && ended !== 'running';
    return {
      ended,
      isRetried,
      task: {
        metadata: {
          name: `task-${index}`,
          createdAt: run.startedAt.toISOString(),
          ...(hasStarted ? { scheduledAt: begin, startedAt: begin, updatedAt: isOver ? over : begin } : {}),
          ...(isOver ? { completedAt: over } : {}),
        },
        spec: { maxRetries, timeout: `${run.timeout / 60}m` },
        conditions: conditionsOf(ended, run, isRetried ? maxRetries : 0),
      },
    };
  });
}

export function statsOf(tasks: DemoTask[]): ExecutionStats {
  const counted = (wanted: TaskEnd) => tasks.filter(({ ended }) => ended === wanted).length;
  return {
    total: tasks.length,
    success: counted('succeeded'),
    failure: counted('failed'),
    cancelled: counted('cancelled'),
    running: counted('running'),
    retried: tasks.filter(({ isRetried }) => isRetried).length,
  };
}

/** The events of a task, oldest first. @param retries the number of retries */
function conditionsOf(ended: TaskEnd, { status, timeout }: Run, retries: number): TaskCondition[] {
  if (ended === 'waiting') return [{ type: 'Scheduled', state: 'False', reason: 'WaitingForCapacity' }];
  const conditions: TaskCondition[] = [{ type: 'Scheduled', state: 'True', reason: 'Placed' }];
  if (retries > 0)
    conditions.push({
      type: 'Retried',
      state: 'True',
      severity: 'Warning',
      reason: 'NonZeroExit',
      executionReason: 'TriedAgain',
      message: ended === 'failed' ? `exit code 137, ${times(retries)}` : 'exit code 1, then tried again',
    });
  return [...conditions, lastCondition(ended, status === 'timeout' ? timeout : undefined, retries)];
}

/** @param timeout the exceeded timeout of the execution (seconds) */
function lastCondition(
  ended: Exclude<TaskEnd, 'waiting'>,
  timeout: number | undefined,
  retries: number,
): TaskCondition {
  if (ended === 'running') return { type: 'Running', state: 'True', reason: 'ContainerStarted' };
  if (ended === 'succeeded') return { type: 'Completed', state: 'True', reason: 'Exited', message: 'exit code 0' };
  if (ended === 'failed')
    return {
      type: 'Completed',
      state: 'False',
      severity: 'Error',
      reason: 'NonZeroExit',
      executionReason: retries > 0 ? 'RetriesExhausted' : 'NotRetried',
      message: retries > 0 ? `exit code 137 after ${times(retries)}: out of memory` : 'exit code 137: out of memory',
    };
  return {
    type: 'Completed',
    state: 'False',
    severity: 'Warning',
    reason: timeout === undefined ? 'Cancelled' : 'DeadlineExceeded',
    executionReason: timeout === undefined ? 'StoppedByUser' : 'Timeout',
    message:
      timeout === undefined ? 'stopped on request' : `stopped when the execution reached ${timeout / 60} minutes`,
  };
}

function times(retries: number): string {
  return retries === 1 ? '1 retry' : `${retries} retries`;
}
