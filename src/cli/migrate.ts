// `control-plane migrate` runs missing migrations as a separate command, because the other commands require a migrated
// database.
import { readConfig } from '../config.js';
import { missingMigrations, migrate, readMigrations } from '../database/migrate.js';
import type { Migration } from '../database/migrate.js';
import { migrationsFolder, withMigrator } from '../database/migrator.js';
import { startFailure } from '../database/start-failure.js';
import type { CommandResult } from './print.js';
import { isToBeCreated, NoDatabaseError, requireNamedDatabase } from './which-database.js';

const missingExitCode = 3;
const usageExitCode = 2;

export const migrateUsage = 'migrate [--check] [--json]';
export const migrateSummary =
  'Run missing migrations. With --check, list them and exit with status 3 if there are any; creates nothing.';

/**
 * Runs the command line if it is this command.
 *
 * @returns undefined for another command. The exit code of `--check` is 3 if migrations are missing.
 */
export async function runMigrate(
  argv: string[],
  environment: Record<string, string | undefined>,
  tell: (line: string) => void,
): Promise<CommandResult | undefined> {
  const [command, ...options] = argv;
  if (command !== 'migrate' || argv.includes('--help') || argv.includes('-h')) return undefined;
  if (new Set(options).size < options.length || options.some((each) => each !== '--check' && each !== '--json')) {
    return { stdout: '', stderr: `Usage: ${migrateUsage}\n`, exitCode: usageExitCode };
  }
  const isCheck = options.includes('--check');
  const isJson = options.includes('--json');
  try {
    const config = readConfig(environment);
    const migrations = readMigrations(migrationsFolder);
    if (isCheck) {
      requireNamedDatabase(environment);
      if (isToBeCreated(config)) return missing(migrations, isJson);
    }
    return await withMigrator(config, async (connection) => {
      if (isCheck) return missing(await missingMigrations(connection, migrations), isJson);
      const onWait = () => tell('Waiting for another process that migrates the database.');
      return listed('applied', 'was applied', await migrate(connection, migrations, { onWait }), isJson);
    });
  } catch (error) {
    const reason = error instanceof NoDatabaseError ? error.message : startFailure(error);
    return { stdout: '', stderr: `${reason}\n`, exitCode: 1 };
  }
}

function missing(migrations: readonly Migration[], isJson: boolean): CommandResult {
  const names = migrations.map(({ name }) => name);
  return { ...listed('missing', 'is missing', names, isJson), exitCode: names.length === 0 ? 0 : missingExitCode };
}

/** The names as text, or as an array in a field of JSON. */
function listed(field: string, heading: string, names: string[], isJson: boolean): CommandResult {
  const lines = names.length === 0 ? ['The database is up to date.'] : names.map((name) => `${name} ${heading}.`);
  return { stdout: `${isJson ? JSON.stringify({ [field]: names }) : lines.join('\n')}\n`, stderr: '', exitCode: 0 };
}
