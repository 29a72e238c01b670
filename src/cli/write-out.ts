// Streams the output of a command to a file or to standard output, with backpressure.
import { createWriteStream } from 'node:fs';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { UsageError } from './command.js';
import type { Admin } from './command.js';
import type { Print } from './print.js';

/**
 * Writes a text to a new file, or to standard output if no file is given. An interrupted command reports that the output
 * is incomplete, with the exit code 1. A reader that closes the pipe has what it wanted: the exit code stays 0.
 *
 * @throws {UsageError} if the file exists or cannot be created.
 */
export async function writeOut(
  admin: Admin,
  pieces: AsyncIterable<string>,
  output: string | undefined,
  print: Print,
): Promise<void> {
  const text = Readable.from(pieces, { objectMode: false });
  const signal = admin.interrupted;
  try {
    await pipeline(text, openOutput(admin, output), { end: output !== undefined, ...(signal && { signal }) });
  } catch (error) {
    if (isClosedPipe(error)) return;
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ABORT_ERR') {
      print.problem('Interrupted. The output is incomplete.');
      return;
    }
    if (output !== undefined && error instanceof Error && 'syscall' in error) {
      throw new UsageError(`--output: ${error.message}`);
    }
    throw error;
  }
}

/** Whether the error says that the reader of the output has stopped reading, as "head" does. */
export function isClosedPipe(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EPIPE';
}

/** Only the owner can read a new file. */
function openOutput({ folder, standardOutput }: Admin, output: string | undefined): Writable {
  if (output !== undefined) return createWriteStream(resolve(folder, output), { flags: 'wx', mode: 0o600 });
  if (standardOutput === undefined) throw new UsageError('--output: must be a file here');
  return standardOutput;
}
