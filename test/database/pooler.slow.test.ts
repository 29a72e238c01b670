// Behind a real PgBouncer that gives connections for one transaction each. Skipped where there is none.
import { randomUUID } from 'node:crypto';
import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { readConfig } from '../../src/config.js';
import { openDatabase } from '../../src/database/open.js';
import { freePort } from '../../src/server/listen.js';
import { runBackgroundTasks } from '../../src/server/run-background-tasks.js';
import { onServer } from '../global-setup.js';
import { createKey, createTenant, freshDatabase, frozenNow, graphql, rest, withDatabase } from '../harness.js';
import { usageEvent } from '../metering/usage-samples.js';

const template = inject('template');
const server = 'server' in template ? template.server : '';
const bouncer = ['pgbouncer', '/usr/sbin/pgbouncer'].find((path) => spawnSync(path, ['--version']).status === 0);
const canRun = server !== '' && bouncer !== undefined;

/**
 * A role of which sessions are in UTC, and one of which they are not: a pooler remembers the zone of the first session.
 */
const role = `pooled_${randomUUID().slice(0, 8)}`;
const roleElsewhere = `${role}_elsewhere`;
const folder = mkdtempSync(join(tmpdir(), 'pooler-'));
let running: ChildProcess | undefined;
let direct: Record<string, string> = {};
let pooled: Record<string, string> = {};
let remove = async () => {};

/** Only two connections, so that code that keeps one, or expects the same one again, fails. */
function settingsOf(port: number, address: URL): string {
  return `[databases]
* = host=${address.hostname} port=${address.port || '5432'}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${join(folder, 'users.txt')}
pool_mode = transaction
default_pool_size = 2
`;
}

beforeAll(async () => {
  if (!canRun) return;
  ({ settings: direct, remove } = await freshDatabase());
  const address = new URL(direct['DATABASE_URL'] ?? '');
  for (const [name, zone] of [
    [role, 'UTC'],
    [roleElsewhere, 'Asia/Kolkata'],
  ]) {
    await onServer(server, `CREATE ROLE ${name} LOGIN; GRANT ${address.username} TO ${name}`);
    await onServer(server, `ALTER ROLE ${name} SET timezone = '${zone}'`);
  }
  const port = await freePort('127.0.0.1');
  writeFileSync(join(folder, 'pgbouncer.ini'), settingsOf(port, address));
  writeFileSync(join(folder, 'users.txt'), `"${role}" ""\n"${roleElsewhere}" ""\n`);
  chmodSync(folder, 0o755);
  // It does not run as root.
  const user = userInfo().uid === 0 ? ['-u', 'nobody'] : [];
  running = spawn(bouncer, [...user, join(folder, 'pgbouncer.ini')], { stdio: 'ignore' });
  const through = new URL(address);
  through.host = `127.0.0.1:${port}`;
  through.username = role;
  pooled = {
    ...direct,
    DATABASE_URL: through.href,
    DATABASE_MIGRATION_URL: address.href,
    DATABASE_POOLER: 'transaction',
  };
  await vi.waitFor(() => onServer(through.href, 'SELECT 1'), { timeout: 10_000 });
});

afterAll(async () => {
  if (running !== undefined) {
    const exit = once(running, 'exit');
    running.kill('SIGKILL');
    await exit;
  }
  await remove();
  if (canRun) await onServer(server, `DROP ROLE ${role}, ${roleElsewhere}`);
  rmSync(folder, { recursive: true });
});

describe.skipIf(!canRun)('Behind a transaction pooler', () => {
  it('a start stops if sessions of the role use another time zone, and says what to do', async () => {
    const url = new URL(pooled['DATABASE_URL'] ?? '');
    url.username = roleElsewhere;
    await expect(openDatabase(readConfig({ ...pooled, DATABASE_URL: url.href }))).rejects.toThrow(
      "DATABASE_URL: sessions are in the time zone Asia/Kolkata, but must be in UTC. Behind a pooler, set DATABASE_POOLER=transaction, and run: ALTER ROLE name SET timezone = 'UTC'.",
    );
  });

  it('a start without DATABASE_POOLER stops, because the pooler rejects the options', async () => {
    const { DATABASE_POOLER: _left, ...others } = pooled;
    await expect(openDatabase(readConfig(others))).rejects.toThrow(/unsupported startup parameter/);
  });

  it('concurrent requests, changes, usage, background tasks and readiness work on two connections', async () => {
    await withDatabase(pooled, async (app) => {
      const tenant = await createTenant(app, { account: 'northwind', workspaces: ['main'] });
      const expiresAt = new Date(frozenNow.getTime() + 3_600_000);
      const { key, id } = await createKey(app, { ...tenant, expiresAt });
      const create = (name: string) =>
        graphql(
          app,
          key,
          `mutation { createVpc(input: { metadata: { name: "${name}" }, spec: { cidrBlock: "10.0.0.0/16" } }) {
            ... on CreateVpcPayload { vpc { status } } ... on Error { message } } }`,
        );
      const made: Awaited<ReturnType<typeof create>>[] = [];
      for (let from = 0; from < 30; from += 10) {
        made.push(...(await Promise.all(Array.from({ length: 10 }, (_, n) => create(`vpc-${from + n}`)))));
      }
      expect(made.map(({ body }) => body)).toEqual(
        made.map(() => ({
          data: { createVpc: { vpc: { status: expect.any(String) } } },
          extensions: expect.anything(),
        })),
      );
      const events = Array.from({ length: 50 }, (_, n) => usageEvent(n));
      const record =
        'mutation ($events: [UsageEventInput!]!) { recordUsage(input: { events: $events }) { ... on RecordUsagePayload { accepted } } }';
      const [recorded] = await Promise.all([
        graphql(app, key, record, { events }),
        ...Array.from({ length: 40 }, () => rest(app, '/agents', { key })),
      ]);
      expect(recorded.body.data.recordUsage).toEqual({ accepted: 50 });
      await runBackgroundTasks({ ...app.services, db: app.database.backgroundDb }, app.config);
      const vpcs = await graphql(
        app,
        key,
        '{ vpcs(first: 5, orderBy: { field: NAME, direction: ASC }) { totalCount nodes { metadata { name } } } }',
      );
      expect(vpcs.body.data.vpcs.totalCount).toBe(30);
      expect((await fetch(`${app.origin}/readyz?verbose`)).status).toBe(200);
      // Stored in UTC, and read in UTC, whichever session did it.
      const stored = await app.services.db.apiKey.findUniqueOrThrow({ where: { id } });
      expect(stored.expiresAt).toEqual(expiresAt);
    });
  });
});
