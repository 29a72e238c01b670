import { resolve } from 'node:path';
import type { Config } from '../config.js';
import { holdsDatabase } from '../database/embedded-folder.js';

type DatabasePlace = Pick<Config, 'DATABASE_URL' | 'DATA_DIR'>;

/** Whether the settings name an embedded database that does not exist yet. */
export function isToBeCreated(config: DatabasePlace & Pick<Config, 'DATABASE_MIGRATION_URL'>): boolean {
  const url = config.DATABASE_MIGRATION_URL ?? config.DATABASE_URL;
  return url === undefined && !holdsDatabase(config.DATA_DIR);
}

/** The database of the settings does not exist. */
export class NoDatabaseError extends Error {}

/**
 * Prevents that a check passes because the setting that names its database was lost.
 *
 * @throws {NoDatabaseError} if no setting names a database.
 */
export function requireNamedDatabase(environment: Record<string, string | undefined>): void {
  const names = ['DATABASE_URL', 'DATABASE_MIGRATION_URL', 'DATA_DIR'];
  if (names.some((name) => (environment[name] ?? '') !== '')) return;
  throw new NoDatabaseError('No database to check: set DATABASE_URL, or DATA_DIR for an embedded database.');
}

/** The database of the settings, without its password. */
export function whichDatabase({ DATABASE_URL: url, DATA_DIR: folder }: DatabasePlace): string {
  if (url === undefined) return `the embedded database in ${resolve(folder)} (DATA_DIR)`;
  const { host, pathname } = new URL(url);
  return `${pathname.slice(1) || 'the default database'} on ${host} (DATABASE_URL)`;
}

/**
 * Prevents that a mistyped folder creates a new database.
 *
 * @throws {NoDatabaseError} if there is none.
 */
export function requireDatabase(config: DatabasePlace): void {
  if (config.DATABASE_URL !== undefined || holdsDatabase(config.DATA_DIR)) return;
  throw new NoDatabaseError(
    `No database found: DATABASE_URL is not set, and ${resolve(config.DATA_DIR)} (DATA_DIR) contains none. ` +
      'Set one of them, or run "migrate" to create a database.',
  );
}
