import { describe, expect, it } from 'vitest';
import { useApp } from '../harness.js';

const dash = 'https://dash.example.com';
const running = useApp({ CORS_ORIGINS: `${dash}, https://other.example.com` });

const called = [
  '/v0/agents',
  '/graphql',
  '/v0/oauth/token',
  '/v0/openapi.json',
  '/.well-known/oauth-authorization-server',
];

function ask(path: string, origin: string, init: RequestInit = {}): Promise<Response> {
  return fetch(`${running.app.origin}${path}`, { ...init, headers: { origin, ...init.headers } });
}

const preflight = (path: string, origin: string, headers = 'authorization') =>
  ask(path, origin, {
    method: 'OPTIONS',
    headers: { 'access-control-request-method': 'POST', 'access-control-request-headers': headers },
  });

/** The headers that browsers request for pages with these libraries: lower case, sorted, without spaces. */
const requested = {
  'this service': 'authorization,content-type,idempotency-key,if-none-match,service-version,x-service-workspace',
  'Apollo Client':
    'apollo-require-preflight,apollographql-client-name,apollographql-client-version,authorization,content-type,x-apollo-operation-name',
  Sentry: 'authorization,baggage,content-type,sentry-trace',
  OpenTelemetry: 'authorization,b3,baggage,content-type,traceparent,tracestate,x-b3-sampled,x-b3-spanid,x-b3-traceid',
  Datadog:
    'authorization,content-type,traceparent,tracestate,x-datadog-origin,x-datadog-parent-id,x-datadog-sampling-priority,x-datadog-trace-id',
  MCP: 'authorization,content-type,last-event-id,mcp-method,mcp-name,mcp-protocol-version,mcp-session-id',
  axios: 'authorization,content-type,x-requested-with,x-xsrf-token',
  'a server-sent events client': 'authorization,cache-control,last-event-id',
};

describe('A page of an allowed origin', () => {
  it.each(called)('can send requests to %s, cached for two hours', async (path) => {
    const answer = await preflight(path, dash);
    expect(answer.status).toBe(204);
    expect(answer.headers.get('access-control-allow-origin')).toBe(dash);
    expect(answer.headers.get('access-control-allow-methods')).toBe('GET, HEAD, POST, DELETE');
    expect(answer.headers.get('access-control-max-age')).toBe('7200');
    expect(answer.headers.get('vary')).toBe('Origin, Access-Control-Request-Headers');
  });

  it.each(Object.entries(requested))('can send the headers of %s', async (_library, headers) => {
    for (const path of called) {
      const answer = await preflight(path, dash, headers);
      expect([answer.status, answer.headers.get('access-control-allow-headers')]).toEqual([204, headers]);
      expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
    }
  });

  it.each(['a b', 'a,,b', 'a;b', '"a"', 'a:b', ',', 'h\u00E9'])(
    'is allowed no headers if the list of names is malformed: %s',
    async (headers) => {
      const answer = await preflight('/graphql', dash, headers);
      expect([answer.status, answer.headers.get('access-control-allow-headers')]).toEqual([204, null]);
    },
  );

  it.each(called)('can read the responses of %s, errors too, without browser credentials', async (path) => {
    const { headers } = await ask(path, dash);
    expect(headers.get('access-control-allow-origin')).toBe(dash);
    expect(headers.get('access-control-allow-credentials')).toBeNull();
    expect(headers.get('access-control-expose-headers')?.split(', ')).toEqual(
      expect.arrayContaining(['x-request-id', 'retry-after', 'ratelimit', 'etag', 'www-authenticate', 'traceparent']),
    );
    expect(headers.get('access-control-expose-headers')).toContain('service-version');
    expect(headers.get('vary')).toContain('Origin');
  });
});

describe('A page of another origin', () => {
  it.each(['https://evil.example.com', `${dash}.evil.example.com`, 'http://dash.example.com', 'null'])(
    'cannot: %s',
    async (origin) => {
      for (const path of called) {
        expect((await ask(path, origin)).headers.get('access-control-allow-origin')).toBeNull();
        const refused = await preflight(path, origin);
        expect(refused.headers.get('access-control-allow-origin')).toBeNull();
        expect(refused.headers.get('access-control-allow-headers')).toBeNull();
        expect((await ask(path, origin)).headers.get('vary')).toContain('Origin');
      }
    },
  );
});

describe('HTML pages', () => {
  it.each([
    '/v0/oauth/authorize',
    '/v0/oauth/sign-in',
    '/v0/oauth/consent',
    '/v0/oauth/sign-out',
    '/v0/oauth/account',
    '/v0/oauth/account-password',
    '/v0/oauth/device',
    '/v0/oauth/device-consent',
    '/',
  ])('can be read by no other origin: %s', async (path) => {
    expect((await ask(path, dash)).headers.get('access-control-allow-origin')).toBeNull();
  });
});

describe('With CORS_ORIGINS=*', () => {
  const any = useApp({ CORS_ORIGINS: '*' });

  it('a page of every origin can send any headers, and responses are the same for all origins', async () => {
    const url = `${any.app.origin}/graphql`;
    const origin = 'https://anyone.example.com';
    const allowed = await fetch(url, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,x-own',
      },
    });
    expect(allowed.headers.get('access-control-allow-origin')).toBe('*');
    expect(allowed.headers.get('access-control-allow-headers')).toBe('authorization,x-own');
    expect(allowed.headers.get('vary')).toBe('Access-Control-Request-Headers');
    const answer = await fetch(url, { method: 'POST', headers: { origin }, body: '{}' });
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(answer.headers.get('vary') ?? '').not.toContain('Origin');
  });
});
