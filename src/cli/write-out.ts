// Streams the output of a command to a file or to standard output, with backpressure.
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { NewFileError, writeNewFile } from '../database/write-new-file.js';
import { UsageError } from './command.js';
import type { Admin } from './command.js';
import type { Print } from './print.js';

/** The message of an interrupted command that writes a file. */
export const nothingWritten = 'Interrupted. Nothing was written.';

/**
 * Writes a text to a new file, or to standard output if no file is given. A file that is incomplete is deleted. An
 * interrupted command says so, with the exit code 1. A reader that closes the pipe has what it wanted: the exit code stays 0.
 *
 * @throws {UsageError} if the file exists or cannot be written.
 */
export async function writeOut(
  admin: Admin,
  pieces: AsyncIterable<string>,
  output: string | undefined,
  print: Print,
): Promise<void> {
  const { folder, standardOutput, interrupted: signal } = admin;
  const text = Readable.from(pieces, { objectMode: false });
  try {
    if (output !== undefined) {
      await writeNewFile(resolve(folder, output), (content) => pipeline(text, content, { signal }));
    } else if (standardOutput !== undefined) {
      await pipeline(text, standardOutput, { end: false, signal });
    } else throw new UsageError('--output: must be a file here');
  } catch (error) {
    if (output === undefined && isClosedPipe(error)) return;
    if (error instanceof NewFileError) throw new UsageError(`--output: ${error.message}`);
    if (!isInterruption(error)) throw error;
    print.problem(output === undefined ? 'Interrupted. The output is incomplete.' : nothingWritten);
  }
}

/** Whether the error says that the reader of the output has stopped reading, as "head" does. */
export function isClosedPipe(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EPIPE';
}

/** Whether a stream ended because the user interrupted the command. */
export function isInterruption(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ABORT_ERR';
}
