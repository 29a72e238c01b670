// Checks that the names in a configuration refer to existing entries and accounts.
import { z } from 'zod';
import type { Problem } from '../../errors.js';
import { problemAt } from '../../schema/problem.js';

const name = z.string().optional().catch(undefined);
const places = z.array(z.object({ name }).catch({})).optional().catch(undefined);
const regionReferences = z.object({
  name,
  continent: name,
  country: name,
  accounts: z.array(name).optional().catch([]),
  allowed: z.unknown().optional(),
});

/** The readable names of a configuration: the fields around them can be invalid. */
const referencesSchema = z
  .object({
    continents: places,
    countries: places,
    regions: z.array(regionReferences.catch({})).catch([]),
    privateLocations: z.array(z.object({ name, account: z.string().optional() }).catch({})).catch([]),
    detectedRegion: z.unknown().optional(),
  })
  .catch({ regions: [], privateLocations: [] });

export type References = z.output<typeof referencesSchema>;

export function readReferences(input: unknown): References {
  return referencesSchema.parse(input);
}

/** Names of all accounts that a configuration refers to. */
export function accountNames({ regions, privateLocations }: References): string[] {
  const names = [
    ...regions.flatMap(({ accounts }) => accounts ?? []),
    ...privateLocations.map(({ account }) => account),
  ];
  return names.filter((each) => each !== undefined);
}

/** The names that two entries have. */
export function repeatedNames({ continents, countries, regions, privateLocations }: References): Problem[] {
  const keys = {
    continents: continents?.map((each) => each.name) ?? [],
    countries: countries?.map((each) => each.name) ?? [],
    regions: regions.map((each) => each.name),
    // Two accounts may have a location of the same name.
    privateLocations: privateLocations.map((each) => each.name && JSON.stringify([each.name, each.account])),
  };
  return Object.entries(keys).flatMap(([list, listKeys]) =>
    listKeys.flatMap((key, index) =>
      key !== undefined && listKeys.indexOf(key) < index
        ? [problemAt([list, String(index), 'name'], 'duplicate', 'must be unique: an earlier entry has this name')]
        : [],
    ),
  );
}

/** The countries, continents and accounts that are named and do not exist. @param accounts names of those that do. */
export function unknownNames(
  { continents, countries, regions, privateLocations }: References,
  accounts: { has: (account: string) => boolean },
): Problem[] {
  const unknown = (path: string[], kind: string, name: string | undefined, isKnown: boolean) =>
    name === undefined || isKnown
      ? []
      : [problemAt(path, 'invalid_value', `must be the name of an existing ${kind} (got ${JSON.stringify(name)})`)];
  const isPlace = (name: string | undefined, known: References['countries']) =>
    known === undefined || known.some((each) => each.name === name);
  const ofRegions = regions.flatMap(({ continent, country, accounts: given = [] }, index) => {
    const path = ['regions', String(index)];
    return [
      ...unknown([...path, 'continent'], 'continent', continent, isPlace(continent, continents)),
      ...unknown([...path, 'country'], 'country', country, isPlace(country, countries)),
      ...given.flatMap((account, position) =>
        unknown([...path, 'accounts', String(position)], 'account', account, accounts.has(account ?? '')),
      ),
    ];
  });
  const ofLocations = privateLocations.flatMap(({ account }, index) =>
    unknown(['privateLocations', String(index), 'account'], 'account', account, accounts.has(account ?? '')),
  );
  return [...ofRegions, ...ofLocations];
}
