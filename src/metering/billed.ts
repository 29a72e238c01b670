// Billing dimensions with prices and billed resource types, as the API returns them.
import { decimalFromUnits } from './amounts.js';
import { unitPriceDigits } from './billing-catalog.js';
import type { DimensionKind } from './dimensions.js';

export interface BilledPrice {
  /** RFC 3339. */
  from: string;
  currency: string;
  /** The price of one unit, a decimal. */
  unitPrice: string;
}

export interface BilledDimension {
  name: string;
  unit: string;
  kind: DimensionKind;
  description: string;
  resourceTypes: readonly string[];
  /** Whether the specification defines it. Such a dimension cannot be changed. */
  isSpecified: boolean;
  /** RFC 3339; undefined unless the dimension is retired. */
  retiredFrom?: string | undefined;
  /** The current price. */
  price?: BilledPrice | undefined;
  /** All prices, earliest first. */
  prices: BilledPrice[];
}

export interface BilledResourceType {
  name: string;
  description: string;
  isSpecified: boolean;
  retiredFrom?: string | undefined;
}

/** Formats pico-dollars as a decimal of USD. */
export function unitPriceText(unitPrice: bigint): string {
  return decimalFromUnits(unitPrice, unitPriceDigits);
}

/** Converts a time from the database's JSON to RFC 3339 in UTC. */
export function timeText(time: string): string {
  return new Date(time).toISOString();
}
