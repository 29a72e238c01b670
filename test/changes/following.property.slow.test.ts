// A reader of the feed misses nothing, for any concurrent writers, commit order and page sizes.
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { authorizeWorkspace } from '../../src/auth/authorize.js';
import { openContext } from '../../src/http/open-context.js';
import { recordChanges } from '../../src/changes/record-changes.js';
import { createKey, createTenant, graphql, useApp } from '../harness.js';

const running = useApp();

interface Writing {
  /** How many statements run before the change is recorded, and between that and the end of the transaction. */
  before: number;
  after: number;
  changes: number;
  isRolledBack: boolean;
}

const writing: fc.Arbitrary<Writing> = fc.record({
  before: fc.nat({ max: 4 }),
  after: fc.nat({ max: 6 }),
  changes: fc.integer({ min: 1, max: 3 }),
  isRolledBack: fc.boolean(),
});

/** The transactions of two writers for each of the two accounts. */
const accounts = fc.tuple(...[0, 1].map(() => fc.tuple(fc.array(writing), fc.array(writing))));

let count = 0;

async function openAccount() {
  const mark = `f${count++}`;
  const tenant = await createTenant(running.app, { account: mark, workspaces: [mark] });
  const { key } = await createKey(running.app, tenant);
  const ctx = await openContext(running.app.services, { authorization: `Bearer ${key}` }, 'a-request');
  return { mark, key, within: authorizeWorkspace(ctx, 'admin', mark) };
}

type Account = Awaited<ReturnType<typeof openAccount>>;

/** @returns the names of the committed changes */
async function write({ mark, within }: Account, writings: readonly Writing[]): Promise<string[]> {
  const committed: string[] = [];
  for (const { before, after, changes, isRolledBack } of writings) {
    const names = Array.from({ length: changes }, () => `${mark} ${randomUUID()}`);
    const event = { type: 'update', status: 'UPDATED', message: '' };
    const done = within.transaction(async (tx) => {
      for (let each = 0; each < before; each++) await (await tx.db.$prisma()).account.count();
      await recordChanges(
        tx,
        names.map((name) => ({ kind: 'AGENT', verb: 'updated', resourceId: randomUUID(), name, event })),
      );
      for (let each = 0; each < after; each++) await (await tx.db.$prisma()).account.count();
      if (isRolledBack) throw new Error('rolled back');
    });
    const isCommitted = await done.then(
      () => true,
      (error: unknown) => {
        if (error instanceof Error && error.message === 'rolled back') return false;
        throw error;
      },
    );
    if (isCommitted) committed.push(...names);
  }
  return committed;
}

/** Follows until nothing is written any more, and nothing new is there. */
async function follow({ key }: Account, first: number, isWriting: () => boolean): Promise<string[]> {
  const query = `query ($first: Int!, $after: String) {
    changes(first: $first, after: $after) { nodes { name } pageInfo { endCursor hasNextPage } } }`;
  const seen: string[] = [];
  let after: string | undefined;
  for (let isLast = false, isMore = true; isMore || !isLast;) {
    isLast = !isWriting();
    const { body } = await graphql(running.app, key, query, { first, after });
    const { nodes, pageInfo } = body.data.changes;
    seen.push(...nodes.map(({ name }: { name: string }) => name));
    after = pageInfo.endCursor;
    isMore = pageInfo.hasNextPage;
  }
  return seen;
}

describe('A follower', () => {
  it(
    'sees every change of its account once, in the same order as all others, and none of another account',
    { timeout: 120_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(accounts, fc.integer({ min: 1, max: 7 }), async (given, first) => {
          let writers = 0;
          const outcomes = await Promise.all(
            given.map(async (writersOf) => {
              writers++;
              const account = await openAccount();
              const isWriting = () => writers > 0;
              const following = Promise.all([follow(account, first, isWriting), follow(account, 200, isWriting)]);
              const committed = await Promise.all(writersOf.map((writings) => write(account, writings)));
              writers--;
              return { committed: committed.flat(), seen: await following };
            }),
          );
          for (const { committed, seen } of outcomes) {
            const [one = [], other] = seen;
            expect(one.toSorted()).toEqual(committed.toSorted());
            expect(one).toEqual(other);
          }
        }),
        { numRuns: 8 },
      );
    },
  );
});
