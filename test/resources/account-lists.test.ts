// Lists over all workspaces of an account equal sorting in memory, page by page, in both directions.
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { addAgents, createKey, createTenant, graphql, useApp } from '../harness.js';
import type { Tenant } from '../harness.js';
import { addPlatform } from '../platform.js';

const running = useApp();
let tenant: Tenant;
let key: string;

interface Plain {
  id: string;
  workspace: string;
  name: string;
  createdAt: string;
  updatedAt: string;
  displayName: string | undefined;
  status: 'DEPLOYED' | 'FAILED' | undefined;
}

const agents: Plain[] = [];

beforeAll(async () => {
  const { app } = running;
  tenant = await createTenant(app, { account: 'northwind', workspaces: ['main', 'side', 'third', 'empty'] });
  ({ key } = await createKey(app, tenant));
  const other = await createTenant(app, { account: 'southwind', workspaces: ['south'] });
  await addPlatform(app, other.workspaces['south'] ?? '', 'south');
  for (const [place, workspace] of ['main', 'side', 'third'].entries()) {
    const made = Array.from({ length: 25 }, (_, index): Plain => ({
      id: randomUUID(),
      workspace,
      name: `agent-${index}`,
      // Times and names that several workspaces share.
      createdAt: new Date(Date.UTC(2026, 10, 1, 0, 0, 0, ((index * 7) % 11) * 100)).toISOString(),
      updatedAt: new Date(Date.UTC(2026, 10, 2, 0, 0, (index * (place + 2)) % 5)).toISOString(),
      displayName: [undefined, 'Zoo', 'Ü', 'ant', '\u{1F69A}', '\uFFFD'][index % 6],
      status: (['DEPLOYED', 'FAILED', undefined] as const)[(index + place) % 3],
    }));
    agents.push(...made);
    await addAgents(
      app,
      tenant.workspaces[workspace],
      made.map(({ id, name, createdAt, updatedAt, displayName, status }) => ({
        id,
        metadata: { name, createdAt, updatedAt, displayName },
        spec: {},
        status,
      })),
    );
  }
});

const bytes = (one: string | undefined, other: string | undefined) =>
  Buffer.compare(Buffer.from(one ?? ''), Buffer.from(other ?? ''));

const sorts = {
  CREATED_AT: (one: Plain, other: Plain) => bytes(one.createdAt, other.createdAt),
  UPDATED_AT: (one: Plain, other: Plain) => bytes(one.updatedAt, other.updatedAt),
  NAME: (one: Plain, other: Plain) => bytes(one.name, other.name),
  STATUS: (one: Plain, other: Plain) => bytes(one.status, other.status),
  DISPLAY_NAME: (one: Plain, other: Plain) => bytes(one.displayName, other.displayName),
};

const filters = [
  { words: '', meets: () => true },
  { words: 'filter: { status: { in: [FAILED] } }', meets: ({ status }: Plain) => status === 'FAILED' },
  { words: 'search: "agent-1"', meets: ({ name }: Plain) => name.includes('agent-1') },
  { words: 'filter: { name: { in: ["nobody"] } }', meets: () => false },
];

async function ask(query: string, variables: Record<string, unknown> = {}, as = key) {
  const { body } = await graphql(running.app, as, query, variables);
  return body;
}

interface Node {
  uuid: string;
  metadata: { name: string };
  workspace: { name: string };
}

describe('The agents of an account', () => {
  it('are those of all its workspaces in one order, each once, forward and backward', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...Object.entries(sorts)),
        fc.constantFrom('ASC', 'DESC'),
        fc.constantFrom(...filters),
        fc.constantFrom(7, 25, 200),
        fc.boolean(),
        async ([sort, compare], direction, { words, meets }, size, isForward) => {
          const sign = direction === 'ASC' ? 1 : -1;
          const expected = agents
            .filter(meets)
            .toSorted((one, other) => sign * (compare(one, other) || bytes(one.id, other.id)))
            .map(({ id, workspace }) => `${workspace} ${id}`);
          const [count, cursor] = isForward ? ['first', 'after'] : ['last', 'before'];
          const query = `query ($cursor: String) { account(name: "northwind") {
            agents(orderBy: { field: ${sort}, direction: ${direction} }, ${words}, ${count}: ${size}, ${cursor}: $cursor) {
              totalCount filteredCount nodes { uuid workspace { name } }
              pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } }`;
          const seen: string[] = [];
          for (let from: string | null = null; ;) {
            const body = await ask(query, { cursor: from });
            expect(body.errors).toBeUndefined();
            const { nodes, pageInfo, totalCount, filteredCount } = body.data.account.agents;
            expect({ totalCount, filteredCount }).toEqual({ totalCount: 75, filteredCount: expected.length });
            const page = nodes.map(({ uuid, workspace }: Node) => `${workspace.name} ${uuid}`);
            if (isForward) seen.push(...page);
            else seen.unshift(...page);
            if (!(isForward ? pageInfo.hasNextPage : pageInfo.hasPreviousPage)) break;
            from = isForward ? pageInfo.endCursor : pageInfo.startCursor;
          }
          expect(seen).toEqual(expected);
        },
      ),
      { numRuns: 20 },
    );
  });

  it('take as many statements for four workspaces as for one', async () => {
    const query =
      '{ viewer { accounts { agents(first: 5) { totalCount nodes { metadata { name } workspace { name } } } } } }';
    const workspaceId = tenant.workspaces['side'] ?? '';
    const { key: confined } = await createKey(running.app, { ...tenant, workspaceId });
    const count = async (as: string) => {
      running.app.statements.length = 0;
      const body = await ask(query, {}, as);
      expect(body.errors).toBeUndefined();
      return {
        total: body.data.viewer.accounts[0].agents.totalCount,
        statements: running.app.statements.filter((sql) => !sql.includes('"api_key"')).length,
      };
    };
    expect(await count(key)).toEqual({ total: 75, statements: 2 });
    expect(await count(confined)).toEqual({ total: 25, statements: 2 });
  });

  it('require their scope, and otherwise leave the other fields', async () => {
    const { key: narrow } = await createKey(running.app, { ...tenant, scope: 'agents:list' });
    const body = await ask(
      '{ viewer { accounts { agents(first: 1) { totalCount } jobs { totalCount } } } }',
      {},
      narrow,
    );
    expect(body.data.viewer.accounts).toEqual([{ agents: { totalCount: 75 }, jobs: null }]);
    expect(body.errors).toMatchObject([{ extensions: { code: 'forbidden' } }]);
  });

  it('reject a cursor of a workspace’s list', async () => {
    const own = await ask('{ agents(workspace: "main", first: 1) { pageInfo { endCursor } } }');
    const query = 'query ($after: String) { account(name: "northwind") { agents(after: $after) { nodes { id } } } }';
    const body = await ask(query, { after: own.data.agents.pageInfo.endCursor });
    expect(body.data.account.agents).toBeNull();
    expect(body.errors).toMatchObject([{ extensions: { code: 'cursor_mismatch', status: 400 } }]);
  });
});

describe('Every other list of an account', () => {
  it('contains the resources of all its workspaces, and no others', async () => {
    for (const workspace of ['main', 'side']) {
      await addPlatform(running.app, tenant.workspaces[workspace] ?? '', 'north');
    }
    const lists = ['sandboxes', 'jobs', 'volumes', 'vpcs', 'images'];
    const fields = lists.map(
      (list) => `${list}(orderBy: { field: NAME, direction: ASC }) { totalCount nodes { workspace { name } } }`,
    );
    const body = await ask(`{ account(name: "northwind") { ${fields.join(' ')} } }`);
    expect(body.errors).toBeUndefined();
    for (const list of lists) {
      const { totalCount, nodes } = body.data.account[list];
      expect(totalCount).toBe(2);
      expect(nodes.map(({ workspace }: Node) => workspace.name).toSorted()).toEqual(['main', 'side']);
    }
  });
});
