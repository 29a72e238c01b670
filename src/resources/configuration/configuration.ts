// The platform configuration: the same for everybody, but for which regions an account may use and for
// the locations of its own.
import { z } from 'zod';
import { authorizeReach } from '../../auth/authorize.js';
import type { RequestContext } from '../../auth/context.js';
import type { RegionModel } from '../../database/client/models.js';
import type { ViewerPlace } from '../../auth/viewer-place.js';
import { text } from '../../schema/text.js';
import { oneOf } from '../../schema/values.js';
import { detectRegion } from './detected-region.js';
import type { LocatedRegion } from './detected-region.js';
import { openGazetteer } from './gazetteer.js';

/** An open object (decision 27). */
const agentDriveUrl = z
  .custom<Record<string, z.core.util.JSONType>>((value) => z.record(z.string(), z.json()).safeParse(value).success)
  .meta({ override: { type: 'object', additionalProperties: true } });

export const place = z
  .object({
    name: text().meta({ description: 'Its code, such as DE or EU.' }),
    displayName: text().meta({ description: 'Name for people.' }),
  })
  .meta({ id: 'Place', description: 'Somewhere in the world.' });

export const continent = place.extend({}).meta({ id: 'Continent', description: 'A continent with regions.' });
export const country = place.extend({}).meta({ id: 'Country', description: 'A country with regions.' });

const truth = oneOf({ true: 'It is so.', false: 'It is not so.' });

export const region = z
  .object({
    name: text().meta({ description: 'Name of the region.' }),
    allowed: truth.meta({ description: 'Whether the account of the caller may use it.' }),
    continent: text().meta({ description: 'Code of its continent.' }),
    country: text().meta({ description: 'Code of its country.' }),
    location: text().optional().meta({ description: 'Its city.' }),
    infoGeneration: text().optional().meta({ description: 'Generation of its hardware.' }),
    drivesAvailable: z.boolean().meta({ description: 'Whether agent drives can be used there.' }),
    egressAvailable: z.boolean().meta({ description: 'Whether egress gateways can be made there.' }),
    mk31Available: z.boolean().meta({ description: 'Whether generation mk3.1 runs there.' }),
    proxyAvailable: z.boolean().meta({ description: 'Whether the proxy can be used there.' }),
    agentDrivePublicUrl: agentDriveUrl.optional().meta({ description: 'Addresses of agent drives, an open object.' }),
  })
  .meta({ id: 'Region', description: 'Where workloads run.' });

export type Region = z.output<typeof region>;

export const privateLocation = z.object({ name: text().meta({ description: 'Name of the location.' }) }).meta({
  id: 'PrivateLocation',
  description: 'A location of the account’s own, managed by an operator component.',
});

export const configuration = z
  .object({
    continents: z.array(continent).meta({ description: 'Continents by code.' }),
    countries: z.array(country).meta({ description: 'Countries by code.' }),
    regions: z.array(region).meta({ description: 'Regions by name.' }),
    privateLocations: z.array(privateLocation),
    detectedRegion: z.string().meta({
      description: 'The closest region that is allowed, by geolocation headers; empty when they say nothing.',
    }),
  })
  .meta({ id: 'Configuration', description: 'What the platform offers, as the account of the caller sees it.' });

export type Configuration = z.output<typeof configuration>;

/**
 * The platform configuration as the caller's account sees it (specification, GET /configuration).
 *
 * @throws 403 without `admin`.
 */
export async function getConfiguration(ctx: RequestContext): Promise<Configuration> {
  const { db } = authorizeReach(ctx, 'configurations:list');
  const accountIds = ctx.caller.accounts.map(({ id }) => id);
  const mine = { where: { accountId: { in: accountIds } } };
  const [continents, countries, regions, privateLocations] = await Promise.all([
    db.continent.findMany({ orderBy: { name: 'asc' } }),
    db.country.findMany({ orderBy: { name: 'asc' } }),
    db.region.findMany({ orderBy: { name: 'asc' }, include: { accounts: mine } }),
    db.privateLocation.findMany({ ...mine, select: { name: true }, orderBy: { name: 'asc' } }),
  ]);
  return {
    continents,
    countries,
    regions: regions.map(regionFromRow),
    privateLocations,
    detectedRegion: await closestRegion(ctx.viewerPlace(), regions.filter(isAllowed).map(locatedFromRow)),
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

async function closestRegion(viewer: ViewerPlace, regions: LocatedRegion[]): Promise<string> {
  const isUnknown = Object.values(viewer).every((part) => part === undefined);
  return isUnknown ? '' : detectRegion(viewer, regions, await openGazetteer());
}
