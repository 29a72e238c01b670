import { z } from 'zod';
import { headerList } from './setting-forms.js';

/** What a network in front of the service tells of a client. */
export const viewerSettings = {
  CLIENT_ADDRESS_HEADER: z
    .string()
    .regex(/^[\w-]+$/, 'must be the name of a header')
    .toLowerCase()
    .optional()
    .describe(
      'Header in which the network in front of the service tells the address of a client, such as X-Forwarded-For; ' +
        'of several addresses the last one counts. Without it, that of the connection counts.',
    ),
  GEO_COUNTRY_HEADERS: headerList(
    'cf-ipcountry,cloudfront-viewer-country,x-vercel-ip-country,x-country-code,x-appengine-country',
  ).describe('Headers with the country of a viewer (ISO 3166-1 alpha-2), in the order in which they are believed.'),
  GEO_CONTINENT_HEADERS: headerList('cf-ipcontinent,x-vercel-ip-continent,x-continent-code').describe(
    'Headers with the continent of a viewer, two letters. Without one it follows from the country.',
  ),
  GEO_CITY_HEADERS: headerList('cf-ipcity,cloudfront-viewer-city,x-vercel-ip-city,x-city,x-appengine-city').describe(
    'Headers with the city of a viewer.',
  ),
  GEO_SUBDIVISION_HEADERS: headerList(
    'cf-region,cloudfront-viewer-country-region-name,x-vercel-ip-country-region,x-region,x-appengine-region',
  ).describe('Headers with the state or province of a viewer, by name or code: it tells cities of one name apart.'),
  GEO_LATITUDE_HEADERS: headerList(
    'cf-iplatitude,cloudfront-viewer-latitude,x-vercel-ip-latitude,x-latitude,x-appengine-citylatlong',
  ).describe('Headers with the latitude of a viewer in degrees, or with latitude and longitude and a comma between.'),
  GEO_LONGITUDE_HEADERS: headerList(
    'cf-iplongitude,cloudfront-viewer-longitude,x-vercel-ip-longitude,x-longitude,x-appengine-citylatlong',
  ).describe(
    'Headers with the longitude of a viewer, likewise. Country, state and city count where they are not sent.',
  ),
};
