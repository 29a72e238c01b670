// Parses and validates a usage event, whatever transport it came by.
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

/** A parsed event. */
export interface UsageEvent {
  source: string;
  id: string;
  /** The account's name or id, as given. */
  account: string;
  workspace: string;
  resourceType: string;
  resourceName: string;
  /** Empty when the resource type has no UUID. */
  resourceUuid: string;
  billingDimension: string;
  hour: number;
  nano: number;
  /** Micro-units as text; negative for a credit. */
  usage: string;
  /** Nano-dollars as text; negative for a credit. */
  cost: string;
  /** The fields that were rounded. */
  rounded: readonly UsageField[];
}

/** Why an event is rejected. */
export interface InvalidUsage {
  field: UsageField | CloudEventField;
  rule: string;
}

const lengthMax = 200;
const simple = /^[\u0020-\u007e]{1,200}$/;

/** How far an event's time may be in the future (hours), for meters with a clock that is ahead. */
export const aheadHoursMax = 24;

/** Returns the latest time that an event may have. */
export function latestUsageTime(now: Date): Instant {
  const { hour, nano } = instantFromMs(now.getTime());
  return { hour: hour + aheadHoursMax, nano };
}

const nothingRounded: readonly UsageField[] = [];

/**
 * Parses one event, plain or in a CloudEvents envelope, or returns the field and the rule it breaks. Unknown fields are
 * ignored.
 *
 * @param latest the latest time that the event may have.
 * @param catalog the billing catalog; null while it is not loaded.
 */
export function usageEventFrom(
  value: unknown,
  latest: Instant,
  catalog: BillingCatalog | null = emptyCatalog,
): UsageEvent | InvalidUsage | CatalogNeeded {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { field: 'source', rule: 'is required. An event is an object' };
  }
  if (!isCloudEvent(value)) return usageEventOf(value, latest, catalog);
  const opened = openCloudEvent(value);
  return 'problem' in opened ? opened.problem : usageEventOf(opened.fields, latest, catalog);
}

/** The event cannot be parsed without the billing catalog. */
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
    return { field: 'time', rule: 'must be at most one day in the future' };
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

/** Returns the cost of an event that was sent without one, from the price at its time. */
function pricedCost(catalog: BillingCatalog, dimension: string, time: Instant, usage: string): string | Refusal {
  const price = priceAt(catalog, dimension, time);
  if (price === undefined) return { rule: 'is required, because the billing dimension has no price at that time' };
  const cost = costAt(price, BigInt(usage));
  if (cost > costMaxNanoUsd)
    return { rule: `must be at most ${costMaxUsd}, and exceeds it at the price of the billing dimension` };
  if (cost < -costMaxNanoUsd)
    return { rule: `must be at least -${costMaxUsd}, and is below it at the price of the billing dimension` };
  return cost.toString();
}

const costMaxNanoUsd = BigInt(costMaxUsd) * 10n ** BigInt(costDigits);

function roundedOf(amounts: Record<'usage' | 'cost', string | RoundedAmount>): UsageField[] {
  return (['usage', 'cost'] as const).filter((field) => typeof amounts[field] === 'object');
}

/** Whether a value is 1 to 200 characters that PostgreSQL can store and that every reader interprets the same. */
export function isName(value: unknown): value is string {
  if (typeof value !== 'string') return false;
  return simple.test(value) || (value !== '' && hasAtMost(value, lengthMax) && !unkept.test(value));
}

function refusal(field: UsageField, value: unknown): InvalidUsage {
  if (value === undefined || value === null || value === '') return { field, rule: 'is required' };
  if (typeof value !== 'string') return { field, rule: 'must be a string' };
  if (unkept.test(value)) return { field, rule: 'must not contain control characters' };
  return { field, rule: `must be at most ${lengthMax} characters` };
}
