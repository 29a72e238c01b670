import { noParameters } from '../input.js';
import { route } from '../route.js';
import type { Route } from '../route.js';
import { configuration, getConfiguration } from '../../../resources/configuration/configuration.js';

export const configurationRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/configuration',
    operation: 'GetConfiguration',
    summary: 'Returns the platform configuration: regions, countries, continents and private locations.',
    scope: 'configurations:list',
    isInWorkspace: false,
    parameters: noParameters,
    query: noParameters,
    body: configuration,
    example: {
      continents: [{ name: 'EU', displayName: 'Europe' }],
      countries: [{ name: 'DE', displayName: 'Germany' }],
      regions: [
        {
          name: 'eu-frankfurt-1',
          allowed: 'true',
          continent: 'EU',
          country: 'DE',
          location: 'Frankfurt',
          infoGeneration: 'mk3',
          drivesAvailable: true,
          egressAvailable: true,
          mk31Available: false,
          proxyAvailable: true,
        },
      ],
      privateLocations: [{ name: 'hamburg-warehouse' }],
      detectedRegion: 'eu-frankfurt-1',
    },
    errors: [],
    answer: async ({ ctx }) => ({ body: await getConfiguration(ctx) }),
  }),
];
