// A file of a command has its name when it is complete, and only then.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { NewFileError, writeNewFile } from '../../src/database/write-new-file.js';
import { programWords } from '../program-flags.js';

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'new-file-'));
  file = join(folder, 'export');
});

afterEach(() => rmSync(folder, { recursive: true }));

/** Writes pieces, and calls back before each. */
const pieces = (before: (piece: number) => void) => (content: Writable) =>
  pipeline(
    Readable.from(
      (async function* () {
        for (let piece = 0; piece < 4; piece++) {
          before(piece);
          yield `${piece}`.repeat(50_000);
        }
      })(),
    ),
    content,
  );

const whole = [0, 1, 2, 3].map((piece) => `${piece}`.repeat(50_000)).join('');

it('has its name when it is complete, and only its owner can read it', async () => {
  const seen: string[][] = [];
  await writeNewFile(
    file,
    pieces(() => seen.push(readdirSync(folder))),
  );
  expect(seen).toEqual(Array.from({ length: 4 }, () => ['export.part']));
  expect(readdirSync(folder)).toEqual(['export']);
  expect(readFileSync(file, 'utf8')).toBe(whole);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

it.each([0, 1, 2, 3])('is deleted if piece %i fails, with the error of the piece', async (failing) => {
  const failure = Object.assign(new Error('the server closed the connection'), { syscall: 'read', code: 'ECONNRESET' });
  const writing = writeNewFile(
    file,
    pieces((piece) => {
      if (piece === failing) throw failure;
    }),
  );
  await expect(writing).rejects.toBe(failure);
  expect(readdirSync(folder)).toEqual([]);
  await writeNewFile(
    file,
    pieces(() => {}),
  );
  expect(readFileSync(file, 'utf8')).toBe(whole);
});

it('is deleted if nothing was written to it', async () => {
  const writing = writeNewFile(file, () => Promise.reject(new Error('none')));
  await expect(writing).rejects.toThrow('none');
  expect(readdirSync(folder)).toEqual([]);
});

it.each([0, 3])('does not replace a file that appears before piece %i', async (appears) => {
  const writing = writeNewFile(
    file,
    pieces((piece) => {
      if (piece === appears) writeFileSync(file, 'mine');
    }),
  );
  await expect(writing).rejects.toThrow(`${file} already exists. Choose the name of a new file.`);
  expect(readdirSync(folder)).toEqual(['export']);
  expect(readFileSync(file, 'utf8')).toBe('mine');
});

it('leaves the unfinished file of another command, and names it', async () => {
  writeFileSync(`${file}.part`, 'theirs');
  const writing = writeNewFile(
    file,
    pieces(() => {}),
  );
  await expect(writing).rejects.toThrow(`${file}.part already exists. Another command is writing it, or was killed.`);
  expect(readFileSync(`${file}.part`, 'utf8')).toBe('theirs');
});

it('requires an existing folder', async () => {
  const writing = writeNewFile(
    join(folder, 'none', 'export'),
    pieces(() => {}),
  );
  await expect(writing).rejects.toThrow(NewFileError);
  await expect(writing).rejects.toThrow('export cannot be written (ENOENT).');
});

it('is deleted if there is no room for it', () => {
  const words = [
    '-c',
    'ulimit -f 256 && exec "$@"',
    'sh',
    process.execPath,
    ...programWords('database/limited-writer'),
  ];
  expect(execFileSync('sh', [...words, file], { encoding: 'utf8' })).toBe(`${file} cannot be written (EFBIG).`);
  expect(readdirSync(folder)).toEqual([]);
});
