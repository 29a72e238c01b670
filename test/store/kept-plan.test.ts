// PostgreSQL plans the ordered scan of a list once per connection, and not for each page.
import { beforeAll, describe, expect, it } from 'vitest';
import { orderedScan, pagesStatement } from '../../src/store/read/page-statement.js';
import type { ListParent, PageKey } from '../../src/store/read/list-definition.js';
import { newestFirst } from '../../src/store/read/list-input.js';
import { listQuery } from '../../src/store/read/list-query.js';
import { readPages } from '../../src/store/read/page-strategies.js';
import type { AgentInput } from '../../src/demo/rows/agent-input.js';
import { agentKind } from '../../src/resources/agents/agent-row.js';
import { executeInTurns } from '../database/kept-plans.js';
import { addAgents, createTenant, frozenNow, useApp } from '../harness.js';

const running = useApp({}, { ownDatabase: true });
const parents: ListParent[] = [];

beforeAll(async () => {
  const { app } = running;
  const { workspaces } = await createTenant(app, { account: 'northwind', workspaces: ['many', 'few'] });
  for (const [name, count] of [
    ['many', 3_000],
    ['few', 3],
  ] as const) {
    const workspaceId = workspaces[name] ?? '';
    parents.push({ workspaceId, id: workspaceId });
    const agents = Array.from({ length: count }, (_, index): AgentInput => {
      const at = new Date(frozenNow.getTime() - index * 60_000).toISOString();
      return {
        metadata: { name: `agent-${index}`, createdAt: at, updatedAt: at },
        status: 'DEPLOYED',
        spec: { region: 'eu-frankfurt-1' },
      };
    });
    await addAgents(app, workspaceId, agents);
  }
  await app.services.db.$executeRaw`ANALYZE "agent"`;
});

describe('An ordered scan', () => {
  const from = {
    key: new Date(frozenNow.getTime() - 90_000).toISOString(),
    id: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
  };

  it.each([
    ['the first', { direction: 'forward' }],
    ['the last', { direction: 'backward' }],
    ['one behind a row', { direction: 'forward', from }],
  ] as const)('caches the plan of %s, for the largest list and the smallest', async (_, where) => {
    const { db } = running.app.services;
    const keyOf = (parent: ListParent): PageKey => ({
      parent,
      order: newestFirst,
      slice: { size: 20, ...where },
      search: undefined,
      filter: undefined,
      limit: 21,
      columns: new Set(['name']),
    });
    const statements = parents.map((parent) =>
      pagesStatement([parent], orderedScan(listQuery(agentKind, keyOf(parent)))),
    );
    const { kept, possible, answers } = await executeInTurns(db, statements);
    expect(kept).toBe(possible);
    for (const [index, parent] of parents.entries()) {
      expect(answers[index]).toEqual((await readPages(db, agentKind, [keyOf(parent)]))[0]);
    }
    expect(answers[0]).toHaveLength(21);
  });
});
