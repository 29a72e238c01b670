// Custom billing dimensions and resource types, for operators. These functions do not authorize the caller.
import type { BilledResourceType as ResourceTypeRow, BillingDimension } from '../../database/client/client.js';
import type { Database } from '../../database/open.js';
import type { BilledDimension, BilledResourceType } from '../../metering/billed.js';
import type { BillingDimensionInput, ResourceTypeInput } from '../../metering/billing-input.js';
import { deleteDimension, insertDimension, retireDimension } from '../../metering/own-dimensions.js';
import {
  deleteResourceType,
  insertResourceType,
  retireResourceType as retireType,
} from '../../metering/own-resource-types.js';
import { editBilling } from './edit-billing.js';
import type { PlatformHistory } from './edit-billing.js';

/** @throws 409 `name_taken`, 409 `conflict` for a name of the specification. */
export function createBillingDimension(
  db: Database,
  input: BillingDimensionInput,
  history?: PlatformHistory,
): Promise<BilledDimension> {
  return editBilling(db, history, (editor) => insertDimension(editor, input));
}

/** The custom ones, by name. */
export function listBillingDimensions(db: Database): Promise<BillingDimension[]> {
  return db.billingDimension.findMany({ orderBy: { name: 'asc' } });
}

/** See retireDimension(). */
export function retireBillingDimension(
  db: Database,
  name: string,
  history?: PlatformHistory,
): Promise<BilledDimension> {
  return editBilling(db, history, (editor) => retireDimension(editor, name));
}

/** See deleteDimension(). */
export function removeBillingDimension(
  db: Database,
  name: string,
  history?: PlatformHistory,
): Promise<BilledDimension> {
  return editBilling(db, history, (editor) => deleteDimension(editor, name));
}

/** @throws 409 `name_taken`, 409 `conflict` for a name of the specification. */
export function createResourceType(
  db: Database,
  input: ResourceTypeInput,
  history?: PlatformHistory,
): Promise<BilledResourceType> {
  return editBilling(db, history, (editor) => insertResourceType(editor, input));
}

/** The custom ones, by name. */
export function listResourceTypes(db: Database): Promise<ResourceTypeRow[]> {
  return db.billedResourceType.findMany({ orderBy: { name: 'asc' } });
}

/** See retireResourceType(). */
export function retireResourceType(db: Database, name: string, history?: PlatformHistory): Promise<BilledResourceType> {
  return editBilling(db, history, (editor) => retireType(editor, name));
}

/** See deleteResourceType(). */
export function removeResourceType(db: Database, name: string, history?: PlatformHistory): Promise<BilledResourceType> {
  return editBilling(db, history, (editor) => deleteResourceType(editor, name));
}
