import { graphql } from '../api/graphql.js';
import type { ResultOf } from '../api/graphql.js';
import { formatMegabytes } from '../look/amount.js';
import { formatCount } from '../look/money.js';

export const quotaFields = graphql(`
  fragment QuotaFields on Quota {
    resource
    limit
    used
    region
    isDefault
  }
`);

type Quota = ResultOf<typeof quotaFields>;

/** A limit with what it applies to. */
export interface Limit extends Quota {
  scope: string;
  /** The name of its workspace, if it is the limit of one. */
  workspace?: string;
}

/** The used part of a limit in whole percent. */
export function percentOf({ limit, used }: Quota): number {
  const use = used ?? 0;
  return limit === 0 ? (use > 0 ? 100 : 0) : Math.floor((use / limit) * 100);
}

/** An amount of a limit with its unit. */
export function formatLimit(resource: Limit['resource'], amount: number): string {
  return resource === 'MEMORY' ? formatMegabytes(amount) : formatCount(amount);
}

/** The use of a limit. */
export function usedText({ resource, limit, used }: Quota): string {
  return `${used === null ? 'Unknown' : formatLimit(resource, used)} of ${formatLimit(resource, limit)}`;
}

export const labels: Record<Limit['resource'], string> = {
  AGENT: 'Agents',
  SANDBOX: 'Sandboxes',
  SANDBOX_PREVIEW: 'Previews',
  JOB: 'Jobs',
  JOB_EXECUTION: 'Executions',
  VOLUME: 'Volumes',
  IMAGE: 'Images',
  IMAGE_TAG: 'Image tags',
  IMAGE_SHARE: 'Image shares',
  VPC: 'Networks',
  EGRESS_GATEWAY: 'Egress gateways',
  EGRESS_IP: 'Egress IPs',
  MEMORY: 'Memory',
  INSTANCES: 'Instances',
  CONCURRENT_EXECUTIONS: 'Concurrent executions',
  USAGE_EVENTS: 'Usage events per minute',
};
