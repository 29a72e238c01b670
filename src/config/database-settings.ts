import { z } from 'zod';
import { databaseAddress, wholeNumber } from './setting-forms.js';

/** Where the database is, and how long it may take. */
export const databaseSettings = {
  DATABASE_URL: databaseAddress
    .optional()
    .describe('PostgreSQL server. Without it the database is embedded and kept in DATA_DIR.'),
  DATABASE_POOL_SIZE: wholeNumber(1, 500).default(10).describe('Connections to PostgreSQL for each process.'),
  DATABASE_STATEMENT_TIMEOUT_MS: wholeNumber(100, 600_000)
    .default(15000)
    .describe('Longest time for one SQL statement, in milliseconds; above it the answer is 504.'),
  DATABASE_PREPARED_STATEMENTS: z
    .enum(['on', 'off'])
    .default('on')
    .describe(
      'Whether statements are prepared; "off" for a pooler that hands a connection from one client to another.',
    ),
  DATABASE_LOCK_TIMEOUT_MS: wholeNumber(100, 600_000)
    .default(5000)
    .describe('Longest time that a statement waits for a lock that another one holds, in milliseconds.'),
  DATABASE_POOLER: z
    .enum(['none', 'transaction'])
    .default('none')
    .describe(
      'What stands between this process and the server: "transaction" for a pooler (PgBouncer) that gives a connection ' +
        'for one transaction. Sessions then take their time zone and limits from the role.',
    ),
  DATABASE_MIGRATION_URL: databaseAddress
    .optional()
    .describe('Address for migrations: past a pooler, or as a role that may create tables. DATABASE_URL by default.'),
  DATABASE_READ_URL: databaseAddress
    .optional()
    .describe(
      'A streaming replica of DATABASE_URL, one server, of which lists and metrics are read while it is fresh enough.',
    ),
  DATABASE_READ_STALE_MS_MAX: wholeNumber(1_000, 600_000)
    .default(5_000)
    .describe('How old what is read of the replica may be, in milliseconds; else the database itself is read.'),
  DATA_DIR: z.string().min(1).default('data').describe('Folder of the embedded database.'),
};
