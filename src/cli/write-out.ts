// What a command writes out piece by piece, as fast as whoever reads it takes it.
import { createWriteStream } from 'node:fs';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { UsageError } from './command.js';
import type { Admin } from './command.js';

/**
 * Writes a text to a new file, or to standard output where none is named.
 *
 * @throws {UsageError} for a file that is there already, or cannot be made; and what the pieces throw.
 */
export async function writeOut(admin: Admin, pieces: AsyncIterable<string>, output: string | undefined): Promise<void> {
  const text = Readable.from(pieces, { objectMode: false });
  const signal = admin.interrupted;
  try {
    await pipeline(text, openOutput(admin, output), { end: output !== undefined, ...(signal && { signal }) });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    // Whoever read it has had enough, or whoever asked for it.
    if (code === 'EPIPE' || code === 'ABORT_ERR') return;
    if (output !== undefined && error instanceof Error && 'syscall' in error) {
      throw new UsageError(`--output: ${error.message}`);
    }
    throw error;
  }
}

/** A new file is its owner's alone. */
function openOutput({ folder, standardOutput }: Admin, output: string | undefined): Writable {
  if (output !== undefined) return createWriteStream(resolve(folder, output), { flags: 'wx', mode: 0o600 });
  if (standardOutput === undefined) throw new UsageError('--output: must name a file here');
  return standardOutput;
}
