// Rate limits of a credential and of an account, through GraphQL and REST.
import { beforeAll, describe, expect, it } from 'vitest';
import { createKey, createTenant, graphql, rest, useApp } from '../harness.js';
import type { Tenant } from '../harness.js';

const running = useApp({ RATE_LIMIT_REQUESTS: '5', RATE_LIMIT_COST: '100', RATE_LIMIT_USAGE_EVENTS: '3' });
let tenant: Tenant;
let other: Tenant;

beforeAll(async () => {
  tenant = await createTenant(running.app, { account: 'northwind', workspaces: ['main'] });
  other = await createTenant(running.app, { account: 'contoso', workspaces: ['other'] });
});

const newKey = async (owner: Tenant) => (await createKey(running.app, owner)).key;
const asked = (key: string) => rest(running.app, '/agents', { key });

describe('Requests', () => {
  it('return the remaining budget, and 429 with Retry-After when it is used up, in GraphQL and REST', async () => {
    const key = await newKey(tenant);
    for (const left of [4, 3, 2, 1, 0]) {
      const { status, headers } = await asked(key);
      expect(status).toBe(200);
      expect(headers.get('ratelimit-policy')).toBe('"requests";q=5;w=60');
      expect(headers.get('ratelimit')).toMatch(new RegExp(`^"requests";r=${left};t=\\d+$`));
    }
    const refused = await asked(key);
    expect([refused.status, refused.body.error]).toEqual([429, 'too_many_requests']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    const graph = await graphql(running.app, key, '{ viewer { name } }');
    expect([graph.status, graph.body.errors[0].extensions.code]).toEqual([429, 'too_many_requests']);
    expect(Number(graph.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('of another credential have their own limit, until that of the account is used up', async () => {
    const statuses: number[] = [];
    for (let credential = 0; credential < 5; credential++) {
      const key = await newKey(other);
      for (let request = 0; request < 5; request++) statuses.push((await asked(key)).status);
    }
    expect(statuses.filter((status) => status === 200)).toHaveLength(20);
    expect(statuses.slice(0, 20)).not.toContain(429);
  });

  it('without a credential are not counted', async () => {
    for (let request = 0; request < 8; request++) expect((await rest(running.app, '/agents')).status).toBe(401);
  });
});

describe('Usage events', () => {
  it('are counted individually, and a batch above the limit records none', async () => {
    const { app } = running;
    const key = await newKey(await createTenant(app, { account: 'adatum', workspaces: ['metered'] }));
    const record = (count: number) =>
      graphql(app, key, 'mutation ($input: RecordUsageInput!) { recordUsage(input: $input) { __typename } }', {
        input: { events: Array.from({ length: count }, (_, id) => ({ source: 'test', id: String(id) })) },
      });
    expect((await record(3)).body.data.recordUsage.__typename).toBe('RecordUsagePayload');
    const refused = await record(1);
    expect([refused.status, refused.body.errors[0].extensions.code]).toEqual([429, 'too_many_requests']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(1);
  });
});

describe('The cost of operations', () => {
  it('is counted before execution, and returns 429 above the limit', async () => {
    const { app } = running;
    const key = await newKey(await createTenant(app, { account: 'fabrikam', workspaces: ['costly'] }));
    const query = '{ agents(first: 20) { nodes { id } } }';
    const first = await graphql(app, key, query);
    expect(first.body.extensions.cost.complexity).toBeGreaterThan(20);
    const costs = [first];
    for (let request = 0; request < 4; request++) costs.push(await graphql(app, key, query));
    const last = costs.at(-1);
    expect([last?.status, last?.body.errors[0].extensions.code]).toEqual([429, 'too_many_requests']);
    expect(Number(last?.headers.get('retry-after'))).toBeGreaterThan(1);
  });
});
