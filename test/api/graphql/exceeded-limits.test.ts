// A client can read the limit that it exceeds, and by how much, without parsing the message.
import { beforeAll, describe, expect, it } from 'vitest';
import { budgetsMax } from '../../../src/billing/budgets.js';
import { createKey, createTenant, graphql, useApp } from '../../harness.js';
import type { Tenant } from '../../harness.js';
import { mutate } from '../../resources/mutations.js';

const running = useApp({ RATE_LIMIT_COST: '20000' });
let tenant: Tenant;
let key: string;

beforeAll(async () => {
  tenant = await createTenant(running.app, { account: 'limited', workspaces: ['main'] });
  ({ key } = await createKey(running.app, tenant));
});

/** The problems of an agent that is only validated. */
async function problemsOf(input: object) {
  const result = await mutate(running.app, key, 'createAgent', '__typename', { ...input, validateOnly: true });
  return result.problems.map(({ path, code, limit, actual }: Record<string, unknown>) => ({
    path,
    code,
    limit,
    actual,
  }));
}

describe('An input problem has the limit and the actual value', () => {
  it.each([
    {
      of: 'a text',
      input: { metadata: { name: 'a', displayName: 'é'.repeat(64) } },
      problem: { path: ['metadata', 'displayName'], code: 'too_long', limit: 63, actual: 64 },
    },
    {
      of: 'a list',
      input: {
        metadata: { name: 'a', labels: Array.from({ length: 51 }, (_, index) => ({ key: `k${index}`, value: '' })) },
      },
      problem: { path: ['metadata', 'labels'], code: 'too_long', limit: 50, actual: 51 },
    },
    {
      of: 'a number',
      input: { metadata: { name: 'a' }, spec: { runtime: { minScale: -1 } } },
      problem: { path: ['spec', 'runtime', 'minScale'], code: 'too_small', limit: 0, actual: -1 },
    },
  ])('of $of', async ({ input, problem }) => {
    expect(await problemsOf(input)).toEqual([problem]);
  });

  it('of a whole spec, in bytes', async () => {
    const envs = Array.from({ length: 100 }, (_, index) => ({ name: `N${index}`, value: 'v'.repeat(1_000) }));
    const [problem] = await problemsOf({ metadata: { name: 'a' }, spec: { runtime: { envs } } });
    expect(problem).toMatchObject({ path: ['spec'], code: 'too_large', limit: 65_536 });
    expect(problem.actual).toBeGreaterThan(100_000);
  });

  it('and neither if no limit is exceeded', async () => {
    const path = ['metadata', 'name'];
    expect(await problemsOf({ metadata: { name: 'A' } })).toEqual([
      { path, code: 'invalid_format', limit: null, actual: null },
    ]);
  });
});

it('a conflict has the limit of an account and the number it would have', async () => {
  const make = (name: string) => {
    const thresholds = [{ percent: 100, measure: 'ACTUAL' }];
    const input = { account: tenant.accountId, name, amount: '1', period: 'MONTHLY', thresholds };
    return mutate(running.app, key, 'createBudget', '__typename', input);
  };
  for (let index = 0; index < budgetsMax; index++) await make(`budget-${index}`);
  expect(await make('one-more')).toMatchObject({ code: 'conflict', limit: budgetsMax, actual: budgetsMax + 1 });
});

describe('A request error has the limit in its extensions', () => {
  it('of a page', async () => {
    const { body } = await graphql(running.app, key, '{ agents(first: 201) { totalCount } }');
    expect(body.errors[0].extensions).toMatchObject({ code: 'invalid_parameter', limit: 200, actual: 201 });
  });

  it('of the cost and the depth of a query', async () => {
    const costly = '{ jobs(first: 200) { nodes { executions(first: 200) { nodes { job { id } } } } } }';
    const { body } = await graphql(running.app, key, costly);
    const { extensions } = body.errors[0];
    expect(extensions).toMatchObject({ code: 'query_too_complex', limit: body.extensions.cost.complexityMax });
    expect(extensions.actual).toBe(body.extensions.cost.complexity);
    const deep = `{ agents(first: 1) { nodes ${'{ workspace { agents(first: 1) { nodes '.repeat(6)} { id } ${'} } }'.repeat(6)} } }`;
    const { body: deepBody } = await graphql(running.app, key, deep);
    expect(deepBody.errors[0].extensions).toMatchObject({ code: 'query_too_complex', limit: 20 });
  });

  it('of a rate, with the time to wait', async () => {
    const query = '{ agents(first: 200) { nodes { events { message } } } }';
    let last;
    for (let attempt = 0; attempt < 60 && last?.errors === undefined; attempt++) {
      ({ body: last } = await graphql(running.app, key, query));
    }
    const { limit, actual, code, retryAfterSeconds } = last.errors[0].extensions;
    expect({ limit, code }).toEqual({ limit: 20_000, code: 'too_many_requests' });
    expect(actual).toBeGreaterThan(limit);
    expect(retryAfterSeconds).toBeGreaterThan(0);
  });
});
