// The folder of an embedded database: whose it is, what is in it, and who may read it.
import {
  chmodSync,
  closeSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { randomBytes } from 'node:crypto';
import { join, resolve } from 'node:path';
import { tryLock } from 'fs-native-extensions';

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
        'Only one process can use an embedded database. To run several, use DATABASE_URL.',
    );
  }
  ftruncateSync(lock);
  writeSync(lock, String(process.pid));
  return { path, adminSocket: adminSocketOf(path), release: () => closeSync(lock) };
}

/** Whether there is an embedded database in a folder. */
export function holdsDatabase(folder: string): boolean {
  return existsSync(clusterOf(resolve(folder)));
}

/** Where PostgreSQL's own files are. */
export function clusterOf(path: string): string {
  return join(path, 'postgres');
}

/** The secret of the folder, where one was made. */
export function secretOf(path: string): string {
  return join(path, 'secret');
}

/** Where a copy of the cluster is while a backup of it is packed. */
export function snapshotOf(path: string): string {
  return join(path, 'snapshot');
}

/** Where the process that holds a folder takes admin commands. */
export function adminSocketOf(path: string): string {
  return join(path, 'admin.sock');
}

/** The secret of an embedded database's folder, made once and readable by its owner alone. */
export function folderSecret(path: string): string {
  const file = secretOf(path);
  try {
    writeFileSync(file, randomBytes(32).toString('base64url'), { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    chmodSync(file, 0o600);
  }
  return readFileSync(file, 'utf8').trim();
}

/**
 * Keeps the database's files to their owner: PGlite makes files that everybody may write. The folder around them may
 * be anybody's, and is not ours to change.
 */
export function closeToOthers(cluster: string): void {
  mkdirSync(cluster, { recursive: true });
  chmodSync(cluster, 0o700);
}
