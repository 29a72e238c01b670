// What quotas limit, and where. Pure.
import { quotaNouns } from '../quotas/quota-resources.js';
import type { QuotaResource } from '../quotas/quota-resources.js';
import type { Problem } from '../errors.js';
import { invalidInput } from '../errors.js';
import { eachKind } from '../resource-kinds.js';
import type { ResourceKindName } from '../resource-kinds.js';

const ofKinds: Record<ResourceKindName, string> = eachKind((kind) => `Number of ${quotaNouns[kind]}.`);

/** What quotas limit, with descriptions. */
export const quotaResources: Record<QuotaResource, string> = {
  ...ofKinds,
  IMAGE_SHARE: 'Number of pending and accepted shares of container images, in the workspace that offers them.',
  MEMORY: 'Memory of the enabled agents, sandboxes and jobs (MB): the memory of each, times its instances.',
  INSTANCES:
    'Instances of the enabled agents, sandboxes and jobs: at most `maxScale` of an agent, `parallelism` of a job, and ' +
    'one of a sandbox.',
  CONCURRENT_EXECUTIONS: 'Executions of jobs that have not ended.',
  USAGE_EVENTS: 'Usage events that the account sends in a minute, duplicates included. Only for accounts and plans.',
};

const isResource = (name: string): name is QuotaResource => Object.hasOwn(quotaResources, name);

export const quotaResourceNames = Object.keys(quotaResources).filter(isResource);

/** What belongs to no region. */
const withoutRegion: ReadonlySet<QuotaResource> = new Set(['IMAGE', 'IMAGE_TAG', 'IMAGE_SHARE', 'USAGE_EVENTS']);

/** What quotas are set on. */
export type QuotaSubject = 'plan' | 'account' | 'workspace' | 'region';

/** Limits by what they limit. */
export type QuotaLimits = Partial<Record<QuotaResource, number>>;

/** A limit to set; null removes it. */
export interface LimitInput {
  resource: QuotaResource;
  limit?: number | null | undefined;
}

/**
 * The limits after a change.
 *
 * @param maxima the limits of the account, if they bound what the caller may set.
 * @throws 400 `invalid_input` with every broken rule.
 */
export function changedLimits(
  before: QuotaLimits,
  subject: QuotaSubject,
  limits: readonly LimitInput[],
  maxima: QuotaLimits = {},
): QuotaLimits {
  const problems: Problem[] = [];
  const after: QuotaLimits = { ...before };
  for (const [index, { resource, limit }] of limits.entries()) {
    const path = ['limits', String(index)];
    const refuse = (field: string, code: Problem['code'], rule: string, exceeded = {}) =>
      problems.push({ path: [...path, field], code, message: `${path.join('.')}.${field} ${rule}`, ...exceeded });
    const maximum = maxima[resource] ?? Number.MAX_SAFE_INTEGER;
    if (limits.findIndex((each) => each.resource === resource) < index)
      refuse('resource', 'duplicate', 'must be unique');
    if (!isAllowed(subject, resource)) refuse('resource', 'not_available', `is not available for a ${subject}`);
    if (limit == null) delete after[resource];
    else if (!Number.isInteger(limit)) refuse('limit', 'invalid_type', 'must be a whole number');
    else if (limit < 0) refuse('limit', 'too_small', 'must be at least 0', { limit: 0, actual: limit });
    else if (limit > maximum) {
      const rule = `must be at most ${maximum}${resource in maxima ? ', the limit of the account' : ''}`;
      refuse('limit', 'too_large', rule, { limit: maximum, actual: limit });
    } else after[resource] = limit;
  }
  if (problems.length > 0) throw invalidInput(problems);
  return after;
}

function isAllowed(subject: QuotaSubject, resource: QuotaResource): boolean {
  if (subject === 'region') return !withoutRegion.has(resource);
  return subject !== 'workspace' || resource !== 'USAGE_EVENTS';
}
