// Writes the file of the package that a new embedded database is unpacked from: a cluster with all migrations applied.
import { writeFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbedded } from './embedded.js';
import { migrate, readMigrations } from './migrate.js';
import { embeddedConnection, migrationsFolder } from './migrator.js';

const [file = 'migrated-cluster.tar.gz'] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'migrated-cluster-'));
try {
  const { pglite, close } = await openEmbedded(folder, () => {});
  await migrate(embeddedConnection(pglite), readMigrations(migrationsFolder));
  const cluster = await pglite.dumpDataDir('gzip');
  writeFileSync(file, Buffer.from(await cluster.arrayBuffer()));
  await close();
} finally {
  rmSync(folder, { recursive: true });
}
