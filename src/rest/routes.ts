import { agentRoutes } from '../resources/agents/rest.js';
import type { Route } from './route.js';

/** Every address of the REST door. */
export const routes: Route[] = [...agentRoutes];
