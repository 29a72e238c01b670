// Pages, sorts and cursors of GET /agents.
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { queryCursors } from '../../../src/pagination/cursor.js';
import { createEncryption } from '../../../src/encryption.js';
import { addAgents, anAgent, createKey, createTenant, frozenNow, rest, useApp } from '../../harness.js';
import type { Answer, Tenant } from '../../harness.js';

const version = '2026-04-28';
const sorts = ['createdAt:desc', 'createdAt:asc', 'name:asc', 'name:desc'] as const;
const running = useApp();
let tenant: Tenant;
let key: string;

beforeAll(async () => {
  const { app } = running;
  tenant = await createTenant(app, { account: 'northwind', workspaces: ['main', 'other', 'lively'] });
  ({ key } = await createKey(app, tenant));
  for (const workspace of ['main', 'other']) {
    const agents = Array.from({ length: 11 }, (_, index) => anAgentOf(`agent-${(index * 7) % 11}`, index % 3));
    await addAgents(app, tenant.workspaces[workspace], agents);
  }
});

function anAgentOf(name: string, day: number) {
  return anAgent(name, { metadata: { createdAt: new Date(Date.UTC(2026, 0, 1 + day)).toISOString() } });
}

async function list(query: Record<string, string>, workspace = 'main'): Promise<Answer> {
  const headers = { 'x-service-workspace': workspace };
  return rest(running.app, `/agents?${new URLSearchParams(query)}`, { key, version, headers });
}

function namesOf({ body }: Answer): string[] {
  const items: { metadata: { name: string } }[] = body.data;
  return items.map(({ metadata }) => metadata.name);
}

/** Every page from the first to the last, with an action between two of them. */
async function walk(
  workspace: string,
  query: Record<string, string>,
  sizes: number[],
  between: () => Promise<void> = async () => {},
): Promise<string[]> {
  const names: string[] = [];
  let cursor: string | undefined;
  for (let page = 0; cursor !== ''; page++) {
    const limit = String(sizes[page % sizes.length] ?? 1);
    const answer: Answer = await list({ ...query, limit, ...(cursor === undefined ? {} : { cursor }) }, workspace);
    expect(answer.status).toBe(200);
    expect(answer.body.meta.hasMore).toBe(answer.body.meta.nextCursor !== '');
    names.push(...namesOf(answer));
    cursor = answer.body.meta.nextCursor;
    await between();
  }
  return names;
}

function expectRefusal(answer: Answer, error: string, mention: string): void {
  expect(answer.status).toBe(400);
  expect(answer.body).toEqual({ error, code: 400, message: expect.stringContaining(mention) });
}

describe('Pages', () => {
  it.each(sorts)(
    'sorted by %s return every row once for every page size, with a stable order of ties',
    async (sort) => {
      const whole = namesOf(await list({ sort }));
      expect(new Set(whole).size).toBe(11);
      for (let size = 1; size <= 12; size++) expect(await walk('main', { sort }, [size])).toEqual(whole);
    },
  );

  it('sorted by name are in byte order, and each sort is the reverse of its opposite', async () => {
    const byName = namesOf(await list({ sort: 'name:asc' }));
    expect(byName).toEqual(byName.toSorted());
    expect(namesOf(await list({ sort: 'name:desc' }))).toEqual(byName.toReversed());
    const byCreation = namesOf(await list({ sort: 'createdAt:asc' }));
    expect(namesOf(await list({ sort: 'createdAt:desc' }))).toEqual(byCreation.toReversed());
    expect(namesOf(await list({}))).toEqual(byCreation.toReversed());
  });

  it('never repeat or skip an existing row while rows are created and deleted', async () => {
    const { db } = running.app.services;
    const workspaceId = tenant.workspaces['lively'] ?? '';
    const agent = fc.record({ name: fc.stringMatching(/^[a-d]{1,4}$/), day: fc.nat(2) });
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(agent, { selector: ({ name }) => name, maxLength: 24 }),
        fc.uniqueArray(agent, { selector: ({ name }) => name, maxLength: 6 }),
        fc.array(fc.nat(), { maxLength: 6 }),
        fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 4 }),
        fc.constantFrom(...sorts),
        async (initial, later, removals, sizes, sort) => {
          await db.agent.deleteMany({ where: { workspaceId } });
          const start = initial.map(({ name, day }) => anAgentOf(name, day));
          if (start.length > 0) await addAgents(running.app, workspaceId, start);
          const additions = later.map(({ name, day }) => anAgentOf(`${name}-later`, day));
          const staying = new Set(initial.map(({ name }) => name));
          const seen = await walk('lively', { sort }, sizes, async () => {
            const addition = additions.pop();
            if (addition !== undefined) await addAgents(running.app, workspaceId, [addition]);
            const leaving = [...staying][(removals.pop() ?? Infinity) % staying.size];
            if (leaving === undefined) return;
            staying.delete(leaving);
            await db.agent.delete({ where: { workspaceId_name: { workspaceId, name: leaving } } });
          });
          expect(new Set(seen).size).toBe(seen.length);
          expect(seen).toEqual(expect.arrayContaining([...staying]));
        },
      ),
      { numRuns: 30 },
    );
  });
});

describe('limit', () => {
  it.each(['0', '-1', '1.5', 'abc', '', '1e2', ' 5'])('rejects %j with 400', async (limit) => {
    expectRefusal(await list({ limit }), 'invalid_parameter', 'limit');
  });

  it('is 50 by default, and capped at 200', async () => {
    const { app } = running;
    const created = await app.services.db.workspace.create({ data: { name: 'wide', accountId: tenant.accountId } });
    await addAgents(
      app,
      created.id,
      Array.from({ length: 203 }, (_, index) => anAgent(`agent-${index}`)),
    );
    const { key: wideKey } = await createKey(app, { ...tenant, workspaceId: created.id });
    const sizeFor = async (query: string) => (await rest(app, `/agents${query}`, { key: wideKey, version })).body;
    expect((await sizeFor('')).data).toHaveLength(50);
    for (const limit of ['200', '201', '99999999999999999999999']) {
      const body = await sizeFor(`?limit=${limit}`);
      expect(body.data).toHaveLength(200);
      expect(body.meta).toMatchObject({ hasMore: true, total: 203 });
    }
  });
});

describe('sort and repeated parameters', () => {
  it.each(['createdAt', 'name:up', 'NAME:ASC', '', 'toString'])('rejects the sort %j with 400', async (sort) => {
    expectRefusal(await list({ sort }), 'invalid_parameter', 'sort');
  });

  it.each(['limit', 'sort', 'q', 'cursor', 'anchor'])('rejects a repeated %s with 400', async (name) => {
    const headers = { 'x-service-workspace': 'main' };
    const answer = await rest(running.app, `/agents?${name}=1&${name}=1`, { key, version, headers });
    expectRefusal(answer, 'invalid_parameter', name);
  });
});

describe('anchor=end', () => {
  it.each(['createdAt:asc', 'createdAt:desc'])('returns the last page of %s in its order', async (sort) => {
    const whole = namesOf(await list({ sort }));
    for (const limit of [1, 4, 11, 12]) {
      const answer = await list({ sort, limit: String(limit), anchor: 'end' });
      expect(namesOf(answer)).toEqual(whole.slice(-limit));
      expect(answer.body.meta).toEqual({ hasMore: false, nextCursor: '', total: 11 });
    }
  });

  it('works with the default sort, and with a search', async () => {
    const whole = namesOf(await list({ q: 'agent-1' }));
    expect(namesOf(await list({ q: 'agent-1', limit: '1', anchor: 'end' }))).toEqual(whole.slice(-1));
  });

  it.each(['name:asc', 'name:desc'])('rejects %s with 400', async (sort) => {
    expectRefusal(await list({ sort, anchor: 'end' }), 'invalid_parameter', 'anchor');
  });

  it('rejects a cursor in addition, and any other word, with 400', async () => {
    const { body } = await list({ limit: '1' });
    const cursor: string = body.meta.nextCursor;
    expectRefusal(await list({ cursor, anchor: 'end' }), 'invalid_parameter', 'anchor');
    expectRefusal(await list({ anchor: 'start' }), 'invalid_parameter', 'anchor');
  });
});

describe('cursor', () => {
  async function aCursor(query: Record<string, string> = {}): Promise<string> {
    const { body } = await list({ limit: '2', ...query });
    return body.meta.nextCursor;
  }

  it('is opaque and URL-safe', async () => {
    const cursor = await aCursor();
    expect(cursor).toMatch(/^[A-Za-z0-9_-]+$/);
    expect(Buffer.from(cursor, 'base64url').toString('latin1')).not.toContain('2026');
  });

  it('can be used with another limit', async () => {
    const whole = namesOf(await list({}));
    expect(namesOf(await list({ cursor: await aCursor(), limit: '5' }))).toEqual(whole.slice(2, 7));
  });

  it('is valid for any spelling of q', async () => {
    const cursor = await aCursor({ q: 'agent' });
    expect((await list({ cursor, q: '  AGENT ' })).status).toBe(200);
  });

  it('returns cursor_invalid if it is forged, truncated or changed', async () => {
    const cursor = await aCursor();
    const changed = `${cursor.slice(0, -1)}${cursor.endsWith('A') ? 'B' : 'A'}`;
    const forged = queryCursors(createEncryption(['another secret, as long as it has to be']), () => frozenNow, {});
    const strange = forged.encode({ key: '2026-01-01T00:00:00+00:00', id: '00000000-0000-4000-8000-000000000000' });
    for (const wrong of ['abc', cursor.slice(0, -4), changed, `${cursor}A`, `${cursor}=`, strange, 'é']) {
      expectRefusal(await list({ cursor: wrong }), 'cursor_invalid', 'cursor');
    }
  });

  it('returns cursor_mismatch for another q, sort, workspace or version', async () => {
    const cursor = await aCursor();
    expectRefusal(await list({ cursor, q: 'agent' }), 'cursor_mismatch', 'cursor');
    expectRefusal(await list({ cursor, sort: 'createdAt:asc' }), 'cursor_mismatch', 'cursor');
    expectRefusal(await list({ cursor }, 'other'), 'cursor_mismatch', 'cursor');
    const headers = { 'x-service-workspace': 'main' };
    const query = `/agents?cursor=${cursor}`;
    expectRefusal(await rest(running.app, query, { key, version: '2026-04-29', headers }), 'cursor_mismatch', 'cursor');
  });

  it('is valid for 24 hours, and then returns cursor_expired', async () => {
    const { clock } = running.app;
    const cursor = await aCursor();
    try {
      clock.now = new Date(frozenNow.getTime() + 25 * 3_600_000 - 1);
      expect((await list({ cursor })).status).toBe(200);
      clock.now = new Date(clock.now.getTime() + 1);
      expectRefusal(await list({ cursor }), 'cursor_expired', 'cursor');
    } finally {
      clock.now = frozenNow;
    }
  });
});

describe('total', () => {
  it('ignores q and pages, and follows creations and deletions', async () => {
    const { app } = running;
    const workspaceId = tenant.workspaces['other'] ?? '';
    const total = async (query: Record<string, string>) => (await list(query, 'other')).body.meta.total;
    expect(await total({ q: 'agent-10' })).toBe(11);
    expect(await total({ q: 'nothing like this', limit: '1' })).toBe(11);
    await app.services.db.agent.deleteMany({ where: { workspaceId, name: { in: ['agent-1', 'agent-2'] } } });
    expect(await total({})).toBe(9);
    await addAgents(app, workspaceId, [anAgent('agent-1')]);
    expect(await total({})).toBe(10);
    await app.services.db.agent.deleteMany({ where: { workspaceId } });
    expect(await total({})).toBe(0);
  });
});
