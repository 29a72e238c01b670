// A reader misses nothing, and all see the same order, while writing processes are killed anywhere, on a PostgreSQL
// server with several writers.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createKey, createTenant, freshDatabase, graphql, startOn } from '../harness.js';
import type { RunningApp } from '../harness.js';
import { programWords } from '../program-flags.js';
import { watch } from './event-stream.js';

/**
 * The number of statements after which each of two concurrent processes is killed; a half means that the statement was
 * executed but not reported.
 */
const death = fc.integer({ min: 2, max: 160 }).map((halves) => halves / 2);
const deaths = fc.array(fc.tuple(death, death), { minLength: 1, maxLength: 3 });

describe.skipIf('folder' in inject('template'))('A reader while writing processes are killed', () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let running: RunningApp;

  beforeAll(async () => {
    database = await freshDatabase();
    running = await startOn(database.settings);
  });

  afterAll(async () => {
    await running.stop();
    await database.remove();
  });

  /** @returns the changes that a process reported as committed before it was killed */
  async function writeUntilKilled(key: string, workspace: string, statements: number, mark: string): Promise<string[]> {
    const words = [key, workspace, String(statements), mark];
    const child = spawn(process.execPath, [...programWords('changes/killed-writer'), ...words], {
      env: { ...process.env, ...database.settings },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [said] = await Promise.all([text(child.stdout), once(child, 'close')]);
    expect(child.signalCode).toBe('SIGKILL');
    return said.split('\n').filter((name) => name !== '');
  }

  async function readAll(key: string, first: number): Promise<string[]> {
    const query = `query ($first: Int!, $after: String) {
      changes(first: $first, after: $after, filter: { kinds: [AGENT] }) { nodes { name } pageInfo { endCursor hasNextPage } } }`;
    const seen: string[] = [];
    for (let after: string | undefined, isMore = true; isMore;) {
      const { body } = await graphql(running.app, key, query, { first, after });
      const { nodes, pageInfo } = body.data.changes;
      seen.push(...nodes.map(({ name }: { name: string }) => name));
      ({ endCursor: after, hasNextPage: isMore } = pageInfo);
    }
    return seen;
  }

  let count = 0;

  it(
    'gets every committed change, from the feed and a subscription, in the same order',
    { timeout: 240_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(deaths, async (rounds) => {
          const mark = `k${count++}`;
          const tenant = await createTenant(running.app, { account: mark, workspaces: [mark] });
          const { key } = await createKey(running.app, tenant);
          const watching = await watch(
            running.app,
            key,
            'subscription { changes(filter: { kinds: [AGENT] }) { node { name } } }',
          );
          const said: string[] = [];
          for (const [round, both] of rounds.entries()) {
            const writing = both.map((statements, of) => writeUntilKilled(key, mark, statements, `${round} ${of}`));
            said.push(...(await Promise.all(writing)).flat());
          }
          const history = await readAll(key, 200);
          const told: string[] = [];
          while (told.length < history.length) told.push((await watching.next())?.data.data.changes.node.name);
          watching.leave();
          expect(told).toEqual(history);
          expect(await readAll(key, 3)).toEqual(history);
          expect(new Set(history).size).toBe(history.length);
          expect(said.filter((name) => !history.includes(name))).toEqual([]);
          // The changes of one writer are in its order.
          const places = said.map((name) => history.indexOf(name));
          for (const [round, both] of rounds.entries()) {
            for (const of of both.keys()) {
              const own = places.filter((_, index) => said[index]?.startsWith(`${round} ${of} `));
              expect(own).toEqual(own.toSorted((one, other) => one - other));
            }
          }
        }),
        { numRuns: 2 },
      );
    },
  );
});
