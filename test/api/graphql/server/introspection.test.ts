// Introspection is executed once for each selection, and its cost is counted once.
import { getIntrospectionQuery } from 'graphql';
import { beforeAll, expect, it } from 'vitest';
import { createKey, createTenant, graphql, useApp } from '../../../harness.js';

/** Room for one introspection of the whole schema in a minute. */
const running = useApp({ RATE_LIMIT_COST: '30000' });
let key: string;

beforeAll(async () => {
  const { app } = running;
  ({ key } = await createKey(app, await createTenant(app, { account: 'northwind', workspaces: ['main'] })));
});

it('executes an introspection once, whatever its name, comments and layout', async () => {
  // Its own selection: other tests of the process may have executed the usual one.
  const query = getIntrospectionQuery().replaceAll('isDeprecated', 'deprecated: isDeprecated');
  const first = await graphql(running.app, key, query);
  expect(first.body.data.__schema.queryType.name).toBe('Query');
  for (let index = 0; index < 5; index++) {
    const again = query.replace('query IntrospectionQuery', `# ${index}\nquery  Other${index}`);
    expect(again).not.toBe(query);
    const { status, body } = await graphql(running.app, key, again);
    expect({ status, body }).toEqual({ status: 200, body: first.body });
  }
  const { body } = await graphql(running.app, key, query.replaceAll('description', 'text: description'));
  expect(body.errors[0].extensions.code).toBe('too_many_requests');
});
