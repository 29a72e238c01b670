// Common behaviour of all requests and responses, for every transport.
import { once } from 'node:events';
import type { Server } from 'node:http';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { beforeAll, describe, expect, it } from 'vitest';
import { createGateway } from '../../src/server/server.js';
import { listen } from '../../src/server/listen.js';
import type { Services } from '../../src/server/services.js';
import { securityHeaders } from '../../src/http/security-headers.js';
import { addAgents, anAgent, createKey, createTenant, useApp } from '../harness.js';
import { connectTo, sendRaw } from '../http/raw-connection.js';

const running = useApp();
let key: string;

beforeAll(async () => {
  const { app } = running;
  const tenant = await createTenant(app, { account: 'northwind', workspaces: ['main'] });
  ({ key } = await createKey(app, tenant));
  await addAgents(app, tenant.workspaces['main'], [anAgent('one')]);
});

const addresses = [
  '/',
  '/healthz',
  '/readyz',
  '/v0/openapi.json',
  '/v0/agents',
  '/v0/nothing',
  '/graphql',
  '/v0/oauth/token',
];
const end = 'connection: close\r\n\r\n';

function get(path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(`${running.app.origin}${path}`, {
    ...init,
    headers: { authorization: `Bearer ${key}`, ...init.headers },
  });
}

/** A second gateway, with the same services except some. */
async function serve(changed: Partial<Services>): Promise<{ server: Server; origin: string }> {
  const { server } = createGateway({ ...running.app.services, ...changed });
  const port = await listen(server, { HOST: '127.0.0.1', PORT: 0 });
  return { server, origin: `http://127.0.0.1:${port}` };
}

describe('Every response', () => {
  it.each(addresses)('of %s has headers against sniffing, framing and other sites', async (path) => {
    const { headers } = await get(path);
    for (const [name, value] of Object.entries(securityHeaders('http://a'))) expect(headers.get(name)).toBe(value);
    expect(headers.get('strict-transport-security')).toBeNull();
  });

  it('asks browsers to stay on https if clients use it', () => {
    expect(securityHeaders('https://a')).toMatchObject({ 'strict-transport-security': 'max-age=31536000' });
  });

  it('to input that is not HTTP has the same format', async () => {
    const { status, headers, body } = await sendRaw(running.app.origin, 'nonsense\r\n\r\n');
    expect(status).toBe(400);
    expect(body).toEqual({ error: 'invalid_request', code: 400, message: expect.any(String) });
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('to headers that are too long has its own code', async () => {
    const { status, body } = await sendRaw(
      running.app.origin,
      `GET / HTTP/1.1\r\nHost: a\r\nX-A: ${'a'.repeat(20_000)}\r\n\r\n`,
    );
    expect(status).toBe(431);
    expect(body).toMatchObject({ error: 'headers_too_large', code: 431 });
  });
});

describe('HEAD', () => {
  it.each(['/healthz', '/v0/openapi.json', '/v0/agents', '/v0/nothing', '/graphql?query={viewer{name}}'])(
    'of %s is answered like GET, without a body',
    async (path) => {
      const [got, head] = [await get(path), await get(path, { method: 'HEAD' })];
      expect(head.status).toBe(got.status);
      for (const name of ['content-type', 'content-length', 'cache-control', 'service-version']) {
        expect(head.headers.get(name)).toBe(got.headers.get(name));
      }
      expect(await head.text()).toBe('');
    },
  );
});

describe('An unsupported method', () => {
  it.each(['/healthz', '/readyz', '/v0/openapi.json', '/v0/.well-known/jwks.json'])(
    'returns 405 at %s',
    async (path) => {
      const answer = await get(path, { method: 'POST' });
      expect(answer.status).toBe(405);
      expect(answer.headers.get('allow')).toBe('GET, HEAD');
      expect(await answer.json()).toMatchObject({ error: 'method_not_allowed', code: 405 });
    },
  );

  it.each(addresses)('returns 405 for TRACE at %s', async (path) => {
    const { status } = await sendRaw(running.app.origin, `TRACE ${path} HTTP/1.1\r\nHost: a\r\n${end}`);
    expect(status).toBe(405);
  });
});

describe('A header that must be sent once', () => {
  it.each([
    ['Host', 'Host: a\r\nHost: b\r\n'],
    ['Authorization', 'Host: a\r\nAuthorization: Bearer a\r\nAuthorization: Bearer b\r\n'],
    ['Content-Type', 'Host: a\r\nContent-Type: text/plain\r\nContent-Type: application/json\r\n'],
    ['Content-Length', 'Host: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n'],
  ])('returns 400 if sent twice: %s', async (_name, headers) => {
    for (const path of ['/v0/agents', '/graphql', '/healthz']) {
      const { status, body } = await sendRaw(running.app.origin, `GET ${path} HTTP/1.1\r\n${headers}${end}`);
      expect([status, body.error]).toEqual([400, 'invalid_request']);
    }
  });

  it('returns 400 if sent twice with thousands of others between', async () => {
    const headers = `Host: a\r\nAuthorization: Bearer a\r\n${'x:\r\n'.repeat(3000)}Authorization: Bearer b\r\n`;
    const { body } = await sendRaw(running.app.origin, `GET /v0/agents HTTP/1.1\r\n${headers}${end}`);
    expect(body).toMatchObject({ code: 400, message: 'The header authorization must be sent once.' });
  });

  it('returns 400 in JSON if it is Host and missing', async () => {
    const { status, body } = await sendRaw(running.app.origin, `GET /healthz HTTP/1.1\r\n${end}`);
    expect([status, body.error]).toEqual([400, 'invalid_request']);
  });

  it('returns 400 if it is folded over two lines', async () => {
    const { status } = await sendRaw(running.app.origin, `GET /healthz HTTP/1.1\r\nHost: a\r\nX-A: a\r\n b\r\n${end}`);
    expect(status).toBe(400);
  });
});

describe('A body that is too long', () => {
  const credential = () => `Host: a\r\nAuthorization: Bearer ${key}\r\n`;

  it.each([
    ['/graphql', 'application/json'],
    ['/v0/oauth/token', 'application/x-www-form-urlencoded'],
    ['/v0/oauth/sign-in', 'application/x-www-form-urlencoded'],
  ])('is rejected by its length before it is read, and the connection closes: %s', async (path, type) => {
    const head = `POST ${path} HTTP/1.1\r\n${credential()}Content-Type: ${type}\r\nContent-Length: 500000000\r\n\r\n`;
    const { status, headers, text } = await sendRaw(running.app.origin, head);
    expect(status).toBe(413);
    expect(headers.get('connection')).toBe('close');
    expect(text).toContain('At most');
  });

  it('is rejected while it is read if its length is unknown', async () => {
    const head = `POST /v0/oauth/token HTTP/1.1\r\n${credential()}Content-Type: application/x-www-form-urlencoded\r\n`;
    const chunk = `8000\r\n${'a'.repeat(0x8000)}\r\n`;
    const { status, headers } = await sendRaw(
      running.app.origin,
      `${head}Transfer-Encoding: chunked\r\n\r\n${chunk}${chunk}`,
    );
    expect(status).toBe(413);
    expect(headers.get('connection')).toBe('close');
  });
});

describe('A client that disconnects', () => {
  it('before its body has arrived causes no error in the log', async () => {
    const lines: { level: number }[] = [];
    const stream = new Writable({
      write: (chunk, _encoding, done) => {
        lines.push(JSON.parse(String(chunk)));
        done();
      },
    });
    const { server, origin } = await serve({ log: pino({ level: 'debug' }, stream) });
    const socket = await connectTo(origin);
    const heard = once(server, 'request');
    socket.write(
      `POST /graphql HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{`,
    );
    const [, response] = await heard;
    const closed = once(response, 'close');
    socket.destroy();
    await closed;
    await new Promise((resolve) => setImmediate(resolve));
    server.close();
    expect(lines.filter(({ level }) => level >= 40)).toEqual([]);
  });
});

describe('A process that shuts down', () => {
  it('refuses connections although its database does not end its subscriptions', async () => {
    const { changeHub, workSubscribers } = running.app.services;
    let end = (): void => {};
    const ended = new Promise<void>((resolve) => (end = resolve));
    const { server, drain } = createGateway({
      ...running.app.services,
      changeHub: { ...changeHub, close: () => ended },
      workSubscribers: { ...workSubscribers, close: () => ended },
    });
    await listen(server, { HOST: '127.0.0.1', PORT: 0 });
    const drained = drain(0, 0);
    await expect.poll(() => server.listening).toBe(false);
    end();
    await drained;
  });
});
