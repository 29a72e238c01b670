// One usage event as it comes in, from whichever door, and as it is kept.
import { hasAtMost, unkept } from '../schema/text.js';
import { costAt, dimensionRefusal, emptyCatalog, isSpecified, priceAt } from './billing-catalog.js';
import type { BillingCatalog } from './billing-catalog.js';
import { isCloudEvent, openCloudEvent } from './cloud-event.js';
import type { CloudEventField } from './cloud-event.js';
import { costDigits, costMaxUsd, creditFromDecimal, unitsFromDecimal, usageDigits, usageMax } from './amounts.js';
import type { RoundedAmount } from './amounts.js';
import { compareInstants, instantFromMs, instantFromText } from './instant.js';
import type { Instant, Refusal } from './instant.js';
import type { UsageField } from './usage-shape.js';

/** An event whose fields have been read. */
export interface UsageEvent {
  source: string;
  id: string;
  /** As it was written: the account's name or id. */
  account: string;
  workspace: string;
  resourceType: string;
  resourceName: string;
  /** Empty where the resource type has none. */
  resourceUuid: string;
  billingDimension: string;
  hour: number;
  nano: number;
  /** Micro-units, as text; negative of a credit. */
  usage: string;
  /** Nano-dollars, as text; negative of a credit. */
  cost: string;
  /** The amounts that are not kept as they were given. */
  rounded: readonly UsageField[];
}

/** Why an event is not taken. */
export interface InvalidUsage {
  field: UsageField | CloudEventField;
  rule: string;
}

const lengthMax = 200;
const simple = /^[\u0020-\u007e]{1,200}$/;

/** How far the clock of a meter may be ahead of ours. */
export const aheadHoursMax = 24;

/** The last moment that an event may have happened at, as far as we know. */
export function latestUsageTime(now: Date): Instant {
  const { hour, nano } = instantFromMs(now.getTime());
  return { hour: hour + aheadHoursMax, nano };
}

const nothingRounded: readonly UsageField[] = [];

/**
 * Reads one event, as it is or in the envelope of a CloudEvent, or says which field breaks which rule. Fields that are
 * not known are ignored.
 *
 * @param latest the last moment that it may have happened at.
 * @param catalog what the platform bills and at which prices; null while that is not known.
 */
export function usageEventFrom(
  given: unknown,
  latest: Instant,
  catalog: BillingCatalog | null = emptyCatalog,
): UsageEvent | InvalidUsage | CatalogNeeded {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    return { field: 'source', rule: 'is missing: an event is an object' };
  }
  if (!isCloudEvent(given)) return usageEventOf(given, latest, catalog);
  const opened = openCloudEvent(given);
  return 'problem' in opened ? opened.problem : usageEventOf(opened.fields, latest, catalog);
}

/** An event that cannot be read before what the platform bills is known. */
export interface CatalogNeeded {
  needs: 'catalog';
}

const catalogNeeded: CatalogNeeded = { needs: 'catalog' };

function usageEventOf(
  read: Partial<Record<UsageField, unknown>>,
  latest: Instant,
  catalog: BillingCatalog | null,
): UsageEvent | InvalidUsage | CatalogNeeded {
  const { source, id, account, workspace, resourceType, resourceName, billingDimension, time } = read;
  const resourceUuid = read.resourceUuid ?? '';
  if (!isName(source)) return refusal('source', source);
  if (!isName(id)) return refusal('id', id);
  if (!isName(account)) return refusal('account', account);
  if (!isName(workspace)) return refusal('workspace', workspace);
  if (!isName(resourceType)) return refusal('resourceType', resourceType);
  if (!isName(resourceName)) return refusal('resourceName', resourceName);
  if (resourceUuid !== '' && !isName(resourceUuid)) return refusal('resourceUuid', resourceUuid);
  if (!isName(billingDimension)) return refusal('billingDimension', billingDimension);
  const isPriced = read.cost === undefined || read.cost === null || read.cost === '';
  const isOwn = !isSpecified(resourceType, billingDimension);
  if (catalog === null && (isPriced || isOwn)) return catalogNeeded;
  if (typeof time !== 'string') return refusal('time', time);
  const instant = instantFromText(time);
  if ('rule' in instant) return { field: 'time', rule: instant.rule };
  if (compareInstants(instant, latest) > 0) {
    return { field: 'time', rule: 'must not be more than a day ahead of the clock' };
  }
  const refused = isOwn && dimensionRefusal(catalog ?? emptyCatalog, { resourceType, billingDimension, time: instant });
  if (refused) return refused;
  const isCredit = isOwn && catalog?.dimensions.get(billingDimension)?.kind === 'credit';
  const unitsOf = isCredit ? creditFromDecimal : unitsFromDecimal;
  const usage = unitsOf(read.usage, usageDigits, usageMax);
  if (typeof usage === 'object' && 'rule' in usage) return { field: 'usage', rule: usage.rule };
  const cost = isPriced
    ? pricedCost(catalog ?? emptyCatalog, billingDimension, instant, typeof usage === 'string' ? usage : usage.units)
    : unitsOf(read.cost, costDigits, costMaxUsd);
  if (typeof cost === 'object' && 'rule' in cost) return { field: 'cost', rule: cost.rule };
  const { hour, nano } = instant;
  return {
    source,
    id,
    account,
    workspace,
    resourceType,
    resourceName,
    resourceUuid,
    billingDimension,
    hour,
    nano,
    usage: typeof usage === 'string' ? usage : usage.units,
    cost: typeof cost === 'string' ? cost : cost.units,
    rounded: typeof usage === 'string' && typeof cost === 'string' ? nothingRounded : roundedOf({ usage, cost }),
  };
}

/** What an event without a cost costs, by the price at its time. */
function pricedCost(catalog: BillingCatalog, dimension: string, time: Instant, usage: string): string | Refusal {
  const price = priceAt(catalog, dimension, time);
  if (price === undefined) return { rule: 'is missing, and the dimension has no price at that time' };
  const cost = costAt(price, BigInt(usage));
  if (cost > costMaxNanoUsd) return { rule: `must be at most ${costMaxUsd}, which its price makes it exceed` };
  if (cost < -costMaxNanoUsd) return { rule: `must be at least -${costMaxUsd}, which its price makes it fall below` };
  return cost.toString();
}

const costMaxNanoUsd = BigInt(costMaxUsd) * 10n ** BigInt(costDigits);

function roundedOf(amounts: Record<'usage' | 'cost', string | RoundedAmount>): UsageField[] {
  return (['usage', 'cost'] as const).filter((field) => typeof amounts[field] === 'object');
}

/** A text of 1 to 200 characters that PostgreSQL can keep, and that means the same to every reader. */
export function isName(value: unknown): value is string {
  if (typeof value !== 'string') return false;
  return simple.test(value) || (value !== '' && hasAtMost(value, lengthMax) && !unkept.test(value));
}

function refusal(field: UsageField, value: unknown): InvalidUsage {
  if (value === undefined || value === null || value === '') return { field, rule: 'is missing' };
  if (typeof value !== 'string') return { field, rule: 'must be a text' };
  if (unkept.test(value)) return { field, rule: 'must hold no control characters' };
  return { field, rule: `must be at most ${lengthMax} characters` };
}
