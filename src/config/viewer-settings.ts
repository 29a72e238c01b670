import { z } from 'zod';
import { geoHeaders } from './geo-headers.js';

/** Headers of the network in front of the service that describe its clients. */
export const viewerSettings = {
  CLIENT_ADDRESS_HEADER: z
    .string()
    .regex(/^[\w-]+$/, 'must be the name of one header, such as X-Forwarded-For')
    .toLowerCase()
    .optional()
    .describe(
      'Header in which your proxy sends the address of the client, such as `X-Forwarded-For`. Its last address is ' +
        'used. Without it, the address of the connection is used.',
    ),
  GEO_HEADERS: geoHeaders
    .prefault('none')
    .describe(
      'Network in front of the service whose headers locate the client: `none`, `cloudflare`, `cloudfront`, `vercel`, ' +
        'or your own headers such as `country=x-country,city=x-city`.',
    ),
};
