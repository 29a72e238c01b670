import { accountRoutes } from '../api/rest/accounts/rest.js';
import { agentRoutes } from '../api/rest/agents/rest.js';
import { configurationRoutes } from '../api/rest/configuration/rest.js';
import { imageRoutes } from '../api/rest/images/rest.js';
import { jobRoutes } from '../api/rest/jobs/rest.js';
import { metricsRoutes } from '../api/rest/billing/rest.js';
import { networkRoutes } from '../api/rest/networks/rest.js';
import { sandboxRoutes } from '../api/rest/sandboxes/rest.js';
import { usageRoutes } from '../api/rest/metering/rest.js';
import type { Route } from '../api/rest/route.js';

/** All routes of the REST API. */
export const routes: Route[] = [
  ...accountRoutes,
  ...agentRoutes,
  ...configurationRoutes,
  ...imageRoutes,
  ...jobRoutes,
  ...metricsRoutes,
  ...networkRoutes,
  ...sandboxRoutes,
  ...usageRoutes,
];
