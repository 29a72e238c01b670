// Hostile documents and bodies are refused, and never with a 500.
import { beforeAll, describe, expect, it } from 'vitest';
import { addAgents, anAgent, createKey, createTenant, graphql, useApp } from '../../../harness.js';

const running = useApp();
let key: string;

beforeAll(async () => {
  const { app } = running;
  const tenant = await createTenant(app, { account: 'northwind', workspaces: ['main'] });
  ({ key } = await createKey(app, tenant));
  await addAgents(app, tenant.workspaces['main'], [anAgent('one'), anAgent('two')]);
});

interface Received {
  status: number;
  headers: Headers;
  text: string;
}

async function send(init: RequestInit, path = '/graphql'): Promise<Received> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...init.headers };
  const response = await fetch(`${running.app.origin}${path}`, { method: 'POST', ...init, headers });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** Refused: with a 4xx, or with errors of 4xx and no data; with the request id, and in JSON where it says anything. */
function expectRefusal({ status, headers, text }: Received): void {
  expect(status).toBeLessThan(500);
  expect(headers.get('x-request-id')).toBeTruthy();
  expect(text).not.toMatch(/<(!doctype|html)/i);
  // A HEAD response has only a status.
  const answer = text === '' ? { errors: [{ extensions: { status } }] } : JSON.parse(text);
  const { data, errors }: { data?: unknown; errors: { extensions: { status: number } }[] } = answer;
  expect(data).toBeUndefined();
  for (const { extensions } of errors) {
    expect(extensions.status).toBeGreaterThanOrEqual(400);
    expect(extensions.status).toBeLessThan(500);
  }
}

/** A document of `levels` fragments, each of which spreads the next one twice. */
function doubling(levels: number): string {
  const fragments = Array.from(
    { length: levels },
    (_, index) => `fragment f${index} on Agent { ...f${index + 1} ...f${index + 1} }`,
  );
  return `{ agents { nodes { ...f0 } } } ${fragments.join(' ')} fragment f${levels} on Agent { id }`;
}

function times<Each>(count: number, each: (index: number) => Each): Each[] {
  return Array.from({ length: count }, (_, index) => each(index));
}

describe('A hostile document', () => {
  it.each([
    { what: 'is 2,000 levels deep', query: `${'{ viewer '.repeat(2_000)}{ name }${' }'.repeat(2_000)}` },
    { what: 'has inline fragments 31 deep', query: `{${'... on Query {'.repeat(31)}viewer{name}${'}'.repeat(31)}}` },
    { what: 'has 1,000 aliases', query: `{ ${times(1_000, (i) => `a${i}: viewer { name }`).join(' ')} }` },
    { what: 'has 61 aliases', query: `{ ${times(61, (i) => `a${i}: viewer { name }`).join(' ')} }` },
    { what: 'has 1,000 directives', query: `{ viewer { name ${'@skip(if: false) '.repeat(1_000)} } }` },
    { what: 'has 500 unknown directives', query: `{ viewer { name ${'@a '.repeat(500)} } }` },
    { what: 'selects one field 3,000 times', query: `{ viewer { ${'name '.repeat(3_000)} } }` },
    {
      what: 'has 1,000 fragments',
      query: `{ viewer { name } } ${times(1_000, (i) => `fragment f${i} on Query { viewer { name } }`).join(' ')}`,
    },
    { what: 'has 100 operations', query: times(100, (i) => `query q${i} { viewer { name } }`).join(' ') },
    { what: 'has 4,001 tokens', query: `{ viewer { ${'name '.repeat(4_000)} } }` },
    { what: 'has a list 1,900 deep', query: `{ agent(name: ${'['.repeat(1_900)}1${']'.repeat(1_900)}) { id } }` },
    { what: 'has an object 900 deep', query: `{ agent(name: ${'{a:'.repeat(900)}1${'}'.repeat(900)}) { id } }` },
    { what: 'has a list of 3,000 ids', query: `{ nodes(ids: [${'"x" '.repeat(3_000)}]) { id } }` },
    { what: 'has a number beyond all numbers', query: `{ agents(first: ${'9'.repeat(1_000)}) { totalCount } }` },
    { what: 'spreads a fragment in itself', query: '{ viewer { ...a } } fragment a on Viewer { ...a }' },
    {
      what: 'spreads fragments in a circle',
      query: '{ viewer { ...a } } fragment a on Viewer { ...b } fragment b on Viewer { name ...a }',
    },
    { what: 'doubles its fragments 25 times', query: doubling(25) },
    {
      what: 'asks for introspection in a circle',
      query: `{ __schema { types { ${'fields { type { '.repeat(12)}name${' } }'.repeat(12)} } } }`,
    },
    { what: 'is empty', query: '' },
    { what: 'is not GraphQL', query: '<script>' },
    { what: 'holds a NUL', query: '{ viewer\u0000 { name } }' },
    { what: 'is a subscription', query: 'subscription { viewer { name } }' },
    { what: 'is a mutation that does not exist', query: 'mutation { destroyEverything }' },
    { what: 'defines types', query: 'type Query { a: Int }' },
  ])('that $what is rejected', async ({ query }) => {
    expectRefusal(await send({ body: JSON.stringify({ query }) }));
  });

  it.each([
    { what: 'too many tokens', query: `{ viewer { ${'name '.repeat(4_000)} } }` },
    { what: 'too many aliases', query: `{ ${times(61, (i) => `a${i}: viewer { name }`).join(' ')} }` },
    { what: 'too many directives', query: `{ viewer { name ${'@skip(if: false) '.repeat(61)} } }` },
    { what: 'too deep', query: `{${'... on Query {'.repeat(31)}viewer{name}${'}'.repeat(31)}}` },
    { what: 'doubling fragments', query: doubling(16) },
  ])('with $what is rejected with query_too_complex', async ({ query }) => {
    const { body } = await graphql(running.app, key, query);
    expect(body.errors[0].extensions).toMatchObject({ code: 'query_too_complex', status: 400 });
  });
});

describe('A hostile body', () => {
  const viewer = '{ viewer { name } }';
  const nested = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;

  it.each([
    { what: 'is empty', body: '' },
    { what: 'is no JSON', body: '{"query": "{ viewer' },
    { what: 'is null', body: 'null' },
    { what: 'is a string', body: '"{ viewer { name } }"' },
    { what: 'is a batch', body: JSON.stringify([{ query: viewer }, { query: viewer }]) },
    { what: 'has no query', body: '{}' },
    { what: 'has a query that is no text', body: '{"query": 1}' },
    { what: 'has variables that are a list', body: JSON.stringify({ query: viewer, variables: [] }) },
    { what: 'has unknown parameters', body: JSON.stringify({ query: viewer, and: 'more' }) },
    { what: 'names __proto__', body: `{"query": "${viewer}", "__proto__": {"a": 1}}` },
    { what: 'names an operation that is not there', body: JSON.stringify({ query: viewer, operationName: 'x' }) },
    { what: 'has variables 100,000 deep', body: `{"query": "${viewer}", "variables": {"a": ${nested}}}` },
  ])('that $what is rejected', async ({ body }) => {
    expectRefusal(await send({ body }));
  });

  it.each<{ what: string; ids: unknown[] }>([
    { what: 'of ids that are no ids', ids: times(20_000, () => 'x') },
    { what: 'of values that are not strings', ids: times(20_000, () => ({})) },
  ])('with a list of 20,000 $what is rejected', async ({ ids }) => {
    const query = 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }';
    expectRefusal(await send({ body: JSON.stringify({ query, variables: { ids } }) }));
  });

  it('can contain the ids of 10,000 events to void, but not 10,001', async () => {
    const query = 'mutation ($input: VoidUsageInput!) { voidUsage(input: $input) { __typename } }';
    const voided = async (count: number) => {
      const ids = times(count, (index) => `event-${index}`);
      const input = { account: 'northwind', source: 'meter', reason: 'They were wrong', ids };
      return (await graphql(running.app, key, query, { input })).body;
    };
    expect((await voided(10_000)).errors).toBeUndefined();
    expect((await voided(10_001)).errors[0].message).toBe('input.ids must be at most 10000 items');
  });

  it.each([
    { what: 'of 300 KB', query: `${viewer} # ${'a'.repeat(300_000)}` },
    { what: 'with a literal of a million characters', query: `{ agent(name: "${'a'.repeat(1_000_000)}") { id } }` },
  ])('$what is rejected with 413', async ({ query }) => {
    const received = await send({ body: JSON.stringify({ query }) });
    expect(received.status).toBe(413);
    expectRefusal(received);
    expect(received.text).toContain('payload_too_large');
  });

  it.each(['application/x-www-form-urlencoded', 'text/plain', 'application/xml', 'application/graphql', ''])(
    'of the media type %j is rejected',
    async (type) => {
      const body = type.includes('form') ? new URLSearchParams({ query: viewer }).toString() : viewer;
      expectRefusal(await send({ body: Buffer.from(body), headers: { 'content-type': type } }));
    },
  );

  it('of several parts is rejected', async () => {
    const body = [
      '--b',
      'content-disposition: form-data; name="operations"',
      '',
      JSON.stringify({ query: viewer }),
      '--b--',
      '',
    ].join('\r\n');
    expectRefusal(await send({ body, headers: { 'content-type': 'multipart/form-data; boundary=b' } }));
  });

  it('that is not UTF-8 causes no internal error', async () => {
    const body = Buffer.concat([
      Buffer.from('{"query": "{ agent(name: \\"'),
      Buffer.from([0xff, 0xfe]),
      Buffer.from('\\") { id } }"}'),
    ]);
    expect((await send({ body })).status).toBeLessThan(500);
  });
});

describe('Methods', () => {
  it('rejects a mutation over GET', async () => {
    const path = `/graphql?query=${encodeURIComponent('mutation { destroyEverything }')}`;
    expectRefusal(await send({ method: 'GET' }, path));
  });

  it.each(['PUT', 'PATCH', 'DELETE', 'OPTIONS'])('returns 405 with Allow for %s', async (method) => {
    const received = await send({ method });
    expect(received.status).toBe(405);
    expect(received.headers.get('allow')).toBe('GET, HEAD, POST');
    expectRefusal(received);
  });

  it.each(['/graphql/', '/graphql/foo', '/graphql/..%2f', '/graphql//'])('returns 404 in JSON at %s', async (path) => {
    const received = await send({ body: '{"query": "{ viewer { name } }"}' }, path);
    expect(received.status).toBe(404);
    expect(received.headers.get('content-type')).toMatch(/^application\/(graphql-response\+)?json/);
  });
});

describe('The cost of a query', () => {
  it('is reported in extensions, and grows with the page size', async () => {
    const query = 'query ($first: Int) { agents(first: $first) { nodes { id metadata { name } } } }';
    const costOf = async (first: number) => (await graphql(running.app, key, query, { first })).body.extensions.cost;
    const one = await costOf(1);
    expect(one).toEqual({ complexity: expect.any(Number), complexityMax: 50_000, depth: 4 });
    expect((await costOf(100)).complexity).toBeGreaterThan(one.complexity * 10);
  });

  it('above the limit is rejected with query_too_complex before execution', async () => {
    const { app } = running;
    await graphql(app, key, '{ viewer { name } }');
    app.statements.length = 0;
    const aliased = times(50, (i) => `a${i}: agents(first: 200) { nodes { id metadata { name } events { type } } }`);
    const { body } = await graphql(app, key, `{ ${aliased.join(' ')} }`);
    expect(body.data).toBeUndefined();
    expect(body.errors[0].extensions).toMatchObject({ code: 'query_too_complex', status: 400 });
    expect(app.statements.filter((sql) => /"agent"|"change"|resource_count/.test(sql))).toEqual([]);
  });

  it('allows the introspection of GraphiQL', async () => {
    const { getIntrospectionQuery } = await import('graphql');
    const { body } = await graphql(running.app, key, getIntrospectionQuery());
    expect(body.errors).toBeUndefined();
    expect(body.data.__schema.queryType.name).toBe('Query');
  });
});
