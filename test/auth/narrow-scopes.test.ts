// Keys for one thing: a meter's that records usage, a dashboard's that reads costs, a reader's of the configuration.
import { beforeAll, describe, expect, it } from 'vitest';
import { createKey, createTenant, graphql, rest, useApp } from '../harness.js';
import type { Tenant } from '../harness.js';

const running = useApp();
let tenant: Tenant;

beforeAll(async () => {
  tenant = await createTenant(running.app, { account: 'northwind', workspaces: ['northwind-main'] });
});

const window = 'startTime: "2026-11-01T00:00:00Z", endTime: "2026-11-02T00:00:00Z"';
const days = 'startTime=2026-11-01T00:00:00Z&endTime=2026-11-02T00:00:00Z';

/** Each operation, by the narrow scope that opens it; `admin` opens all of them. */
const graphqlOperations: Record<string, string> = {
  'metrics:read': `{ viewer { accounts { metrics(${window}) { summary { totalCost } } dataThrough usageEvents { totalCost } } } }`,
  'usage:correct':
    'mutation { voidUsage(input: { account: "northwind", source: "meter", ids: [], reason: "a test" }) { ... on VoidUsagePayload { count } ... on Error { code } } }',
  'usage:write':
    'mutation { recordUsage(input: { events: [] }) { ... on RecordUsagePayload { results { outcome } } ... on Error { code } } }',
  'configurations:list': '{ configuration { regions { name } } }',
  'apiKey:list': '{ apiKeys { totalCount } }',
  'agents:list': '{ agents { totalCount } }',
  'sandboxes:list': '{ sandboxes { totalCount } }',
  'jobs:list': '{ jobs { totalCount } }',
  'volumes:list': '{ volumes { totalCount } }',
  'workspaces:list': '{ workspaces { totalCount } }',
  'workspaces:get': '{ workspace(name: "northwind-main") { name } }',
};

const restOperations: Record<string, string> = {
  'metrics:read': `/accounts/ACCOUNT/metrics?${days}`,
  'configurations:list': '/configuration',
  'agents:list': '/agents',
};

const scopesTried = [...Object.keys(graphqlOperations), 'locations:list', 'admin'];

describe.each(scopesTried)('A key with only the scope %s', (held) => {
  it('allows by GraphQL only the operations of that scope', async () => {
    const { key } = await createKey(running.app, { ...tenant, scope: held });
    for (const [scope, query] of Object.entries(graphqlOperations)) {
      const { body } = await graphql(running.app, key, query);
      const isOpen = held === scope || held === 'admin';
      const told = JSON.stringify(body);
      expect([scope, told.includes('lacks the scope') || told.includes('"forbidden"')]).toEqual([scope, !isOpen]);
      expect([scope, isOpen ? body.errors : undefined]).toEqual([scope, undefined]);
    }
  });

  it('allows by REST only the operations of that scope', async () => {
    const { key } = await createKey(running.app, { ...tenant, scope: held });
    for (const [scope, path] of Object.entries(restOperations)) {
      const { status } = await rest(running.app, path.replace('ACCOUNT', tenant.accountId), { key });
      expect([scope, status]).toEqual([scope, held === scope || held === 'admin' ? 200 : 403]);
    }
  });
});
