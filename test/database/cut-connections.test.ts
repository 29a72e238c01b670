// Connections that the server ends while they are idle in a transaction: the next statement fails, not the process.
import { expect, inject, it } from 'vitest';
import { readConfig } from '../../src/config.js';
import { Prisma } from '../../src/database/client/client.js';
import { apiErrorFrom } from '../../src/database/failures.js';
import { openDatabase } from '../../src/database/open.js';
import { openPools } from '../../src/database/server-pools.js';
import { freshDatabase } from '../harness.js';
import { onServer } from '../global-setup.js';

it.skipIf('folder' in inject('template'))('ends a connection that is in use, and no other', async () => {
  const { settings, remove } = await freshDatabase();
  const url = settings['DATABASE_URL'] ?? '';
  const pools = openPools(url, readConfig(settings), () => {});
  const client = await pools.requests.connect();
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS "pid"');
  const ended = new Promise((resolve) => client.once('end', resolve));
  await onServer(new URL('/postgres', url).href, `SELECT pg_terminate_backend(${rows[0]?.pid})`);
  await ended;
  await expect(client.query('SELECT 1')).rejects.toThrow('not queryable');
  client.release(true);
  expect((await pools.requests.query<{ one: number }>('SELECT 1 AS "one"')).rows).toEqual([{ one: 1 }]);
  await pools.close();
  await remove();
});

it.skipIf('folder' in inject('template'))('fails a commit that a cluster warns to have lost', async () => {
  const { settings, remove } = await freshDatabase();
  const { db, close } = await openDatabase(readConfig(settings));
  const lost = `DO $$ BEGIN RAISE WARNING 'failed to commit transaction on 127.0.0.1:5502'; END $$`;
  const answers = await Promise.allSettled([
    db.$executeRawUnsafe(lost),
    db.$text(Prisma.raw(lost)),
    db.$begin(async (tx) => (await tx.$prisma()).$executeRawUnsafe(lost)),
  ]);
  for (const answer of answers) {
    expect(answer.status === 'rejected' ? apiErrorFrom(answer.reason) : answer).toMatchObject({ status: 503 });
  }
  expect(await db.$text(Prisma.sql`SELECT 'goes on'`)).toBe('goes on');
  await close();
  await remove();
});
