// What the platform bills, for those who build pickers and show prices: the same for everybody.
import { authorizeReach } from '../access/authorize.js';
import type { RequestContext } from '../access/context.js';
import { decimalFromUnits } from '../usage/amounts.js';
import { priceAt, specifiedResourceTypes, unitPriceDigits } from '../usage/billing-catalog.js';
import type { Price } from '../usage/billing-catalog.js';
import { billingDimensions } from '../usage/dimensions.js';
import type { DimensionKind } from '../usage/dimensions.js';
import { instantFromMs, textFromInstant } from '../usage/instant.js';
import { readCatalog } from '../usage/read-catalog.js';

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
  /** RFC 3339; absent for what is not retired. */
  retiredFrom?: string | undefined;
  /** The one that counts now. */
  price?: BilledPrice | undefined;
  /** The earliest first. */
  prices: BilledPrice[];
}

/** Dimensions by name: the specification's, then those of the platform's own. @throws 403 without the scope metrics:read */
export async function listBilledDimensions(ctx: RequestContext): Promise<BilledDimension[]> {
  const { reads } = authorizeReach(ctx, 'metrics:read');
  const catalog = await readCatalog(reads);
  const specified = Object.entries(billingDimensions).map(([name, { unit, description, resourceType }]) => ({
    name,
    unit,
    kind: 'usage' as const,
    description,
    resourceTypes: [resourceType],
    retiredFrom: undefined,
  }));
  const now = instantFromMs(ctx.now().getTime());
  return [...specified, ...catalog.dimensions.values()].map(({ retiredFrom, ...dimension }) => {
    const price = priceAt(catalog, dimension.name, now);
    return {
      ...dimension,
      retiredFrom: retiredFrom && textFromInstant(retiredFrom),
      price: price && billedPrice(price),
      prices: (catalog.prices.get(dimension.name) ?? []).map(billedPrice),
    };
  });
}

function billedPrice({ from, currency, unitPrice }: Price): BilledPrice {
  return { from: textFromInstant(from), currency, unitPrice: decimalFromUnits(unitPrice, unitPriceDigits) };
}

export interface BilledResourceType {
  name: string;
  description: string;
  retiredFrom?: string | undefined;
}

/** The specification's, then those of the platform's own. @throws 403 without the scope metrics:read */
export async function listBilledResourceTypes(ctx: RequestContext): Promise<BilledResourceType[]> {
  const { reads } = authorizeReach(ctx, 'metrics:read');
  const { resourceTypes } = await readCatalog(reads);
  return [
    ...Array.from(specifiedResourceTypes, (name) => ({ name, description: '' })),
    ...Array.from(resourceTypes, ([name, { description, retiredFrom }]) => ({
      name,
      description,
      retiredFrom: retiredFrom && textFromInstant(retiredFrom),
    })),
  ];
}
