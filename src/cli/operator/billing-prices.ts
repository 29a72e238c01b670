// What usage costs that comes without a cost, as the operator of the platform says. These functions authorise nobody.
import type { BillingPrice } from '../../database/client/client.js';
import type { Database } from '../../database/open.js';
import type { BilledPrice } from '../../metering/billed.js';
import type { PriceInput } from '../../metering/billing-input.js';
import { deletePrice, insertPrice } from '../../metering/own-prices.js';
import type { WhichPrice } from '../../metering/own-prices.js';
import { editBilling } from './edit-billing.js';
import type { PlatformHistory } from './edit-billing.js';

/** As insertPrice(). */
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

/** As deletePrice(). */
export function removePrice(db: Database, which: WhichPrice, history?: PlatformHistory): Promise<BilledPrice> {
  return editBilling(db, history, (editor) => deletePrice(editor, which));
}
