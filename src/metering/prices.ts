// Creates and deletes prices of billing dimensions.
import type { Authorized } from '../auth/authorize.js';
import type { NewChange } from '../changes/record-changes.js';
import { Prisma } from '../database/client/client.js';
import { lockRow } from '../store/write/lock-row.js';
import { ApiError, notFound } from '../errors.js';
import { unitPriceText } from './billed.js';
import type { BilledPrice } from './billed.js';
import { unitsFromDecimal } from './amounts.js';
import { ownName, unitPriceDigits, unitPriceMaxUsd } from './billing-catalog.js';
import type { PriceInput, WhichPrice } from './billing-input.js';
import { isBillingDimension } from './dimensions.js';
import { aheadHoursMax } from './usage-event.js';
import { recordCatalogChange } from './record-catalog-change.js';

/** A price that starts later than this applies to no event accepted so far. */
const ahead = Prisma.sql`now() + make_interval(hours => ${aheadHoursMax}::int)`;

/**
 * Sets the price of a dimension from a time on. A current or past price never changes, so that usage sent again has the
 * same cost. A price must start after all events accepted now, or before all prices. Call it in a transaction.
 *
 * @throws 404 `not_found` without the dimension, 409 `conflict` for a time that already has a price in effect.
 */
export async function insertPrice(
  within: Authorized,
  { dimension, currency, unitPrice, from }: PriceInput,
): Promise<BilledPrice> {
  await lockPrices(within, dimension);
  const units = BigInt(String(unitsFromDecimal(unitPrice, unitPriceDigits, unitPriceMaxUsd)));
  const price = { from: new Date(from).toISOString(), currency, unitPrice: unitPriceText(units) };
  const inserted = await within.db.$executeRaw(Prisma.sql`
    INSERT INTO "billing_price" ("billing_dimension", "from", "currency", "unit_price")
    SELECT ${dimension}, t."from", ${currency}, ${String(units)}::bigint
    FROM (SELECT ${price.from}::timestamptz(3) AS "from") AS t
    WHERE t."from" > ${ahead}
      OR t."from" < coalesce((SELECT min("from") FROM "billing_price" WHERE "billing_dimension" = ${dimension}), 'infinity')
    ON CONFLICT DO NOTHING`);
  if (inserted === 0) {
    throw new ApiError(
      'conflict',
      `The billing dimension ${dimension} has a price at that time. A new price must start more than a day from now, or ` +
        'before all other prices.',
    );
  }
  await recordCatalogChange(within, changeOf('created', dimension, price));
  return price;
}

/**
 * Deletes a price that is not in effect yet. Call it in a transaction.
 *
 * @returns the deleted price.
 * @throws 404 `not_found`, 409 `conflict` when it is in effect.
 */
export async function deletePrice(within: Authorized, { dimension, from }: WhichPrice): Promise<BilledPrice> {
  if (!ownName.test(dimension)) throw notFound('billing dimension', dimension);
  const time = new Date(from).toISOString();
  const which = Prisma.sql`"billing_dimension" = ${dimension} AND "from" = ${time}::timestamptz(3)`;
  const row = await lockRow<{ currency: string; unitPrice: string; counts: boolean }>(
    within.db,
    Prisma.sql`
      SELECT "currency", "unit_price"::text AS "unitPrice", "from" <= ${ahead} AS "counts"
      FROM "billing_price" WHERE ${which} FOR UPDATE`,
  );
  if (row === null) {
    throw new ApiError('not_found', `The billing dimension ${dimension} has no price that starts at ${time}.`);
  }
  if (row.counts) throw new ApiError('conflict', 'Only a price that starts more than a day from now can be changed.');
  const price = { from: time, currency: row.currency, unitPrice: unitPriceText(BigInt(row.unitPrice)) };
  await within.db.$executeRaw(Prisma.sql`DELETE FROM "billing_price" WHERE ${which}`);
  await recordCatalogChange(within, changeOf('deleted', dimension, price));
  return price;
}

/** Locks the prices of a dimension against concurrent changes. @throws 404 `not_found` */
async function lockPrices(within: Authorized, dimension: string): Promise<void> {
  if (!ownName.test(dimension)) throw notFound('billing dimension', dimension);
  // Specified dimensions have no row, so take an advisory lock.
  const key = JSON.stringify(['prices', dimension]);
  const locked = isBillingDimension(dimension)
    ? Prisma.sql`
        SELECT ${dimension} AS "name" FROM (SELECT pg_advisory_xact_lock(hashtextextended(${key}, 0))) AS l`
    : Prisma.sql`
        SELECT d."name" FROM "billing_dimension" AS d WHERE d."name" = ${dimension} FOR UPDATE`;
  if ((await lockRow(within.db, locked)) === null) throw notFound('billing dimension', dimension);
}

function changeOf(verb: 'created' | 'deleted', dimension: string, price: BilledPrice): NewChange {
  const { from, currency, unitPrice } = price;
  const done = verb === 'created' ? 'Set' : 'Deleted';
  return {
    kind: 'PRICE',
    verb,
    name: dimension,
    ...(verb === 'created' ? { after: { dimension, ...price } } : { before: { dimension, ...price } }),
    event: {
      type: 'billing',
      status: verb.toUpperCase(),
      message: `${done} the price of ${dimension} from ${from} onwards: ${unitPrice} ${currency} for a unit.`,
    },
  };
}
