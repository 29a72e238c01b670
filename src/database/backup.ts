// Backups of an embedded database while it is in use: a compressed tar file with PostgreSQL's own files and the secret
// of the folder, so that a restore needs nothing else.
import { constants, cpSync, existsSync, mkdirSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { packTar } from 'modern-tar/fs';
import type { TarSource } from 'modern-tar/fs';
import type pg from 'pg';
import { z } from 'zod';
import { freeBytesMin, freeBytesOf } from './embedded.js';
import { clusterOf, secretOf, snapshotOf } from './embedded-folder.js';
import { writeNewFile } from './write-new-file.js';

/** A backup is invalid or cannot be made. The message names the file or folder. */
export class BackupError extends Error {}

/** The manifest of a backup, in a file of its own. */
export const backupManifest = z.object({
  format: z.literal('workload-control-plane embedded 1'),
  createdAt: z.iso.datetime(),
  files: z.int(),
  bytes: z.int(),
});

export type BackupManifest = z.output<typeof backupManifest>;

/** Fast: the files are mostly zeros and numbers, which compress equally well at any level. */
const compressionLevel = 3;

export const manifestName = 'backup.json';

/**
 * Writes a backup to a new file.
 *
 * @param interrupted ends the backup, without a file.
 * @throws {NewFileError} if the file exists or cannot be written; {BackupError} if another backup is running, or if there is
 * too little disk space for the copy.
 */
export type BackUp = (file: string, now: Date, interrupted?: AbortSignal) => Promise<BackupManifest>;

/** Creates backups of an open database, one at a time. */
export function createBackUp(pool: pg.Pool, folder: string): BackUp {
  let isBusy = false;
  return async (file, now, interrupted) => {
    if (isBusy) throw new BackupError('Another backup is already running.');
    isBusy = true;
    try {
      return await writeNewFile(file, (content) => backUp(pool, folder, content, now, interrupted));
    } finally {
      isBusy = false;
    }
  };
}

async function backUp(
  pool: pg.Pool,
  folder: string,
  content: Writable,
  now: Date,
  interrupted: AbortSignal | undefined,
): Promise<BackupManifest> {
  const snapshot = snapshotOf(folder);
  try {
    // A checkpoint shortens the write-ahead log that a restore has to replay.
    await pool.query('CHECKPOINT');
    await rm(snapshot, { recursive: true, force: true });
    requireRoom(folder);
    mkdirSync(snapshot, { mode: 0o700 });
    // PostgreSQL runs in this thread, so a synchronous copy is the state that a crash would leave, with every
    // acknowledged write. Compressing it takes longer, and does not block statements.
    cpSync(clusterOf(folder), snapshot, { recursive: true, mode: constants.COPYFILE_FICLONE });
    const { files, bytes } = sizeOf(snapshot);
    const manifest: BackupManifest = {
      format: 'workload-control-plane embedded 1',
      createdAt: now.toISOString(),
      files,
      bytes,
    };
    const compressed = createGzip({ level: compressionLevel });
    await pipeline(packTar(contentOf(folder, snapshot, manifest)), compressed, content, { signal: interrupted });
    return manifest;
  } finally {
    await rm(snapshot, { recursive: true, force: true });
  }
}

function contentOf(folder: string, snapshot: string, manifest: BackupManifest): TarSource[] {
  const secret = secretOf(folder);
  return [
    { type: 'content', content: JSON.stringify(manifest), target: manifestName, mode: 0o600 },
    { type: 'directory', source: snapshot, target: 'postgres' },
    // There is no secret file if SERVICE_SECRETS is set.
    ...(existsSync(secret)
      ? [{ type: 'content' as const, content: readFileSync(secret), target: 'secret', mode: 0o600 }]
      : []),
  ];
}

/** Checks the free disk space first: a full disk would end the process. */
function requireRoom(folder: string): void {
  const needed = sizeOf(clusterOf(folder)).bytes + 2 * freeBytesMin;
  if (freeBytesOf(folder) >= needed) return;
  throw new BackupError(
    `A backup temporarily needs ${Math.ceil(needed / 1024 / 1024)} MiB of free disk space in ${folder}.`,
  );
}

/** The number and the total size of the files in a folder. */
export function sizeOf(folder: string): { files: number; bytes: number } {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const bytes = files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
  return { files: files.length, bytes };
}
