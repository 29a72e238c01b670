// Changes of the billing catalog by admins of the platform, under the same rules as the operator's changes
// (metering/own-….ts). The history of the platform's account records every change.
import { authorizePlatform } from '../auth/authorize.js';
import type { AuthorizedAccount } from '../auth/authorize.js';
import type { RequestContext } from '../auth/context.js';
import { writeRecorded } from '../changes/write-recorded.js';
import { runInTransaction } from '../store/write/change.js';
import { lockRow } from '../store/write/lock-row.js';
import { readInput } from '../schema/shape-value.js';
import type { BilledDimension, BilledPrice, BilledResourceType } from '../metering/billed.js';
import type { BillingEditor } from '../metering/billing-editor.js';
import { billingDimensionInput, priceInput, resourceTypeInput } from '../metering/billing-input.js';
import { deleteDimension, insertDimension, retireDimension } from '../metering/own-dimensions.js';
import { deletePrice as removePrice, insertPrice } from '../metering/own-prices.js';
import type { WhichPrice } from '../metering/own-prices.js';
import {
  deleteResourceType as removeType,
  insertResourceType,
  retireResourceType as retireType,
} from '../metering/own-resource-types.js';

interface Trial {
  /** Whether to roll the change back (dry run). */
  validateOnly?: boolean | null | undefined;
}

type Named = Trial & { name: string };

/** @throws 400 `invalid_input`; 403 unless the caller is an admin of the platform; 409 `conflict`, `name_taken`. */
export async function createBillingDimension(
  ctx: RequestContext,
  { validateOnly, ...given }: Trial & object,
): Promise<BilledDimension> {
  const authorized = authorizePlatform(ctx);
  const input = readInput(billingDimensionInput, given);
  return runInTransaction(authorized, validateOnly, (within) => insertDimension(editorOf(within), input));
}

/** @throws 403 unless the caller is an admin of the platform; 404; 409 `conflict`. */
export function retireBillingDimension(ctx: RequestContext, input: Named): Promise<BilledDimension> {
  return edited(ctx, input, (editor) => retireDimension(editor, input.name));
}

/**
 * @returns the deleted dimension. @throws 403 unless the caller is an admin of the platform; 404; 409 `conflict`,
 * `in_use`.
 */
export function deleteBillingDimension(ctx: RequestContext, input: Named): Promise<BilledDimension> {
  return edited(ctx, input, (editor) => deleteDimension(editor, input.name));
}

/** @throws 400 `invalid_input`; 403 unless the caller is an admin of the platform; 409 `conflict`, `name_taken`. */
export async function createResourceType(
  ctx: RequestContext,
  { validateOnly, ...given }: Trial & object,
): Promise<BilledResourceType> {
  const authorized = authorizePlatform(ctx);
  const input = readInput(resourceTypeInput, given);
  return runInTransaction(authorized, validateOnly, (within) => insertResourceType(editorOf(within), input));
}

/** @throws 403 unless the caller is an admin of the platform; 404; 409 `conflict`. */
export function retireResourceType(ctx: RequestContext, input: Named): Promise<BilledResourceType> {
  return edited(ctx, input, (editor) => retireType(editor, input.name));
}

/**
 * @returns the deleted resource type. @throws 403 unless the caller is an admin of the platform; 404; 409 `conflict`,
 * `in_use`.
 */
export function deleteResourceType(ctx: RequestContext, input: Named): Promise<BilledResourceType> {
  return edited(ctx, input, (editor) => removeType(editor, input.name));
}

/** @throws 400 `invalid_input`; 403 unless the caller is an admin of the platform; 404; 409 `conflict`. */
export async function setPrice(
  ctx: RequestContext,
  { validateOnly, ...given }: Trial & { unitPrice: string },
): Promise<BilledPrice> {
  const authorized = authorizePlatform(ctx);
  const input = readInput(priceInput, given);
  return runInTransaction(authorized, validateOnly, (within) => insertPrice(editorOf(within), input));
}

/** @returns the deleted price. @throws 403 unless the caller is an admin of the platform; 404; 409 `conflict`. */
export function deletePrice(ctx: RequestContext, input: Trial & WhichPrice): Promise<BilledPrice> {
  return edited(ctx, input, (editor) => removePrice(editor, input));
}

async function edited<Result>(
  ctx: RequestContext,
  { validateOnly }: Trial,
  act: (editor: BillingEditor) => Promise<Result>,
): Promise<Result> {
  return runInTransaction(authorizePlatform(ctx), validateOnly, (within) => act(editorOf(within)));
}

function editorOf(within: AuthorizedAccount): BillingEditor {
  return {
    lock: (held) => lockRow(within.db, held),
    write: (written, change, ...along) => writeRecorded(within, written, [change], { along }),
  };
}
