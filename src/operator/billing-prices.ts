// What usage costs that comes without a cost, as the operator of the platform says. These functions authorise nobody.
import type { BillingPrice } from '../database/client/client.js';
import { Prisma } from '../database/client/client.js';
import type { Database } from '../database/open.js';
import { ApiError, invalidParameter, notFound } from '../errors.js';
import { decimalFromUnits, unitsFromDecimal } from '../usage/amounts.js';
import { unitPriceDigits, unitPriceMaxUsd } from '../usage/billing-catalog.js';
import { isBillingDimension } from '../usage/dimensions.js';
import { aheadHoursMax } from '../usage/usage-event.js';

export interface PriceInput {
  /** A billing dimension. */
  dimension: string;
  currency: string;
  /** A decimal: of one unit. */
  unitPrice: string;
  from: Date;
}

/**
 * Sets what a dimension costs from a time on. A price that counts, or did, never changes: usage that was priced by it and
 * is sent again has to be the same. So a price begins later than any event that is taken now, or before all prices.
 *
 * @throws 400 for a price that is none, 404 `not_found` without the dimension, 409 `conflict` for a time at which
 *   there is a price that counts.
 */
export async function setPrice(db: Database, { dimension, currency, unitPrice, from }: PriceInput): Promise<void> {
  const units = unitsFromDecimal(unitPrice, unitPriceDigits, unitPriceMaxUsd);
  if (typeof units === 'object') {
    throw invalidParameter('unit-price', 'rule' in units ? units.rule : `must have at most ${unitPriceDigits} places`);
  }
  await requireDimension(db, dimension);
  const set = await db.$executeRaw(Prisma.sql`
    INSERT INTO "billing_price" ("billing_dimension", "from", "currency", "unit_price")
    SELECT ${dimension}, t."from", ${currency}, ${units}::text::bigint FROM (SELECT ${from}::timestamptz(3) AS "from") AS t
    WHERE t."from" > now() + ${`${aheadHoursMax} hours`}::text::interval
      OR t."from" < coalesce((SELECT min("from") FROM "billing_price" WHERE "billing_dimension" = ${dimension}), 'infinity')
    ON CONFLICT DO NOTHING`);
  if (set === 1) return;
  throw new ApiError(
    'conflict',
    `The billing dimension ${dimension} has a price at that time, which stays as it is: a new one begins more than a ` +
      'day from now, or before all others.',
  );
}

/** By dimension and time. */
export function listPrices(db: Database, dimension?: string): Promise<BillingPrice[]> {
  return db.billingPrice.findMany({
    where: dimension === undefined ? {} : { billingDimension: dimension },
    orderBy: [{ billingDimension: 'asc' }, { from: 'asc' }],
  });
}

/** Removes a price that does not count yet. @throws 404 `not_found` without such a price, 409 `conflict` when it counts. */
export async function removePrice(db: Database, dimension: string, from: Date): Promise<void> {
  const removed = await db.$executeRaw(Prisma.sql`
    DELETE FROM "billing_price" WHERE "billing_dimension" = ${dimension} AND "from" = ${from}::timestamptz(3)
      AND "from" > now() + ${`${aheadHoursMax} hours`}::text::interval`);
  if (removed === 1) return;
  const found = await db.billingPrice.findUnique({
    where: { billingDimension_from: { billingDimension: dimension, from } },
  });
  if (found === null) throw notFound('price from that time on of', dimension);
  throw new ApiError('conflict', 'A price that counts, or may within a day, stays as it is.');
}

/** A price for people: USD for one unit. */
export function unitPriceText({ unitPrice }: Pick<BillingPrice, 'unitPrice'>): string {
  return decimalFromUnits(unitPrice, unitPriceDigits);
}

async function requireDimension(db: Database, name: string): Promise<void> {
  if (isBillingDimension(name) || (await db.billingDimension.findUnique({ where: { name } })) !== null) return;
  throw notFound('billing dimension', name);
}
