// The platform configuration: the same for everybody, but for which regions an account may use and for
// the locations of its own.
import { z } from 'zod';
import { requireScope } from '../../access/caller.js';
import type { RequestContext } from '../../context.js';
import { detectRegion } from './detected-region.js';

/** An open object (decision 27). */
const agentDriveUrl = z
  .custom<Record<string, z.core.util.JSONType>>((value) => z.record(z.string(), z.json()).safeParse(value).success)
  .meta({ override: { type: 'object', additionalProperties: true } });

const place = z.object({ name: z.string(), displayName: z.string() });

export const continent = place.meta({ id: 'Continent' });
export const country = place.meta({ id: 'Country' });

export type Place = z.output<typeof place>;

export const region = z
  .object({
    name: z.string(),
    allowed: z.string().meta({ description: 'Whether the account of the caller may use it: true or false.' }),
    continent: z.string(),
    country: z.string(),
    location: z.string().optional(),
    infoGeneration: z.string().optional(),
    drivesAvailable: z.boolean(),
    egressAvailable: z.boolean(),
    mk31Available: z.boolean(),
    proxyAvailable: z.boolean(),
    agentDrivePublicUrl: agentDriveUrl.optional(),
  })
  .meta({ id: 'Region' });

export type Region = z.output<typeof region>;

export const configuration = z
  .object({
    continents: z.array(continent),
    countries: z.array(country),
    regions: z.array(region),
    privateLocations: z.array(z.object({ name: z.string() }).meta({ id: 'PrivateLocation' })),
    detectedRegion: z.string().meta({ description: 'The closest region, guessed from geolocation headers; or empty.' }),
  })
  .meta({ id: 'Configuration' });

export type Configuration = z.output<typeof configuration>;

/**
 * The platform configuration as the caller's account sees it (specification, GET /configuration).
 *
 * @throws 403 without `admin`.
 */
export async function getConfiguration(ctx: RequestContext): Promise<Configuration> {
  requireScope(ctx.caller, 'admin');
  const accountIds = ctx.caller.accounts.map(({ id }) => id);
  const mine = { where: { accountId: { in: accountIds } } };
  const [continents, countries, regions, privateLocations] = await Promise.all([
    ctx.db.continent.findMany({ orderBy: { name: 'asc' } }),
    ctx.db.country.findMany({ orderBy: { name: 'asc' } }),
    ctx.db.region.findMany({ orderBy: { name: 'asc' }, include: { accounts: mine } }),
    ctx.db.privateLocation.findMany({ ...mine, select: { name: true }, orderBy: { name: 'asc' } }),
  ]);
  return {
    continents,
    countries,
    regions: regions.map(
      ({
        continentName,
        countryName,
        isRestricted,
        accounts,
        location,
        infoGeneration,
        agentDrivePublicUrl,
        ...rest
      }) => ({
        ...rest,
        allowed: String(!isRestricted || accounts.length > 0),
        continent: continentName,
        country: countryName,
        location: location ?? undefined,
        infoGeneration: infoGeneration ?? undefined,
        agentDrivePublicUrl: agentDrivePublicUrl === null ? undefined : agentDriveUrl.parse(agentDrivePublicUrl),
      }),
    ),
    privateLocations,
    detectedRegion: detectRegion(
      ctx.viewerPlace,
      regions.map((each) => ({ ...each, continent: each.continentName, country: each.countryName })),
    ),
  };
}
