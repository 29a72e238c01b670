// The message of a failed start: one line with the setting, and never a password.
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { readConfig } from '../../src/config.js';
import { lockFolder } from '../../src/database/embedded-folder.js';
import { openDatabase } from '../../src/database/open.js';
import { startFailure } from '../../src/database/start-failure.js';
import { freshDatabase } from '../harness.js';

const isServer = 'server' in inject('template');
const SERVICE_SECRETS = 'a secret of the tests that is long enough';

async function failureWith(url: string): Promise<string> {
  try {
    const { close } = await openDatabase(readConfig({ DATABASE_URL: url, SERVICE_SECRETS }));
    await close();
    return 'it started';
  } catch (error) {
    return startFailure(error);
  }
}

async function withDatabase(act: (url: URL, client: pg.Client) => Promise<void>): Promise<void> {
  const { settings, remove } = await freshDatabase();
  const url = new URL(settings['DATABASE_URL'] ?? '');
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  try {
    await act(url, client);
  } finally {
    await client.end();
    await remove();
  }
}

describe('A database that is unreachable', () => {
  it('is reported by its setting, without the password', async () => {
    expect(await failureWith('postgres://u:pa55word@127.0.0.1:1/x')).toBe(
      'DATABASE_URL: connection refused. Check the host and port, and that the server is running',
    );
  });

  it('is reported if its socket does not exist', async () => {
    expect(await failureWith('postgres:///x?host=/nowhere')).toBe(
      'DATABASE_URL: cannot open the socket of the server (connect ENOENT /nowhere/.s.PGSQL.5432)',
    );
  });
});

describe('A folder that cannot be used', () => {
  const folder = mkdtempSync(join(tmpdir(), 'start-failure-'));
  const file = join(folder, 'file');
  writeFileSync(file, '');
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each([
    ['a file', file, 'it is a file, or is in one'],
    ['in a file', join(file, 'data'), 'it is a file, or is in one'],
    ['in a file system without new folders', '/proc/none', 'the file system allows no folder there'],
    ['too long', `/${'x'.repeat(300)}`, 'the path is too long'],
  ])('is reported in one line if it is %s', async (_, path, reason) => {
    await expect(openDatabase(readConfig({ DATA_DIR: path })).catch(startFailure)).resolves.toBe(
      `DATA_DIR: cannot use ${path} as a folder: ${reason}`,
    );
  });

  it('is created with its parents otherwise', () => {
    const path = join(folder, 'some', 'where');
    lockFolder(path).release();
    expect(statSync(path).mode & 0o777).toBe(0o700);
  });

  it('is reported in one line if it has files that PostgreSQL cannot open', async () => {
    const path = join(folder, 'other');
    mkdirSync(join(path, 'postgres'), { recursive: true });
    writeFileSync(join(path, 'postgres', 'PG_VERSION'), '99');
    await expect(openDatabase(readConfig({ DATA_DIR: path })).catch(startFailure)).resolves.toMatch(
      /^DATA_DIR: cannot open the database in .*other: .*\. Restore a backup\.$/,
    );
  });
});

describe.skipIf(!isServer)('A database that is unusable', () => {
  it('is reported if it does not exist', async () => {
    await withDatabase(async (url) => {
      url.pathname = '/there_is_none';
      expect(await failureWith(url.href)).toBe('DATABASE_URL: the database does not exist');
    });
  });

  it('is reported if it accepts no connections', async () => {
    await withDatabase(async (url) => {
      const beside = new pg.Client({ connectionString: new URL('/postgres', url).href });
      await beside.connect();
      await beside.query(`ALTER DATABASE "${url.pathname.slice(1)}" ALLOW_CONNECTIONS false`);
      await beside.end();
      expect(await failureWith(url.href)).toBe('DATABASE_URL: the database does not accept connections');
    });
  });

  it('is reported if its role cannot create objects of a migration', async () => {
    await withDatabase(async (url, client) => {
      const role = `poor_${process.pid}`;
      await client.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
      await client.query(`CREATE ROLE ${role} LOGIN; GRANT USAGE ON SCHEMA public TO ${role}`);
      try {
        url.username = role;
        expect(await failureWith(url.href)).toBe(
          'DATABASE_URL: the user lacks a privilege: permission denied for schema public',
        );
      } finally {
        await client.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
      }
    });
  });

  it('is reported if sessions are not in UTC behind a pooler', async () => {
    await withDatabase(async (url, client) => {
      await client.query(`ALTER DATABASE "${url.pathname.slice(1)}" SET timezone = 'Asia/Kolkata'`);
      const config = readConfig({ DATABASE_URL: url.href, SERVICE_SECRETS, DATABASE_POOLER: 'transaction' });
      const failure = await openDatabase(config).then(() => 'it started', startFailure);
      expect(failure).toMatch(/^DATABASE_URL: sessions are in the time zone Asia\/Kolkata.*ALTER ROLE.*$/);
      expect(await failureWith(url.href)).toBe('it started');
    });
  });
});
