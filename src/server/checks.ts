// What serving rests on, as /readyz tells it.
import type { Logger } from 'pino';
import { platformAccountId } from '../auth/platform-account.js';
import { freeBytesMin } from '../database/embedded.js';
import { MigrationError } from '../database/migrate.js';
import { DatabaseSettingError } from '../database/open.js';
import type { OpenDatabase } from '../database/open.js';
import type { ReadReplica } from '../database/read-replica.js';
import type { Check } from '../http/readiness.js';
import type { TaskRecord } from './task-record.js';

/** Below this much free disk it is time to do something. */
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
  const platform = platformAccount === undefined ? [] : [platformAccountCheck(database, platformAccount)];
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
        log.warn({ err: error }, 'the database does not answer');
        return { reason: error instanceof DatabaseSettingError ? error.message : 'it does not answer', stops: true };
      }
    },
  };
}

/** While processes of a newer version take the place of this one, the database is ahead of it: that is no reason to stop. */
function migrationsCheck({ missingMigrations }: OpenDatabase, log: Logger): Check {
  return {
    name: 'migrations',
    after: 'database',
    look: async () => {
      try {
        const missing = await missingMigrations();
        if (missing.length === 0) return undefined;
        return { reason: `${missing.length} missing, the first is ${missing[0]}`, stops: true };
      } catch (error) {
        if (error instanceof MigrationError) return { reason: error.message, stops: false };
        log.warn({ err: error }, 'the migrations of the database cannot be read');
        return { reason: 'they cannot be read', stops: true };
      }
    },
  };
}

/** Without it nobody is an admin of the platform, and all else goes on: it may be made yet, by the command line. */
function platformAccountCheck({ upkeepDb }: OpenDatabase, name: string): Check {
  return {
    name: 'platform account',
    after: 'database',
    look: async () =>
      (await platformAccountId(upkeepDb, name)) === undefined
        ? { reason: 'PLATFORM_ACCOUNT names none', stops: false }
        : undefined,
  };
}

/** Without it the database itself is read. */
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
  const rule = `the process stops below ${freeBytesMin / mebibyte}`;
  return { reason: `${Math.floor(freeBytes / mebibyte)} MiB are free; ${rule}`, stops: freeBytes < freeBytesMin };
}

/** Requests do themselves what a stalled task leaves undone, or nobody needs it for a while. */
function tasksCheck(taskRecord: TaskRecord): Check {
  return {
    name: 'upkeep',
    look: () => {
      const stalled = taskRecord
        .stalled()
        .map(({ job, seconds }) => `"${job}" has not succeeded for ${seconds} seconds`);
      return stalled.length === 0 ? undefined : { reason: stalled.join(', '), stops: false };
    },
  };
}
