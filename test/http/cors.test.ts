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

const preflight = (path: string, origin: string) =>
  ask(path, origin, {
    method: 'OPTIONS',
    headers: { 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' },
  });

describe('A page of an allowed origin', () => {
  it.each(called)('can send requests to %s, cached for two hours', async (path) => {
    const answer = await preflight(path, dash);
    expect(answer.status).toBe(204);
    expect(answer.headers.get('access-control-allow-origin')).toBe(dash);
    expect(answer.headers.get('access-control-allow-methods')).toBe('GET, HEAD, POST, DELETE');
    const headers = answer.headers.get('access-control-allow-headers')?.split(', ');
    expect(headers).toEqual(
      expect.arrayContaining([
        'authorization',
        'content-type',
        'idempotency-key',
        'service-version',
        'x-service-workspace',
      ]),
    );
    expect(answer.headers.get('access-control-max-age')).toBe('7200');
    expect(answer.headers.get('vary')).toContain('Origin');
  });

  it.each(called)('can read the responses of %s, errors too, without browser credentials', async (path) => {
    const { headers } = await ask(path, dash);
    expect(headers.get('access-control-allow-origin')).toBe(dash);
    expect(headers.get('access-control-allow-credentials')).toBeNull();
    expect(headers.get('access-control-expose-headers')).toContain('x-request-id');
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
        expect([refused.status, refused.headers.get('access-control-allow-origin')]).not.toEqual([204, origin]);
        expect((await ask(path, origin)).headers.get('vary')).toContain('Origin');
      }
    },
  );
});

describe('HTML pages', () => {
  it.each(['/v0/oauth/authorize', '/v0/oauth/sign-in', '/v0/oauth/consent', '/v0/oauth/sign-out', '/'])(
    'can be read by no other origin: %s',
    async (path) => {
      expect((await ask(path, dash)).headers.get('access-control-allow-origin')).toBeNull();
    },
  );
});
