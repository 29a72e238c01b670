// What a resource counts towards quotas, and what a change adds to their use. Pure. usage-recount.ts says the same in SQL,
// and a test compares the two.
import type { ResourceKindName } from '../resource-kinds.js';
import type { QuotaResource } from './quota-resources.js';

/** What resources count. `DEPLOYMENT` has no limit; stopping budgets look at it. */
export type CountedResource = Exclude<QuotaResource, 'USAGE_EVENTS'> | 'DEPLOYMENT';

/** The kinds that resources take their region from. */
export type RegionContainer = 'JOB' | 'SANDBOX' | 'EGRESS_GATEWAY';

/** A resource, as far as quotas count it. */
export interface CountedRow {
  /** The workspace that it counts in; null if that is deleted with it. */
  workspaceId: string | null;
  spec?: unknown;
  status?: string | null | undefined;
  /** The id of the resource that it is in, whose region it has unless its own specification names one. */
  containerId?: string | undefined;
  /** The region of that resource, if it is known. */
  containerRegion?: string | undefined;
}

/** What a change adds to a use, in one workspace and region of an account. */
export interface Growth {
  workspaceId: string | null;
  region: string | null;
  /** The resource that has the region, in place of `region`. */
  container: RegionContainer | null;
  containerId: string | null;
  resource: CountedResource;
  amount: bigint;
}

/** The states of executions that count as concurrent. */
export const concurrentStates: ReadonlySet<string> = new Set(['queued', 'pending', 'running', 'cancelling']);

const containers: Partial<Record<ResourceKindName, RegionContainer>> = {
  JOB_EXECUTION: 'JOB',
  SANDBOX_PREVIEW: 'SANDBOX',
  EGRESS_IP: 'EGRESS_GATEWAY',
};

/** The kinds with a specification that is not deployed, or that have none. */
const undeployed: ReadonlySet<ResourceKindName> = new Set(['JOB_EXECUTION', 'IMAGE', 'IMAGE_TAG', 'IMAGE_SHARE']);

/**
 * What a change of a resource adds to the use of quotas: nothing if it changes none.
 *
 * @param before undefined for a new resource.
 * @param after undefined for a deleted one.
 */
export function growthOf(
  kind: ResourceKindName,
  before: CountedRow | undefined,
  after: CountedRow | undefined,
): Growth[] {
  return sumOfGrowth([
    ...(before === undefined ? [] : growthsOf(kind, before, -1n)),
    ...(after === undefined ? [] : growthsOf(kind, after, 1n)),
  ]);
}

/** Adds up the growths of the same workspace, region and resource, and leaves out those of nothing. */
export function sumOfGrowth(growths: readonly Growth[]): Growth[] {
  const sums = new Map<string, Growth>();
  for (const { amount, ...place } of growths) {
    const key = JSON.stringify([place.workspaceId, place.region, place.containerId, place.resource]);
    sums.set(key, { ...place, amount: (sums.get(key)?.amount ?? 0n) + amount });
  }
  return [...sums.values()].filter(({ amount }) => amount !== 0n);
}

function growthsOf(kind: ResourceKindName, row: CountedRow, factor: bigint): Growth[] {
  const container = containers[kind] ?? null;
  const region = textAt(row.spec, 'region') ?? row.containerRegion ?? null;
  const isOfContainer = region === null && container !== null && row.containerId !== undefined;
  const place = {
    workspaceId: row.workspaceId,
    region,
    container: isOfContainer ? container : null,
    containerId: isOfContainer ? (row.containerId ?? null) : null,
  };
  return amountsOf(kind, row).map(([resource, amount]) => ({ ...place, resource, amount: amount * factor }));
}

function amountsOf(kind: ResourceKindName, { spec, status }: CountedRow): [CountedResource, bigint][] {
  const amounts: [CountedResource, bigint][] = [];
  // A share that was declined or revoked is history.
  if (kind !== 'IMAGE_SHARE' || status === 'pending' || status === 'accepted') amounts.push([kind, 1n]);
  if (kind === 'JOB_EXECUTION' && concurrentStates.has(status ?? '')) amounts.push(['CONCURRENT_EXECUTIONS', 1n]);
  const isEnabled = fieldAt(spec, 'enabled') !== false;
  if (!isEnabled) return amounts;
  if (!undeployed.has(kind)) amounts.push(['DEPLOYMENT', 1n]);
  const instances = instancesOf(kind, spec);
  if (instances > 0n) {
    // A workload that does not say how much memory it needs counts none.
    const memory = instances * (wholeAt(fieldAt(spec, 'runtime'), 'memory') ?? 0n);
    amounts.push(['INSTANCES', instances], ['MEMORY', memory]);
  }
  return amounts;
}

/** The instances that an enabled workload may run. */
function instancesOf(kind: ResourceKindName, spec: unknown): bigint {
  if (kind === 'SANDBOX') return 1n;
  if (kind === 'JOB') return wholeAt(spec, 'parallelism') ?? 1n;
  if (kind !== 'AGENT') return 0n;
  const runtime = fieldAt(spec, 'runtime');
  const least = wholeAt(runtime, 'minScale') ?? 1n;
  return wholeAt(runtime, 'maxScale') ?? (least > 1n ? least : 1n);
}

function fieldAt(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function wholeAt(value: unknown, name: string): bigint | undefined {
  const field = fieldAt(value, name);
  return typeof field === 'number' ? BigInt(field) : undefined;
}

function textAt(value: unknown, name: string): string | undefined {
  const field = fieldAt(value, name);
  return typeof field === 'string' ? field : undefined;
}

/** The resources whose growth a stopping budget refuses. */
const stoppedResources: ReadonlySet<CountedResource> = new Set(['DEPLOYMENT', 'INSTANCES', 'MEMORY', 'JOB_EXECUTION']);

/** The workspaces in which a change grows a resource that stopping budgets refuse. */
export function workspacesThatGrow(growths: readonly Growth[]): string[] {
  const byWorkspace = growths
    .filter(({ resource }) => stoppedResources.has(resource))
    .map((growth) => ({ ...growth, region: null, container: null, containerId: null }));
  const grown = sumOfGrowth(byWorkspace).filter(({ amount }) => amount > 0n);
  return [...new Set(grown.flatMap(({ workspaceId }) => workspaceId ?? []))];
}
