// The change that an amendment makes to all events of a filter. Pure.
import { invalidParameter } from '../errors.js';
import { costDigits, decimalFromText, decimalFromUnits, unitsFromDecimal, usageDigits } from './amounts.js';
import { costAt, unitPriceDigits, unitPriceMaxUsd } from './billing-catalog.js';
import { textFromInstant } from './instant.js';
import type { EventRow } from './usage-events-statement.js';
import type { UsageField } from './usage-shape.js';

/** The new values of fields. The others stay; null removes the UUID. */
export interface UsageChange {
  workspace?: string | null | undefined;
  resourceType?: string | null | undefined;
  resourceName?: string | null | undefined;
  resourceUuid?: string | null | undefined;
  billingDimension?: string | null | undefined;
  /** A decimal. */
  usage?: string | null | undefined;
  /** A decimal (USD). */
  cost?: string | null | undefined;
  /** A decimal (USD): the cost becomes the usage times this price. */
  unitPrice?: string | null | undefined;
}

/** The content of an event, as it is recorded. */
type GivenEvent = Partial<Record<UsageField, string>>;

/**
 * Returns the function that changes an event of an account.
 *
 * @throws 400 for no field, null for another field than resourceUuid, an invalid price, or a cost and a price.
 */
export function usageChange(change: UsageChange): (accountId: string, event: EventRow) => GivenEvent {
  const { unitPrice, ...fields } = givenFields(change);
  const isPriced = unitPrice !== undefined;
  if (!isPriced && Object.keys(fields).length === 0) throw invalidParameter('change', 'must have at least one field');
  if (isPriced && fields.cost !== undefined) {
    throw invalidParameter('change.unitPrice', 'cannot be combined with cost');
  }
  const price = isPriced ? { unitPrice: picoDollars(unitPrice) } : undefined;
  return (accountId, event) => {
    const { source, id, workspace, resourceType, resourceName, resourceUuid, billingDimension } = event;
    const usage = fields.usage ?? decimalFromText(event.usage, usageDigits);
    const before = {
      source,
      id,
      account: accountId,
      workspace,
      resourceType,
      resourceName,
      resourceUuid,
      billingDimension,
      time: textFromInstant(event),
      cost: decimalFromText(event.cost, costDigits),
    };
    const priced = price === undefined ? {} : { cost: decimalFromUnits(costAt(price, microUnits(usage)), costDigits) };
    return { ...before, ...fields, usage, ...priced };
  };
}

/** The fields with a new value. An event without a UUID has an empty one. */
function givenFields(change: UsageChange): Partial<Record<keyof UsageChange, string>> {
  const fields = Object.entries(change).filter(([, value]) => value !== undefined);
  const wrong = fields.find(([name, value]) => value === null && name !== 'resourceUuid');
  if (wrong !== undefined) throw invalidParameter(`change.${wrong[0]}`, 'must not be null');
  return Object.fromEntries(fields.map(([name, value]) => [name, value ?? '']));
}

function picoDollars(text: string): bigint {
  const units = unitsFromDecimal(text, unitPriceDigits, unitPriceMaxUsd);
  if (typeof units === 'string') return BigInt(units);
  const rule = 'rule' in units ? units.rule : `must have at most ${unitPriceDigits} decimal places`;
  throw invalidParameter('change.unitPrice', rule);
}

/** Parses an amount of usage, also the negative one of a credit. @throws 400 */
function microUnits(text: string): bigint {
  const isNegative = text.startsWith('-');
  const units = unitsFromDecimal(isNegative ? text.slice(1) : text, usageDigits, Number.MAX_SAFE_INTEGER);
  if (typeof units === 'object' && 'rule' in units) throw invalidParameter('change.usage', units.rule);
  const amount = BigInt(typeof units === 'string' ? units : units.units);
  return isNegative ? -amount : amount;
}
