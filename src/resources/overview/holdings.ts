// What a workspace holds, kind by kind.
import type { Caller } from '../../auth/caller.js';
import type { Scope } from '../../auth/scopes.js';

/**
 * The kinds of what a workspace holds: the table of each, the scope that lists it, whether it has a status, and whether how
 * many there are is kept in resource_count.
 */
export const holdings = {
  AGENT: { table: 'agent', scope: 'agents:list', hasStatus: true, isCounted: true },
  SANDBOX: { table: 'sandbox', scope: 'sandboxes:list', hasStatus: true, isCounted: true },
  SANDBOX_PREVIEW: { table: 'sandbox_preview', scope: 'admin', hasStatus: false, isCounted: false },
  JOB: { table: 'job', scope: 'jobs:list', hasStatus: true, isCounted: true },
  JOB_EXECUTION: { table: 'job_execution', scope: 'admin', hasStatus: true, isCounted: false },
  VOLUME: { table: 'volume', scope: 'volumes:list', hasStatus: true, isCounted: true },
  IMAGE: { table: 'image', scope: 'admin', hasStatus: false, isCounted: true },
  VPC: { table: 'vpc', scope: 'admin', hasStatus: true, isCounted: true },
  EGRESS_GATEWAY: { table: 'egress_gateway', scope: 'admin', hasStatus: true, isCounted: false },
  EGRESS_IP: { table: 'egress_ip', scope: 'admin', hasStatus: false, isCounted: false },
} as const satisfies Record<string, { table: string; scope: Scope; hasStatus: boolean; isCounted: boolean }>;

export type HeldKind = keyof typeof holdings;

const isHeld = (word: string): word is HeldKind => word in holdings;

/** The kinds that a caller may list, in the order of the table. */
export function visibleKinds({ scopes }: Caller): HeldKind[] {
  return Object.keys(holdings)
    .filter(isHeld)
    .filter((kind) => scopes.has('admin') || scopes.has(holdings[kind].scope));
}
