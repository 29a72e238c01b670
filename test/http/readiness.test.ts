// /readyz of a process that can serve, of one that cannot, and of one that can with warnings.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { createGateway } from '../../src/server/server.js';
import type { Gateway } from '../../src/server/server.js';
import type { OpenDatabase } from '../../src/database/open.js';
import { createChecks } from '../../src/server/checks.js';
import { createTaskRecord } from '../../src/server/task-record.js';
import { onServer } from '../global-setup.js';
import { useApp } from '../harness.js';

const running = useApp({}, { ownDatabase: true });
const template = inject('template');
const isEmbedded = !('server' in template);
const gateways: Gateway[] = [];

afterEach(() => {
  for (const { server } of gateways.splice(0)) server.close();
});

async function readiness(origin = running.app.origin): Promise<{ status: number; lines: string[]; headers: Headers }> {
  const { status, headers, ...answer } = await ask(`${origin}/readyz?verbose`);
  return { status, headers, lines: answer.text.trimEnd().split('\n') };
}

async function ask(address: string): Promise<{ status: number; text: string; headers: Headers }> {
  const answer = await fetch(address);
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

/** The same process with other checks, listening elsewhere. */
async function listening(gateway: Gateway): Promise<string> {
  gateways.push(gateway);
  gateway.server.listen(0, '127.0.0.1');
  await once(gateway.server, 'listening');
  const address = gateway.server.address();
  return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
}

describe('/healthz', () => {
  it('returns the version of package.json', async () => {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    const { status, text } = await ask(`${running.app.origin}/healthz`);
    expect([status, JSON.parse(text)]).toEqual([200, { status: 'ok', version }]);
  });
});

describe('/readyz?verbose', () => {
  it('has a line for each dependency', async () => {
    const { status, lines, headers } = await readiness();
    const disk = isEmbedded ? ['[+] disk'] : [];
    expect(lines).toEqual(['[+] shutdown', '[+] database', '[+] migrations', ...disk, '[+] background tasks', 'ready']);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
  });

  it('returns 503 with the reason during shutdown', async () => {
    const gateway = createGateway(running.app.services);
    const origin = await listening(gateway);
    const drained = gateway.drain(100, 0);
    const { status, lines, headers } = await readiness(origin);
    expect([status, lines[0], lines.at(-1)]).toEqual([503, '[-] shutdown: the process is shutting down', 'not ready']);
    expect(headers.get('retry-after')).toBe('1');
    await drained;
  });

  it('names a missing migration, and returns 503', async () => {
    const { db } = running.app.services;
    await db.$executeRaw`UPDATE "_prisma_migrations" SET "rolled_back_at" = now()
      WHERE "migration_name" = (SELECT max("migration_name") FROM "_prisma_migrations")`;
    const { status, lines } = await readiness();
    expect(status).toBe(503);
    expect(lines).toContainEqual(expect.stringMatching(/^\[-\] migrations: 1 missing, starting with 20\d+_\w+$/));
    const brief = await ask(`${running.app.origin}/readyz`);
    expect(brief.status).toBe(503);
    expect(JSON.parse(brief.text)).toMatchObject({
      error: 'unavailable',
      message: expect.stringMatching(/^Not ready: migrations: 1 missing/),
    });
    await db.$executeRaw`UPDATE "_prisma_migrations" SET "rolled_back_at" = NULL`;
  });

  it('reports a database of a newer version, and stays ready until a newer process takes over', async () => {
    const { db } = running.app.services;
    await db.$executeRaw`INSERT INTO "_prisma_migrations" ("id", "checksum", "migration_name", "finished_at")
      VALUES ('x', 'x', '20991231000000_later', now())`;
    const { status, lines } = await readiness();
    expect([status, lines.at(-1)]).toEqual([200, 'ready']);
    expect(lines).toContainEqual(expect.stringMatching(/^\[!\] migrations: The database is of a newer version/));
    await db.$executeRaw`DELETE FROM "_prisma_migrations" WHERE "id" = 'x'`;
  });

  it('reports background tasks that have not succeeded, and still returns 200', async () => {
    const { services, database } = running.app;
    let nowMs = 0;
    const background = createTaskRecord(services.metrics.background, () => nowMs);
    background.expect('roll up usage', 1_000);
    nowMs = 90_000;
    const origin = await listening(
      createGateway({ ...services, checks: createChecks(database, background, services.log) }),
    );
    const { status, lines } = await readiness(origin);
    expect([status, lines.at(-2)]).toEqual([
      200,
      '[!] background tasks: "roll up usage" has not succeeded for 90 seconds',
    ]);
  });

  it('only warns when the account of PLATFORM_ACCOUNT cannot be read, and does not wait for background tasks', async () => {
    const { services, database } = running.app;
    const lines = async (database: OpenDatabase) => {
      const checks = createChecks(database, services.taskRecord, services.log, 'northwind');
      const { status, lines } = await readiness(await listening(createGateway({ ...services, checks })));
      return [status, lines.find((line) => line.includes('platform account'))];
    };
    const missing = '[!] platform account: the account of PLATFORM_ACCOUNT does not exist';
    const failing = () => Promise.reject(new Error('timeout exceeded when trying to connect'));
    const busy = new Proxy(database.backgroundDb, { get: () => failing });
    expect(await lines({ ...database, backgroundDb: busy })).toEqual([200, missing]);
    const { id } = await services.db.account.create({ data: { name: 'northwind', plan: 'enterprise' } });
    expect(await lines(database)).toEqual([200, '[+] platform account']);
    await services.db.account.delete({ where: { id } });
    const broken = '[!] platform account: cannot read the account of PLATFORM_ACCOUNT';
    expect(await lines({ ...database, probeQuery: failing })).toEqual([200, broken]);
  });

  it.each([
    [100, false],
    [63, true],
  ])('reports low disk space: %i MiB', async (mebibytes, stops) => {
    const { services, database } = running.app;
    const small = { ...database, freeBytes: () => mebibytes * 1024 * 1024 };
    const origin = await listening(
      createGateway({ ...services, checks: createChecks(small, services.taskRecord, services.log) }),
    );
    const { status, lines } = await readiness(origin);
    const line = `[${stops ? '-' : '!'}] disk: ${mebibytes} MiB are free. The process stops below 64 MiB`;
    expect([status, lines]).toEqual([stops ? 503 : 200, expect.arrayContaining([line])]);
  });

  it.skipIf(isEmbedded)('returns 503 while the database is read-only, without further statements', async () => {
    const { pathname } = new URL(running.app.config.DATABASE_URL ?? '');
    const server = 'server' in template ? template.server : '';
    const name = pathname.slice(1);
    await onServer(server, `ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    await onServer(server, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`);
    await expect.poll(async () => (await readiness()).lines).toContain('[-] database: the database is read-only');
    const { status, lines } = await readiness();
    expect([status, lines[2]]).toEqual([503, '[!] migrations: not known without database']);
  });
});
