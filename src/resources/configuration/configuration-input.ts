// The platform configuration as an operator writes it, or as GET /v0/configuration returns it. The operator has access
// to the database, so there is no caller to authorize. No endpoint of the API may use this.
import { z } from 'zod';
import { Prisma } from '../../database/client/client.js';
import { invalidInput } from '../../errors.js';
import type { Problem } from '../../errors.js';
import { problemAt, problemsFrom, ruleOf } from '../../schema/problem.js';
import { inputItemsMax } from '../../schema/shape.js';
import { accountNames, readReferences, repeatedNames, unknownNames } from './configuration-references.js';
import type { References } from './configuration-references.js';

const code = z.string().min(1).max(63);
const place = z.strictObject({ name: code, displayName: z.string().min(1) });

const regionInput = z.strictObject({
  name: code,
  continent: code,
  country: code,
  /** City of the data centre. */
  location: z.string().optional(),
  /** Coordinates (degrees). By default they follow from the location and the country. */
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
  /** Printed by the API, where it follows from `accounts`. */
  allowed: z.enum(['true', 'false']).optional(),
});

export const configurationInput = z.strictObject({
  continents: z.array(place),
  countries: z.array(place),
  regions: z.array(regionInput),
  /** Locations of an account's own. The API prints them without the account. */
  privateLocations: z.array(z.strictObject({ name: code, account: z.string().optional() })).default([]),
  /** Printed by the API, and ignored. */
  detectedRegion: z.string().optional(),
});

export type ConfigurationInput = z.input<typeof configurationInput>;
type ParsedConfiguration = z.output<typeof configurationInput>;

/** Settings that the API does not print. Empty for an input that an operator wrote. */
interface Unprinted {
  regions: Prisma.RegionGetPayload<{ include: { accounts: true } }>[];
  privateLocations: { name: string; accountId: string }[];
}

/**
 * Replaces the whole platform configuration, inside a transaction of the caller.
 *
 * An input with `allowed` or `detectedRegion` comes from the API, which returns the view of one account. Such an input
 * keeps the fields that are not returned: the accounts of regions, the positions of those that stay in their city, and the
 * private locations of all accounts.
 *
 * @throws 400 `invalid_input` with every invalid field.
 */
export async function replaceConfiguration(tx: Prisma.TransactionClient, input: unknown): Promise<ParsedConfiguration> {
  const references = readReferences(input);
  const unprinted = isPrinted(references) ? await readUnprinted(tx) : { regions: [], privateLocations: [] };
  const where = { name: { in: accountNames(references) } };
  const accounts = await tx.account.findMany({ where, select: { id: true, name: true } });
  const accountIds = new Map(accounts.map(({ name, id }) => [name, id]));
  const parsed = configurationInput.safeParse(input, { error: ruleOf, reportInput: true });
  const issues = parsed.success ? [] : parsed.error.issues;
  const problems = [
    ...issues.flatMap((issue) => problemsOfIssue(issue, input)),
    ...repeatedNames(references),
    ...unknownNames(references, accountIds),
    ...missingAccounts(references, unprinted),
  ];
  if (!parsed.success || problems.length > 0) throw invalidInput(problems);
  await writeConfiguration(tx, parsed.data, unprinted, accountIds);
  return parsed.data;
}

function isPrinted({ regions, detectedRegion }: References): boolean {
  return detectedRegion !== undefined || regions.some(({ allowed }) => allowed !== undefined);
}

async function readUnprinted(tx: Prisma.TransactionClient): Promise<Unprinted> {
  const regions = await tx.region.findMany({ include: { accounts: true } });
  return { regions, privateLocations: await tx.privateLocation.findMany() };
}

function problemsOfIssue(issue: z.core.$ZodIssue, input: unknown): Problem[] {
  if (issue.code !== 'unrecognized_keys')
    return problemsFrom([issue], { is: 'json', entriesMax: inputItemsMax }, input);
  return issue.keys.map((key) => problemAt([...issue.path.map(String), key], 'unknown_field', 'is not a known field'));
}

/** A region that is printed as not allowed needs an account, or it would be open to all. So does a private location. */
function missingAccounts({ regions, privateLocations }: References, unprinted: Unprinted): Problem[] {
  const isRestricted = (name: string | undefined) =>
    unprinted.regions.some((region) => region.name === name && region.isRestricted);
  const isLocation = (name: string | undefined) => unprinted.privateLocations.some((each) => each.name === name);
  return [
    ...regions.flatMap(({ name, allowed, accounts }, index) =>
      allowed === 'false' && accounts === undefined && !isRestricted(name)
        ? [problemAt(['regions', String(index), 'accounts'], 'required', 'is required to restrict the region')]
        : [],
    ),
    ...privateLocations.flatMap(({ name, account }, index) =>
      name !== undefined && account === undefined && !isLocation(name)
        ? [problemAt(['privateLocations', String(index), 'account'], 'required', 'is required')]
        : [],
    ),
  ];
}

async function writeConfiguration(
  tx: Prisma.TransactionClient,
  { continents, countries, regions, privateLocations }: ParsedConfiguration,
  unprinted: Unprinted,
  accountIds: ReadonlyMap<string, string>,
): Promise<void> {
  const unprintedOf = new Map(unprinted.regions.map((region) => [region.name, region]));
  const idsOf = (name: string | undefined) => accountIds.get(name ?? '') ?? [];
  await tx.privateLocation.deleteMany();
  await tx.region.deleteMany();
  await tx.country.deleteMany();
  await tx.continent.deleteMany();
  await tx.continent.createMany({ data: continents });
  await tx.country.createMany({ data: countries });
  await tx.region.createMany({
    data: regions.map(
      ({
        continent,
        country,
        accounts,
        allowed: _printed,
        agentDrivePublicUrl,
        location,
        position,
        infoGeneration,
        ...region
      }) => {
        const before = unprintedOf.get(region.name);
        const isThere = before?.location === (location ?? null) && before.countryName === country;
        const { latitude, longitude } = position ?? (isThere ? before : { latitude: null, longitude: null });
        return {
          ...region,
          location: location ?? null,
          infoGeneration: infoGeneration ?? null,
          latitude,
          longitude,
          continentName: continent,
          countryName: country,
          agentDrivePublicUrl: agentDrivePublicUrl ?? Prisma.DbNull,
          isRestricted: accounts !== undefined || before?.isRestricted === true,
        };
      },
    ),
  });
  await tx.regionAccount.createMany({
    data: regions.flatMap(({ name, accounts }) => {
      const before = unprintedOf.get(name)?.accounts.map(({ accountId }) => accountId) ?? [];
      return (accounts?.flatMap(idsOf) ?? before).map((accountId) => ({ regionName: name, accountId }));
    }),
    skipDuplicates: true,
  });
  const locations = privateLocations.flatMap(({ name, account }) =>
    [idsOf(account)].flat().map((accountId) => ({ name, accountId })),
  );
  await tx.privateLocation.createMany({ data: [...unprinted.privateLocations, ...locations], skipDuplicates: true });
}
