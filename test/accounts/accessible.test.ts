// The accounts and workspaces that a caller can access, through GraphQL and REST.
import { beforeAll, describe, expect, it } from 'vitest';
import { createKey, createTenant, frozenNow, graphql, rest, useApp } from '../harness.js';
import type { Tenant } from '../harness.js';

const running = useApp();
let key: string;
let tenant: Tenant;
const names = ['delta', 'alpha', 'charlie', 'bravo', 'echo-1'];

beforeAll(async () => {
  const { app } = running;
  tenant = await createTenant(app, { account: 'northwind', workspaces: names });
  await createTenant(app, { account: 'southwind', workspaces: ['south'] });
  ({ key } = await createKey(app, tenant));
  for (const [index, name] of names.entries()) {
    const createdAt = new Date(frozenNow.getTime() - Math.floor(index / 2) * 60_000);
    const data = { createdAt, displayName: name === 'bravo' ? '100% Ümlaut' : null };
    await app.services.db.workspace.update({ where: { name }, data });
  }
});

const query = `query ($first: Int, $after: String, $last: Int, $before: String, $orderBy: ListOrder, $search: String) {
  workspaces(first: $first, after: $after, last: $last, before: $before, orderBy: $orderBy, search: $search) {
    totalCount nodes { name account { name } viewerRole createdAt } pageInfo { hasNextPage hasPreviousPage endCursor startCursor }
  }
}`;

async function ask(variables: Record<string, unknown>, by = key) {
  const { body } = await graphql(running.app, by, query, variables);
  expect(body.errors).toBeUndefined();
  return body.data.workspaces;
}

const namesOf = (page: { nodes: { name: string }[] }) => page.nodes.map(({ name }) => name);

describe('GET /v0/accounts', () => {
  it('returns a bare array of the accounts accessible to the caller', async () => {
    const { status, body } = await rest(running.app, '/accounts', { key, version: '2026-04-28' });
    expect(status).toBe(200);
    expect(body).toEqual([
      {
        id: tenant.accountId,
        name: 'northwind',
        plan: 'enterprise',
        createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
        updatedAt: expect.stringMatching(/^\d{4}-.*Z$/),
      },
    ]);
  });
});

describe('workspaces', () => {
  it.each([
    ['NAME', 'ASC', ['alpha', 'bravo', 'charlie', 'delta', 'echo-1']],
    ['NAME', 'DESC', ['echo-1', 'delta', 'charlie', 'bravo', 'alpha']],
    ['CREATED_AT', 'DESC', undefined],
    ['CREATED_AT', 'ASC', undefined],
  ])('ordered by %s %s contains each workspace once, forward and backward', async (field, direction, expected) => {
    const orderBy = { field, direction };
    const whole = namesOf(await ask({ orderBy }));
    expect(whole).toEqual(expected ?? whole);
    expect(whole.toSorted()).toEqual(names.toSorted());
    for (const size of [1, 2, 5]) {
      const forward: string[] = [];
      for (let after: string | null = null, isLast = false; !isLast;) {
        const page: Awaited<ReturnType<typeof ask>> = await ask({ orderBy, first: size, after });
        forward.push(...namesOf(page));
        after = page.pageInfo.endCursor;
        isLast = !page.pageInfo.hasNextPage;
      }
      expect(forward).toEqual(whole);
      const backward: string[] = [];
      for (let before: string | null = null, isFirst = false; !isFirst;) {
        const page: Awaited<ReturnType<typeof ask>> = await ask({ orderBy, last: size, before });
        backward.unshift(...namesOf(page));
        before = page.pageInfo.startCursor;
        isFirst = !page.pageInfo.hasPreviousPage;
      }
      expect(backward).toEqual(whole);
    }
  });

  it('supports search by name and display name, with % and _ as literals', async () => {
    expect(namesOf(await ask({ search: 'LPH' }))).toEqual(['alpha']);
    expect(namesOf(await ask({ search: '0% Ü' }))).toEqual(['bravo']);
    expect(namesOf(await ask({ search: 'a%a' }))).toEqual([]);
    expect(namesOf(await ask({ search: 'echo_1' }))).toEqual([]);
    expect((await ask({ search: 'alpha' })).totalCount).toBe(names.length);
  });

  it('contains only the workspaces that a member belongs to', async () => {
    const { app } = running;
    const { db } = app.services;
    const member = await db.principal.create({ data: { kind: 'user', name: 'member@northwind.example.com' } });
    await db.accountMember.create({ data: { accountId: tenant.accountId, principalId: member.id, role: 'member' } });
    const workspaceId = tenant.workspaces['charlie'] ?? '';
    await db.workspaceMember.create({ data: { workspaceId, principalId: member.id, role: 'member' } });
    const { key: other } = await createKey(app, { accountId: tenant.accountId, principalId: member.id });
    const page = await ask({}, other);
    expect(page).toMatchObject({ totalCount: 1, nodes: [{ name: 'charlie', viewerRole: 'MEMBER' }] });
    const first = await ask({ first: 1 });
    const { body } = await graphql(app, other, query, { after: first.pageInfo.endCursor });
    expect(body.errors[0].extensions.code).toBe('cursor_mismatch');
  });
});

describe('account', () => {
  const globalId = (id: string) => Buffer.from(`1:Account:${id}`).toString('base64url');
  const one = '{ account(id: "ID") { name plan } }';

  it('returns an account that the caller belongs to', async () => {
    const { body } = await graphql(running.app, key, one.replace('ID', globalId(tenant.accountId)));
    expect(body.data.account).toEqual({ name: 'northwind', plan: 'enterprise' });
  });

  it('rejects any other account with access_denied, whether it exists or not', async () => {
    const south = await running.app.services.db.account.findUniqueOrThrow({ where: { name: 'southwind' } });
    for (const id of [south.id, crypto.randomUUID()]) {
      const { body } = await graphql(running.app, key, one.replace('ID', globalId(id)));
      expect(body.errors[0]).toMatchObject({
        message: 'Access denied.',
        extensions: { code: 'access_denied', status: 403 },
      });
    }
  });
});
