import { eachKind, resourceKinds } from '../resource-kinds.js';
import type { ResourceKindName } from '../resource-kinds.js';

/** Limited amounts that are not numbers of resources of one kind. */
const amounts = {
  MEMORY: 'MB of memory',
  INSTANCES: 'instances',
  CONCURRENT_EXECUTIONS: 'concurrent executions',
  USAGE_EVENTS: 'usage events per minute',
} as const;

/** What a quota limits. */
export type QuotaResource = ResourceKindName | keyof typeof amounts;

/** What quotas limit, by its name in the API, as messages count it. */
export const quotaNouns: Readonly<Record<QuotaResource, string>> = {
  ...eachKind((kind) => withoutCapital(resourceKinds[kind].plural)),
  EGRESS_GATEWAY: 'egress gateways',
  ...amounts,
};

/** A plural within a sentence. Abbreviations keep their capitals: `VPCs`. */
function withoutCapital(plural: string): string {
  return /^[A-Z]{2}/.test(plural) ? plural : `${plural.slice(0, 1).toLowerCase()}${plural.slice(1)}`;
}

/** The thresholds that are reported (percent of a limit). */
export const thresholds = [80, 100] as const;

export type Threshold = (typeof thresholds)[number];

/** The highest threshold that a use has reached; 0 below the first one, and for no limit. */
export function thresholdOf(used: number, limit: number | undefined): Threshold | 0 {
  if (limit === undefined || used === 0) return 0;
  return thresholds.findLast((percent) => used * 100 >= limit * percent) ?? 0;
}

/** The thresholds that a use reaches on its way from one to another. */
export function thresholdsBetween(from: Threshold | 0, to: Threshold | 0): Threshold[] {
  return thresholds.filter((percent) => percent > from && percent <= to);
}
