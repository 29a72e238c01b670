// Changes of the billing catalog by admins of the platform and by operators. The rules are in src/metering.
// The change log of the platform's account records every change.
import { authorizePlatform } from '../auth/authorize.js';
import type { RequestContext } from '../auth/context.js';
import { runInTransaction } from '../auth/run-in-transaction.js';
import type { DryRun } from '../store/write/change-input.js';
import { readInput } from '../schema/shape-value.js';
import type { BilledDimension, BilledPrice, BilledResourceType } from '../metering/billed.js';
import { billingDimensionInput, priceInput, resourceTypeInput, whichPriceInput } from '../metering/billing-input.js';
import type { WhichPrice } from '../metering/billing-input.js';
import { deleteDimension, insertDimension, retireDimension } from '../metering/custom-dimensions.js';
import { deletePrice as removePrice, insertPrice } from '../metering/prices.js';
import {
  deleteResourceType as removeType,
  insertResourceType,
  retireResourceType as retireType,
} from '../metering/custom-resource-types.js';

type Named = DryRun & { name: string };

/** @throws 400 `invalid_input`; 403 unless the caller is an admin of the platform; 409 `conflict`, `name_taken`. */
export async function createBillingDimension(
  ctx: RequestContext,
  { validateOnly, ...fields }: DryRun & Record<string, unknown>,
): Promise<BilledDimension> {
  const authorized = authorizePlatform(ctx);
  const input = readInput(billingDimensionInput, fields);
  return runInTransaction(authorized, validateOnly, (within) => insertDimension(within, input));
}

/** @throws 403 unless the caller is an admin of the platform; 404; 409 `conflict`. */
export function retireBillingDimension(ctx: RequestContext, input: Named): Promise<BilledDimension> {
  return runInTransaction(authorizePlatform(ctx), input.validateOnly, (within) => retireDimension(within, input.name));
}

/**
 * @returns the deleted dimension. @throws 403 unless the caller is an admin of the platform; 404; 409 `conflict`,
 * `in_use`.
 */
export function deleteBillingDimension(ctx: RequestContext, input: Named): Promise<BilledDimension> {
  return runInTransaction(authorizePlatform(ctx), input.validateOnly, (within) => deleteDimension(within, input.name));
}

/** @throws 400 `invalid_input`; 403 unless the caller is an admin of the platform; 409 `conflict`, `name_taken`. */
export async function createResourceType(
  ctx: RequestContext,
  { validateOnly, ...fields }: DryRun & Record<string, unknown>,
): Promise<BilledResourceType> {
  const authorized = authorizePlatform(ctx);
  const input = readInput(resourceTypeInput, fields);
  return runInTransaction(authorized, validateOnly, (within) => insertResourceType(within, input));
}

/** @throws 403 unless the caller is an admin of the platform; 404; 409 `conflict`. */
export function retireResourceType(ctx: RequestContext, input: Named): Promise<BilledResourceType> {
  return runInTransaction(authorizePlatform(ctx), input.validateOnly, (within) => retireType(within, input.name));
}

/**
 * @returns the deleted resource type. @throws 403 unless the caller is an admin of the platform; 404; 409 `conflict`,
 * `in_use`.
 */
export function deleteResourceType(ctx: RequestContext, input: Named): Promise<BilledResourceType> {
  return runInTransaction(authorizePlatform(ctx), input.validateOnly, (within) => removeType(within, input.name));
}

/** @throws 400 `invalid_input`; 403 unless the caller is an admin of the platform; 404; 409 `conflict`. */
export async function setPrice(
  ctx: RequestContext,
  { validateOnly, ...fields }: DryRun & Record<string, unknown>,
): Promise<BilledPrice> {
  const authorized = authorizePlatform(ctx);
  const input = readInput(priceInput, fields);
  return runInTransaction(authorized, validateOnly, (within) => insertPrice(within, input));
}

/**
 * @returns the deleted price.
 * @throws 400 `invalid_input`; 403 unless the caller is an admin of the platform; 404; 409 `conflict`.
 */
export async function deletePrice(
  ctx: RequestContext,
  { validateOnly, ...fields }: DryRun & WhichPrice,
): Promise<BilledPrice> {
  const authorized = authorizePlatform(ctx);
  const input = readInput(whichPriceInput, fields);
  return runInTransaction(authorized, validateOnly, (within) => removePrice(within, input));
}
