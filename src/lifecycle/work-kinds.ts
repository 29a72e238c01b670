import type { ResourceTable } from '../changes/change-words.js';

/** What executors carry out: the kinds of changes, and the tables that hold them. */
export const workKinds = {
  AGENT: 'agent',
  SANDBOX: 'sandbox',
  SANDBOX_PREVIEW: 'sandbox_preview',
  JOB: 'job',
  VOLUME: 'volume',
  VPC: 'vpc',
  EGRESS_GATEWAY: 'egress_gateway',
  EGRESS_IP: 'egress_ip',
} as const satisfies Record<string, ResourceTable>;

export type WorkKind = keyof typeof workKinds;

export function isWorkKind(word: string): word is WorkKind {
  return Object.hasOwn(workKinds, word);
}

/** Tasks of executions, which are claimed one by one. */
export const taskKind = 'JOB_EXECUTION';

/** Runs of agents that their cron triggers ask for. */
export const invocationKind = 'AGENT_INVOCATION';

/** What an assignment is about. */
export type AssignmentKind = WorkKind | typeof taskKind | typeof invocationKind;

/** All that an executor can be made for. */
export const executorKinds: readonly string[] = [...Object.keys(workKinds), taskKind, invocationKind];

export function isAssignmentKind(word: string): word is AssignmentKind {
  return executorKinds.includes(word);
}

/** Kinds that have no status: they are there or not. */
const withoutStatus: ReadonlySet<WorkKind> = new Set(['SANDBOX_PREVIEW', 'EGRESS_IP']);

export function hasStatus(kind: WorkKind): boolean {
  return !withoutStatus.has(kind);
}

/** Stands in an executor's regions for every region, and for what is in none. */
export const everyRegion = '*';

/** How often something is claimed at most without being carried out; the functions of the database say the same. */
export const attemptsMax = 5;

/** What PostgreSQL notifies when there is something to do; the payload is the kind and, after a space, the region. */
export const workChannel = 'control_plane_work';
