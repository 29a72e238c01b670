import { authorizeReach } from '../access/authorize.js';
import { perRequest } from '../access/context.js';
import { creditDimensions } from '../usage/billing-catalog.js';
import { readCatalog } from '../usage/read-catalog.js';

/** The billing dimensions of credits, read once for a request: what is given back once tells nothing of the days to come. */
export const readCreditDimensions = perRequest(async (ctx) =>
  creditDimensions(await readCatalog(authorizeReach(ctx).reads)),
);
