import { databaseAddress, nonEmpty, oneOf, wholeNumber } from './setting-forms.js';

/** The database server, its limits and its replica, or the embedded database. */
export const databaseSettings = {
  DATABASE_URL: databaseAddress
    .optional()
    .describe('URL of the PostgreSQL server. Without it, the service uses an embedded database in DATA_DIR.'),
  DATABASE_POOL_SIZE: wholeNumber(1, 500)
    .default(20)
    .describe('Maximum number of database connections that each process uses for requests.'),
  DATABASE_STATEMENT_TIMEOUT_MS: wholeNumber(100, 600_000)
    .default(15000)
    .describe('Maximum duration of one SQL statement (ms). Above it, the request gets 504.'),
  DATABASE_LOCK_TIMEOUT_MS: wholeNumber(100, 600_000)
    .default(5000)
    .describe('Maximum time that a SQL statement waits for a lock (ms).'),
  DATABASE_POOLER: oneOf('none', 'transaction')
    .default('none')
    .describe(
      'Connection pooler in front of PostgreSQL: `none`, or `transaction` for PgBouncer in transaction mode. ' +
        'With `transaction`, statements are not prepared, and the role sets time zone and timeouts.',
    ),
  DATABASE_MIGRATION_URL: databaseAddress
    .optional()
    .describe(
      'URL for migrations, to bypass a pooler or to connect as a role that can create tables. Default: DATABASE_URL.',
    ),
  DATABASE_READ_URL: databaseAddress
    .optional()
    .describe('URL of a streaming replica of DATABASE_URL (one server). Lists and metrics are read from it.'),
  DATABASE_READ_STALE_MS_MAX: wholeNumber(1_000, 600_000)
    .default(5_000)
    .describe('Maximum replication lag (ms). Above it, reads fall back to the primary.'),
  DATA_DIR: nonEmpty.default('data').describe('Folder of the embedded database. Not used with DATABASE_URL.'),
};
