import { ConfigError } from '../config.js';
import { DiskFullError } from './embedded.js';
import { FolderInUseError } from './embedded-folder.js';
import { MigrationError } from './migrate.js';
import { DatabaseSettingError } from './open.js';
import { silentMessage } from './server-pools.js';

const mendable = [ConfigError, DatabaseSettingError, DiskFullError, FolderInUseError];

const missingRight = 'the user lacks a right';

/** What a server says when it is not to be had, by its code: SQLSTATE, or that of the network. */
const reasons = new Map([
  ['ECONNREFUSED', 'nobody listens at this address'],
  ['ENOTFOUND', 'there is no such host'],
  ['EAI_AGAIN', 'the name of the host cannot be looked up now'],
  ['ETIMEDOUT', 'there is no answer'],
  ['EHOSTUNREACH', 'there is no way to the host'],
  ['ECONNRESET', 'the server ended the connection'],
  ['28P01', 'the server does not take the password'],
  ['28000', 'the server does not let this user in'],
  ['3D000', 'there is no such database'],
  ['42501', missingRight],
  ['25006', 'the database is read-only'],
  ['53300', 'the server has no connection left'],
  ['53100', 'the disk of the server is full'],
  ['57P03', 'the server is starting up'],
  ['55P03', 'something else has locked what is needed'],
  ['08P01', 'the server, or a pooler before it, does not take the options of a session (see DATABASE_POOLER)'],
  ['EACCES', 'DATA_DIR: this user may not write there'],
  ['EROFS', 'DATA_DIR: the file system is read-only'],
]);

const noAnswer = /timeout expired|timeout exceeded when trying to connect/;
const noTls = /does not support SSL connections|self-signed certificate|unable to verify|certificate/i;

/** Why a start failed. A line about the database names its setting, and never shows the address with its password. */
export function startFailure(error: unknown): string {
  if (mendable.some((kind) => error instanceof kind) && error instanceof Error) return error.message;
  const reason = databaseReason(error);
  if (error instanceof MigrationError) return error.message + (reason === undefined ? '' : ` (${reason})`);
  if (reason !== undefined) return reason.startsWith('DATA_DIR') ? reason : `DATABASE_URL: ${reason}`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function databaseReason(error: unknown): string | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const known = 'code' in cause ? reasons.get(String(cause.code)) : undefined;
    if (known !== undefined) return known === missingRight ? `${known}: ${cause.message}` : known;
    if (cause.message === silentMessage || noAnswer.test(cause.message)) return 'there is no answer';
    if (noTls.test(cause.message)) return `TLS (sslmode): ${cause.message}`;
    // Several addresses of one host were tried.
    if (cause instanceof AggregateError) return databaseReason(cause.errors[0]);
  }
  return undefined;
}
