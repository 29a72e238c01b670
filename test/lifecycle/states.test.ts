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
  figuresOf,
  isExecutionOver,
  isTaskOver,
  isTaskState,
  mayReportTask,
  stateAfter,
  taskStates,
  taskTransitions,
} from '../../src/lifecycle/execution-states.js';
import type { ExecutionState, TaskState } from '../../src/lifecycle/execution-states.js';

const states = Object.keys(deploymentStates).filter(isDeploymentState);
const ofTasks = Object.keys(taskStates).filter(isTaskState);

describe('The table of deployments', () => {
  it('ends each kind of work, from where it begins, whichever way an executor goes', () => {
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

  it('leads nowhere from TERMINATED, and from DELETING nowhere but down', () => {
    expect(deploymentTransitions.TERMINATED).toEqual({});
    expect(Object.keys(deploymentTransitions.DELETING).toSorted()).toEqual(['FAILED', 'TERMINATED']);
  });
});

describe('An execution', () => {
  const event = fc.record({ task: fc.nat({ max: 4 }), to: fc.constantFrom(...ofTasks), cancels: fc.nat({ max: 30 }) });

  it('is what its tasks are, over once all of them are, and never anything else after that', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), (events) => {
        const tasks: TaskState[] = Array(5).fill('QUEUED');
        let state: ExecutionState = 'queued';
        for (const { task, to, cancels } of events) {
          const before: ExecutionState = state;
          if (cancels === 0 && executionTransitions[state].cancelling === 'caller') state = 'cancelling';
          const from = tasks[task] ?? 'QUEUED';
          if (!mayReportTask(from, to)) continue;
          tasks[task] = to;
          const counts = { ...countsOf(tasks), retried: 0 };
          state = stateAfter(state, counts);
          const { total, running, success, failure, cancelled } = figuresOf(counts);
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

  it('moves along its table alone', () => {
    const reached = new Set<string>();
    for (const from of ['queued', 'pending', 'running', 'cancelling'] as const) {
      for (const counts of [{ RUNNING: 1 }, { SUCCEEDED: 1 }, { FAILED: 1 }, { CANCELLED: 1 }, { QUEUED: 1 }]) {
        const to = stateAfter(from, { ...countsOf([]), retried: 0, ...counts });
        if (to !== from) reached.add(`${from} ${to}`);
        expect(to === from || executionTransitions[from][to]).toBeTruthy();
      }
    }
    expect(reached.size).toBe(9);
    expect(Object.keys(taskTransitions)).toEqual(Object.keys(taskStates));
  });
});

function countsOf(tasks: TaskState[]) {
  const count = (state: TaskState) => tasks.filter((each) => each === state).length;
  return {
    WAITING: count('WAITING'),
    QUEUED: count('QUEUED'),
    RUNNING: count('RUNNING'),
    SUCCEEDED: count('SUCCEEDED'),
    FAILED: count('FAILED'),
    CANCELLED: count('CANCELLED'),
  };
}
