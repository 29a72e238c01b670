import { dimensionWord, wordOf } from '../look/labels.js';
import type { Budget } from './budget-queries.js';

/** The scope of a budget. */
export function scopeText(budget: Budget): string {
  const { workspaceName, resourceType, resourceName, resourceUuid, billingDimension, labels } = budget;
  const parts = [
    resourceType === null ? undefined : `${wordOf(resourceType)} usage`,
    resourceName === null ? undefined : `“${resourceName}”`,
    resourceUuid === null ? undefined : `the instance ${resourceUuid}`,
    billingDimension === null ? undefined : dimensionWord(billingDimension),
    ...labels.map(({ key, in: values, isSet }) =>
      values !== null ? `${key}: ${values.join(' or ')}` : isSet === false ? `no ${key}` : key,
    ),
  ].filter((part) => part !== undefined);
  const usage = parts.length === 0 ? 'all usage' : parts.join(', ');
  return workspaceName === null ? usage : `${usage} in ${workspaceName}`;
}

/** Such as "per month". */
export function periodText({ period, days }: Budget): string {
  return period === 'MONTHLY' ? 'per month' : `per rolling ${days} days`;
}
