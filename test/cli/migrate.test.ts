// `migrate --check` passes only for a database that the settings name.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { runMigrate } from '../../src/cli/migrate.js';
import { readMigrations } from '../../src/database/migrate.js';
import { migrationsFolder } from '../../src/database/migrator.js';

const folder = mkdtempSync(join(tmpdir(), 'migrate-'));
afterAll(() => rmSync(folder, { recursive: true }));

const check = (environment: Record<string, string>) => runMigrate(['migrate', '--check'], environment, () => {});

describe('migrate --check', () => {
  it.each([{}, { DATABASE_URL: '', DATA_DIR: '' }])('fails in one line with the settings %j', async (environment) => {
    const existed = existsSync(resolve('data'));
    expect(await check(environment)).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: 'No database to check: set DATABASE_URL, or DATA_DIR for an embedded database.\n',
    });
    expect(existsSync(resolve('data'))).toBe(existed);
  });

  it('lists all migrations as missing for a folder without a database, and does not create it', async () => {
    const path = join(folder, 'none');
    const { exitCode, stdout } = (await check({ DATA_DIR: path })) ?? {};
    expect(exitCode).toBe(3);
    expect(stdout?.trim().split('\n')).toHaveLength(readMigrations(migrationsFolder).length);
    expect(existsSync(path)).toBe(false);
  });

  it('prints JSON with --json, in any order of the options', async () => {
    const names = readMigrations(migrationsFolder).map(({ name }) => name);
    const environment = { DATA_DIR: join(folder, 'none') };
    for (const options of [
      ['--check', '--json'],
      ['--json', '--check'],
    ]) {
      const { stdout = '' } = (await runMigrate(['migrate', ...options], environment, () => {})) ?? {};
      expect(JSON.parse(stdout)).toEqual({ missing: names });
    }
  });

  it.each([['--check', '--check'], ['--jsn'], ['now']])('refuses %s', async (...options) => {
    expect(await runMigrate(['migrate', ...options], {}, () => {})).toMatchObject({
      exitCode: 2,
      stderr: 'Usage: migrate [--check] [--json]\n',
    });
  });

  it('fails in one line with an invalid setting', async () => {
    expect(await check({ DATABASE_URL: 'mysql://x' })).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/^DATABASE_URL: must be a postgres:[^\n]*\n$/),
    });
  });
});
