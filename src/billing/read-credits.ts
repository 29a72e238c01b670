import { authorizeReach } from '../auth/authorize.js';
import { perRequest } from '../auth/context.js';
import { creditDimensions } from '../metering/billing-catalog.js';
import { readCatalog } from '../metering/read-catalog.js';

/** The billing dimensions of credits, read once for a request: what is given back once tells nothing of the days to come. */
export const readCreditDimensions = perRequest(async (ctx) =>
  creditDimensions(await readCatalog(authorizeReach(ctx).reads)),
);
