import { isKindWith, kindsWith } from '../resource-kinds.js';
import type { KindWith } from '../resource-kinds.js';

/** Resource kinds that executors reconcile. */
export type WorkKind = KindWith<'isExecuted'>;

export function isWorkKind(word: string): word is WorkKind {
  return isKindWith('isExecuted', word);
}

/** Tasks of executions, which are claimed one by one. */
export const taskKind = 'JOB_EXECUTION';

/** Runs of agents that their cron triggers ask for. */
export const invocationKind = 'AGENT_INVOCATION';

/** What an assignment is about. */
export type AssignmentKind = WorkKind | typeof taskKind | typeof invocationKind;

/** All that an executor can be made for. */
export const executorKinds: readonly string[] = [...kindsWith('isExecuted'), taskKind, invocationKind];

export function isAssignmentKind(word: string): word is AssignmentKind {
  return executorKinds.includes(word);
}

/** Stands in an executor's regions for every region, and for what is in none. */
export const everyRegion = '*';

/** How often something is claimed at most without being carried out; the functions of the database say the same. */
export const attemptsMax = 5;

/** What PostgreSQL notifies when there is something to do; the payload is the kind and, after a space, the region. */
export const workChannel = 'control_plane_work';
