// The folder of an embedded database: its lock, its contents and its file permissions.
import {
  chmodSync,
  closeSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { randomBytes } from 'node:crypto';
import { dirname, join, resolve } from 'node:path';
import { tryLock } from 'fs-native-extensions';
import { secretLengthMin } from '../config/service-settings.js';

/** Another process has locked the folder. */
export class FolderInUseError extends Error {}

/** The folder cannot be created, or its files cannot be opened. */
export class FolderError extends Error {}

export interface EmbeddedFolder {
  path: string;
  /** The socket on which the process that locked the folder takes admin commands. */
  adminSocket: string;
  release: () => void;
}

/**
 * Locks the folder for this process, and creates it if it does not exist. PGlite itself takes no lock, and two
 * processes on one folder silently lose rows. The lock is the kernel's (an open file description lock), so it ends with
 * the process however that dies, and it works between containers of one machine.
 *
 * @throws {FolderInUseError} if another process has locked it; {FolderError} if it cannot be used.
 */
export function lockFolder(folder: string): EmbeddedFolder {
  const path = resolve(folder);
  const lock = openLock(path);
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

function openLock(path: string): number {
  try {
    createFolder(path);
    return openSync(join(path, 'gateway.lock'), 'a+', 0o600);
  } catch (error) {
    throw unusable(path, error);
  }
}

function unusable(path: string, error: unknown): FolderError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return new FolderError(`DATA_DIR: cannot use ${path} as a folder: ${folderProblems[code] ?? code}`, { cause: error });
}

/** Why the system refuses a folder, by its error code. */
const folderProblems: Partial<Record<string, string>> = {
  ENOTDIR: 'it is a file, or is in one',
  ENOENT: 'the file system allows no folder there',
  EACCES: 'this user has no permission to write there',
  EPERM: 'this user has no permission to write there',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  ENAMETOOLONG: 'the path is too long',
  ELOOP: 'the path has too many symbolic links',
};

/** mkdirSync() with `recursive` never returns in a file system that has no new folders, such as /proc. */
function createFolder(path: string): void {
  if (existsSync(path)) return;
  createFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}

/** The names in a folder; none if it does not exist. @throws {FolderError} if it cannot be read. */
export function namesIn(path: string): string[] {
  if (!existsSync(path)) return [];
  try {
    return readdirSync(path);
  } catch (error) {
    throw unusable(path, error);
  }
}

/** Whether a folder has an embedded database. */
export function holdsDatabase(folder: string): boolean {
  return existsSync(clusterOf(resolve(folder)));
}

/** The directory of PostgreSQL's own files. */
export function clusterOf(path: string): string {
  return join(path, 'postgres');
}

/** The path of the folder's secret. */
export function secretOf(path: string): string {
  return join(path, 'secret');
}

/** The path of the cluster's copy while a backup is compressed. */
export function snapshotOf(path: string): string {
  return join(path, 'snapshot');
}

/** The path of the files of a restore that has not finished. */
export function unpackedOf(path: string): string {
  return join(path, 'restoring');
}

/** The path of the admin socket. */
export function adminSocketOf(path: string): string {
  return join(path, 'admin.sock');
}

/**
 * The secret of an embedded database's folder, created once and readable by its owner only.
 *
 * @throws {FolderError} if the file is empty or shorter than a secret, as a full disk or a power failure can leave it.
 */
export function folderSecret(path: string): string {
  const file = secretOf(path);
  if (!existsSync(file)) {
    writeFileSync(`${file}.new`, randomBytes(32).toString('base64url'), { mode: 0o600, flush: true });
    renameSync(`${file}.new`, file);
  }
  chmodSync(file, 0o600);
  const secret = readFileSync(file, 'utf8').trim();
  if (secret.length >= secretLengthMin) return secret;
  throw new FolderError(
    `DATA_DIR: ${file} is not a complete secret. Replace it with that of a backup, or delete it if the database is new.`,
  );
}

/**
 * Restricts the database's files to their owner, because PGlite creates files that everyone can write. The permissions
 * of the parent folder stay unchanged.
 */
export function closeToOthers(cluster: string): void {
  mkdirSync(cluster, { recursive: true });
  chmodSync(cluster, 0o700);
}
