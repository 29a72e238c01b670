import { authorizeScope } from '../auth/authorize.js';
import { perRequest } from '../auth/context.js';
import { creditDimensions } from '../metering/billing-catalog.js';
import { readCatalog } from '../metering/read-catalog.js';

/** Reads the credit dimensions, once per request. Forecasts leave credits out, because they do not recur. */
export const readCreditDimensions = perRequest(async (ctx) =>
  creditDimensions(await readCatalog(authorizeScope(ctx).reads)),
);
