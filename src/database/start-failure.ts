import { ConfigError } from '../config.js';
import { DiskFullError } from './embedded.js';
import { FolderError, FolderInUseError } from './embedded-folder.js';
import { networkReasons, silentMessage } from './failures.js';
import { MigrationError } from './migrate.js';
import { DatabaseSettingError } from './open.js';

const mendable = [ConfigError, DatabaseSettingError, DiskFullError, FolderError, FolderInUseError];

const missingRight = 'the user lacks a privilege';

/** Reasons by SQLSTATE or network error code. */
const reasons = new Map([
  ...networkReasons,
  ['28P01', 'the password is wrong'],
  ['28000', 'the server does not accept this user'],
  ['3D000', 'the database does not exist'],
  ['42501', missingRight],
  ['25006', 'the database is read-only'],
  ['53300', 'the server has no free connections'],
  ['53100', 'the disk of the server is full'],
  ['57P03', 'the server is starting up'],
  ['55P03', 'timed out waiting for a lock'],
  ['55000', 'the database does not accept connections'],
  ['57P01', 'the server is shutting down'],
  ['08P01', 'the server, or a pooler in front of it, rejects session options (see DATABASE_POOLER)'],
  ['EACCES', 'DATA_DIR: this user cannot write to the folder'],
  ['EROFS', 'DATA_DIR: the file system is read-only'],
]);

const noAnswer = /timeout expired|timeout exceeded when trying to connect/;
const noSocket = /^connect (?:ENOENT|EACCES)/;
const noTls = /does not support SSL connections|self-signed certificate|unable to verify|certificate/i;

/** The reason of a failed start. It names the setting, and never contains the URL with its password. */
export function startFailure(error: unknown): string {
  if (mendable.some((kind) => error instanceof kind) && error instanceof Error) return error.message;
  const reason = databaseReason(error);
  if (error instanceof MigrationError) return error.message + (reason === undefined ? '' : ` (${reason})`);
  if (reason !== undefined) return reason.startsWith('DATA_DIR') ? reason : `DATABASE_URL: ${reason}`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function databaseReason(error: unknown): string | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (noSocket.test(cause.message)) return `cannot open the socket of the server (${cause.message})`;
    const known = 'code' in cause ? reasons.get(String(cause.code)) : undefined;
    if (known !== undefined) return known === missingRight ? `${known}: ${cause.message}` : known;
    if (cause.message === silentMessage || noAnswer.test(cause.message)) return 'no response';
    if (noTls.test(cause.message)) return `TLS (sslmode): ${cause.message}`;
    // Several addresses of a host were tried.
    if (cause instanceof AggregateError) return databaseReason(cause.errors[0]);
  }
  return undefined;
}
