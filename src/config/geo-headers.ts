import { z } from 'zod';

const fields = ['country', 'continent', 'subdivision', 'city', 'latitude', 'longitude'] as const;

/** Names of the headers with the place of a viewer. The first one present counts. */
export type GeolocationHeaders = Record<(typeof fields)[number], string[]>;

const networks = new Map<string, Partial<GeolocationHeaders>>([
  ['none', {}],
  [
    'cloudflare',
    {
      country: ['cf-ipcountry'],
      continent: ['cf-ipcontinent'],
      subdivision: ['cf-region'],
      city: ['cf-ipcity'],
      latitude: ['cf-iplatitude'],
      longitude: ['cf-iplongitude'],
    },
  ],
  [
    'cloudfront',
    {
      country: ['cloudfront-viewer-country'],
      subdivision: ['cloudfront-viewer-country-region-name'],
      city: ['cloudfront-viewer-city'],
      latitude: ['cloudfront-viewer-latitude'],
      longitude: ['cloudfront-viewer-longitude'],
    },
  ],
  [
    'vercel',
    {
      country: ['x-vercel-ip-country'],
      continent: ['x-vercel-ip-continent'],
      subdivision: ['x-vercel-ip-country-region'],
      city: ['x-vercel-ip-city'],
      latitude: ['x-vercel-ip-latitude'],
      longitude: ['x-vercel-ip-longitude'],
    },
  ],
]);

const ownList = new RegExp(`^(${fields.join('|')})=[\\w-]+(,(${fields.join('|')})=[\\w-]+)*$`);

const rule =
  `must be ${[...networks.keys()].join(', ')}, or a list such as country=x-country,city=x-city ` +
  `(fields: ${fields.join(', ')})`;

/** The name of a network, or `field=header` pairs. If a field has several headers, the first one that is sent counts. */
export const geoHeaders = z
  .string()
  .transform((value) => value.replace(/\s/g, '').toLowerCase())
  .refine((value) => networks.has(value) || ownList.test(value), rule)
  .transform((value): GeolocationHeaders => {
    const pairs = value.split(',').map((pair) => pair.split('='));
    const own = (field: string) => pairs.flatMap(([name, header]) => (name === field && header ? [header] : []));
    const named = networks.get(value);
    const headersOf = (field: keyof GeolocationHeaders) => named?.[field] ?? own(field);
    return {
      country: headersOf('country'),
      continent: headersOf('continent'),
      subdivision: headersOf('subdivision'),
      city: headersOf('city'),
      latitude: headersOf('latitude'),
      longitude: headersOf('longitude'),
    };
  });
