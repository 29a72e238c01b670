// A transaction that PostgreSQL rolls back because of another one is run again, with a bound.
import { beforeAll, describe, expect, it } from 'vitest';
import { authorizeWorkspace } from '../../src/auth/authorize.js';
import type { AuthorizedWorkspace } from '../../src/auth/authorize.js';
import { openContext } from '../../src/http/open-context.js';
import { changeOnce } from '../../src/changes/idempotent-change.js';
import { isTransactionConflict } from '../../src/database/failures.js';
import { runInTransaction } from '../../src/auth/run-in-transaction.js';
import { isEmbedded } from '../database-kind.js';
import { createKey, createTenant, useApp } from '../harness.js';

const running = useApp();
let authorized: AuthorizedWorkspace;

beforeAll(async () => {
  const { app } = running;
  const { key } = await createKey(app, await createTenant(app, { account: 'northwind', workspaces: ['main'] }));
  authorized = authorizeWorkspace(await openContext(app.services, { authorization: `Bearer ${key}` }, 'test'), 'admin');
  for (const name of ['DE', 'FR']) await app.services.db.country.create({ data: { name, displayName: '0' } });
});

const count = async (name: string) =>
  Number((await running.app.services.db.country.findUnique({ where: { name } }))?.displayName);

/** Adds one to a country, then fails with a state of PostgreSQL in its first tries. */
async function addOne(failures: number, state: string, validateOnly = false, within = authorized): Promise<number> {
  let tries = 0;
  await runInTransaction(within, validateOnly, async ({ db }) => {
    tries++;
    await db.$executeRaw`UPDATE "country" SET "display_name" = "display_name"::int + 1 WHERE "name" = 'DE'`;
    if (tries <= failures)
      await (
        await db.$prisma()
      ).$executeRawUnsafe(`DO $$ BEGIN RAISE EXCEPTION 'as it is meant to' USING ERRCODE = '${state}'; END $$`);
  });
  return tries;
}

describe.each(['40P01', '40001'])('A transaction that fails with %s', (state) => {
  it('is run again, and takes effect once', async () => {
    const before = await count('DE');
    expect(await addOne(2, state)).toBe(3);
    expect(await count('DE')).toBe(before + 1);
  });

  it('is run again in a dry run, and takes no effect', async () => {
    const before = await count('DE');
    expect(await addOne(1, state, true)).toBe(2);
    expect(await count('DE')).toBe(before);
  });

  it('ends with the failure after four tries', async () => {
    const before = await count('DE');
    const failing = addOne(4, state);
    await expect(failing).rejects.toSatisfy(isTransactionConflict);
    expect(await count('DE')).toBe(before);
  });
});

it('is run again as a whole if the change has an Idempotency-Key', async () => {
  const before = await count('DE');
  const { ctx } = authorized;
  let calls = 0;
  const tries = await changeOnce({ ...ctx, idempotencyKey: 'one' }, { content: [], part: '' }, async (inner) =>
    String(await addOne(++calls === 1 ? 9 : 0, '40P01', false, authorizeWorkspace(inner, 'admin'))),
  );
  // The change itself is tried once in each transaction of the key.
  expect([calls, tries]).toEqual([2, '1']);
  expect(await count('DE')).toBe(before + 1);
});

it('does not run again after another failure', async () => {
  const before = await count('DE');
  await expect(addOne(1, '22012')).rejects.not.toSatisfy(isTransactionConflict);
  expect(await count('DE')).toBe(before);
});

it.skipIf(isEmbedded)('ends a deadlock of two changes with both of them made', async () => {
  const before = [await count('DE'), await count('FR')];
  const arrived: string[] = [];
  let meet = () => {};
  const meeting = new Promise<void>((resolve) => {
    meet = resolve;
  });
  const both = (names: string[]) =>
    runInTransaction(authorized, false, async ({ db }) => {
      for (const name of names) {
        await db.$executeRaw`UPDATE "country" SET "display_name" = "display_name"::int + 1 WHERE "name" = ${name}`;
        // Each has its first row before it wants the second.
        if (arrived.push(name) === 2) meet();
        await meeting;
      }
    });
  await Promise.all([both(['DE', 'FR']), both(['FR', 'DE'])]);
  expect([await count('DE'), await count('FR')]).toEqual(before.map((each) => each + 2));
});
