// The states of executions and of their tasks: one table each. An execution's state and figures follow from its tasks.

/** States of an execution (specification, "States and transitions"), and what each means (decision 24). */
export const executionStates = {
  queued: 'Waiting to start.',
  pending: 'Started; the tasks are being scheduled.',
  running: 'At least one task is running.',
  cancelling: 'Being cancelled on request.',
  cancelled: 'Cancelled on request.',
  failed: 'A task failed and was not retried.',
  succeeded: 'Every task succeeded.',
  timeout: 'Exceeded the timeout of the execution.',
} as const;

export type ExecutionState = keyof typeof executionStates;

type By = 'caller' | 'executor' | 'platform';

/** Where each state leads, and by whom. */
export const executionTransitions: Record<ExecutionState, Partial<Record<ExecutionState, By>>> = {
  queued: {
    pending: 'executor',
    running: 'executor',
    succeeded: 'executor',
    failed: 'executor',
    cancelled: 'caller',
    timeout: 'platform',
  },
  pending: {
    running: 'executor',
    succeeded: 'executor',
    failed: 'executor',
    cancelling: 'caller',
    timeout: 'platform',
  },
  running: { succeeded: 'executor', failed: 'executor', cancelling: 'caller', timeout: 'platform' },
  cancelling: { cancelled: 'executor', timeout: 'platform' },
  cancelled: {},
  failed: {},
  succeeded: {},
  timeout: {},
};

/** Whether an execution in a state is over. */
export function isExecutionOver(state: ExecutionState): boolean {
  return Object.keys(executionTransitions[state]).length === 0;
}

/** States of a task, and what each means. */
export const taskStates = {
  WAITING: 'Waiting for other tasks, because the parallelism of the execution is limited.',
  QUEUED: 'Waiting to be claimed or started.',
  RUNNING: 'Running.',
  SUCCEEDED: 'Completed successfully.',
  FAILED: 'Failed and not retried.',
  CANCELLED: 'Cancelled, before or after the start.',
} as const;

export type TaskState = keyof typeof taskStates;

/** Where each state of a task leads, and by whom. A failed one that is tried again is queued. */
export const taskTransitions: Record<TaskState, Partial<Record<TaskState, By>>> = {
  WAITING: { QUEUED: 'platform', CANCELLED: 'platform' },
  QUEUED: { RUNNING: 'executor', SUCCEEDED: 'executor', FAILED: 'executor', CANCELLED: 'executor' },
  RUNNING: { QUEUED: 'platform', SUCCEEDED: 'executor', FAILED: 'executor', CANCELLED: 'executor' },
  SUCCEEDED: {},
  FAILED: {},
  CANCELLED: {},
};

export function isTaskState(word: string): word is TaskState {
  return Object.hasOwn(taskStates, word);
}

export function isTaskOver(state: TaskState): boolean {
  return Object.keys(taskTransitions[state]).length === 0;
}

/** Whether an executor that has come to a state may report another. */
export function mayReportTask(from: TaskState, to: TaskState): boolean {
  return taskTransitions[from][to] === 'executor';
}

/** Figures of an execution, as the specification has them. */
export interface ExecutionFigures {
  total: number;
  running: number;
  success: number;
  failure: number;
  cancelled: number;
  retried: number;
}

/** What counts tasks of each state; those that are not begun are the rest. */
const figures: Partial<Record<TaskState, keyof ExecutionFigures>> = {
  RUNNING: 'running',
  SUCCEEDED: 'success',
  FAILED: 'failure',
  CANCELLED: 'cancelled',
};

/** The figures of an execution when one of its tasks has come from one state to another. */
export function figuresAfter(
  before: ExecutionFigures,
  { from, to, isFirstRetry }: { from: TaskState; to: TaskState; isFirstRetry: boolean },
): ExecutionFigures {
  const after = { ...before, retried: before.retried + (isFirstRetry ? 1 : 0) };
  const [left, entered] = [figures[from], figures[to]];
  if (left !== undefined) after[left] -= 1;
  if (entered !== undefined) after[entered] += 1;
  return after;
}

/** The state that an execution comes to with its tasks. What is over stays so. */
export function stateAfter(state: ExecutionState, figuresNow: ExecutionFigures): ExecutionState {
  if (isExecutionOver(state)) return state;
  const { total, running, success, failure, cancelled } = figuresNow;
  const isThrough = success + failure + cancelled === total;
  if (state === 'cancelling') return isThrough ? 'cancelled' : state;
  if (isThrough) return failure > 0 || cancelled > 0 ? 'failed' : 'succeeded';
  return running > 0 ? 'running' : state;
}

const backoffSecondsFirst = 1;
const backoffSecondsMax = 300;

/** How long a failed task waits before it is tried again: twice as long each time. @param retry which one, from 1. */
export function backoffSeconds(retry: number): number {
  return Math.min(backoffSecondsMax, backoffSecondsFirst * 2 ** (retry - 1));
}
