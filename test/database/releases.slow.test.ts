// Databases of released versions are upgraded, and keep their content. test/database/releases/record.ts records them.
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import pg from 'pg';
import { describe, expect, inject, it } from 'vitest';
import { lockFolder } from '../../src/database/embedded-folder.js';
import { openEmbedded } from '../../src/database/embedded.js';
import { migrationChecksum, readMigrations } from '../../src/database/migrate.js';
import { migrationsFolder } from '../../src/database/migrator.js';
import { onServer } from '../global-setup.js';
import { withDatabase } from '../harness.js';
import { askAll, recording, releaseSecret } from './releases/recorded-requests.js';

const folder = fileURLToPath(new URL('releases', import.meta.url));
const ending = '.sql.gz';
const releases = readdirSync(folder)
  .filter((file) => file.endsWith(ending))
  .map((file) => file.slice(0, -ending.length));

function dumpOf(release: string): string {
  return recorded(release + ending);
}

function recorded(file: string): string {
  return gunzipSync(readFileSync(join(folder, file))).toString();
}

/** Loads a dump into an empty database. @returns the settings that open it, and how to remove it */
async function loadDump(sql: string): Promise<{ settings: Record<string, string>; remove: () => Promise<void> }> {
  const template = inject('template');
  if ('folder' in template) {
    const path = mkdtempSync(join(tmpdir(), 'control-plane-release-'));
    const locked = lockFolder(path);
    const { pglite, close } = await openEmbedded(locked.path, () => {});
    await pglite.exec(sql);
    await close();
    locked.release();
    return { settings: { DATA_DIR: path }, remove: async () => rmSync(path, { recursive: true }) };
  }
  const name = `control_plane_release_${process.pid}`;
  await onServer(template.server, `CREATE DATABASE ${name}`);
  const address = new URL(template.server);
  address.pathname = `/${name}`;
  const client = new pg.Client({ connectionString: address.href });
  await client.connect();
  await client.query(sql);
  await client.end();
  return {
    settings: { DATABASE_URL: address.href },
    remove: () => onServer(template.server, `DROP DATABASE ${name} WITH (FORCE)`),
  };
}

describe.each(releases)('A database of version %s', (release) => {
  it('returns the same lists, metrics and changes after an upgrade', { timeout: 120_000 }, async () => {
    const { responses, ...owner } = recording.parse(JSON.parse(recorded(`${release}.json.gz`)));
    const { settings, remove } = await loadDump(dumpOf(release));
    try {
      const after = await withDatabase({ ...settings, SERVICE_SECRETS: releaseSecret }, (app) => askAll(app, owner));
      expect(after).toMatchObject(responses);
    } finally {
      await remove();
    }
  });

  it('has unchanged migrations', () => {
    const released = Array.from(
      dumpOf(release).matchAll(/\('[0-9a-f-]{36}', '([0-9a-f]{64})', '[^']*', '(\w+)'/g),
      ([, checksum, name]) => ({ name, checksum }),
    );
    const present = readMigrations(migrationsFolder).map((each) => ({
      name: each.name,
      checksum: migrationChecksum(each),
    }));
    expect(released).not.toEqual([]);
    expect(present).toEqual(expect.arrayContaining(released));
  });
});
