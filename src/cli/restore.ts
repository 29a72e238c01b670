// `control-plane restore FILE` restores an embedded database from a backup. It is separate from the other commands,
// because those require a database.
import { resolve } from 'node:path';
import type { Config } from '../config.js';
import { BackupError } from '../database/backup.js';
import { restoreFolder } from '../database/restore.js';
import { startFailure } from '../database/start-failure.js';
import type { CommandResult } from './print.js';

const usageExitCode = 2;

export const restoreUsage = 'restore FILE [--json]';
export const restoreSummary = 'Restore the embedded database from a backup, into a new or empty DATA_DIR.';

/** Runs the command line if it is this command. @returns undefined for another command. */
export async function runRestore(argv: string[], config: () => Config): Promise<CommandResult | undefined> {
  const [command, ...rest] = argv;
  const [file, ...more] = rest.filter((word) => word !== '--json');
  if (command !== 'restore' || argv.includes('--help') || argv.includes('-h')) return undefined;
  if (file === undefined || file.startsWith('-') || more.length > 0) {
    return { stdout: '', stderr: `Usage: ${restoreUsage}\n`, exitCode: usageExitCode };
  }
  try {
    const { DATABASE_URL: url, DATA_DIR: folder } = config();
    if (url !== undefined) {
      throw new BackupError(
        'DATABASE_URL is set. restore works only with the embedded database. For a PostgreSQL server, use pg_restore.',
      );
    }
    const { createdAt } = await restoreFolder(resolve(file), folder);
    const record = JSON.stringify({ createdAt, folder: resolve(folder) });
    const sentence = `Restored the backup of ${createdAt} into ${resolve(folder)}.`;
    return { stdout: `${rest.includes('--json') ? record : sentence}\n`, stderr: '', exitCode: 0 };
  } catch (error) {
    const reason = error instanceof BackupError ? error.message : startFailure(error);
    return { stdout: '', stderr: `${reason}\n`, exitCode: 1 };
  }
}
