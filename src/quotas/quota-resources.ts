/** What quotas limit, by its name in the API, as messages count it. */
export const quotaNouns = {
  AGENT: 'agents',
  SANDBOX: 'sandboxes',
  SANDBOX_PREVIEW: 'previews of sandboxes',
  JOB: 'jobs',
  JOB_EXECUTION: 'executions of jobs',
  VOLUME: 'volumes',
  IMAGE: 'container images',
  IMAGE_TAG: 'tags of container images',
  IMAGE_SHARE: 'shares of container images',
  VPC: 'VPCs',
  EGRESS_GATEWAY: 'egress gateways',
  EGRESS_IP: 'IP addresses of egress gateways',
  MEMORY: 'MB of memory',
  INSTANCES: 'instances',
  CONCURRENT_EXECUTIONS: 'concurrent executions',
  USAGE_EVENTS: 'usage events per minute',
} as const;

/** What a quota limits. */
export type QuotaResource = keyof typeof quotaNouns;

/** The thresholds that are reported (percent of a limit). */
const thresholds = [80, 100] as const;

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
