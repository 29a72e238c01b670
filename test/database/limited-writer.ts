// A separate process that writes a new file of 1 MiB, and prints what it was told if that failed.
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { NewFileError, writeNewFile } from '../../src/database/write-new-file.js';

// A write beyond the limit of the process fails, instead of ending it.
process.on('SIGXFSZ', () => {});
const [file = ''] = process.argv.slice(2);
try {
  await writeNewFile(file, (content) => pipeline(Readable.from(Array(64).fill('x'.repeat(16_384))), content));
} catch (error) {
  if (!(error instanceof NewFileError)) throw error;
  process.stdout.write(error.message);
}
