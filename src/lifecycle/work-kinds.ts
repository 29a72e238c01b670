import { isKindWith, kindsWith } from '../resource-kinds.js';
import type { KindWith } from '../resource-kinds.js';

/** Resource kinds that executors reconcile. */
export type WorkKind = KindWith<'isExecuted'>;

export function isWorkKind(word: string): word is WorkKind {
  return isKindWith('isExecuted', word);
}

/** Tasks of executions, each with its own assignment. */
export const taskKind = 'JOB_EXECUTION';

/** Runs of agents that cron triggers start. */
export const invocationKind = 'AGENT_INVOCATION';

/** The subject of an assignment. */
export type AssignmentKind = WorkKind | typeof taskKind | typeof invocationKind;

/** All kinds that an executor can be registered for. */
export const executorKinds: readonly string[] = [...kindsWith('isExecuted'), taskKind, invocationKind];

export function isAssignmentKind(word: string): word is AssignmentKind {
  return executorKinds.includes(word);
}

/** In an executor's regions, matches every region and resources without one. */
export const everyRegion = '*';

/** How often an assignment is claimed at most without being completed; the database functions have the same number. */
export const attemptsMax = 5;

/** The channel on which PostgreSQL notifies of new work; the payload is the kind and, after a space, the region. */
export const workChannel = 'control_plane_work';
