// Steps of executions: what becomes of one when something becomes of one of its tasks.
import { backoffSeconds, figuresAfter, isExecutionOver, isTaskOver, stateAfter } from './execution-states.js';
import type { ExecutionFigures, ExecutionState, TaskState } from './execution-states.js';

/** A condition of a task, as the specification has it. */
export type Condition = Partial<
  Record<'type' | 'state' | 'reason' | 'executionReason' | 'message' | 'severity', string>
>;

export interface TaskValue {
  metadata: { name: string; updatedAt?: string; scheduledAt?: string; startedAt?: string; completedAt?: string };
  spec: object;
  conditions: Condition[];
}

/** An execution, as far as its steps concern it. */
export interface SteppingExecution {
  id: string;
  accountId: string;
  workspaceId: string;
  version: number;
  status: ExecutionState;
  startedAt: string | null;
  spec: { timeout?: number; parallelism?: number };
  stats: ExecutionFigures;
  tasks: TaskValue[];
}

/** An execution as it was read, or written. */
export interface ExecutionSeen {
  execution: SteppingExecution;
  /** The version of its row: any write of it makes another. */
  seen: string;
}

/** One of its tasks. */
export interface SteppingTask {
  id: string;
  task: string;
  ordinal: number;
  phase: TaskState;
  retries: number;
  retriesMax: number;
  stop: boolean;
}

/** What becomes of a task. */
export interface TaskStep {
  to: TaskState;
  conditions: Condition[];
  message: string;
}

/** What a step leads to. */
export interface Stepped {
  /** The state that the task has come to; a failed one that is tried again is queued. */
  to: TaskState;
  /** Which try again this is, and how long it waits for it. */
  retry: { number: number; afterSeconds: number } | undefined;
  /** Whether the next task that waits for others may begin. */
  letsNextOn: boolean;
  /** The execution as it then is. */
  execution: SteppingExecution;
  /** What is written of it, under the names of its columns. */
  columns: Record<string, unknown>;
}

/** What becomes of an execution by a step of one of its tasks. */
export function stepped(execution: SteppingExecution, task: SteppingTask, step: TaskStep, time: Date): Stepped {
  const isCancelling = execution.status === 'cancelling';
  const isRetried = step.to === 'FAILED' && task.retries < task.retriesMax && !task.stop && !isCancelling;
  const to = isRetried ? 'QUEUED' : step.to;
  const now = time.toISOString();
  const tasks = execution.tasks.map((each, index) =>
    index === task.ordinal - 1 ? taskAfter(each, step, isRetried, now) : each,
  );
  const stats = figuresAfter(execution.stats, { from: task.phase, to, isFirstRetry: isRetried && task.retries === 0 });
  const status = stateAfter(execution.status, stats);
  const columns = executionColumns(execution, { status, tasks, stats }, now);
  const number = task.retries + 1;
  return {
    to,
    retry: isRetried ? { number, afterSeconds: backoffSeconds(number) } : undefined,
    letsNextOn: isTaskOver(to) && !isCancelling && (execution.spec.parallelism ?? tasks.length) < tasks.length,
    execution: { ...execution, status, tasks, stats, startedAt: columns.started_at },
    columns: { ...columns },
  };
}

/** What becomes of an execution that took too long: all its tasks that are not over are stopped. */
export function timedOut(
  execution: SteppingExecution,
  ordinals: readonly number[],
  step: TaskStep,
  time: Date,
): Record<string, unknown> {
  const now = time.toISOString();
  const tasks = execution.tasks.map((each, index) =>
    ordinals.includes(index + 1) ? taskAfter(each, step, false, now) : each,
  );
  const { stats } = execution;
  const figures = { ...stats, running: 0, cancelled: stats.cancelled + ordinals.length };
  return { ...executionColumns(execution, { status: 'timeout', tasks, stats: figures }, now) };
}

function taskAfter(task: TaskValue, { to, conditions }: TaskStep, isRetried: boolean, now: string): TaskValue {
  const { startedAt = to === 'RUNNING' ? now : undefined } = task.metadata;
  const metadata = { ...task.metadata, updatedAt: now, ...(startedAt !== undefined && { startedAt }) };
  const ended = isTaskOver(to) && !isRetried ? { ...metadata, completedAt: now } : metadata;
  return { ...task, metadata: ended, conditions: [...task.conditions, ...conditions].slice(-conditionsMax) };
}

/** How many conditions of a task are kept: the newest. */
const conditionsMax = 20;

interface NextExecution {
  status: ExecutionState;
  tasks: TaskValue[];
  stats: ExecutionFigures;
}

function executionColumns(execution: SteppingExecution, { status, tasks, stats }: NextExecution, now: string) {
  return {
    status,
    tasks,
    stats,
    updated_at: now,
    started_at: execution.startedAt ?? (status === 'running' || tasks.some(hasBegun) ? now : null),
    ...(isExecutionOver(status) && { completed_at: now, deadline_at: null }),
  };
}

function hasBegun({ metadata }: TaskValue): boolean {
  return metadata.startedAt !== undefined;
}
