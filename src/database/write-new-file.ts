// Files of commands, such as backups and exports, appear under their name once they are complete.
import { existsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { networkReasons } from './failures.js';

/** A new file cannot be written. The message names it. */
export class NewFileError extends Error {}

/**
 * Writes a new file, which only its owner can read. The content is written to `FILE.part`, which is renamed at the end, and
 * deleted if the write fails.
 *
 * @param write writes the content, and ends the stream.
 * @throws {NewFileError} if the file exists or cannot be written; the errors of `write`.
 */
export async function writeNewFile<Result>(
  file: string,
  write: (content: Writable) => Promise<Result>,
): Promise<Result> {
  requireFree(file);
  const part = `${file}.part`;
  const handle = await create(file, part);
  // A file that has its name is on the disk.
  const content = handle.createWriteStream({ flush: true });
  try {
    const result = await write(content);
    requireFree(file);
    await rename(part, file);
    return result;
  } catch (error) {
    content.destroy();
    await rm(part, { force: true });
    const code = codeOf(error);
    throw code === undefined ? error : cannotBeWritten(file, code);
  }
}

/** Creates the unfinished file. One that exists is of a running command, or of one that was killed. */
async function create(file: string, part: string): Promise<FileHandle> {
  try {
    return await open(part, 'wx', 0o600);
  } catch (error) {
    const code = codeOf(error);
    if (code !== 'EEXIST') throw cannotBeWritten(file, code ?? '');
    throw new NewFileError(
      `${part} already exists. Another command is writing it, or was killed. In the latter case, delete it.`,
    );
  }
}

function requireFree(file: string): void {
  if (existsSync(file)) throw new NewFileError(`${file} already exists. Choose the name of a new file.`);
}

function cannotBeWritten(file: string, code: string): NewFileError {
  return new NewFileError(`${file} cannot be written (${code}).`);
}

/** The error code of a failed file system call. The content can come from a database, whose connection can fail, too. */
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error && 'syscall' in error && 'code' in error)) return undefined;
  const code = String(error.code);
  return networkReasons.has(code) ? undefined : code;
}
