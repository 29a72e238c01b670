// An assignment as it is stored.
import type { DeploymentState, DeploymentWork } from './deployment-states.js';
import type { AssignmentKind, WorkKind } from './work-kinds.js';

/** What of a resource is out there, as it was last reported. */
export interface CarriedOut {
  version: number;
  /** As it is stored: its secrets are sealed. */
  spec: unknown;
  revision?: string | undefined;
  image?: string | undefined;
  address?: string | undefined;
}

/** An assignment that was claimed. */
export interface Claimed {
  id: string;
  kind: AssignmentKind;
  resourceId: string;
  accountId: string;
  workspaceId: string;
  workspace: string;
  name: string;
  region: string | null;
  wanted: DeploymentWork | 'run';
  /** Name of the task, or the time of an invocation; and its place among those of its execution from 1, or 0. */
  task: string;
  ordinal: number;
  attempt: number;
  fence: number;
  leaseUntil: string;
  carriedOut: CarriedOut | null;
  /** The resource as it was, once it is gone. */
  gone: { name: string; spec: unknown } | null;
}

/** One that somebody has claimed and reports on. */
export interface Held extends Claimed {
  kind: WorkKind;
  phase: DeploymentState;
  isHeld: boolean;
}

/** Its id as executors know it: the kind leads to the table of its resource. */
export function assignmentId({ kind, id }: Pick<Claimed, 'kind' | 'id'>): string {
  return `${kind.toLowerCase()}-${id}`;
}
