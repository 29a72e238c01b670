// Creates, retires and deletes custom resource types.
import type { Authorized } from '../auth/authorize.js';
import type { NewChange } from '../changes/record-changes.js';
import { Prisma } from '../database/client/client.js';
import { insertNamed } from '../database/name-taken.js';
import { lockRow } from '../store/write/lock-row.js';
import { ApiError, notFound } from '../errors.js';
import { timeText } from './billed.js';
import type { BilledResourceType } from './billed.js';
import { ownName, specifiedResourceTypes } from './billing-catalog.js';
import type { ResourceTypeInput } from './billing-input.js';
import { recordCatalogChange } from './record-catalog-change.js';
import { usedSeriesSql } from './usage-series.js';

/**
 * Creates a resource type.
 *
 * @throws 409 `conflict` for the name of a specified resource type, 409 `name_taken`.
 */
export async function insertResourceType(
  within: Authorized,
  { name, description }: ResourceTypeInput,
): Promise<BilledResourceType> {
  requireOwn(name);
  const created = { name, description, isSpecified: false };
  const insert = () =>
    within.db.$executeRaw(Prisma.sql`
      INSERT INTO "billed_resource_type" ("name", "description") SELECT ${name}, ${description}`);
  await insertNamed('resource type', name, insert, 'name');
  await recordCatalogChange(within, changeOf('created', undefined, created));
  return created;
}

/** Retires a resource type like retireDimension(). @throws 404 `not_found`, 409 `conflict` */
export async function retireResourceType(within: Authorized, name: string): Promise<BilledResourceType> {
  const { resourceType: before, now } = await lockResourceType(within, name);
  if (before.retiredFrom !== undefined) return before;
  const after = { ...before, retiredFrom: now };
  await within.db.$executeRaw(Prisma.sql`
    UPDATE "billed_resource_type" SET "retired_at" = ${now}::timestamptz WHERE "name" = ${name}`);
  await recordCatalogChange(within, changeOf('retired', before, after));
  return after;
}

/**
 * Deletes a resource type that is retired and has no usage and no dimension. Call it in a transaction.
 *
 * @returns the deleted resource type.
 * @throws 404 `not_found`, 409 `conflict`, 409 `in_use`
 */
export async function deleteResourceType(within: Authorized, name: string): Promise<BilledResourceType> {
  const { resourceType, isUsed, dimension } = await lockResourceType(within, name);
  if (resourceType.retiredFrom === undefined) {
    throw new ApiError('conflict', `Retire the resource type ${name} first.`);
  }
  if (isUsed || dimension !== null) {
    const user = isUsed ? 'There is usage' : `The billing dimension ${dimension} is`;
    throw new ApiError('in_use', `${user} of the resource type ${name}. Only an unused resource type can be deleted.`);
  }
  await within.db.$executeRaw(Prisma.sql`DELETE FROM "billed_resource_type" WHERE "name" = ${name}`);
  await recordCatalogChange(within, changeOf('deleted', resourceType, undefined));
  return resourceType;
}

interface LockedRow {
  name: string;
  description: string;
  retiredAt: string | null;
  now: string;
  isUsed: boolean;
  dimension: string | null;
}

interface Locked {
  resourceType: BilledResourceType;
  /** The database's clock. */
  now: string;
  isUsed: boolean;
  /** A dimension that bills its usage. */
  dimension: string | null;
}

/** Locks the row of a resource type. @throws 404 `not_found`, 409 `conflict` for a specified resource type. */
async function lockResourceType(within: Authorized, name: string): Promise<Locked> {
  requireOwn(name);
  if (!ownName.test(name)) throw notFound('resource type', name);
  // A distributed database (Citus) cannot plan an EXISTS without columns.
  const row = await lockRow<LockedRow>(
    within.db,
    Prisma.sql`
      SELECT t."name", t."description", t."retired_at" AS "retiredAt", now()::timestamptz(3) AS "now",
        EXISTS (SELECT 1 FROM ${usedSeriesSql} AS s WHERE s."resource_type" = ${name}) AS "isUsed",
        (SELECT min(d."name") FROM "billing_dimension" AS d WHERE ${name} = ANY (d."resource_types")) AS "dimension"
      FROM "billed_resource_type" AS t WHERE t."name" = ${name} FOR UPDATE OF t`,
  );
  if (row === null) throw notFound('resource type', name);
  const { description, retiredAt, now, isUsed, dimension } = row;
  const retiredFrom = retiredAt === null ? undefined : timeText(retiredAt);
  return {
    resourceType: { name, description, isSpecified: false, retiredFrom },
    now: timeText(now),
    isUsed,
    dimension,
  };
}

function requireOwn(name: string): void {
  if (!specifiedResourceTypes.has(name)) return;
  throw new ApiError('conflict', `The resource type ${name} is built in and cannot be changed.`);
}

function changeOf(
  verb: 'created' | 'retired' | 'deleted',
  before: BilledResourceType | undefined,
  after: BilledResourceType | undefined,
): NewChange {
  const name = after?.name ?? before?.name;
  const message = `The resource type ${name} was ${verb}.`;
  return {
    kind: 'RESOURCE_TYPE',
    verb,
    name,
    before: before && recordedResourceType(before),
    after: after && recordedResourceType(after),
    event: { type: 'billing', status: verb.toUpperCase(), message },
  };
}

function recordedResourceType({ name, description, retiredFrom }: BilledResourceType): object {
  return { name, description, retiredFrom };
}
