// The engine of an embedded database: a crash is noticed, which PGlite itself ignores.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openEmbedded } from '../../src/database/embedded.js';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'control-plane-engine-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

it('A crash of an embedded database is reported by the statement that causes it, and a failed statement is none', async () => {
  const crashes: unknown[] = [];
  const { pglite, close } = await openEmbedded(
    folder,
    () => {},
    (error) => crashes.push(error),
  );
  await expect(pglite.query('SELECT 1 / 0')).rejects.toThrow('division by zero');
  await expect(pglite.query('SELEC')).rejects.toThrow('syntax error');
  await expect(pglite.transaction((tx) => tx.query('SELECT 1 / 0'))).rejects.toThrow('division by zero');
  await pglite.exec(`CREATE FUNCTION endless(n int) RETURNS int LANGUAGE plpgsql AS
    $$ BEGIN RETURN endless(n + 1); END $$`);
  expect(crashes).toEqual([]);
  // It overflows the stack of WebAssembly. PGlite returns no error, and loses the next statements.
  await pglite.query('SELECT endless(1)').catch(() => {});
  expect(crashes[0]).toBeInstanceOf(Error);
  await close();
});
