// The platform configuration as an operator writes it. Whoever runs this holds the database, so there is no
// caller to authorise: no door of the API may use it.
import { z } from 'zod';
import { Prisma } from '../../database/client/client.js';
import { notFound } from '../../errors.js';

const code = z.string().min(1).max(63);
const place = z.strictObject({ name: code, displayName: z.string().min(1) });

const regionInput = z.strictObject({
  name: code,
  continent: code,
  country: code,
  /** Its city. */
  location: z.string().optional(),
  /** Where it is, in degrees. Left out, it follows from the location and the country. */
  position: z
    .strictObject({ latitude: z.number().min(-90).max(90), longitude: z.number().min(-180).max(180) })
    .optional(),
  infoGeneration: z.string().optional(),
  drivesAvailable: z.boolean().default(false),
  egressAvailable: z.boolean().default(false),
  mk31Available: z.boolean().default(false),
  proxyAvailable: z.boolean().default(false),
  agentDrivePublicUrl: z.record(z.string(), z.json()).optional(),
  /** Names of the accounts that may use it; everybody may when they are left out. */
  accounts: z.array(z.string()).optional(),
});

export const configurationInput = z.strictObject({
  continents: z.array(place),
  countries: z.array(place),
  regions: z.array(regionInput),
  /** Locations of an account's own. */
  privateLocations: z.array(z.strictObject({ name: code, account: z.string() })).default([]),
});

export type ConfigurationInput = z.input<typeof configurationInput>;

/**
 * Replaces the whole platform configuration; inside a transaction of the caller.
 *
 * @throws {z.ZodError} when a field breaks its rule; 404 `not_found` for an account, a country or a continent
 *   that is named and does not exist.
 */
export async function replaceConfiguration(tx: Prisma.TransactionClient, input: ConfigurationInput): Promise<void> {
  const { continents, countries, regions, privateLocations } = configurationInput.parse(input);
  for (const { country, continent } of regions) {
    if (!countries.some(({ name }) => name === country)) throw notFound('country', country);
    if (!continents.some(({ name }) => name === continent)) throw notFound('continent', continent);
  }
  const idOf = await accountIds(tx, [
    ...regions.flatMap(({ accounts }) => accounts ?? []),
    ...privateLocations.map(({ account }) => account),
  ]);
  await tx.privateLocation.deleteMany();
  await tx.region.deleteMany();
  await tx.country.deleteMany();
  await tx.continent.deleteMany();
  await tx.continent.createMany({ data: continents });
  await tx.country.createMany({ data: countries });
  await tx.region.createMany({
    data: regions.map(
      ({ continent, country, accounts, agentDrivePublicUrl, location, position, infoGeneration, ...region }) => ({
        ...region,
        location: location ?? null,
        latitude: position?.latitude ?? null,
        longitude: position?.longitude ?? null,
        infoGeneration: infoGeneration ?? null,
        continentName: continent,
        countryName: country,
        agentDrivePublicUrl: agentDrivePublicUrl ?? Prisma.DbNull,
        isRestricted: accounts !== undefined,
      }),
    ),
  });
  await tx.regionAccount.createMany({
    data: regions.flatMap(({ name, accounts }) =>
      (accounts ?? []).map((account) => ({ regionName: name, accountId: idOf(account) })),
    ),
  });
  await tx.privateLocation.createMany({
    data: privateLocations.map(({ name, account }) => ({ name, accountId: idOf(account) })),
  });
}

/** @throws 404 `not_found` for a name that no account has. */
async function accountIds(tx: Prisma.TransactionClient, names: string[]): Promise<(name: string) => string> {
  const accounts = await tx.account.findMany({ where: { name: { in: names } }, select: { id: true, name: true } });
  const ids = new Map(accounts.map(({ name, id }) => [name, id]));
  return (name) => {
    const id = ids.get(name);
    if (id === undefined) throw notFound('account', name);
    return id;
  };
}
