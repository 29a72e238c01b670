// The response to an error of the database.
import { beforeAll, afterAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config.js';
import { aroundStatements } from '../../src/database/around-statements.js';
import { Prisma } from '../../src/database/client/client.js';
import { apiErrorFrom } from '../../src/database/failures.js';
import { openDatabase } from '../../src/database/open.js';
import type { OpenDatabase } from '../../src/database/open.js';
import { startFailure } from '../../src/database/start-failure.js';
import { freshDatabase } from '../harness.js';

let database: OpenDatabase;
let remove: () => Promise<void>;

beforeAll(async () => {
  const { settings, ...fresh } = await freshDatabase();
  ({ remove } = fresh);
  database = await openDatabase(readConfig(settings));
});

afterAll(async () => {
  await database.close();
  await remove();
});

/** The response to a statement that fails with this state, through each connection type. */
async function answers(state: string): Promise<object[]> {
  const { db } = database;
  const failing = `DO $$ BEGIN RAISE EXCEPTION 'it failed' USING ERRCODE = '${state}'; END $$`;
  const results = await Promise.allSettled([
    db.$executeRawUnsafe(failing),
    db.$text(Prisma.raw(failing)),
    db.$begin(async (tx) => (await tx.$prisma()).$executeRawUnsafe(failing)),
  ]);
  return results.map((result) => (result.status === 'rejected' ? apiErrorFrom(result.reason) : {}));
}

describe('apiErrorFrom', () => {
  it.each([
    ['a deadlock', '40P01', { status: 503, error: 'unavailable', headers: { 'Retry-After': '1' } }],
    ['a reference to a deleted row', '23503', { status: 409, error: 'conflict' }],
    ['a lock that was waited for too long', '55P03', { status: 503, error: 'unavailable' }],
    ['a database that accepts no connections', '55000', { status: 503, error: 'unavailable' }],
    ['a database that is absent', '3D000', { status: 503, error: 'unavailable' }],
    ['a password that has changed', '28P01', { status: 503, error: 'unavailable' }],
    ['a statement that ran too long', '57014', { status: 504, error: 'timeout' }],
    ['anything else', 'P0001', { status: 500, error: 'internal_error' }],
  ])('returns the same for %s from any source', async (_, state, expected) => {
    for (const answer of await answers(state)) expect(answer).toMatchObject(expected);
  });

  it.each([
    'terminating connection due to administrator command',
    'failed to COPY to shard 0 on 127.0.0.1:5502',
    'failure on connection marked as essential: 127.0.0.1:5502',
    'could not commit transaction for shard 102016 on at least one active node',
  ])('returns 503 when a cluster has lost a node without an error code: %s', async (message) => {
    const lost = `DO $$ BEGIN RAISE EXCEPTION '${message}' USING ERRCODE = 'XX000'; END $$`;
    const [raw, text] = await Promise.allSettled([
      database.db.$executeRawUnsafe(lost),
      database.db.$text(Prisma.raw(lost)),
    ]);
    for (const result of [raw, text]) {
      expect(result.status === 'rejected' ? apiErrorFrom(result.reason) : result).toMatchObject({ status: 503 });
    }
  });

  it('returns 503 from any source for a server that cannot be reached, and a start that fails names the reason', async () => {
    const { settings, ...other } = await freshDatabase();
    let error: Error | undefined;
    const unless = async <Result>(run: () => Promise<Result>): Promise<Result> => {
      if (error !== undefined) throw error;
      return run();
    };
    const { db, close } = await openDatabase(readConfig(settings), {
      inFront: ({ provider, adapterName, connect }) => ({
        provider,
        adapterName,
        connect: async () => aroundStatements(await connect(), (_sql, run) => unless(run)),
      }),
      inFrontOfTransactions: (connect) => () => unless(connect),
    });
    for (const code of ['ECONNREFUSED', 'EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH', 'ENETDOWN', 'ECONNABORTED']) {
      error = Object.assign(new Error(`connect ${code} 192.0.2.1:5432`), { code, syscall: 'connect', errno: -1 });
      const results = await Promise.allSettled([
        db.$executeRawUnsafe('SELECT 1'),
        db.account.count(),
        db.$text(Prisma.sql`SELECT 1`),
        db.$begin((tx) => tx.$text(Prisma.sql`SELECT 1`)),
      ]);
      const statuses = results.map((result) =>
        result.status === 'rejected' ? apiErrorFrom(result.reason).status : 200,
      );
      expect([code, ...statuses]).toEqual([code, 503, 503, 503, 503]);
      expect(startFailure(error)).toMatch(/^DATABASE_URL: (?!.*192)/);
    }
    error = undefined;
    await close();
    await other.remove();
  });

  it('returns 409 for a row with a deleted parent, without names of tables', async () => {
    const orphan = { workspaceId: crypto.randomUUID(), name: 'one', spec: {}, search: 'one' };
    const error = await database.db.volume.create({ data: orphan }).catch(apiErrorFrom);
    expect(error).toMatchObject({ status: 409, message: 'The parent of the resource was deleted.' });
  });
});
