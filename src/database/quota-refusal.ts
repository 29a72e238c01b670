// Translates the exceptions with which the triggers of quotas and stopping budgets refuse a change (keep_quotas() in the
// migration) into errors for the caller.
import { ApiError, tooManyRequests } from '../errors.js';

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

/** The SQLSTATEs of the exceptions. */
const quotaState = 'QT001';
const budgetState = 'QT002';

interface QuotaException {
  resource: QuotaResource;
  limit: number;
  actual: number;
  account: string;
  workspace?: string | null;
  region?: string | null;
}

/**
 * Translates the exception of a quota or of a stopping budget.
 *
 * @param code the SQLSTATE of an error.
 * @param message its message, JSON if the code is one of these exceptions.
 * @returns undefined for any other error.
 */
export function quotaRefusalFrom(code: string, message: string, cause: unknown): ApiError | undefined {
  if (code === quotaState) return exceededQuota(JSON.parse(message), cause);
  if (code === budgetState) return exceededBudget(JSON.parse(message), cause);
  return undefined;
}

function exceededQuota({ resource, limit, actual, account, workspace, region }: QuotaException, cause: unknown) {
  const exceeded = { limit, actual };
  const place = workspace == null ? `account ${account}` : `workspace ${workspace}`;
  const within = region == null ? '' : ` in the region ${region}`;
  const helper = workspace == null ? "the platform's administrators" : 'an admin of the account';
  const remedy = `Ask ${helper} to raise its quota ${resource}.`;
  if (resource === 'USAGE_EVENTS') {
    const message = `The ${place} may send at most ${limit} ${quotaNouns[resource]} (got ${actual}). ${remedy}`;
    return tooManyRequests(message, secondsOfMinute - (Math.floor(Date.now() / 1_000) % secondsOfMinute), exceeded);
  }
  const message = `The ${place} may have at most ${limit} ${quotaNouns[resource]}${within}, and would have ${actual}. ${remedy}`;
  return new ApiError('quota_exceeded', message, { exceeded, cause });
}

const secondsOfMinute = 60;

function exceededBudget({ budget }: { budget: string }, cause: unknown): ApiError {
  const message =
    `The budget ${budget} is used up and stops new deployments and executions. To go on, raise its amount or set its ` +
    'action to NOTIFY, or wait for its next period.';
  return new ApiError('budget_exceeded', message, { cause });
}
