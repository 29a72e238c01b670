// The tables of states, and random walks through them.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  deploymentStates,
  deploymentTransitions,
  deploymentWork,
  isDeploymentState,
  isSettled,
  mayReport,
} from '../../src/lifecycle/deployment-states.js';
import type { DeploymentState } from '../../src/lifecycle/deployment-states.js';
import {
  executionStates,
  executionTransitions,
  figuresAfter,
  isExecutionOver,
  isTaskOver,
  isTaskState,
  mayReportTask,
  stateAfter,
  taskStates,
  taskTransitions,
} from '../../src/lifecycle/execution-states.js';
import type { ExecutionFigures, ExecutionState, TaskState } from '../../src/lifecycle/execution-states.js';

const states = Object.keys(deploymentStates).filter(isDeploymentState);
const ofTasks = Object.keys(taskStates).filter(isTaskState);

describe('The table of deployments', () => {
  it('ends each kind of work from its first state, whatever the executor reports', () => {
    const walk = fc.array(fc.nat({ max: 9 }), { minLength: 10, maxLength: 10 });
    fc.assert(
      fc.property(fc.constantFrom(...Object.values(deploymentWork)), walk, ({ begins, ends }, steps) => {
        let state: DeploymentState = begins;
        for (const step of steps) {
          const next = states.filter((to) => mayReport(state, to));
          if (next.length === 0) break;
          state = next[step % next.length] ?? state;
        }
        expect([isSettled(state), state]).toEqual([true, state === ends ? ends : 'FAILED']);
      }),
    );
  });

  it('has no transition from TERMINATED, and only termination from DELETING', () => {
    expect(deploymentTransitions.TERMINATED).toEqual({});
    expect(Object.keys(deploymentTransitions.DELETING).toSorted()).toEqual(['FAILED', 'TERMINATED']);
  });
});

describe('An execution', () => {
  const event = fc.record({
    task: fc.nat({ max: 4 }),
    reported: fc.constantFrom(...ofTasks),
    isRetried: fc.boolean(),
    cancels: fc.nat({ max: 30 }),
  });

  it('has the status of its tasks, ends with the last one, and never changes after that', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), (events) => {
        const tasks: TaskState[] = Array(5).fill('QUEUED');
        const retried = new Set<number>();
        let state: ExecutionState = 'queued';
        let figures = figuresOf(tasks, retried);
        for (const { task, reported, isRetried, cancels } of events) {
          const before: ExecutionState = state;
          if (cancels === 0 && executionTransitions[state].cancelling === 'caller') state = 'cancelling';
          const from = tasks[task] ?? 'QUEUED';
          if (!mayReportTask(from, reported)) continue;
          const to = reported === 'FAILED' && isRetried ? 'QUEUED' : reported;
          const isFirstRetry = to === 'QUEUED' && !retried.has(task);
          if (isFirstRetry) retried.add(task);
          tasks[task] = to;
          figures = figuresAfter(figures, { from, to, isFirstRetry });
          expect(figures).toEqual(figuresOf(tasks, retried));
          state = stateAfter(state, figures);
          const { total, running, success, failure, cancelled } = figures;
          const open = tasks.filter((each) => !isTaskOver(each)).length;
          expect([total, success + failure + cancelled + open]).toEqual([5, 5]);
          expect(running).toBeLessThanOrEqual(open);
          expect(isExecutionOver(before) ? state === before : isExecutionOver(state) === (open === 0)).toBe(true);
          expect(state === 'succeeded' && success !== 5).toBe(false);
        }
        expect(Object.keys(executionStates)).toContain(state);
      }),
    );
  });

  it('follows its table only', () => {
    const reached = new Set<string>();
    for (const from of ['queued', 'pending', 'running', 'cancelling'] as const) {
      for (const task of ['RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELLED', 'QUEUED'] as const) {
        const to = stateAfter(from, figuresOf([task], new Set()));
        if (to !== from) reached.add(`${from} ${to}`);
        expect(to === from || executionTransitions[from][to]).toBeTruthy();
      }
    }
    expect(reached.size).toBe(9);
    expect(Object.keys(taskTransitions)).toEqual(Object.keys(taskStates));
  });
});

/** The statistics, computed independently. */
function figuresOf(tasks: TaskState[], retried: Set<number>): ExecutionFigures {
  const count = (state: TaskState) => tasks.filter((each) => each === state).length;
  return {
    total: tasks.length,
    running: count('RUNNING'),
    success: count('SUCCEEDED'),
    failure: count('FAILED'),
    cancelled: count('CANCELLED'),
    retried: retried.size,
  };
}
