// What billing dimensions cost: how a price comes and goes, whoever does it.
import type { NewChange } from '../changes/record-changes.js';
import { Prisma } from '../database/client/client.js';
import { ApiError, notFound } from '../errors.js';
import { unitPriceText } from './billed.js';
import type { BilledPrice } from './billed.js';
import { unitsFromDecimal } from './amounts.js';
import { ownName, unitPriceDigits, unitPriceMaxUsd } from './billing-catalog.js';
import type { BillingEditor } from './billing-editor.js';
import type { PriceInput } from './billing-input.js';
import { isBillingDimension } from './dimensions.js';
import { aheadHoursMax } from './usage-event.js';

/** A price that begins later than this counts for no event that may have been taken. */
const ahead = Prisma.sql`now() + make_interval(hours => ${aheadHoursMax}::int)`;

/**
 * Sets what a dimension costs from a time on. A price that counts, or did, never changes: usage that was priced by it and
 * is sent again has to be the same. So a price begins later than any event that is taken now, or before all prices. In a
 * transaction.
 *
 * @throws 404 `not_found` without the dimension, 409 `conflict` for a time at which there is a price that counts.
 */
export async function insertPrice(
  editor: BillingEditor,
  { dimension, currency, unitPrice, from }: PriceInput,
): Promise<BilledPrice> {
  await holdPrices(editor, dimension);
  const units = BigInt(String(unitsFromDecimal(unitPrice, unitPriceDigits, unitPriceMaxUsd)));
  const price = { from: new Date(from).toISOString(), currency, unitPrice: unitPriceText(units) };
  const insertion = Prisma.sql`
    INSERT INTO "billing_price" ("billing_dimension", "from", "currency", "unit_price")
    SELECT ${dimension}, t."from", ${currency}, ${String(units)}::bigint
    FROM (SELECT ${price.from}::timestamptz(3) AS "from") AS t
    WHERE t."from" > ${ahead}
      OR t."from" < coalesce((SELECT min("from") FROM "billing_price" WHERE "billing_dimension" = ${dimension}), 'infinity')
    ON CONFLICT DO NOTHING RETURNING "from"`;
  if (await editor.write(insertion, changeOf('created', dimension, price))) return price;
  throw new ApiError(
    'conflict',
    `The billing dimension ${dimension} has a price at that time, which stays as it is: a new one begins more than a ` +
      'day from now, or before all others.',
  );
}

/** Which price: of what, and from when on, RFC 3339. */
export interface WhichPrice {
  dimension: string;
  from: string;
}

/**
 * Removes a price that does not count yet. In a transaction.
 *
 * @returns it as it was. @throws 404 `not_found` without such a price, 409 `conflict` when it counts.
 */
export async function deletePrice(editor: BillingEditor, { dimension, from }: WhichPrice): Promise<BilledPrice> {
  if (!ownName.test(dimension)) throw notFound('billing dimension', dimension);
  const time = new Date(from).toISOString();
  const which = Prisma.sql`"billing_dimension" = ${dimension} AND "from" = ${time}::timestamptz(3)`;
  const row = await editor.hold<{ currency: string; unitPrice: string; counts: boolean }>(Prisma.sql`
    SELECT "currency", "unit_price"::text AS "unitPrice", "from" <= ${ahead} AS "counts"
    FROM "billing_price" WHERE ${which} FOR UPDATE`);
  if (row === null) throw notFound('price from that time on of', dimension);
  if (row.counts)
    throw new ApiError('conflict', 'A price that is in effect, or takes effect within a day, cannot be changed.');
  const price = { from: time, currency: row.currency, unitPrice: unitPriceText(BigInt(row.unitPrice)) };
  const deletion = Prisma.sql`DELETE FROM "billing_price" WHERE ${which} RETURNING "from"`;
  await editor.write(deletion, changeOf('deleted', dimension, price));
  return price;
}

/** Holds the prices of a dimension: whoever else sets one waits. @throws 404 `not_found` */
async function holdPrices({ hold }: BillingEditor, dimension: string): Promise<void> {
  if (!ownName.test(dimension)) throw notFound('billing dimension', dimension);
  // Those of the specification have no row.
  const lock = JSON.stringify(['prices', dimension]);
  const held = isBillingDimension(dimension)
    ? Prisma.sql`
        SELECT ${dimension} AS "name" FROM (SELECT pg_advisory_xact_lock(hashtextextended(${lock}, 0))) AS l`
    : Prisma.sql`
        SELECT d."name" FROM "billing_dimension" AS d WHERE d."name" = ${dimension} FOR UPDATE`;
  if ((await hold(held)) === null) throw notFound('billing dimension', dimension);
}

function changeOf(verb: 'created' | 'deleted', dimension: string, price: BilledPrice): NewChange {
  const { from, currency, unitPrice } = price;
  const done = verb === 'created' ? 'is set' : 'is no more';
  return {
    kind: 'PRICE',
    verb,
    name: dimension,
    ...(verb === 'created' ? { after: { dimension, ...price } } : { before: { dimension, ...price } }),
    event: {
      type: 'billing',
      status: verb.toUpperCase(),
      message: `${unitPrice} ${currency} for a unit of ${dimension} from ${from} on ${done}.`,
    },
  };
}
