// The number of SQL statements of a request depends on the shape of its query, never on the number of rows.
import { beforeAll, describe, expect, it } from 'vitest';
import { addAgents, anAgent, createKey, createTenant, frozenNow, graphql, useApp } from '../../harness.js';

const running = useApp();
let key: string;

beforeAll(async () => {
  const { app } = running;
  const tenant = await createTenant(app, { account: 'northwind', workspaces: ['main'] });
  ({ key } = await createKey(app, tenant));
  const agents = Array.from({ length: 60 }, (_, index) =>
    anAgent(`agent-${index}`, {
      events: Array.from({ length: index % 5 }, () => ({ time: frozenNow.toISOString(), type: 'deployment' })),
    }),
  );
  await addAgents(app, tenant.workspaces['main'], agents);
});

/** The statements of one request, without those that authenticate the caller. */
async function statementsOf(query: string, variables: Record<string, unknown> = {}): Promise<string[]> {
  const { app } = running;
  app.statements.length = 0;
  const { body } = await graphql(app, key, query, variables);
  expect(body.errors).toBeUndefined();
  return app.statements.filter((sql) => /"agent"|"change"|resource_count/.test(sql));
}

const whole = `query ($first: Int) {
  agents(first: $first) {
    totalCount
    edges { cursor node { id status metadata { name labels { key } } spec { enabled } events { type time } } }
  }
}`;

describe('SQL statements', () => {
  it('are as many for one row as for fifty, with their events', async () => {
    const one = await statementsOf(whole, { first: 1 });
    expect(await statementsOf(whole, { first: 50 })).toHaveLength(one.length);
    expect(one).toHaveLength(2);
  });

  it('are as many for one id as for twenty', async () => {
    const { body } = await graphql(running.app, key, '{ agents(first: 20) { nodes { id } } }');
    const ids: string[] = body.data.agents.nodes.map(({ id }: { id: string }) => id);
    const query = 'query ($ids: [ID!]!) { nodes(ids: $ids) { id ... on Agent { events { type } } } }';
    expect(await statementsOf(query, { ids: ids.slice(0, 1) })).toHaveLength(1);
    expect(await statementsOf(query, { ids })).toHaveLength(1);
  });

  it('are as many for one look-up by name as for several in one request', async () => {
    const aliased = (count: number) =>
      `{ ${Array.from({ length: count }, (_, index) => `a${index}: agent(name: "agent-${index}") { id }`).join(' ')} }`;
    expect(await statementsOf(aliased(1))).toHaveLength(1);
    expect(await statementsOf(aliased(20))).toHaveLength(1);
  });

  it('count nothing unless totalCount is selected', async () => {
    const statements = await statementsOf('{ agents { nodes { id } } }');
    expect(statements).toHaveLength(1);
    expect(statements[0]).not.toContain('resource_count');
  });

  it.each([
    '{ agents { nodes { id } } }',
    '{ agents { edges { node { metadata { name displayName labels { key } } status spec { enabled } } } } }',
    '{ agents(search: "agent") { nodes { metadata { name } } } }',
    '{ agent(name: "agent-1") { id metadata { name } } }',
  ])('of %j read no events', async (query) => {
    for (const sql of await statementsOf(query)) expect(sql).not.toContain('"change"');
  });

  it.each([
    '{ agents { nodes { events { type } } } }',
    '{ agents { edges { node { events { type } } } } }',
    '{ agents { edges { node { ...Some } } } } fragment Some on Agent { happened: events { type } }',
    '{ agent(name: "agent-1") { events { type } } }',
  ])('of %j read events', async (query) => {
    expect((await statementsOf(query)).join()).toContain('"change"');
  });

  it('read only the columns that are selected', async () => {
    const [sql = ''] = await statementsOf('{ agents { nodes { metadata { displayName } } } }');
    expect(sql).toContain('"display_name"');
    for (const column of ['"spec"', '"labels"', '"status"', '"external_id"', '"updated_at"']) {
      expect(sql).not.toContain(column);
    }
  });
});
