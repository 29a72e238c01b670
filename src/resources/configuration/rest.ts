import { noParameters } from '../../rest/input.js';
import { route } from '../../rest/route.js';
import type { Route } from '../../rest/route.js';
import { configuration, getConfiguration } from './configuration.js';

export const configurationRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/configuration',
    operation: 'GetConfiguration',
    summary: 'The platform configuration: regions, countries, continents and private locations.',
    scope: 'admin',
    isInWorkspace: false,
    parameters: noParameters,
    query: noParameters,
    body: configuration,
    errors: [],
    answer: async ({ ctx }) => ({ body: await getConfiguration(ctx) }),
  }),
];
