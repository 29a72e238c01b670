// The errors with which quotas and stopping budgets refuse a change.
import { ApiError, tooManyRequests } from '../errors.js';
import { quotaNouns } from './quota-resources.js';
import type { QuotaResource } from './quota-resources.js';

/** A limit that a change would exceed. */
export interface ExceededQuota {
  resource: QuotaResource;
  limit: number;
  /** The use after the change. */
  actual: number;
  account: string;
  /** The workspace or the region of the limit. */
  workspace?: string | null;
  region?: string | null;
}

/** A change that would exceed a limit. */
export function exceededQuota(exceeded: ExceededQuota): ApiError {
  const { resource, limit, actual, region } = exceeded;
  const within = region == null ? '' : ` in the region ${region}`;
  const message = `The ${placeOf(exceeded)} may have at most ${limit} ${quotaNouns[resource]}${within}, and would have ${actual}. ${remedyOf(exceeded)}`;
  return new ApiError('quota_exceeded', message, { exceeded: { limit, actual } });
}

/** Usage events above the limit of a minute, which fit into a later one. */
export function exceededMinute(exceeded: ExceededQuota): ApiError {
  const { resource, limit, actual } = exceeded;
  const message = `The ${placeOf(exceeded)} may send at most ${limit} ${quotaNouns[resource]} (got ${actual}). ${remedyOf(exceeded)}`;
  const retryAfterSeconds = secondsOfMinute - (Math.floor(Date.now() / 1_000) % secondsOfMinute);
  return tooManyRequests(message, retryAfterSeconds, { limit, actual });
}

/** Usage events of one request that fit into no minute. To send them again is of no use. */
export function neverFits(exceeded: ExceededQuota): ApiError {
  const { resource, limit, actual } = exceeded;
  const advice =
    limit === 0 ? 'It may send none' : `Send at most ${limit} events in a request, and the next ones a minute later`;
  const message = `The ${placeOf(exceeded)} may send at most ${limit} ${quotaNouns[resource]}, and this request has ${actual}. ${advice}. ${remedyOf(exceeded)}`;
  return new ApiError('quota_exceeded', message, { exceeded: { limit, actual } });
}

function placeOf({ account, workspace }: ExceededQuota): string {
  return workspace == null ? `account ${account}` : `workspace ${workspace}`;
}

function remedyOf({ resource, workspace }: ExceededQuota): string {
  const helper = workspace == null ? "the platform's administrators" : 'an admin of the account';
  return `Ask ${helper} to raise its quota ${resource}.`;
}

const secondsOfMinute = 60;

/** A new deployment or execution that a budget stops. */
export function exceededBudget(budget: string): ApiError {
  return new ApiError(
    'budget_exceeded',
    `The budget ${budget} is used up and stops new deployments and executions. To go on, raise its amount or set its ` +
      'action to NOTIFY, or wait for its next period.',
  );
}

/** Whether an error is the refusal of a change by a quota or a stopping budget. */
export function isQuotaRefusal(error: unknown): error is ApiError {
  return error instanceof ApiError && (error.error === 'quota_exceeded' || error.error === 'budget_exceeded');
}
