// Pages of lists whose items are loaded by id.
import { beforeAll, expect, it } from 'vitest';
import { connectionFromPage } from '../../../src/api/graphql/connection.js';
import { authorizeScope } from '../../../src/auth/authorize.js';
import { frameContext } from '../../../src/cli/operator/operator-context.js';
import { listAll } from '../../../src/cli/operator/list-all.js';
import type { ListInput } from '../../../src/store/read/list-input.js';
import { readPageById } from '../../../src/store/read/read-page.js';
import { defineList } from '../../../src/store/read/resource-kind.js';
import { useApp } from '../../harness.js';

const running = useApp();
const users = defineList({ label: 'user', table: 'principal', isAcrossWorkspaces: true, columns: {} });
const names = Array.from({ length: 201 }, (_each, n) => `user-${n}@example.com`);

beforeAll(async () => {
  await running.app.services.db.principal.createMany({ data: names.map((name) => ({ kind: 'user', name })) });
});

/** A page of users, of which the given number were deleted after their ids were read. */
async function page(input: Partial<ListInput>, deleted = 0) {
  const { services } = running.app;
  const authorized = authorizeScope(await frameContext(services));
  const lists = { parents: [{ id: 'all' }], query: {} };
  const fields = { search: 'search', cursor: 'after' };
  const whole = { size: 2, direction: 'forward', fields, version: 'test', ...input } as const;
  return readPageById(authorized, users, lists, whole, async (ids) => {
    const rows = await services.db.principal.findMany({ where: { id: { in: ids.slice(deleted) } } });
    return ids.map((id) => rows.find((row) => row.id === id) ?? null);
  });
}

it('A page whose rows were all deleted has the cursors of its place in the list', async () => {
  const second = await page({ cursor: null });
  const empty = await page({}, 2);
  const { pageInfo, edges } = connectionFromPage(empty, empty.cursors);
  expect(edges).toEqual([]);
  expect(pageInfo).toMatchObject({ hasNextPage: true, startCursor: expect.any(String) });
  const next = await page({ cursor: pageInfo.endCursor });
  expect(next.items).toHaveLength(2);
  const known = new Set(second.items.map(({ id }) => id));
  expect(next.items.filter(({ id }) => known.has(id))).toEqual([]);
});

it('A list that is read completely continues after such a page', async () => {
  let pages = 0;
  const all = await listAll((input) => page(input, pages++ === 0 ? input.size : 0));
  expect(all).toHaveLength(1);
});
