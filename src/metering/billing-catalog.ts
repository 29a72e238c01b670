// The billing catalog: custom dimensions, custom resource types and prices. Pure.
import { divideHalfEven } from './amounts.js';
import { billingDimensions, isBillingDimension } from './dimensions.js';
import type { DimensionKind } from './dimensions.js';
import { compareInstants } from './instant.js';
import type { Instant, Refusal } from './instant.js';

/** The supported currencies. All costs are in USD. */
export const currencies = ['USD'] as const;

export const unitPriceDigits = 12;
export const unitPriceMaxUsd = 1_000_000;

/** A custom billing dimension. */
export interface OwnDimension {
  name: string;
  unit: string;
  kind: DimensionKind;
  description: string;
  /** The resource types whose usage it bills. */
  resourceTypes: readonly string[];
  /** When it was retired. Later usage is rejected. */
  retiredFrom?: Instant | undefined;
}

/** A price, valid until the next one starts. */
export interface Price {
  from: Instant;
  currency: string;
  /** Pico-dollars per unit. */
  unitPrice: bigint;
}

export interface BillingCatalog {
  dimensions: ReadonlyMap<string, OwnDimension>;
  /** Custom resource types by name. */
  resourceTypes: ReadonlyMap<string, { description: string; retiredFrom?: Instant | undefined }>;
  /** Prices by billing dimension, earliest first. */
  prices: ReadonlyMap<string, readonly Price[]>;
}

export const emptyCatalog: BillingCatalog = { dimensions: new Map(), resourceTypes: new Map(), prices: new Map() };

/** The format of a custom dimension's or resource type's name. */
export const ownName = /^[a-z][a-z0-9_]{0,62}$/;

/** The resource types of the specification. */
export const specifiedResourceTypes: ReadonlySet<string> = new Set(
  Object.values(billingDimensions).map(({ resourceType }) => resourceType),
);

/** Whether the specification defines the resource type and the dimension. */
export function isSpecified(resourceType: string, billingDimension: string): boolean {
  return isBillingDimension(billingDimension) && specifiedResourceTypes.has(resourceType);
}

/** Returns the names of credit dimensions. All of them are custom. */
export function creditDimensions({ dimensions }: BillingCatalog): string[] {
  return [...dimensions.values()].filter(({ kind }) => kind === 'credit').map(({ name }) => name);
}

/** Returns why usage of a dimension is rejected; undefined when it is accepted. */
export function dimensionRefusal(
  { dimensions, resourceTypes }: BillingCatalog,
  { resourceType, billingDimension, time }: { resourceType: string; billingDimension: string; time: Instant },
): (Refusal & { field: 'billingDimension' | 'resourceType' }) | undefined {
  const own = dimensions.get(billingDimension);
  if (own === undefined && !isBillingDimension(billingDimension)) {
    return { field: 'billingDimension', rule: 'must be the name of a billing dimension' };
  }
  if (isRetired(own?.retiredFrom, time)) {
    return { field: 'billingDimension', rule: 'is retired and does not accept usage after its retirement' };
  }
  if (isRetired(resourceTypes.get(resourceType)?.retiredFrom, time)) {
    return { field: 'resourceType', rule: 'is retired and does not accept usage after its retirement' };
  }
  if (own === undefined || own.resourceTypes.includes(resourceType)) return undefined;
  return {
    field: 'resourceType',
    rule: `must be a resource type of the billing dimension: ${own.resourceTypes.join(', ')}`,
  };
}

function isRetired(from: Instant | undefined, time: Instant): boolean {
  return from !== undefined && compareInstants(time, from) >= 0;
}

/** Returns the price at a time; undefined without one. */
export function priceAt({ prices }: BillingCatalog, billingDimension: string, time: Instant): Price | undefined {
  return prices.get(billingDimension)?.findLast(({ from }) => compareInstants(from, time) <= 0);
}

const nanoOfMicroPico = 1_000_000_000n;

/** Returns the cost of micro-units in nano-dollars, rounded half-even. It is negative for a credit. */
export function costAt({ unitPrice }: Pick<Price, 'unitPrice'>, usageMicro: bigint): bigint {
  return divideHalfEven(usageMicro * unitPrice, nanoOfMicroPico);
}
