// Creates, retires and deletes custom billing dimensions.
import type { Authorized } from '../auth/authorize.js';
import type { NewChange } from '../changes/record-changes.js';
import { Prisma } from '../database/client/client.js';
import { insertNamed } from '../database/name-taken.js';
import { lockRow } from '../store/write/lock-row.js';
import { ApiError, notFound } from '../errors.js';
import { timeText, unitPriceText } from './billed.js';
import type { BilledDimension } from './billed.js';
import type { BillingDimensionInput } from './billing-input.js';
import { ownName } from './billing-catalog.js';
import { isBillingDimension } from './dimensions.js';
import type { DimensionKind } from './dimensions.js';
import { recordCatalogChange } from './record-catalog-change.js';
import { usedSeriesSql } from './usage-series.js';

/** The age of the oldest catalog that a process may still record usage with (seconds). */
export const settlingSeconds = 60;

/**
 * Creates a dimension.
 *
 * @throws 409 `conflict` for the name of a specified dimension, 409 `name_taken`.
 */
export async function insertDimension(within: Authorized, input: BillingDimensionInput): Promise<BilledDimension> {
  const { name, unit, kind, description, resourceTypes } = input;
  requireOwn(name);
  const created: BilledDimension = { ...input, isSpecified: false, prices: [] };
  const insert = () =>
    within.db.$executeRaw(Prisma.sql`
      INSERT INTO "billing_dimension" ("name", "unit", "kind", "description", "resource_types")
      SELECT ${name}, ${unit}, ${kind}, ${description}, ${resourceTypes}::text[]`);
  await insertNamed('billing dimension', name, insert, 'name');
  await recordCatalogChange(within, changeOf('created', undefined, created));
  return created;
}

/**
 * Retires a dimension. Usage from now on is rejected; earlier usage is accepted however late it arrives. Repeating it
 * changes nothing. Call it in a transaction.
 *
 * @throws 404 `not_found`, 409 `conflict` for a specified dimension.
 */
export async function retireDimension(within: Authorized, name: string): Promise<BilledDimension> {
  const { dimension: before, now } = await lockDimension(within, name);
  if (before.retiredFrom !== undefined) return before;
  const after = { ...before, retiredFrom: now };
  await within.db.$executeRaw(Prisma.sql`
    UPDATE "billing_dimension" SET "retired_at" = ${now}::timestamptz WHERE "name" = ${name}`);
  await recordCatalogChange(within, changeOf('retired', before, after));
  return after;
}

/**
 * Deletes a dimension that is retired and was never used, with its prices. Call it in a transaction.
 *
 * @returns the deleted dimension.
 * @throws 404 `not_found`, 409 `conflict` for a specified dimension or one not retired long enough, 409 `in_use`.
 */
export async function deleteDimension(within: Authorized, name: string): Promise<BilledDimension> {
  const { dimension, isSettled, isUsed } = await lockDimension(within, name);
  if (dimension.retiredFrom === undefined) {
    throw new ApiError('conflict', `Retire the billing dimension ${name} first.`);
  }
  if (isUsed)
    throw new ApiError(
      'in_use',
      `The billing dimension ${name} has usage. Only an unused billing dimension can be deleted.`,
    );
  if (!isSettled) {
    const message = `The billing dimension ${name} was just retired, and requests with its usage can still be in progress. Try again in a minute.`;
    throw new ApiError('conflict', message);
  }
  await within.db.$executeRaw(Prisma.sql`DELETE FROM "billing_price" WHERE "billing_dimension" = ${name}`);
  await within.db.$executeRaw(Prisma.sql`DELETE FROM "billing_dimension" WHERE "name" = ${name}`);
  await recordCatalogChange(within, changeOf('deleted', dimension, undefined));
  return dimension;
}

interface LockedRow {
  name: string;
  unit: string;
  kind: DimensionKind;
  description: string;
  resourceTypes: string[];
  retiredAt: string | null;
  now: string;
  isSettled: boolean | null;
  isUsed: boolean;
  prices: { from: string; currency: string; unitPrice: string; counts: boolean }[];
}

interface Locked {
  dimension: BilledDimension;
  /** The database's clock. */
  now: string;
  isSettled: boolean;
  isUsed: boolean;
}

/** Locks the row of a dimension. @throws 404 `not_found`, 409 `conflict` for a specified dimension. */
async function lockDimension(within: Authorized, name: string): Promise<Locked> {
  requireOwn(name);
  if (!ownName.test(name)) throw notFound('billing dimension', name);
  // A distributed database (Citus) cannot plan an EXISTS without columns.
  const row = await lockRow<LockedRow>(
    within.db,
    Prisma.sql`
    SELECT d."name", d."unit", d."kind", d."description", d."resource_types" AS "resourceTypes",
      d."retired_at" AS "retiredAt", now()::timestamptz(3) AS "now",
      d."retired_at" < now() - make_interval(secs => ${settlingSeconds}::int) AS "isSettled",
      EXISTS (SELECT 1 FROM ${usedSeriesSql} AS s WHERE s."billing_dimension" = ${name}) AS "isUsed",
      (SELECT coalesce(json_agg(json_build_object('from', p."from", 'currency', p."currency",
          'unitPrice', p."unit_price"::text, 'counts', p."from" <= now()) ORDER BY p."from"), '[]')
        FROM "billing_price" AS p WHERE p."billing_dimension" = ${name}) AS "prices"
    FROM "billing_dimension" AS d WHERE d."name" = ${name} FOR UPDATE OF d`,
  );
  if (row === null) throw notFound('billing dimension', name);
  const { retiredAt, now, isSettled, isUsed, ...fields } = row;
  const prices = row.prices.map(({ from, currency, unitPrice }) => ({
    from: timeText(from),
    currency,
    unitPrice: unitPriceText(BigInt(unitPrice)),
  }));
  const dimension = {
    ...fields,
    isSpecified: false,
    retiredFrom: retiredAt === null ? undefined : timeText(retiredAt),
    price: prices[row.prices.findLastIndex(({ counts }) => counts)],
    prices,
  };
  return { dimension, now: timeText(now), isSettled: isSettled === true, isUsed };
}

function requireOwn(name: string): void {
  if (!isBillingDimension(name)) return;
  throw new ApiError('conflict', `The billing dimension ${name} is built in and cannot be changed.`);
}

function changeOf(
  verb: 'created' | 'retired' | 'deleted',
  before: BilledDimension | undefined,
  after: BilledDimension | undefined,
): NewChange {
  const name = after?.name ?? before?.name;
  const message = `The billing dimension ${name} was ${verb}.`;
  return {
    kind: 'BILLING_DIMENSION',
    verb,
    name,
    before: before && recordedDimension(before),
    after: after && recordedDimension(after),
    event: { type: 'billing', status: verb.toUpperCase(), message },
  };
}

function recordedDimension({
  name,
  unit,
  kind,
  description,
  resourceTypes,
  retiredFrom,
  prices,
}: BilledDimension): object {
  return { name, unit, kind, description, resourceTypes, retiredFrom, prices };
}
