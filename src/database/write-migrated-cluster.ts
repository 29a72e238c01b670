// Writes the file of the package that a new embedded database is unpacked from: a cluster with all migrations applied.
// The same migrations give the same bytes, so that everybody can build the package again and compare. Therefore the clock of the
// database stands at the time of each migration, its random numbers repeat, and the files have fixed times.
import { createHash } from 'node:crypto';
import { writeFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { packTar, unpackTar } from 'modern-tar';
import { openEmbedded } from './embedded.js';
import { migrate, readMigrations } from './migrate.js';
import type { Migration } from './migrate.js';
import { migrationsFolder, onOneConnection } from './migrator.js';

/** The process of the cluster writes it, and a start writes it again. */
const notPacked = new Set(['postmaster.pid']);

const [file = 'migrated-cluster.tar.gz'] = process.argv.slice(2);
const migrations = readMigrations(migrationsFolder);
let clock = timeOf(migrations[0]);
let block = 0;
Date.now = () => clock.getTime();
crypto.getRandomValues = (array) => {
  if (array !== null) fill(new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
  return array;
};
const folder = mkdtempSync(join(tmpdir(), 'migrated-cluster-'));
try {
  const { pglite, pool, close } = await openEmbedded(folder, () => {});
  for (const [index, migration] of migrations.entries()) {
    clock = timeOf(migration);
    const applied = migrations.slice(0, index + 1);
    await onOneConnection(pool, (connection) => migrate(connection, applied, { recordId: idOf }));
  }
  const cluster = await pglite.dumpDataDir('gzip');
  writeFileSync(file, await withFixedTimes(Buffer.from(await cluster.arrayBuffer())));
  await close();
} finally {
  rmSync(folder, { recursive: true });
}

/** The time in the name of a migration, which starts with YYYYMMDDHHMMSS. */
function timeOf(migration: Migration | undefined): Date {
  const [, date, time] = /^(\d{8})(\d{6})/.exec(migration?.name ?? '') ?? [];
  const day = date?.replace(/(....)(..)(..)/, '$1-$2-$3');
  const at = new Date(`${day}T${time?.replace(/(..)(..)(..)/, '$1:$2:$3')}Z`);
  if (Number.isNaN(at.getTime())) throw new Error(`The migration ${migration?.name} has no time in its name.`);
  return at;
}

/** An id for the record of a migration that is the same for each package. */
function idOf({ name }: Migration): string {
  const digest = createHash('sha256').update(name).digest('hex');
  return digest.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** Bytes of a hash of a counter. They protect nothing: each start draws its own keys. */
function fill(bytes: Uint8Array): void {
  for (let from = 0; from < bytes.length; from += 32) {
    const digest = createHash('sha256').update(String(block++)).digest();
    bytes.set(digest.subarray(0, Math.min(32, bytes.length - from)), from);
  }
}

/** The archive with its files in the order of their names, and with the time of the last migration. */
async function withFixedTimes(archive: Buffer): Promise<Uint8Array> {
  const entries = await unpackTar(gunzipSync(archive));
  const kept = entries
    .filter(({ header }) => !notPacked.has(header.name.replace(/^\//, '')))
    .toSorted((one, other) => (one.header.name < other.header.name ? -1 : 1))
    .map(({ header, data }) => {
      const { name, type, size, mode } = header;
      const fixed = { name, size, mtime: timeOf(migrations.at(-1)), uid: 0, gid: 0, uname: '', gname: '' };
      return {
        header: { ...fixed, ...(type === undefined ? {} : { type }), ...(mode === undefined ? {} : { mode }) },
        ...(data === undefined ? {} : { body: data }),
      };
    });
  return gzipSync(await packTar(kept), { level: 9 });
}
