// A separate process that migrates and exits abruptly before its n-th message to the database.
import { readConfig } from '../../src/config.js';
import { migrate, readMigrations } from '../../src/database/migrate.js';
import { migrationsFolder, withMigrator } from '../../src/database/migrator.js';
import { trialMigrations } from './trial-migrations.js';

let left = Number(process.argv[2]);

function mayGoOn(): void {
  if (left-- <= 0) process.kill(process.pid, 'SIGKILL');
}

await withMigrator(readConfig(process.env), async (connection) => {
  const mortal: typeof connection = {
    query: (sql, parameters) => {
      mayGoOn();
      return connection.query(sql, parameters);
    },
    script: (sql) => {
      mayGoOn();
      return connection.script(sql);
    },
  };
  await migrate(mortal, [...readMigrations(migrationsFolder), ...trialMigrations]);
});
process.stdout.write('done');
