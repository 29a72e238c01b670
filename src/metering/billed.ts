// What the platform bills, as it is told to people: a dimension with its prices, and a resource type.
import { decimalFromUnits } from './amounts.js';
import { unitPriceDigits } from './billing-catalog.js';
import type { DimensionKind } from './dimensions.js';

export interface BilledPrice {
  /** RFC 3339. */
  from: string;
  currency: string;
  /** A decimal: of one unit. */
  unitPrice: string;
}

export interface BilledDimension {
  name: string;
  unit: string;
  kind: DimensionKind;
  description: string;
  resourceTypes: readonly string[];
  /** Whether it is one of the specification's, which do not change. */
  isSpecified: boolean;
  /** RFC 3339; absent for what is not retired. */
  retiredFrom?: string | undefined;
  /** The one that counts now. */
  price?: BilledPrice | undefined;
  /** The earliest first. */
  prices: BilledPrice[];
}

export interface BilledResourceType {
  name: string;
  description: string;
  isSpecified: boolean;
  retiredFrom?: string | undefined;
}

/** A decimal of USD, from pico-dollars. */
export function unitPriceText(unitPrice: bigint): string {
  return decimalFromUnits(unitPrice, unitPriceDigits);
}

/** A time as JSON of the database has it, as it is told. */
export function timeText(time: string): string {
  return new Date(time).toISOString();
}
