import { dimensionWord, wordOf } from '../look/words.js';
import type { Budget } from './budget-queries.js';

/** What a budget counts, as a sentence has it. */
export function scopeText(budget: Budget): string {
  const { workspace, resourceType, resourceName, resourceUuid, billingDimension } = budget;
  const parts = [
    resourceType === null ? undefined : `${wordOf(resourceType)} usage`,
    resourceName === null ? undefined : `“${resourceName}”`,
    resourceUuid === null ? undefined : `the instance ${resourceUuid}`,
    billingDimension === null ? undefined : dimensionWord(billingDimension),
  ].filter((part) => part !== undefined);
  const what = parts.length === 0 ? 'everything' : parts.join(', ');
  return workspace === null ? what : `${what} in ${workspace}`;
}

/** When somebody is told. */
export function thresholdsText(thresholds: Budget['thresholds']): string {
  const sharesOf = (of: Budget['thresholds'][number]['of']) =>
    thresholds
      .filter((each) => each.of === of)
      .map(({ percent }) => percent)
      .toSorted((one, other) => one - other)
      .map((percent) => `${percent} %`)
      .join(', ');
  const [used, heading] = [sharesOf('ACTUAL'), sharesOf('FORECAST')];
  const parts = [
    used === '' ? undefined : `when ${used} is used`,
    heading === '' ? undefined : `when it is heading for ${heading}`,
  ].filter((part) => part !== undefined);
  return `Told in the activity and by webhooks ${parts.join(' and ')}.`;
}
