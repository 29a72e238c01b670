// Prices of usage without a cost, for operators. These functions do not authorize the caller.
import type { BillingPrice } from '../../database/client/client.js';
import type { Database } from '../../database/open.js';
import type { BilledPrice } from '../../metering/billed.js';
import type { PriceInput } from '../../metering/billing-input.js';
import { deletePrice, insertPrice } from '../../metering/own-prices.js';
import type { WhichPrice } from '../../metering/own-prices.js';
import { editBilling } from './edit-billing.js';
import type { PlatformHistory } from './edit-billing.js';

/** See insertPrice(). */
export function setPrice(db: Database, input: PriceInput, history?: PlatformHistory): Promise<BilledPrice> {
  return editBilling(db, history, (editor) => insertPrice(editor, input));
}

/** By dimension and time. */
export function listPrices(db: Database, dimension?: string): Promise<BillingPrice[]> {
  return db.billingPrice.findMany({
    where: dimension === undefined ? {} : { billingDimension: dimension },
    orderBy: [{ billingDimension: 'asc' }, { from: 'asc' }],
  });
}

/** See deletePrice(). */
export function removePrice(db: Database, which: WhichPrice, history?: PlatformHistory): Promise<BilledPrice> {
  return editBilling(db, history, (editor) => deletePrice(editor, which));
}
