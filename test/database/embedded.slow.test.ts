// The folder of an embedded database: its creation and permissions.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readConfig } from '../../src/config.js';
import { openDatabase } from '../../src/database/open.js';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'control-plane-embedded-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

async function openAndClose(path: string): Promise<void> {
  const { db, close } = await openDatabase(readConfig({ DATA_DIR: path }));
  expect(await db.account.count()).toBe(0);
  await close();
}

/** The files of the folder that its group or others can access. */
function openToOthers(path: string): string[] {
  return readdirSync(path).filter((each) => (statSync(join(path, each)).mode & 0o077) !== 0);
}

describe('A new embedded database', () => {
  it('is accessible to its owner only, also in a shared folder', async () => {
    chmodSync(folder, 0o755);
    await openAndClose(folder);
    expect(openToOthers(folder)).toEqual([]);
    expect(statSync(folder).mode & 0o777).toBe(0o755);
  });

  it('is created again if a process was killed during the creation', async () => {
    mkdirSync(join(folder, 'postgres/base'), { recursive: true });
    writeFileSync(join(folder, 'postgres/PG_VERSION'), '18\n');
    writeFileSync(join(folder, 'unpacking'), '');
    await openAndClose(folder);
    expect(existsSync(join(folder, 'unpacking'))).toBe(false);
  });
});

describe('An embedded database with files that others can write', () => {
  it('is restricted by the next start', async () => {
    await openAndClose(folder);
    const cluster = join(folder, 'postgres');
    chmodSync(cluster, 0o755);
    chmodSync(join(folder, 'secret'), 0o644);
    await openAndClose(folder);
    expect(openToOthers(folder)).toEqual([]);
  });
});

describe('An embedded database with an incomplete secret', () => {
  it.each(['', '\n', 'abcdefgh'])('is not opened with %j, until the file is replaced', async (incomplete) => {
    await openAndClose(folder);
    const file = join(folder, 'secret');
    const secret = readFileSync(file, 'utf8');
    writeFileSync(file, incomplete);
    await expect(openAndClose(folder)).rejects.toThrow(`DATA_DIR: ${file} is not a complete secret.`);
    writeFileSync(file, secret);
    await openAndClose(folder);
    expect(readFileSync(file, 'utf8')).toBe(secret);
    expect(readdirSync(folder)).not.toContain('secret.new');
  });
});

describe('An embedded database whose folder is removed while it runs', () => {
  it('is reported once, so that the process shuts down', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      const inner = join(folder, 'data');
      const reasons: string[] = [];
      const { close } = await openDatabase(readConfig({ DATA_DIR: inner }), {
        onDiskFull: (reason) => reasons.push(reason),
      });
      rmSync(inner, { recursive: true });
      vi.advanceTimersByTime(10_000);
      expect(reasons).toEqual([`DATA_DIR: the folder ${inner} was deleted`]);
      await close();
    } finally {
      vi.useRealTimers();
    }
  });
});
