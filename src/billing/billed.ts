// Lists billed dimensions and resource types, for pickers and price lists. All callers get the same lists; only an
// admin of the platform sees which entries are in use.
import { authorizePlatform, authorizeScope, isPlatformAdmin } from '../auth/authorize.js';
import type { RequestContext } from '../auth/context.js';
import { perRequest } from '../auth/context.js';
import { Prisma } from '../database/client/client.js';
import { readJson } from '../database/read-json.js';
import { unitPriceText } from '../metering/billed.js';
import type { BilledDimension, BilledPrice, BilledResourceType } from '../metering/billed.js';
import { priceAt, specifiedResourceTypes } from '../metering/billing-catalog.js';
import type { Price } from '../metering/billing-catalog.js';
import { billingDimensions } from '../metering/dimensions.js';
import { instantFromMs, textFromInstant } from '../metering/instant.js';
import { readCatalog } from '../metering/read-catalog.js';
import { usedSeriesSql } from '../metering/usage-series.js';

/** Lists dimensions: those of the specification, then the custom ones. @throws 403 without the scope metrics:read */
export async function listBilledDimensions(ctx: RequestContext): Promise<BilledDimension[]> {
  const { reads } = authorizeScope(ctx, 'metrics:read');
  const catalog = await readCatalog(reads);
  const specified = Object.entries(billingDimensions).map(([name, { unit, description, resourceType }]) => ({
    name,
    unit,
    kind: 'usage' as const,
    description,
    resourceTypes: [resourceType],
    isSpecified: true,
    retiredFrom: undefined,
  }));
  const own = Array.from(catalog.dimensions.values(), (dimension) => ({ ...dimension, isSpecified: false }));
  const now = instantFromMs(ctx.now().getTime());
  return [...specified, ...own].map(({ retiredFrom, ...dimension }) => {
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
  return { from: textFromInstant(from), currency, unitPrice: unitPriceText(unitPrice) };
}

/**
 * Lists resource types: those of the specification, then the custom ones. @throws 403 without the scope metrics:read
 */
export async function listBilledResourceTypes(ctx: RequestContext): Promise<BilledResourceType[]> {
  const { reads } = authorizeScope(ctx, 'metrics:read');
  const { resourceTypes } = await readCatalog(reads);
  return [
    ...Array.from(specifiedResourceTypes, (name) => ({ name, description: '', isSpecified: true })),
    ...Array.from(resourceTypes, ([name, { description, retiredFrom }]) => ({
      name,
      description,
      isSpecified: false,
      retiredFrom: retiredFrom && textFromInstant(retiredFrom),
    })),
  ];
}

interface Used {
  dimensions: string[];
  resourceTypes: string[];
}

/** Reads what any account uses, in one statement per request. */
const usedOnce = perRequest((ctx) => {
  let used: Promise<Used> | undefined;
  return { read: () => (used ??= readUsed(ctx)) };
});

async function readUsed(ctx: RequestContext): Promise<Used> {
  const names = (column: string) =>
    Prisma.sql`(SELECT coalesce(json_agg(DISTINCT ${Prisma.raw(`"${column}"`)}), '[]') FROM ${usedSeriesSql} AS s)`;
  const { db } = authorizePlatform(ctx);
  return readJson(
    db,
    Prisma.sql`
      SELECT json_build_object('dimensions', ${names('billing_dimension')}, 'resourceTypes', ${names('resource_type')})::text`,
  );
}

/** Whether any account has usage of a billing dimension; null unless the caller is an admin of the platform. */
export async function isDimensionInUse(ctx: RequestContext, name: string): Promise<boolean | null> {
  return isPlatformAdmin(ctx) ? (await usedOnce(ctx).read()).dimensions.includes(name) : null;
}

/** Whether any account has usage of a resource type; null unless the caller is an admin of the platform. */
export async function isResourceTypeInUse(ctx: RequestContext, name: string): Promise<boolean | null> {
  return isPlatformAdmin(ctx) ? (await usedOnce(ctx).read()).resourceTypes.includes(name) : null;
}
