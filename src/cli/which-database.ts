import { resolve } from 'node:path';
import type { Config } from '../config.js';
import { holdsDatabase } from '../database/embedded-folder.js';

type DatabasePlace = Pick<Config, 'DATABASE_URL' | 'DATA_DIR'>;

/** There is no database where the settings say. */
export class NoDatabaseError extends Error {}

/** The database that the settings name, without its password. */
export function whichDatabase({ DATABASE_URL: url, DATA_DIR: folder }: DatabasePlace): string {
  if (url === undefined) return `the embedded database in ${resolve(folder)} (DATA_DIR)`;
  const { host, pathname } = new URL(url);
  return `${pathname.slice(1) || 'the default database'} on ${host} (DATABASE_URL)`;
}

/**
 * A mistyped folder is no wish for a new database.
 *
 * @throws {NoDatabaseError} where there is none.
 */
export function requireDatabase(place: DatabasePlace): void {
  if (place.DATABASE_URL !== undefined || holdsDatabase(place.DATA_DIR)) return;
  throw new NoDatabaseError(
    `There is no database: DATABASE_URL is not set, and ${resolve(place.DATA_DIR)} (DATA_DIR) holds none. ` +
      'Set the one that you mean; "migrate" makes a new one.',
  );
}
