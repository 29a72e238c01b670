// The readiness checks of /readyz.
import type { Logger } from 'pino';
import { hasPlatformAccount } from '../auth/platform-account.js';
import { freeBytesMin } from '../database/embedded.js';
import { MigrationError } from '../database/migrate.js';
import { DatabaseSettingError } from '../database/open.js';
import type { OpenDatabase } from '../database/open.js';
import type { ReadReplica } from '../database/read-replica.js';
import type { Check } from '../http/readiness.js';
import type { TaskRecord } from './task-record.js';

/** Free disk space below which the check warns (bytes). */
const freeBytesTold = 512 * 1024 * 1024;
const mebibyte = 1024 * 1024;

export function createChecks(
  database: OpenDatabase,
  taskRecord: TaskRecord,
  log: Logger,
  platformAccount?: string,
): Check[] {
  const { freeBytes } = database;
  const disk: Check[] = freeBytes === undefined ? [] : [{ name: 'disk', look: () => diskFinding(freeBytes()) }];
  const replica = database.replica === undefined ? [] : [replicaCheck(database.replica)];
  const platform = platformAccount === undefined ? [] : [platformAccountCheck(database, log, platformAccount)];
  const ofDatabase = [databaseCheck(database, log), migrationsCheck(database, log), ...replica];
  return [...ofDatabase, ...platform, ...disk, tasksCheck(taskRecord)];
}

function databaseCheck({ probe }: OpenDatabase, log: Logger): Check {
  return {
    name: 'database',
    look: async () => {
      try {
        await probe();
        return undefined;
      } catch (error) {
        log.warn({ err: error }, 'the database does not respond');
        return { reason: error instanceof DatabaseSettingError ? error.message : 'no response', stops: true };
      }
    },
  };
}

/** During an upgrade, the database can be newer than this process. That is only a warning. */
function migrationsCheck({ missingMigrations }: OpenDatabase, log: Logger): Check {
  return {
    name: 'migrations',
    after: 'database',
    look: async () => {
      try {
        const missing = await missingMigrations();
        if (missing.length === 0) return undefined;
        return { reason: `${missing.length} missing, starting with ${missing[0]}`, stops: true };
      } catch (error) {
        if (error instanceof MigrationError) return { reason: error.message, stops: false };
        log.warn({ err: error }, 'cannot read the migrations of the database');
        return { reason: 'cannot read them', stops: true };
      }
    },
  };
}

/** Without the account there are no platform admins. Everything else works, so that is only a warning. */
function platformAccountCheck(database: OpenDatabase, log: Logger, name: string): Check {
  return {
    name: 'platform account',
    after: 'database',
    look: async () => {
      try {
        if (await hasPlatformAccount(database, name)) return undefined;
        return { reason: 'the account of PLATFORM_ACCOUNT does not exist', stops: false };
      } catch (error) {
        log.warn({ err: error }, 'cannot read the account of PLATFORM_ACCOUNT');
        return { reason: 'cannot read the account of PLATFORM_ACCOUNT', stops: false };
      }
    },
  };
}

/** Without the replica, the primary is read. */
function replicaCheck(replica: ReadReplica): Check {
  return {
    name: 'read replica',
    after: 'database',
    look: async () => {
      const reason = await replica.look();
      return reason === undefined ? undefined : { reason, stops: false };
    },
  };
}

function diskFinding(freeBytes: number) {
  if (freeBytes >= freeBytesTold) return undefined;
  const rule = `The process stops below ${freeBytesMin / mebibyte} MiB`;
  return { reason: `${Math.floor(freeBytes / mebibyte)} MiB are free. ${rule}`, stops: freeBytes < freeBytesMin };
}

/** A stalled task is only a warning, because requests do not depend on it for a while. */
function tasksCheck(taskRecord: TaskRecord): Check {
  return {
    name: 'background tasks',
    look: () => {
      const stalled = taskRecord
        .stalled()
        .map(({ task, seconds }) => `"${task}" has not succeeded for ${seconds} seconds`);
      return stalled.length === 0 ? undefined : { reason: stalled.join(', '), stops: false };
    },
  };
}
