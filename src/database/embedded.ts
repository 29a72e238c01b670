import { existsSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PGlite } from '@electric-sql/pglite';
import { closeToOthers, clusterOf, FolderError, snapshotOf, unpackedOf } from './embedded-folder.js';
import { openEmbeddedPool } from './embedded-pool.js';
import type { EmbeddedPool } from './embedded-pool.js';

/** With less free disk space, an embedded database is not opened, and an open one is shut down. */
export const freeBytesMin = 64 * 1024 * 1024;
const freeSpaceCheckMs = 2_000;

export interface EmbeddedEngine extends EmbeddedPool {
  pglite: PGlite;
  close: () => Promise<void>;
}

/** The message of a process that ends because the engine has crashed. */
export const crashMessage = 'The embedded database has crashed';

/** The disk has no space for an embedded database. */
export class DiskFullError extends Error {}

/**
 * Opens PostgreSQL inside this process. It runs without fsync: an acknowledged write survives any end of the process,
 * but not a power failure.
 *
 * @param onDiskFull called once when the disk is almost full or the folder was deleted. On a full disk the engine loops
 * forever, so the process has to stop before that.
 * @param onCrash called when the engine has crashed. It must end the process at once, because later statements seem to
 * succeed, and change nothing. By default, the process ends with code 1.
 * @throws {DiskFullError} if the disk is almost full already.
 */
export async function openEmbedded(
  path: string,
  onDiskFull: (reason: string) => void,
  onCrash: (error: unknown) => void = endProcess,
): Promise<EmbeddedEngine> {
  const full = diskFullReason(path);
  if (full !== undefined) throw new DiskFullError(full);
  const pglite = await openCluster(path);
  reportCrashes(pglite, onCrash);
  await pglite.exec("SET timezone = 'UTC'");
  // From now on, only the pool may run statements: the engine has one session, and does not know whose transaction runs.
  const opened = openEmbeddedPool(pglite);
  const watch = setInterval(() => {
    const reason = diskFullReason(path);
    if (reason === undefined) return;
    clearInterval(watch);
    onDiskFull(reason);
  }, freeSpaceCheckMs);
  watch.unref();
  const close = async () => {
    clearInterval(watch);
    await opened.pool.end();
    await pglite.close();
  };
  return { pglite, ...opened, close };
}

/**
 * A new cluster is unpacked from a prepared one, which takes a third of the time and half of the memory of initdb. A
 * marker file exists while it is unpacked; a cluster with a marker was interrupted, has no data, and is created again.
 */
async function openCluster(path: string): Promise<PGlite> {
  const cluster = clusterOf(path);
  const mark = join(path, 'unpacking');
  if (existsSync(mark)) rmSync(cluster, { recursive: true, force: true });
  const unpacked = unpackedOf(path);
  if (existsSync(unpacked) && !existsSync(cluster)) {
    throw new FolderError(`DATA_DIR: a restore into ${path} did not finish. Run it again, or delete ${unpacked}.`);
  }
  // Left by a restore that was killed at its end, and by a backup that was killed.
  rmSync(unpacked, { recursive: true, force: true });
  rmSync(snapshotOf(path), { recursive: true, force: true });
  const isNew = !existsSync(join(cluster, 'PG_VERSION'));
  if (isNew) writeFileSync(mark, '', { mode: 0o600 });
  closeToOthers(cluster);
  const prepared = isNew ? { loadDataDir: await preparedCluster() } : {};
  const pglite = await PGlite.create(cluster, prepared).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    throw new FolderError(`DATA_DIR: cannot open the database in ${path}: ${reason}. Restore a backup.`, {
      cause: error,
    });
  });
  rmSync(mark, { force: true });
  return pglite;
}

/** The package has a cluster with the migrations of its version. A clone has an empty one, and applies them. */
async function preparedCluster(): Promise<Blob> {
  const migrated = fileURLToPath(new URL('migrated-cluster.tar.gz', import.meta.url));
  if (existsSync(migrated)) return new Blob([await readFile(migrated)]);
  const { dataDir } = await import('@electric-sql/pglite-prepopulatedfs');
  return dataDir();
}

/** The status with which PostgreSQL leaves its main loop when a statement has failed. */
const statementFailed = 100;

/** PGlite ignores every error of the main loop, also a trap of WebAssembly, after which the state is undefined. */
function reportCrashes({ Module: engine }: PGlite, onCrash: (error: unknown) => void): void {
  const runMainLoop = engine._PostgresMainLoopOnce;
  engine._PostgresMainLoopOnce = () => {
    try {
      runMainLoop();
    } catch (error) {
      const isOfStatement =
        typeof error === 'object' && error !== null && 'status' in error && error.status === statementFailed;
      if (!isOfStatement) onCrash(error);
      throw error;
    }
  };
}

function endProcess(error: unknown): void {
  process.stderr.write(`${crashMessage}: ${String(error)}\n`);
  process.exit(1);
}

/** The free space on the disk of a folder (bytes); 0 if the folder does not exist. */
export function freeBytesOf(path: string): number {
  if (!existsSync(path)) return 0;
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize;
}

function diskFullReason(path: string): string | undefined {
  if (!existsSync(path)) return `DATA_DIR: the folder ${path} was deleted`;
  if (freeBytesOf(path) >= freeBytesMin) return undefined;
  return `DATA_DIR: less than ${freeBytesMin / 1024 / 1024} MiB are free on the disk of ${path}`;
}
