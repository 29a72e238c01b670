// Caches learn from Vary which headers of a request a response depends on (RFC 9110, section 12.5.5).
import { beforeAll, describe, expect, it } from 'vitest';
import { createKey, createTenant, useApp } from '../harness.js';

const page = 'https://dash.example.com';
const running = useApp({ CORS_ORIGINS: page });
let key: string;
let accountId: string;

beforeAll(async () => {
  const tenant = await createTenant(running.app, { account: 'northwind', workspaces: ['main'] });
  ({ accountId } = tenant);
  ({ key } = await createKey(running.app, tenant));
});

const window = 'startTime=2026-11-01T00:00:00Z&endTime=2026-11-02T00:00:00Z';

/** Whether a response of these paths depends on the Accept header. */
const paths = {
  '/v0/accounts/ACCOUNT/metrics?WINDOW': true,
  '/v0/accounts/ACCOUNT/metrics?WINDOW&raw=true': true,
  '/v0/accounts/ACCOUNT/metrics/enums/group-by': false,
  '/v0/accounts': false,
  '/v0/agents': false,
  '/v0/openapi.json': false,
  '/v0/oauth/authorize': false,
  '/v0/scim/v2/Schemas': false,
  '/.well-known/oauth-authorization-server': false,
  '/healthz': false,
  '/mcp': false,
  '/graphql': true,
  '/graphql?query={viewer{id}}': true,
  '/graphql?query={viewer{no}}': true,
  '/graphql/assets/none.js': true,
  '/console/none.js': false,
};

const accepted = [
  'application/json',
  'text/csv',
  'application/x-ndjson',
  'text/html',
  'application/graphql-response+json',
  'text/event-stream',
];

async function ask(path: string, accept: string, init: RequestInit = {}) {
  const address = path.replace('ACCOUNT', accountId).replace('WINDOW', window);
  const headers = { authorization: `Bearer ${key}`, origin: page, accept, 'content-type': 'application/json' };
  const response = await fetch(`${running.app.origin}${address}`, { redirect: 'manual', headers, ...init });
  await response.text();
  const names = (response.headers.get('vary') ?? '').split(', ');
  return { form: `${response.status} ${response.headers.get('content-type')}`, names };
}

describe('A response that depends on Accept', () => {
  it.each(Object.entries(paths))('says so, and no other does: %s', async (path, depends) => {
    const answers = await Promise.all(accepted.map((accept) => ask(path, accept)));
    expect(new Set(answers.map(({ form }) => form)).size > 1).toBe(depends);
    expect(answers.map(({ names }) => names.includes('Accept'))).toEqual(accepted.map(() => depends));
  });

  it('says so for a POST to /graphql', async () => {
    const body = JSON.stringify({ query: '{ viewer { id } }' });
    const answers = await Promise.all(accepted.map((accept) => ask('/graphql', accept, { method: 'POST', body })));
    expect(answers.map(({ names }) => names.includes('Accept'))).toEqual(accepted.map(() => true));
  });

  it.each(['/graphql', '/v0/accounts/ACCOUNT/metrics?WINDOW'])(
    'also says that it depends on Origin: %s',
    async (path) => {
      const answers = await Promise.all(accepted.map((accept) => ask(path, accept)));
      expect(answers.map(({ names }) => names.includes('Origin'))).toEqual(accepted.map(() => true));
    },
  );
});
