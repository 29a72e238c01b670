// A stored assignment.
import type { DeploymentState, DeploymentWork } from './deployment-states.js';
import type { AssignmentKind, WorkKind } from './work-kinds.js';

/** The deployed state of a resource, as last reported. */
export interface CarriedOut {
  version: number;
  /** In its stored form, with secrets encrypted. */
  spec: unknown;
  revision?: string | undefined;
  image?: string | undefined;
  address?: string | undefined;
}

/** A claimed assignment. */
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
  /** The name of the task and its number in the execution, from 1; for an invocation its time, and 0. */
  task: string;
  ordinal: number;
  attempt: number;
  fence: number;
  leaseUntil: string;
  carriedOut: CarriedOut | null;
  /** The last state of a deleted resource. */
  gone: { name: string; spec: unknown } | null;
}

/** A claimed assignment of a resource, on which an executor reports. */
export interface LockedAssignment extends Claimed {
  kind: WorkKind;
  phase: DeploymentState;
  /** Null without a lease; false if the lease has expired. */
  isLeased: boolean | null;
}

/** The id by which executors address an assignment. The kind selects the resource's table. */
export function assignmentId({ kind, id }: Pick<Claimed, 'kind' | 'id'>): string {
  return `${kind.toLowerCase()}-${id}`;
}
