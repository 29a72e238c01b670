import {
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  statfsSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { randomBytes } from 'node:crypto';
import { join, resolve } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { tryLock } from 'fs-native-extensions';

/** Below this much free disk an embedded database is not opened, and an open one is closed in good order. */
const freeBytesMin = 64 * 1024 * 1024;
const freeSpaceCheckMs = 2_000;

/** Another process holds the folder. */
export class FolderInUseError extends Error {}

export interface EmbeddedFolder {
  path: string;
  /** Where the process that holds the folder takes admin commands. */
  adminSocket: string;
  release: () => void;
}

/**
 * Takes the folder for this process, and makes it when it does not exist. PGlite itself takes no lock,
 * and two processes on one folder silently lose rows. The lock is the kernel's (an open file description
 * lock), so it ends with the process however that dies, and it holds between containers of one machine.
 *
 * @throws {FolderInUseError} when another process has it.
 */
export function lockFolder(folder: string): EmbeddedFolder {
  const path = resolve(folder);
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const lock = openSync(join(path, 'gateway.lock'), 'a+', 0o600);
  if (!tryLock(lock)) {
    const holder = readFileSync(join(path, 'gateway.lock'), 'utf8').trim();
    closeSync(lock);
    throw new FolderInUseError(
      `DATA_DIR: the folder ${path} is in use by another gateway${holder === '' ? '' : ` (process ${holder})`}. ` +
        'One embedded database serves one process; use DATABASE_URL for several.',
    );
  }
  ftruncateSync(lock);
  writeSync(lock, String(process.pid));
  return { path, adminSocket: adminSocketOf(path), release: () => closeSync(lock) };
}

/** Where the process that holds a folder takes admin commands. */
export function adminSocketOf(path: string): string {
  return join(path, 'admin.sock');
}

/** The secret of an embedded database's folder, made once and readable by its owner alone. */
export function folderSecret(path: string): string {
  const file = join(path, 'secret');
  try {
    writeFileSync(file, randomBytes(32).toString('base64url'), { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
  return readFileSync(file, 'utf8').trim();
}

/**
 * Opens PostgreSQL inside this process. It runs without fsync: an acknowledged write survives the end of
 * the process, however sudden, but not a loss of power.
 *
 * @param onDiskFull called once when the disk is about to be full. A full disk makes the engine spin for
 *   good, so the process has to stop before that.
 */
export async function openEmbedded(path: string, onDiskFull: (reason: string) => void): Promise<EmbeddedEngine> {
  const full = diskFullReason(path);
  if (full !== undefined) throw new Error(full);
  const pglite = await PGlite.create(join(path, 'postgres'));
  await pglite.exec("SET timezone = 'UTC'");
  const watch = setInterval(() => {
    const reason = diskFullReason(path);
    if (reason === undefined) return;
    clearInterval(watch);
    onDiskFull(reason);
  }, freeSpaceCheckMs);
  watch.unref();
  const close = async () => {
    clearInterval(watch);
    await pglite.close();
  };
  return { pglite, close };
}

export interface EmbeddedEngine {
  pglite: PGlite;
  close: () => Promise<void>;
}

function diskFullReason(path: string): string | undefined {
  const { bavail, bsize } = statfsSync(path);
  if (bavail * bsize >= freeBytesMin) return undefined;
  return `DATA_DIR: less than ${freeBytesMin / 1024 / 1024} MiB are free on the disk of ${path}`;
}
