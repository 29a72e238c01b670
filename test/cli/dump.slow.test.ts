// A dump of a database server, restored into a new database by the commands of docs/operations.md.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, it } from 'vitest';
import { readConfig } from '../../src/config.js';
import { openDatabase } from '../../src/database/open.js';
import { onServer } from '../database/on-server.js';
import { afterRestore, lastNumbers, rowsOfTables } from '../database/table-rows.js';
import { isCluster } from '../database-kind.js';
import { addAgents, anAgent, createKey, createTenant, freshDatabase, rest, withDatabase } from '../harness.js';

const template = inject('template');
const hasTools = ['pg_dump', 'createdb', 'pg_restore', 'psql'].every(
  (program) => spawnSync(program, ['--version']).status === 0,
);
if (!hasTools) process.stderr.write('\nNO PROGRAMS of PostgreSQL on this machine: the test of dumps is SKIPPED.\n\n');

const page = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8');
const block = /^```sh\n(NEW_DATABASE_URL=.*?)^```$/ms.exec(page)?.[1] ?? '';

async function contentOf(settings: Record<string, string>) {
  const database = await openDatabase(readConfig(settings));
  const content = [await rowsOfTables(database), await lastNumbers(database)] as const;
  await database.close();
  return content;
}

it.skipIf(!('server' in template) || isCluster || !hasTools)(
  'A dump is restored with everything in it, and its keys work with the same SERVICE_SECRETS',
  async () => {
    const server = 'server' in template ? template.server : '';
    const { settings, remove } = await freshDatabase();
    const folder = mkdtempSync(join(tmpdir(), 'dump-'));
    const name = `${new URL(settings['DATABASE_URL'] ?? '').pathname.slice(1)}_restored`;
    const target = new URL(server);
    target.pathname = `/${name}`;
    const maintenance = new URL(server);
    maintenance.pathname = '/postgres';
    const replaced = block
      .replace('postgres://control_plane@new.internal/control_plane', target.href)
      .replace('postgres://control_plane@new.internal/postgres control_plane', `${maintenance.href} ${name}`);
    expect(replaced).not.toContain('new.internal');
    try {
      const before = await withDatabase(settings, async (app) => {
        const tenant = await createTenant(app, { account: 'northwind', workspaces: ['main'] });
        await addAgents(app, tenant.workspaces['main'], [anAgent('one'), anAgent('other')]);
        const { key } = await createKey(app, tenant);
        return { key, agents: (await rest(app, '/agents', { key })).body };
      });
      expect(before.agents).toHaveLength(2);
      const [rows, numbers] = await contentOf(settings);
      const options = { cwd: folder, env: { ...process.env, ...settings }, stdio: 'pipe' } as const;
      execFileSync('sh', ['-eu', '-c', replaced], options);
      const [restored, later] = await contentOf({ ...settings, DATABASE_URL: target.href });
      expect(restored).toEqual(afterRestore(rows));
      expect(later.map(({ name }) => name)).toEqual(numbers.map(({ name }) => name));
      expect(later.filter(({ last }, index) => last < (numbers[index]?.last ?? 0))).toEqual([]);
      // Executors may have been given numbers since the dump.
      expect(later.find(({ name }) => name === 'assignment_fence')?.last).toBe(1_000_000_001);
      await withDatabase({ ...settings, DATABASE_URL: target.href }, async (app) => {
        expect((await rest(app, '/agents', { key: before.key })).body).toEqual(before.agents);
      });
    } finally {
      await onServer(server, `DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`);
      rmSync(folder, { recursive: true, force: true });
      await remove();
    }
  },
  60_000,
);
