// What the platform bills beside what the specification names, as its operator says. These functions authorise nobody.
import type { BilledResourceType, BillingDimension } from '../database/client/client.js';
import type { Database } from '../database/open.js';
import { insertNamed } from '../database/taken-name.js';
import { ApiError, notFound } from '../errors.js';
import { specifiedResourceTypes } from '../usage/billing-catalog.js';
import { isBillingDimension } from '../usage/dimensions.js';
import type { DimensionKind } from '../usage/dimensions.js';

export interface BillingDimensionInput {
  name: string;
  unit: string;
  /** For good. */
  kind: DimensionKind;
  description: string;
  /** What it may be measured of. */
  resourceTypes: string[];
}

/** @throws 409 `conflict` for a name that is taken, by one of the specification's too. */
export async function createBillingDimension(db: Database, input: BillingDimensionInput): Promise<BillingDimension> {
  requireOwnDimension(input.name);
  return insertNamed('a billing dimension', input.name, () => db.billingDimension.create({ data: input }));
}

/** Those of the platform's own, by name. */
export function listBillingDimensions(db: Database): Promise<BillingDimension[]> {
  return db.billingDimension.findMany({ orderBy: { name: 'asc' } });
}

/**
 * From now on no usage of it is taken; what was used before still is, however late it comes. Retiring it again changes
 * nothing.
 *
 * @throws 404 `not_found`, 409 `conflict` for one of the specification's.
 */
export async function retireBillingDimension(db: Database, name: string): Promise<Date> {
  requireOwnDimension(name);
  const [row] = await db.$queryRaw<{ retiredAt: Date }[]>`
    UPDATE "billing_dimension" SET "retired_at" = coalesce("retired_at", now()) WHERE "name" = ${name}
    RETURNING "retired_at" AS "retiredAt"`;
  if (row === undefined) throw notFound('billing dimension', name);
  return row.retiredAt;
}

/**
 * Removes one that was retired and never used, with its prices.
 *
 * @throws 404 `not_found`, 409 `conflict` for one of the specification's or that is not retired, 409 `in_use`.
 */
export async function removeBillingDimension(db: Database, name: string): Promise<void> {
  requireOwnDimension(name);
  await db.$transaction(async (tx) => {
    const found = await tx.billingDimension.findUnique({ where: { name } });
    if (found === null) throw notFound('billing dimension', name);
    // Whoever records usage of it just now has looked at it before: the next command comes later than they do.
    if (found.retiredAt === null) throw new ApiError('conflict', `Retire the billing dimension ${name} first.`);
    if ((await tx.usageSeries.findFirst({ where: { billingDimension: name } })) !== null) {
      throw new ApiError('in_use', `There is usage of the billing dimension ${name}: it stays retired.`);
    }
    await tx.billingPrice.deleteMany({ where: { billingDimension: name } });
    await tx.billingDimension.delete({ where: { name } });
  });
}

function requireOwnDimension(name: string): void {
  if (!isBillingDimension(name)) return;
  throw new ApiError('conflict', `The billing dimension ${name} is one of the specification's, which do not change.`);
}

/** @throws 409 `conflict` for a name that is taken, by one of the specification's too. */
export async function createResourceType(
  db: Database,
  input: { name: string; description: string },
): Promise<BilledResourceType> {
  requireOwnType(input.name);
  return insertNamed('a resource type', input.name, () => db.billedResourceType.create({ data: input }));
}

/** Those of the platform's own, by name. */
export function listResourceTypes(db: Database): Promise<BilledResourceType[]> {
  return db.billedResourceType.findMany({ orderBy: { name: 'asc' } });
}

/** As retireBillingDimension(). @throws 404 `not_found`, 409 `conflict` */
export async function retireResourceType(db: Database, name: string): Promise<Date> {
  requireOwnType(name);
  const [row] = await db.$queryRaw<{ retiredAt: Date }[]>`
    UPDATE "billed_resource_type" SET "retired_at" = coalesce("retired_at", now()) WHERE "name" = ${name}
    RETURNING "retired_at" AS "retiredAt"`;
  if (row === undefined) throw notFound('resource type', name);
  return row.retiredAt;
}

/** As removeBillingDimension(). @throws 404 `not_found`, 409 `conflict`, 409 `in_use` */
export async function removeResourceType(db: Database, name: string): Promise<void> {
  requireOwnType(name);
  await db.$transaction(async (tx) => {
    const found = await tx.billedResourceType.findUnique({ where: { name } });
    if (found === null) throw notFound('resource type', name);
    if (found.retiredAt === null) throw new ApiError('conflict', `Retire the resource type ${name} first.`);
    const usage = await tx.usageSeries.findFirst({ where: { resourceType: name } });
    const dimension = await tx.billingDimension.findFirst({ where: { resourceTypes: { has: name } } });
    if (usage !== null || dimension !== null) {
      const what = usage === null ? `The billing dimension ${dimension?.name ?? ''} is` : 'There is usage';
      throw new ApiError('in_use', `${what} of the resource type ${name}: it stays retired.`);
    }
    await tx.billedResourceType.delete({ where: { name } });
  });
}

function requireOwnType(name: string): void {
  if (!specifiedResourceTypes.has(name)) return;
  throw new ApiError('conflict', `The resource type ${name} is one of the specification's, which do not change.`);
}
