import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { z } from 'zod';
import { ApiError } from '../errors.js';
import { utf8Text } from '../input/utf8.js';
import { replaceConfiguration } from '../resources/configuration/configuration-input.js';
import { defineCommand, described, UsageError } from './command.js';
import type { Command } from './command.js';
import { counted } from './print.js';

export const configurationCommands: Command[] = [
  defineCommand({
    name: 'configuration set',
    summary: 'Replace the platform configuration: continents, countries, regions and private locations.',
    argument: 'file',
    input: z.object({
      file: described(
        z.string().min(1),
        'FILE',
        'JSON file with continents, countries, regions and privateLocations, or the response of GET /v0/configuration.',
      ),
    }),
    run: async ({ db, folder }, { file }, print) => {
      const configuration = await readJson(resolve(folder, file), file);
      const { regions, countries, continents } = await db
        .$transaction((tx) => replaceConfiguration(tx, configuration))
        .catch((error: unknown) => {
          if (!(error instanceof ApiError) || error.problems === undefined) throw error;
          throw new UsageError(...error.problems.map(({ message }) => `${file}: ${message}`));
        });
      const counts = [
        counted(regions.length, 'region'),
        `in ${counted(countries.length, 'country', 'countries')}`,
        `on ${counted(continents.length, 'continent')}`,
      ].join(' ');
      print.done(`Replaced the configuration. It has ${counts}.`, {
        regions: regions.map(({ name }) => name).join(' '),
      });
    },
  }),
  defineCommand({
    name: 'configuration regions',
    summary: 'List regions, and the accounts that can use them.',
    input: z.object({}),
    run: async ({ db }, _input, print) => {
      const regions = await db.region.findMany({
        orderBy: { name: 'asc' },
        include: { accounts: { include: { account: true } } },
      });
      print.table(
        ['name', 'country', 'location', 'accounts'],
        regions.map(({ name, countryName, location, isRestricted, accounts }) => ({
          name,
          country: countryName,
          location,
          accounts: isRestricted ? accounts.map(({ account }) => account.name).join(' ') : 'all',
        })),
      );
    },
  }),
];

async function readJson(path: string, name: string): Promise<unknown> {
  try {
    return JSON.parse(utf8Text(await readFile(path)));
  } catch (error) {
    throw new UsageError(`${name}: ${error instanceof Error ? error.message : 'cannot be read'}`);
  }
}
