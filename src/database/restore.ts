import { createReadStream, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { unpackTar } from 'modern-tar/fs';
import { BackupError, backupManifest, manifestName, sizeOf } from './backup.js';
import type { BackupManifest } from './backup.js';
import { openEmbedded } from './embedded.js';
import { clusterOf, lockFolder, namesIn, secretOf, unpackedOf } from './embedded-folder.js';
import { missingMigrations, readMigrations } from './migrate.js';
import { connectionOf, migrationsFolder } from './migrator.js';

/** Files that a folder counting as empty may have. */
const holdsNothing = ['gateway.lock', 'lost+found'];

/**
 * Creates the folder of an embedded database from a backup. The backup is unpacked next to its destination and opened
 * once; only a database that opens is moved there.
 *
 * @throws {BackupError} if the folder is not empty, or the file is not a complete backup.
 * @throws {FolderError} if the folder cannot be used.
 * @throws {MigrationError} if the backup has a newer version than this program.
 */
export async function restoreFolder(file: string, folder: string): Promise<BackupManifest> {
  if (!existsSync(file)) throw new BackupError(`The file ${file} does not exist.`);
  requireEmpty(resolve(folder));
  const { path, release } = lockFolder(folder);
  const staging = unpackedOf(path);
  try {
    requireEmpty(path);
    rmSync(secretOf(path), { force: true });
    rmSync(staging, { recursive: true, force: true });
    mkdirSync(staging, { mode: 0o700 });
    await unpack(file, staging);
    const manifest = checkWhole(file, staging);
    await requireOpens(staging);
    if (existsSync(secretOf(staging))) renameSync(secretOf(staging), secretOf(path));
    // A folder with a cluster counts as a database, so the cluster is moved last.
    renameSync(clusterOf(staging), clusterOf(path));
    return manifest;
  } finally {
    rmSync(staging, { recursive: true, force: true });
    release();
  }
}

function requireEmpty(path: string): void {
  const names = namesIn(path);
  const staging = basename(unpackedOf(path));
  // A restore that was killed has left its files, and perhaps the secret, which it moves first.
  const ignored = names.includes(staging) ? [...holdsNothing, staging, basename(secretOf(path))] : holdsNothing;
  const content = names.find((name) => !ignored.includes(name));
  if (content === undefined) return;
  throw new BackupError(`DATA_DIR: ${path} is not empty (${content}). Restore into a new or empty folder.`);
}

async function unpack(file: string, staging: string): Promise<void> {
  const unpacked = unpackTar(staging, {
    strict: true,
    dmode: 0o700,
    fmode: 0o600,
    filter: ({ name, type = 'file' }) => {
      const isOurs = /^(backup\.json|secret|postgres(\/.*)?)$/.test(name) && !name.split('/').includes('..');
      if (isOurs && (type === 'file' || type === 'directory')) return true;
      throw new BackupError(`${file} is not a backup: it contains ${name}.`);
    },
  });
  try {
    await pipeline(createReadStream(file), createGunzip(), unpacked);
  } catch (error) {
    if (error instanceof BackupError) throw error;
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'Z_BUF_ERROR') throw new BackupError(`${file} is truncated.`, { cause: error });
    if (code === 'Z_DATA_ERROR') throw new BackupError(`${file} is damaged or not a backup.`, { cause: error });
    if (code === 'ENOSPC')
      throw new BackupError(`DATA_DIR: there is not enough disk space for ${file}.`, { cause: error });
    throw new BackupError(`${file} cannot be unpacked: ${String(error)}`, { cause: error });
  }
}

function checkWhole(file: string, staging: string): BackupManifest {
  const manifestFile = join(staging, manifestName);
  if (!existsSync(manifestFile)) throw new BackupError(`${file} is not a backup: it contains no ${manifestName}.`);
  const parsed = backupManifest.safeParse(jsonOf(manifestFile));
  if (!parsed.success) throw new BackupError(`${file} is a backup in a format that this version does not support.`);
  const found = sizeOf(clusterOf(staging));
  if (found.files === parsed.data.files && found.bytes === parsed.data.bytes) return parsed.data;
  throw new BackupError(`${file} is incomplete: it contains ${found.files} of ${parsed.data.files} files.`);
}

function jsonOf(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    // The schema rejects a manifest that is not JSON.
    return undefined;
  }
}

/**
 * How many claims, or changes of an account, may have been lost since the backup. The numbers of those are not given again:
 * executors, readers of changes and receivers of webhooks have seen them.
 */
const skippedNumbers = 1_000_000_000;

async function requireOpens(staging: string): Promise<void> {
  const { pool, close } = await openEmbedded(staging, () => {});
  try {
    await missingMigrations(connectionOf(pool), readMigrations(migrationsFolder));
    await pool.query(`SELECT setval('assignment_fence', nextval('assignment_fence') + ${skippedNumbers})`);
    await pool.query(`UPDATE "change_head" SET "last" = "last" + ${skippedNumbers}`);
  } finally {
    await close();
  }
}
