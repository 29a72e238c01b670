// Computes the next state of an execution from a transition of one of its tasks.
import { backoffSeconds, figuresAfter, isExecutionOver, isTaskOver, stateAfter } from './execution-states.js';
import type { ExecutionFigures, ExecutionState, TaskState } from './execution-states.js';

/** A condition of a task, as in the specification. */
export type Condition = Partial<
  Record<'type' | 'state' | 'reason' | 'executionReason' | 'message' | 'severity', string | undefined>
>;

export interface TaskValue {
  metadata: { name: string; updatedAt?: string; scheduledAt?: string; startedAt?: string; completedAt?: string };
  spec: object;
  conditions: Condition[];
}

/** The parts of an execution that its transitions depend on. */
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

/** A task of the execution. */
export interface SteppingTask {
  id: string;
  task: string;
  ordinal: number;
  phase: TaskState;
  retries: number;
  retriesMax: number;
  stop: boolean;
}

/** A transition of a task. */
export interface TaskStep {
  to: TaskState;
  conditions: Condition[];
  message: string;
}

/** The result of a task's transition. */
export interface Stepped {
  /** The new state of the task; QUEUED for a failed task that is retried. */
  to: TaskState;
  /** The number of the retry, and its delay. */
  retry: { number: number; afterSeconds: number } | undefined;
  /** Whether the next waiting task may start. */
  letsNextOn: boolean;
  /** The execution after the transition. */
  execution: SteppingExecution;
  /** The changed columns of the execution, by name. */
  columns: Record<string, unknown>;
}

/** Applies a transition of a task to its execution. */
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

/** Applies a timeout to an execution: all of its unfinished tasks are stopped. */
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

/** How many conditions of a task are kept, the newest ones. */
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
