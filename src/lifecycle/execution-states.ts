// The state machines of executions and of their tasks, one table each. An execution's state and counts are computed
// from its tasks.

/** States of an execution (specification, "States and transitions"; decision 24). */
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

/** The allowed transitions of each state, with the actor of each. */
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

/** Returns whether a state is final. */
export function isExecutionOver(state: ExecutionState): boolean {
  return Object.keys(executionTransitions[state]).length === 0;
}

/** States of a task. */
export const taskStates = {
  WAITING: 'Waiting for other tasks, because the parallelism of the execution is limited.',
  QUEUED: 'Waiting to be claimed or started.',
  RUNNING: 'Running.',
  SUCCEEDED: 'Completed successfully.',
  FAILED: 'Failed and not retried.',
  CANCELLED: 'Cancelled, before or after the start.',
} as const;

export type TaskState = keyof typeof taskStates;

/** The allowed transitions of each task state, with the actor of each. A retried task is queued again. */
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

/** Returns whether an executor can report a state after another. */
export function mayReportTask(from: TaskState, to: TaskState): boolean {
  return taskTransitions[from][to] === 'executor';
}

/** Statistics of an execution (specification, JobExecutionStats). */
export interface ExecutionFigures {
  total: number;
  running: number;
  success: number;
  failure: number;
  cancelled: number;
  retried: number;
}

/** The statistic that counts tasks in each state. Tasks that have not started are not counted. */
const figures: Partial<Record<TaskState, keyof ExecutionFigures>> = {
  RUNNING: 'running',
  SUCCEEDED: 'success',
  FAILED: 'failure',
  CANCELLED: 'cancelled',
};

/** Returns the statistics of an execution after the transition of a task. */
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

/** Returns the state of an execution from the statistics of its tasks. A final state does not change. */
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

/** Returns the delay before a retry (seconds), doubled each time. @param retry the number of the retry, from 1. */
export function backoffSeconds(retry: number): number {
  return Math.min(backoffSecondsMax, backoffSecondsFirst * 2 ** (retry - 1));
}
