import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { encodeGlobalId } from '../../../../src/api/graphql/global-id.js';
import {
  addAgents,
  anAgent,
  createKey,
  createTenant,
  createToken,
  frozenNow,
  graphql,
  useApp,
} from '../../../harness.js';
import type { Answer, Tenant } from '../../../harness.js';

const running = useApp();
let tenant: Tenant;
let key: string;
let foreignId: string;

beforeAll(async () => {
  const { app } = running;
  tenant = await createTenant(app, { account: 'northwind', workspaces: ['main', 'second'] });
  ({ key } = await createKey(app, { ...tenant, workspaceId: tenant.workspaces['main'] ?? '' }));
  const agents = Array.from({ length: 11 }, (_, index) =>
    anAgent(`agent-${(index * 7) % 11}`, {
      metadata: { createdAt: new Date(Date.UTC(2026, 0, 1 + (index % 3))).toISOString(), labels: { n: String(index) } },
      events: [{ time: frozenNow.toISOString(), type: 'deployment' }],
    }),
  );
  await addAgents(app, tenant.workspaces['main'], agents);
  await addAgents(app, tenant.workspaces['second'], [anAgent('in-second')]);
  const other = await createTenant(app, { account: 'contoso', workspaces: ['elsewhere'] });
  foreignId = '00000000-0000-4000-8000-00000000f0f0';
  await addAgents(app, other.workspaces['elsewhere'], [{ ...anAgent('foreign'), id: foreignId }]);
});

interface AgentsArguments {
  first?: number;
  after?: string;
  last?: number;
  before?: string;
  orderBy?: { field: string; direction: string };
  search?: string;
  workspace?: string;
}

const listQuery = `query List(
  $first: Int, $after: String, $last: Int, $before: String, $orderBy: ResourceOrder, $search: String, $workspace: String
) {
  agents(
    first: $first, after: $after, last: $last, before: $before, orderBy: $orderBy, search: $search, workspace: $workspace
  ) {
    edges { cursor node { id metadata { name } } }
    nodes { metadata { name } }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    totalCount
  }
}`;

async function list(variables: AgentsArguments = {}, headers: Record<string, string> = {}): Promise<Answer> {
  return graphql(running.app, key, listQuery, { ...variables }, headers);
}

function namesOf({ body }: Answer): string[] {
  const nodes: { metadata: { name: string } }[] = body.data.agents.nodes;
  return nodes.map(({ metadata }) => metadata.name);
}

function expectRefusal(answer: Answer, code: string, status: number, field?: string): void {
  const [error] = answer.body.errors;
  const requestId = answer.headers.get('x-request-id');
  expect(error.extensions).toMatchObject({ code, status, requestId, ...(field === undefined ? {} : { field }) });
  expect(error.message).toContain(field ?? '');
}

describe('agents', () => {
  it.each([
    { field: 'CREATED_AT', direction: 'DESC' },
    { field: 'CREATED_AT', direction: 'ASC' },
    { field: 'NAME', direction: 'ASC' },
    { field: 'NAME', direction: 'DESC' },
  ])('ordered by $field $direction returns every agent once, forward and backward', async (orderBy) => {
    const whole = namesOf(await list({ orderBy }));
    expect(new Set(whole).size).toBe(11);
    for (const size of [1, 3, 10, 11, 12]) {
      const forward: string[] = [];
      for (let after: string | undefined; ;) {
        const answer = await list({ orderBy, first: size, ...(after === undefined ? {} : { after }) });
        const { edges, pageInfo } = answer.body.data.agents;
        expect(pageInfo.hasPreviousPage).toBe(after !== undefined);
        expect(pageInfo.startCursor === null).toBe(edges.length === 0);
        forward.push(...namesOf(answer));
        if (!pageInfo.hasNextPage) break;
        after = pageInfo.endCursor;
      }
      expect(forward).toEqual(whole);
      const backward: string[] = [];
      for (let before: string | undefined; ;) {
        const answer = await list({ orderBy, last: size, ...(before === undefined ? {} : { before }) });
        const { pageInfo } = answer.body.data.agents;
        expect(pageInfo.hasNextPage).toBe(before !== undefined);
        backward.unshift(...namesOf(answer));
        if (!pageInfo.hasPreviousPage) break;
        before = pageInfo.startCursor;
      }
      expect(backward).toEqual(whole);
    }
  });

  it('continues from the cursor of any edge, in either direction', async () => {
    const answer = await list();
    const whole = namesOf(answer);
    const edges: { cursor: string }[] = answer.body.data.agents.edges;
    await fc.assert(
      fc.asyncProperty(fc.nat(10), fc.integer({ min: 1, max: 12 }), async (index, size) => {
        const cursor = edges[index]?.cursor ?? '';
        expect(namesOf(await list({ first: size, after: cursor }))).toEqual(whole.slice(index + 1, index + 1 + size));
        expect(namesOf(await list({ last: size, before: cursor }))).toEqual(
          whole.slice(Math.max(index - size, 0), index),
        );
      }),
      { numRuns: 20 },
    );
  });

  it('returns the newest 50 by default', async () => {
    expect(namesOf(await list())).toEqual(
      namesOf(await list({ orderBy: { field: 'CREATED_AT', direction: 'DESC' }, first: 50 })),
    );
  });

  it('returns edges and nodes of the same page', async () => {
    const { body } = await list({ first: 4 });
    const edges: { node: { metadata: { name: string } } }[] = body.data.agents.edges;
    const nodes: { metadata: { name: string } }[] = body.data.agents.nodes;
    expect(edges.map(({ node }) => node.metadata.name)).toEqual(nodes.map(({ metadata }) => metadata.name));
  });

  it('supports the same search as REST, page by page', async () => {
    expect(namesOf(await list({ search: ' AGENT-10 ' }))).toEqual(['agent-10']);
    const { body } = await list({ search: 'agent-1', first: 1 });
    const { pageInfo, totalCount } = body.data.agents;
    expect(totalCount).toBe(11);
    expect(pageInfo.hasNextPage).toBe(true);
    const rest = await list({ search: 'agent-1', after: pageInfo.endCursor });
    expect(rest.body.data.agents.edges).toHaveLength(1);
    expect(rest.body.data.agents.pageInfo.hasNextPage).toBe(false);
  });

  it('counts without reading any agent', async () => {
    const { app } = running;
    app.statements.length = 0;
    const { body } = await graphql(app, key, '{ agents(first: 0) { totalCount } }');
    expect(body.data.agents.totalCount).toBe(11);
  });

  it('merges fields that are selected in several places', async () => {
    const { body } = await graphql(
      running.app,
      key,
      `
        query Merged($yes: Boolean!) {
          agents(first: 1, orderBy: { field: NAME, direction: ASC }) {
            edges {
              node {
                ...Named
              }
            }
          }
          agents(first: 1, orderBy: { field: NAME, direction: ASC }) {
            edges {
              node {
                ... on Node {
                  ... on Agent {
                    metadata {
                      labels @include(if: $yes) {
                        value
                      }
                    }
                  }
                }
              }
            }
            nodes {
              happened: events {
                type
              }
            }
          }
        }
        fragment Named on Agent {
          metadata {
            name
          }
        }
      `,
      { yes: true },
    );
    expect(body.data.agents.edges).toEqual([{ node: { metadata: { name: 'agent-0', labels: [{ value: '0' }] } } }]);
    expect(body.data.agents.nodes).toEqual([{ happened: [{ type: 'deployment' }] }]);
  });
});

describe('arguments of agents', () => {
  it.each<{ variables: AgentsArguments; field: string }>([
    { variables: { first: -1 }, field: 'first' },
    { variables: { first: 201 }, field: 'first' },
    { variables: { last: -1 }, field: 'last' },
    { variables: { last: 201 }, field: 'last' },
    { variables: { first: 1, last: 1 }, field: 'last' },
    { variables: { last: 1, after: 'x' }, field: 'after' },
    { variables: { after: 'x', before: 'x' }, field: 'after' },
    { variables: { first: 1, before: 'x' }, field: 'before' },
    { variables: { search: 'a'.repeat(201) }, field: 'search' },
    { variables: { search: 'a\u0000b' }, field: 'search' },
  ])('rejects $variables with invalid_parameter, naming $field', async ({ variables, field }) => {
    expectRefusal(await list(variables), 'invalid_parameter', 400, field);
  });

  it('rejects a cursor that is forged, of another query, or of REST', async () => {
    const { body } = await list({ first: 1 });
    const cursor: string = body.data.agents.pageInfo.endCursor;
    expectRefusal(await list({ after: 'forged' }), 'cursor_invalid', 400, 'after');
    expectRefusal(await list({ before: 'forged' }), 'cursor_invalid', 400, 'before');
    expectRefusal(
      await list({ after: cursor, orderBy: { field: 'NAME', direction: 'ASC' } }),
      'cursor_mismatch',
      400,
      'after',
    );
    expectRefusal(await list({ after: cursor, search: 'agent' }), 'cursor_mismatch', 400, 'after');
    const address = `${running.app.origin}/v0/agents?cursor=${cursor}`;
    const response = await fetch(address, {
      headers: { authorization: `Bearer ${key}`, 'service-version': '2026-04-28' },
    });
    expect(await response.json()).toMatchObject({ error: 'cursor_mismatch', code: 400 });
  });

  it('rejects a cursor more than 24 hours after the hour in which it was issued', async () => {
    const { clock } = running.app;
    const { body } = await list({ first: 1 });
    const cursor: string = body.data.agents.pageInfo.endCursor;
    try {
      clock.now = new Date(frozenNow.getTime() + 25 * 3_600_000);
      expectRefusal(await list({ after: cursor }), 'cursor_expired', 400, 'after');
    } finally {
      clock.now = frozenNow;
    }
  });

  it('returns a validation error for an unknown order', async () => {
    expectRefusal(await list({ orderBy: { field: 'SIDEWAYS', direction: 'ASC' } }), 'invalid_request', 400);
  });
});

describe('workspace', () => {
  const query = 'query ($workspace: String) { agents(workspace: $workspace) { nodes { metadata { name } } } }';

  it('is selected by the argument, then the header, then the credential', async () => {
    const { app } = running;
    const { key: wide } = await createKey(app, tenant);
    const header = { 'x-service-workspace': 'main' };
    expect(namesOf(await graphql(app, wide, query, { workspace: 'second' }, header))).toEqual(['in-second']);
    expect(namesOf(await graphql(app, wide, query, { workspace: null }, header))).toHaveLength(11);
    expect(namesOf(await graphql(app, key, query))).toHaveLength(11);
  });

  it('is required when the credential can access several', async () => {
    const { key: wide } = await createKey(running.app, tenant);
    expectRefusal(await graphql(running.app, wide, query), 'workspace_required', 400);
  });

  it('returns the same error when it is unknown, of another account, or inaccessible to the credential', async () => {
    const messages = new Set<string>();
    for (const workspace of ['no-such', 'elsewhere', 'second', '', 'a\u0000']) {
      const answer = await graphql(running.app, key, query, { workspace });
      expectRefusal(answer, 'forbidden', 403);
      messages.add(answer.body.errors[0].message);
    }
    expect(messages.size).toBe(1);
  });

  it('can be several in one request', async () => {
    const { key: wide } = await createKey(running.app, tenant);
    const { body } = await graphql(
      running.app,
      wide,
      '{ one: agents(workspace: "main", first: 1) { totalCount } two: agents(workspace: "second") { totalCount } }',
    );
    expect(body.data).toEqual({ one: { totalCount: 11 }, two: { totalCount: 1 } });
  });
});

describe('agent', () => {
  const query = 'query ($name: String!) { agent(name: $name) { id metadata { name } events { type } } }';

  it('is found by its name, with its events', async () => {
    const { body } = await graphql(running.app, key, query, { name: 'agent-3' });
    expect(body.data.agent).toMatchObject({ metadata: { name: 'agent-3' }, events: [{ type: 'deployment' }] });
  });

  it.each(['no-such', '', 'foreign', 'in-second', 'AGENT-3', "' OR 1=1 --", 'a\u0000b'])(
    'is null for the unknown name %j',
    async (name) => {
      const { body } = await graphql(running.app, key, query, { name });
      expect(body).toMatchObject({ data: { agent: null } });
      expect(body.errors).toBeUndefined();
    },
  );
});

describe('node and nodes', () => {
  async function idOf(name: string): Promise<string> {
    const { body } = await graphql(running.app, key, 'query ($name: String!) { agent(name: $name) { id } }', { name });
    return body.data.agent.id;
  }
  const nodes = 'query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Agent { metadata { name } } __typename } }';

  it('find an agent, an account and a workspace by their ids', async () => {
    const { body } = await graphql(running.app, key, '{ viewer { accounts { id } workspaces { id } } }');
    const { accounts, workspaces } = body.data.viewer;
    const ids = [await idOf('agent-1'), accounts[0].id, workspaces[0].id];
    const answer = await graphql(running.app, key, nodes, { ids });
    expect(answer.body.data.nodes).toEqual([
      { metadata: { name: 'agent-1' }, __typename: 'Agent' },
      { __typename: 'Account' },
      { __typename: 'Workspace' },
    ]);
  });

  it('keep the order of the ids and repeated ids, with null for unknown and inaccessible ones', async () => {
    const [one, two] = [await idOf('agent-1'), await idOf('agent-2')];
    const absent = encodeGlobalId('Agent', '00000000-0000-4000-8000-000000000000');
    const foreign = encodeGlobalId('Agent', foreignId);
    const { body } = await graphql(running.app, key, nodes, { ids: [two, absent, one, foreign, two] });
    expect(body.errors).toBeUndefined();
    const found: ({ metadata: { name: string } } | null)[] = body.data.nodes;
    expect(found.map((each) => each?.metadata.name ?? null)).toEqual(['agent-2', null, 'agent-1', null, 'agent-2']);
  });

  it.each(['Agent', 'Account', 'Workspace'])('return null for the %s of another tenant', async (type) => {
    const other = await running.app.services.db.workspace.findUniqueOrThrow({ where: { name: 'elsewhere' } });
    const raw = { Agent: foreignId, Account: other.accountId, Workspace: other.id }[type] ?? '';
    const query = 'query ($id: ID!) { node(id: $id) { id } }';
    const { body } = await graphql(running.app, key, query, { id: encodeGlobalId(type, raw) });
    expect(body).toMatchObject({ data: { node: null } });
    expect(body.errors).toBeUndefined();
  });

  it.each(['', 'x', 'MTpBZ2VudDpub3QtYS11dWlk', encodeGlobalId('Sandboxx', '00000000-0000-4000-8000-000000000000')])(
    'reject the malformed global id %j, naming id',
    async (id) => {
      const query = 'query ($id: ID!) { node(id: $id) { id } }';
      expectRefusal(await graphql(running.app, key, query, { id }), 'invalid_parameter', 400, 'id');
    },
  );
});

describe('viewer', () => {
  it('returns the caller and the tenants accessible to the credential, without any scope', async () => {
    const { token } = await createToken(running.app, tenant, 'jobs:list volumes:list');
    const query = `{ viewer {
      name kind credential expiresAt scopes accounts { name plan viewerRole } workspaces { name viewerRole }
    } }`;
    const { body } = await graphql(running.app, token, query);
    expect(body.data.viewer).toEqual({
      name: 'owner@northwind.example.com',
      kind: 'USER',
      credential: 'ACCESS_TOKEN',
      expiresAt: '2026-11-20T12:15:00.000Z',
      scopes: ['jobs:list', 'volumes:list'],
      accounts: [{ name: 'northwind', plan: 'enterprise', viewerRole: 'ADMIN' }],
      workspaces: [
        { name: 'main', viewerRole: 'ADMIN' },
        { name: 'second', viewerRole: 'ADMIN' },
      ],
    });
  });

  it('returns one workspace for a key that is confined to it', async () => {
    const { body } = await graphql(running.app, key, '{ viewer { credential expiresAt workspaces { name } } }');
    expect(body.data.viewer).toEqual({ credential: 'API_KEY', expiresAt: null, workspaces: [{ name: 'main' }] });
  });

  it('returns only the workspaces that a member belongs to', async () => {
    const { db } = running.app.services;
    const member = await db.principal.create({ data: { kind: 'service_account', name: 'deployer' } });
    await db.accountMember.create({
      data: { accountId: tenant.accountId, principalId: member.id, role: 'member' },
    });
    const workspaceId = tenant.workspaces['second'] ?? '';
    await db.workspaceMember.create({ data: { workspaceId, principalId: member.id, role: 'member' } });
    const { key: own } = await createKey(running.app, { accountId: tenant.accountId, principalId: member.id });
    const { body } = await graphql(running.app, own, '{ viewer { kind workspaces { name viewerRole } } }');
    expect(body.data.viewer).toEqual({
      kind: 'SERVICE_ACCOUNT',
      workspaces: [{ name: 'second', viewerRole: 'MEMBER' }],
    });
  });
});

describe('scopes', () => {
  const byScope = [
    { query: '{ agents(workspace: "main") { nodes { id } } }', scope: 'agents:list', other: 'agents:get' },
    { query: '{ agents(workspace: "main") { totalCount } }', scope: 'agents:list', other: 'agents:get' },
    { query: '{ agent(workspace: "main", name: "agent-1") { id } }', scope: 'agents:get', other: 'agents:list' },
    {
      query: `{ node(id: "${encodeGlobalId('Agent', '00000000-0000-4000-8000-000000000000')}") { id } }`,
      scope: 'agents:get',
      other: 'agents:list',
    },
  ];

  it.each(byScope)('deny $query without $scope', async ({ query, scope, other }) => {
    const { token } = await createToken(running.app, tenant, `${other} agents:update`);
    const answer = await graphql(running.app, token, query);
    expectRefusal(answer, 'forbidden', 403);
    expect(answer.body.errors[0].message).toContain(scope);
  });

  it.each(byScope)('allow $query with $scope, and with admin', async ({ query, scope }) => {
    for (const granted of [scope, 'admin']) {
      const { token } = await createToken(running.app, tenant, granted);
      expect((await graphql(running.app, token, query)).body.errors).toBeUndefined();
    }
  });
});

describe('errors', () => {
  it('return 401 with WWW-Authenticate and a code without a credential', async () => {
    const answer = await graphql(running.app, undefined, '{ viewer { name } }');
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer resource_metadata="[^"]+\/graphql"$/);
    expectRefusal(answer, 'unauthorized', 401);
  });

  it.each(['{', '{ nothing }', 'query A { viewer { name } } query B { viewer { name } }', 'subscription { viewer }'])(
    'of execution and validation for %j contain code, status and request id',
    async (query) => {
      expectRefusal(await graphql(running.app, key, query), 'invalid_request', 400);
    },
  );

  it('of a field contain the path', async () => {
    const { body } = await graphql(running.app, key, '{ here: agents(first: -1) { totalCount } }');
    expect(body.errors[0].path).toEqual(['here']);
  });
});
