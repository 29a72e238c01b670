// The platform configuration. It is the same for all accounts, except for the allowed regions and the private
// locations.
import { z } from 'zod';
import { authorizeScope } from '../../auth/authorize.js';
import type { RequestContext } from '../../auth/context.js';
import type { RegionModel } from '../../database/client/models.js';
import type { ViewerLocation } from '../../auth/viewer-location.js';
import { text } from '../../schema/text.js';
import { oneOf } from '../../schema/values.js';
import { detectRegion } from './detected-region.js';
import type { LocatedRegion } from './detected-region.js';
import { openGazetteer } from './gazetteer.js';

/** An open object (decision 27). */
const agentDriveUrl = z
  .custom<Record<string, z.core.util.JSONType>>((value) => z.record(z.string(), z.json()).safeParse(value).success)
  .meta({ override: { type: 'object', additionalProperties: true } });

const place = z.object({
  name: text().meta({ description: 'Code, such as DE or EU.' }),
  displayName: text().meta({ description: 'Display name.' }),
});

export const continent = place.extend({}).meta({ id: 'Continent', description: 'A continent with regions.' });
export const country = place.extend({}).meta({ id: 'Country', description: 'A country with regions.' });

const truth = oneOf({ true: 'True.', false: 'False.' });

export const region = z
  .object({
    name: text().meta({ description: 'Name of the region.' }),
    allowed: truth.meta({ description: 'True if the account of the caller can use the region.' }),
    continent: text().meta({ description: 'Code of the continent.' }),
    country: text().meta({ description: 'Code of the country.' }),
    location: text().optional().meta({ description: 'City of the region.' }),
    infoGeneration: text().optional().meta({ description: 'Generation of the hardware.' }),
    drivesAvailable: z.boolean().meta({ description: 'True if agent drives are available in the region.' }),
    egressAvailable: z.boolean().meta({ description: 'True if egress gateways can be created in the region.' }),
    mk31Available: z.boolean().meta({ description: 'True if generation mk3.1 is available in the region.' }),
    proxyAvailable: z.boolean().meta({ description: 'True if the proxy is available in the region.' }),
    agentDrivePublicUrl: agentDriveUrl
      .optional()
      .meta({ description: 'URLs of agent drives, as a JSON object with any keys.' }),
  })
  .meta({ id: 'Region', description: 'A region that workloads run in.' });

export type Region = z.output<typeof region>;

export const privateLocation = z.object({ name: text().meta({ description: 'Name of the location.' }) }).meta({
  id: 'PrivateLocation',
  description: 'A location owned by the account and managed by an operator component.',
});

export const configuration = z
  .object({
    continents: z.array(continent).meta({ description: 'Continents, ordered by code.' }),
    countries: z.array(country).meta({ description: 'Countries, ordered by code.' }),
    regions: z.array(region).meta({ description: 'Regions, ordered by name.' }),
    privateLocations: z.array(privateLocation),
    detectedRegion: z.string().meta({
      description:
        'Closest region that the account can use, detected from geolocation headers. Empty if the headers contain no location.',
    }),
  })
  .meta({ id: 'Configuration', description: 'Platform configuration for the account of the caller.' });

export type Configuration = z.output<typeof configuration>;

/**
 * The platform configuration as the caller's account sees it (specification, GET /configuration).
 *
 * @throws 403 without `admin`.
 */
export async function getConfiguration(ctx: RequestContext): Promise<Configuration> {
  const { db } = authorizeScope(ctx, 'configurations:list');
  const accountIds = ctx.caller.accounts.map(({ id }) => id);
  const mine = { where: { accountId: { in: accountIds } } };
  const [continents, countries, regions, privateLocations] = await Promise.all([
    (await db.$prisma()).continent.findMany({ orderBy: { name: 'asc' } }),
    (await db.$prisma()).country.findMany({ orderBy: { name: 'asc' } }),
    (await db.$prisma()).region.findMany({ orderBy: { name: 'asc' }, include: { accounts: mine } }),
    (await db.$prisma()).privateLocation.findMany({ ...mine, select: { name: true }, orderBy: { name: 'asc' } }),
  ]);
  return {
    continents,
    countries,
    regions: regions.map(regionFromRow),
    privateLocations,
    detectedRegion: await closestRegion(ctx.viewerLocation(), regions.filter(isAllowed).map(locatedFromRow)),
  };
}

interface RegionRow extends RegionModel {
  /** Of the accounts of the caller, those that may use it. */
  accounts: unknown[];
}

function isAllowed({ isRestricted, accounts }: RegionRow): boolean {
  return !isRestricted || accounts.length > 0;
}

function regionFromRow(row: RegionRow): Region {
  const { name, drivesAvailable, egressAvailable, mk31Available, proxyAvailable } = row;
  return {
    name,
    drivesAvailable,
    egressAvailable,
    mk31Available,
    proxyAvailable,
    allowed: isAllowed(row) ? 'true' : 'false',
    continent: row.continentName,
    country: row.countryName,
    location: row.location ?? undefined,
    infoGeneration: row.infoGeneration ?? undefined,
    agentDrivePublicUrl: row.agentDrivePublicUrl === null ? undefined : agentDriveUrl.parse(row.agentDrivePublicUrl),
  };
}

function locatedFromRow({ name, continentName, countryName, location, latitude, longitude }: RegionRow): LocatedRegion {
  const position = latitude === null || longitude === null ? undefined : { latitude, longitude };
  return { name, continent: continentName, country: countryName, location, position };
}

async function closestRegion(viewer: ViewerLocation, regions: LocatedRegion[]): Promise<string> {
  const isUnknown = Object.values(viewer).every((part) => part === undefined);
  return isUnknown ? '' : detectRegion(viewer, regions, await openGazetteer());
}
