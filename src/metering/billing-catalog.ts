// What the platform bills beside what the specification names, and at which prices. Pure.
import { billingDimensions, isBillingDimension } from './dimensions.js';
import type { DimensionKind } from './dimensions.js';
import { compareInstants } from './instant.js';
import type { Instant, Refusal } from './instant.js';

/** The one currency that costs are in. */
export const currencies = ['USD'] as const;

export const unitPriceDigits = 12;
export const unitPriceMaxUsd = 1_000_000;

/** A dimension of the platform's own. */
export interface OwnDimension {
  name: string;
  unit: string;
  kind: DimensionKind;
  description: string;
  /** What it may be measured of. */
  resourceTypes: readonly string[];
  /** From when on no usage of it is taken any more, if it is retired. */
  retiredFrom?: Instant | undefined;
}

/** From a time on, until the next one. */
export interface Price {
  from: Instant;
  currency: string;
  /** Pico-dollars for one unit. */
  unitPrice: bigint;
}

export interface BillingCatalog {
  dimensions: ReadonlyMap<string, OwnDimension>;
  /** Resource types of the platform's own, by when they were retired. */
  resourceTypes: ReadonlyMap<string, { description: string; retiredFrom?: Instant | undefined }>;
  /** By billing dimension, the earliest first. */
  prices: ReadonlyMap<string, readonly Price[]>;
}

export const emptyCatalog: BillingCatalog = { dimensions: new Map(), resourceTypes: new Map(), prices: new Map() };

/** Names of dimensions and of resource types of the platform's own. */
export const ownName = /^[a-z][a-z0-9_]{0,62}$/;

/** The resource types that the specification names. */
export const specifiedResourceTypes: ReadonlySet<string> = new Set(
  Object.values(billingDimensions).map(({ resourceType }) => resourceType),
);

/** Whether what usage is of is named by the specification alone. */
export function isSpecified(resourceType: string, billingDimension: string): boolean {
  return isBillingDimension(billingDimension) && specifiedResourceTypes.has(resourceType);
}

/** The dimensions of credits, by name. The specification has none. */
export function creditDimensions({ dimensions }: BillingCatalog): string[] {
  return [...dimensions.values()].filter(({ kind }) => kind === 'credit').map(({ name }) => name);
}

/** Why usage of this cannot be taken; nothing when it can. */
export function dimensionRefusal(
  { dimensions, resourceTypes }: BillingCatalog,
  { resourceType, billingDimension, time }: { resourceType: string; billingDimension: string; time: Instant },
): (Refusal & { field: 'billingDimension' | 'resourceType' }) | undefined {
  const own = dimensions.get(billingDimension);
  if (own === undefined && !isBillingDimension(billingDimension)) {
    return { field: 'billingDimension', rule: 'is not a billing dimension' };
  }
  if (isRetired(own?.retiredFrom, time)) {
    return { field: 'billingDimension', rule: 'is retired and accepts no usage of that time' };
  }
  if (isRetired(resourceTypes.get(resourceType)?.retiredFrom, time)) {
    return { field: 'resourceType', rule: 'is retired and accepts no usage of that time' };
  }
  if (own === undefined || own.resourceTypes.includes(resourceType)) return undefined;
  return { field: 'resourceType', rule: `must be one of those of the dimension: ${own.resourceTypes.join(', ')}` };
}

function isRetired(from: Instant | undefined, time: Instant): boolean {
  return from !== undefined && compareInstants(time, from) >= 0;
}

/** The price that counts at a time, if there is one. */
export function priceAt({ prices }: BillingCatalog, billingDimension: string, time: Instant): Price | undefined {
  return prices.get(billingDimension)?.findLast(({ from }) => compareInstants(from, time) <= 0);
}

const nanoOfMicroPico = 1_000_000_000n;

/** What micro-units cost, in nano-dollars, rounded half-even; less than nothing of what is given back. */
export function costAt({ unitPrice }: Pick<Price, 'unitPrice'>, usageMicro: bigint): bigint {
  if (usageMicro < 0n) return -costAt({ unitPrice }, -usageMicro);
  const exact = usageMicro * unitPrice;
  const whole = exact / nanoOfMicroPico;
  const rest = (exact - whole * nanoOfMicroPico) * 2n;
  const isUp = rest > nanoOfMicroPico || (rest === nanoOfMicroPico && whole % 2n === 1n);
  return isUp ? whole + 1n : whole;
}
