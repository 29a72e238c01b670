// How answers go over the wire: compressed, validated, in turn.
import { request } from 'node:http';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { addAgents, anAgent, createKey, createTenant, useApp } from '../harness.js';
import type { Tenant } from '../harness.js';
import { connectTo } from './raw-connection.js';

const running = useApp();
let tenant: Tenant;
let key: string;

beforeAll(async () => {
  const { app } = running;
  tenant = await createTenant(app, { account: 'northwind', workspaces: ['main'] });
  ({ key } = await createKey(app, tenant));
  await addAgents(
    app,
    tenant.workspaces['main'],
    Array.from({ length: 20 }, (_, index) => anAgent(`agent-${index}`)),
  );
});

interface Received {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  bytes: Buffer;
}

/** fetch() would decompress by itself. */
function get(path: string, headers: Record<string, string> = {}): Promise<Received> {
  return new Promise((resolve, reject) => {
    const own = { authorization: `Bearer ${key}`, 'service-version': '2026-04-28', ...headers };
    const sent = request(`${running.app.origin}${path}`, { headers: own }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes: Buffer.concat(chunks) }),
      );
    });
    sent.on('error', reject);
    sent.end();
  });
}

const addresses = ['/v0/agents', '/v0/openapi.json', '/graphql?query={agents{nodes{id%20metadata{name}}}}'];

describe('A long response', () => {
  it.each(addresses)(
    'is compressed as the client accepts, with the same content in each encoding: %s',
    async (path) => {
      const [plain, zipped, brotli] = [
        await get(path),
        await get(path, { 'accept-encoding': 'gzip' }),
        await get(path, { 'accept-encoding': 'gzip, br' }),
      ];
      expect([plain, zipped, brotli].map(({ headers }) => headers['content-encoding'])).toEqual([
        undefined,
        'gzip',
        'br',
      ]);
      expect((await promisify(gunzip)(zipped.bytes)).equals(plain.bytes)).toBe(true);
      expect((await promisify(brotliDecompress)(brotli.bytes)).equals(plain.bytes)).toBe(true);
      expect(zipped.bytes.length).toBeLessThan(plain.bytes.length / 2);
      for (const { headers, bytes } of [plain, zipped, brotli]) {
        expect(headers['vary']).toContain('Accept-Encoding');
        expect(headers['content-length']).toBe(String(bytes.length));
      }
    },
  );

  it('is not compressed if it is short', async () => {
    expect((await get('/healthz', { 'accept-encoding': 'gzip' })).headers['content-encoding']).toBeUndefined();
  });
});

describe('A cached response', () => {
  it.each(addresses)('returns 304 for a current copy, in any encoding: %s', async (path) => {
    const { headers } = await get(path);
    const etag = String(headers['etag']);
    for (const known of [etag, `"other", ${etag}`, etag.replace('W/', ''), '*']) {
      const again = await get(path, { 'if-none-match': known, 'accept-encoding': 'br' });
      expect([again.status, again.bytes.length, again.headers['etag']]).toEqual([304, 0, etag]);
    }
    expect((await get(path, { 'if-none-match': '"other"' })).status).toBe(200);
  });

  it('is sent again when its content has changed', async () => {
    const before = (await get('/v0/agents')).headers['etag'];
    await addAgents(running.app, tenant.workspaces['main'], [anAgent('newest')]);
    const after = await get('/v0/agents', { 'if-none-match': String(before) });
    expect(after.status).toBe(200);
    expect(after.headers['etag']).not.toBe(before);
  });

  it('is never an error', async () => {
    expect((await get('/v0/agents?limit=0', { 'if-none-match': '*' })).status).toBe(400);
  });
});

describe('A connection', () => {
  it('with several pipelined requests gets the responses in order', async () => {
    const socket = await connectTo(running.app.origin);
    const received = new Promise<string>((resolve) => {
      let text = '';
      socket.on('data', (chunk: Buffer) => {
        text += chunk.toString();
        if (text.split('HTTP/1.1').length > 20) resolve(text);
      });
    });
    const paths = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? '/healthz' : '/v0/nothing'));
    socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`).join(''));
    const statuses = [...(await received).matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
    expect(statuses).toEqual(paths.map((path) => (path === '/healthz' ? '200' : '404')));
    socket.destroy();
  });

  it('with hundreds of requests and no reads is closed, and does not delay others', async () => {
    const socket = await connectTo(running.app.origin);
    socket.pause();
    const cut = new Promise((resolve) => socket.once('close', resolve));
    socket.write('GET /v0/openapi.json HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(2_000));
    expect((await get('/healthz')).status).toBe(200);
    socket.resume();
    await cut;
  });
});
