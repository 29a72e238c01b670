import { accountRoutes } from '../resources/accounts/rest.js';
import { agentRoutes } from '../resources/agents/rest.js';
import { configurationRoutes } from '../resources/configuration/rest.js';
import { imageRoutes } from '../resources/images/rest.js';
import { jobRoutes } from '../resources/jobs/rest.js';
import { metricsRoutes } from '../metrics/rest.js';
import { networkRoutes } from '../resources/networks/rest.js';
import { sandboxRoutes } from '../resources/sandboxes/rest.js';
import { usageRoutes } from '../usage/rest.js';
import type { Route } from './route.js';

/** Every address of the REST door. */
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
