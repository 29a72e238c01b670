// How a transaction is sent to the database: in few writes, of which a failure stops the rest.
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Prisma } from '../../src/database/client/client.js';
import type { TransactionConnection } from '../../src/database/transaction.js';
import { createKey, createTenant, graphql, useApp } from '../harness.js';

const writes: string[][] = [];
/** Called after each write; an error of it is that of the write, whose results are lost. */
let afterWrite: (statements: readonly string[]) => void = () => {};

function recorded(inner: TransactionConnection): TransactionConnection {
  return {
    ...inner,
    send: async (statements) => {
      const sent = statements.map(({ text }) => text.trim());
      writes.push(sent);
      const result = await inner.send(statements);
      try {
        afterWrite(sent);
        return result;
      } catch (error) {
        return { results: [], error };
      }
    },
  };
}

const running = useApp({}, { inFrontOfTransactions: (connect) => async () => recorded(await connect()) });

beforeEach(() => {
  writes.length = 0;
  afterWrite = () => {};
});

const insertion = (name: string) => Prisma.sql`INSERT INTO "country" ("name", "display_name") VALUES (${name}, ${'x'})`;
const countries = async () =>
  (await running.app.services.db.country.findMany({ orderBy: { name: 'asc' } })).map(({ name }) => name);

describe('A transaction', () => {
  it('begins with its first statement, and commits with the deferred ones', async () => {
    const { db } = running.app.services;
    await db.$begin(async (tx) => {
      expect(await tx.$text(Prisma.sql`SELECT 'first'`)).toBe('first');
      await tx.$defer(insertion('AA'));
      await tx.$defer(insertion('BB'));
    });
    expect(writes).toEqual([
      ['BEGIN', `SELECT 'first'`],
      [insertion('AA').text, insertion('BB').text, 'COMMIT'],
    ]);
    expect(await countries()).toEqual(['AA', 'BB']);
  });

  it('without a statement sends nothing', async () => {
    expect(await running.app.services.db.$begin(async () => 'done')).toBe('done');
    expect(writes).toEqual([]);
  });

  it('is rolled back by a deferred failure, which is translated and stops the COMMIT', async () => {
    const { db } = running.app.services;
    const failing = db.$begin(async (tx) => {
      await tx.$defer(insertion('CC'));
      await tx.$defer(insertion('AA'), () => new Error('translated'));
      await tx.$defer(Prisma.sql`SELECT 1`, () => new Error('never executed'));
    });
    await expect(failing).rejects.toThrow('translated');
    expect(writes.at(-1)).toEqual(['ROLLBACK']);
    expect(await countries()).toEqual(['AA', 'BB']);
  });

  it('sends the deferred statements before the next one, also one of Prisma', async () => {
    const { db } = running.app.services;
    await db.$begin(async (tx) => {
      await tx.$defer(insertion('DD'));
      expect(await tx.$text(Prisma.sql`SELECT count(*)::text FROM "country"`)).toBe('3');
      await tx.$defer(insertion('EE'));
      expect(await (await tx.$prisma()).country.count()).toBe(4);
      await tx.$executeRaw`DELETE FROM "country" WHERE "name" IN ('DD', 'EE')`;
    });
    expect(await countries()).toEqual(['AA', 'BB']);
  });

  it('tells the text of a deferred statement with the next one, also if that fails', async () => {
    const { db } = running.app.services;
    const told: string[] = [];
    const failing = db.$begin(async (tx) => {
      await tx.$defer(Prisma.sql`SELECT 'kept'`, undefined, (text) => told.push(text));
      expect(told).toEqual([]);
      await tx.$text(Prisma.sql`SELECT (1 / ${0}::int)::text`);
    });
    await expect(failing).rejects.toMatchObject({ code: '22012' });
    expect(told).toEqual(['kept']);
  });

  it('gives the same error each time a statement cannot be parsed or executed', async () => {
    const { db } = running.app.services;
    for (let time = 0; time < 3; time++) {
      const unparsed = db.$begin((tx) => tx.$text(Prisma.sql`SELECT ${'1'}::text FROM "no_such_table"`));
      await expect(unparsed).rejects.toMatchObject({ code: '42P01' });
      const failed = db.$begin((tx) => tx.$text(Prisma.sql`SELECT (1 / ${0}::int)::text`));
      await expect(failed).rejects.toMatchObject({ code: '22012' });
      expect(await db.$begin((tx) => tx.$text(Prisma.sql`SELECT (4 / ${2}::int)::text`))).toBe('2');
    }
  });

  it('passes values of every type as the statement takes them', async () => {
    const words = ['plain', 'quote " and \\ backslash', '{}', '', 'NULL', 'ü, …'];
    const text = await running.app.services.db.$begin((tx) =>
      tx.$text(Prisma.sql`
        SELECT json_build_array(${words}::text[], ${[1, 2]}::int[], ${new Date(0)}::timestamptz = '1970-01-01Z', ${true}::boolean,
          ${null}::text, ${9007199254740993n}::bigint::text, ${'{"a":1}'}::json)::text`),
    );
    expect(JSON.parse(text)).toEqual([words, [1, 2], true, true, null, '9007199254740993', { a: 1 }]);
  });

  it('whose commit is not confirmed is never answered as a success, and its connection serves no other', async () => {
    const { db } = running.app.services;
    afterWrite = (statements) => {
      if (statements.includes('COMMIT')) throw new Error('Connection terminated');
    };
    await expect(db.$begin((tx) => tx.$defer(insertion('FF')))).rejects.toThrow('Connection terminated');
    afterWrite = () => {};
    expect(await db.$begin((tx) => tx.$text(Prisma.sql`SELECT 'next'`))).toBe('next');
  });

  it('takes no statement after its end', async () => {
    const { db } = running.app.services;
    const tx = await db.$begin(async (within) => {
      await within.$executeRaw`SELECT 1`;
      return within;
    });
    await expect(tx.$text(Prisma.sql`SELECT 1`)).rejects.toThrow('The transaction has ended');
  });
});

describe('The creation of an agent', () => {
  let key: string;

  beforeAll(async () => {
    ({ key } = await createKey(
      running.app,
      await createTenant(running.app, { account: 'northwind', workspaces: ['main'] }),
    ));
  });

  const create = (name: string, { validateOnly = false, headers = {} } = {}) =>
    graphql(
      running.app,
      key,
      'mutation ($input: CreateAgentInput!) { createAgent(input: $input) { __typename ... on Error { code } } }',
      { input: { workspace: 'main', metadata: { name }, spec: { runtime: { memory: 2048 } }, validateOnly } },
      headers,
    );
  const made = { body: { data: { createAgent: { __typename: 'CreateAgentPayload' } } } };
  const refused = { body: { data: { createAgent: { code: 'name_taken' } } } };
  const words = () => writes.map((statements) => statements.map((sql) => sql.split(/\s/)[0]));
  const agents = () => running.app.services.db.agent.count();

  it('takes two writes', async () => {
    expect(await create('one')).toMatchObject(made);
    expect(words()).toEqual([
      ['BEGIN', 'WITH'],
      ['WITH', 'WITH', 'COMMIT'],
    ]);
    for (const validateOnly of [false, true]) expect(await create('one', { validateOnly })).toMatchObject(refused);
    expect(await create('two', { validateOnly: true })).toMatchObject(made);
    expect(writes.at(-1)).toEqual(['ROLLBACK']);
    expect(await agents()).toBe(1);
  });

  it('takes two writes with an Idempotency-Key, whose response is stored with the change', async () => {
    const headers = { 'idempotency-key': 'one' };
    expect(await create('one', { headers })).toMatchObject(refused);
    expect(await running.app.services.db.idempotencyKey.count()).toBe(0);
    writes.length = 0;
    expect(await create('keyed', { headers })).toMatchObject(made);
    expect(words()).toEqual([
      ['BEGIN', 'SELECT', 'WITH'],
      ['WITH', 'WITH', 'INSERT', 'COMMIT'],
    ]);
    expect(await create('keyed', { headers })).toMatchObject(made);
    expect(writes.at(-1)).toEqual(['ROLLBACK']);
    expect(await agents()).toBe(2);
  });
});
