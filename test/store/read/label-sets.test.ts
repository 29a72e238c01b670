// Resources that lack a label, found by the combinations of labels that there are.
import { beforeAll, describe, expect, it } from 'vitest';
import { Prisma } from '../../../src/database/client/client.js';
import { lacksLabel, readLabelSets } from '../../../src/store/read/label-sets.js';
import type { AgentInput } from '../../../src/resources/agents/agent-input.js';
import { addAgents, createKey, createTenant, graphql, useApp } from '../../harness.js';

const running = useApp();
const workspaces: Record<string, string> = {};
let key: string;

const awkward = ['a', 'b', 'a","b', 'é', 'Z', '\\', '"', 'a,b'];
const long = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`${'x'.repeat(40)}-${index}`, '1']));
const some: Record<string, string>[] = [
  {},
  ...awkward.map((one) => ({ [one]: '1' })),
  { a: '1', b: '2' },
  { b: '2', a: '' },
  { ...long, a: '1' },
  long,
];
/** More combinations than are looked up. */
const many = Array.from({ length: 130 }, (_, index) => ({
  [`k${index}`]: '1',
  ...(index % 2 === 0 ? { a: '1' } : {}),
}));

const agentsOf = (labels: Record<string, string>[]): AgentInput[] =>
  labels.map((each, index) => ({
    metadata: {
      name: `agent-${index}`,
      createdAt: '2026-10-01T00:00:00Z',
      updatedAt: '2026-10-01T00:00:00Z',
      labels: each,
    },
    spec: {},
  }));

beforeAll(async () => {
  const tenant = await createTenant(running.app, {
    account: 'northwind',
    workspaces: ['some', 'many', 'alike', 'none'],
  });
  Object.assign(workspaces, tenant.workspaces);
  await addAgents(running.app, tenant.workspaces['some'], agentsOf(some));
  await addAgents(running.app, tenant.workspaces['many'], agentsOf(many));
  const alike = Array.from({ length: 2_000 }, (_, index) => (index === 0 ? {} : { a: '1', b: String(index) }));
  await addAgents(running.app, tenant.workspaces['alike'], agentsOf(alike));
  ({ key } = await createKey(running.app, tenant));
});

const query = `query ($workspace: String, $filter: AgentFilter) {
  agents(workspace: $workspace, first: 200, filter: $filter) { filteredCount nodes { metadata { name } } }
  agentCounts(workspace: $workspace, by: REGION, filter: $filter) { count } }`;

describe('What lacks a label', () => {
  it.each([
    ['some', some, awkward],
    ['many', many, ['a', 'k0', 'k1', 'k99']],
    ['none', [], ['a']],
  ])('is found and counted in the workspace %s', async (workspace, labels, keys) => {
    for (const label of keys) {
      const filter = { labels: [{ key: label, exists: false }] };
      const { body } = await graphql(running.app, key, query, { workspace, filter });
      const { agents, agentCounts } = body.data;
      const lacking = labels.flatMap((each, index) => (Object.hasOwn(each, label) ? [] : [`agent-${index}`]));
      const found = agents.nodes.map(({ metadata }: { metadata: { name: string } }) => metadata.name);
      expect(found.toSorted()).toEqual(lacking.toSorted());
      expect(agents.filteredCount).toBe(lacking.length);
      expect(agentCounts.map(({ count }: { count: number }) => count)).toEqual(
        lacking.length > 0 ? [lacking.length] : [],
      );
    }
  });

  it('is read out of an index', async () => {
    const { db } = running.app.services;
    expect(await readLabelSets(db, 'agent', workspaces['some'] ?? '')).toContain('"a","b"');
    const workspaceId = workspaces['alike'] ?? '';
    const sets = await readLabelSets(db, 'agent', workspaceId);
    expect(sets).toEqual(['', '"a","b"']);
    await db.$executeRaw`ANALYZE "agent"`;
    const condition = Prisma.join(lacksLabel(sets, 'a'), ' AND ');
    const plan =
      await db.$queryRaw`EXPLAIN SELECT count(*) FROM "agent" AS r WHERE r."workspace_id" = ${workspaceId}::uuid AND ${condition}`;
    expect(JSON.stringify(plan)).toMatch(/Index Cond[^{}]*label_set/);
  });

  it('is not ruled out by a combination that came after those that were read', async () => {
    const [condition = Prisma.sql`false`] = lacksLabel(['"a"', '"c"'], 'a');
    const rows = await running.app.services.db.$queryRaw`
      SELECT count(*)::int AS "found" FROM (VALUES ('{"b": "1"}'::json), ('{"a": "1"}'), ('{}'), (NULL)) AS r("labels")
      WHERE ${condition}`;
    expect(rows).toEqual([{ found: 3 }]);
  });
});
