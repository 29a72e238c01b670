// The responses at the console's addresses: a page with a strict policy, and its files.
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createConsoleHandler } from '../../../src/api/console/handler.js';
import { useApp } from '../../harness.js';

const running = useApp({ PUBLIC_URL: 'https://control.example.com/gate' });
const script = 'console.log("a script of the console");';
const html = '<meta name="settings" content="%settings%"><script type="module" src="./assets/main.js"></script>';
const folder = mkdtempSync(join(tmpdir(), 'console-'));
const server = createServer();
let origin = '';

beforeAll(async () => {
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), html);
  writeFileSync(join(folder, 'assets/main.js'), script);
  writeFileSync(join(folder, 'assets/main.js.br'), brotliCompressSync(script));
  const answer = createConsoleHandler(running.app.services, folder);
  server.on('request', (request, response) => {
    const isAnswered = answer(request, response, (request.url ?? '').split('?', 1)[0] ?? '');
    if (!isAnswered) response.writeHead(299).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  origin = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
});

afterAll(() => {
  server.close();
  server.closeAllConnections();
  rmSync(folder, { recursive: true });
});

function ask(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Response> {
  return fetch(`${origin}${path}`, {
    method,
    headers: { accept: 'text/html', 'accept-encoding': 'identity', ...headers },
  });
}

describe('The console page', () => {
  it.each([
    '/',
    '/w/production',
    '/w/production/agents/a?tab=x',
    '/a/northwind/costs',
    '/platform',
    '/platform/',
    '/profile',
    '/profile/',
    '/signed-in?code=x',
  ])('is returned at %s', async (path) => {
    const answer = await ask(path);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('no-cache');
    expect(answer.headers.get('vary')).toBe('Accept, Accept-Encoding');
  });

  it('allows only scripts and styles of this service, and no text as markup or script, and no frames', async () => {
    const policy = (await ask('/')).headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).toContain("style-src 'self'");
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
  });

  it('contains its settings, and addresses with the prefix of a proxy', async () => {
    const text = await (await ask('/')).text();
    expect(text).toContain('src="/gate/console/assets/main.js"');
    expect(text).toContain('https://control.example.com/gate/signed-in');
    expect(text).not.toContain('%settings%');
  });

  it.each(['/nothing', '/workspaces', '/platform/x', '/ws'])('passes %s to other handlers', async (path) => {
    expect((await ask(path)).status).toBe(299);
  });

  it('passes API requests and writing requests to other handlers', async () => {
    const other = await ask('/', { accept: 'application/json' });
    expect([other.status, other.headers.get('vary')]).toEqual([299, 'Accept']);
    expect((await ask('/', {}, 'POST')).status).toBe(299);
  });
});

describe('A console file', () => {
  it.each([
    ['identity', (body: Buffer) => body],
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ] as const)('is returned as %s with an immutable cache lifetime', async (encoding, unpack) => {
    // A browser unpacks by itself; a socket does not.
    const { request } = await import('node:http');
    const sent = request(`${origin}/console/assets/main.js`, { headers: { 'accept-encoding': encoding } });
    sent.end();
    const [answer] = await once(sent, 'response');
    const chunks: Buffer[] = [];
    for await (const chunk of answer) chunks.push(chunk);
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['content-encoding'] ?? 'identity').toBe(encoding);
    expect(answer.headers['cache-control']).toContain('immutable');
    expect(answer.headers['x-content-type-options']).toBe('nosniff');
    expect(unpack(Buffer.concat(chunks)).toString()).toBe(script);
  });

  it('returns 304 to a client with the current copy', async () => {
    const etag = (await ask('/console/assets/main.js')).headers.get('etag') ?? '';
    expect((await ask('/console/assets/main.js', { 'if-none-match': etag })).status).toBe(304);
    expect((await ask('/console/assets/main.js', { 'if-none-match': '"other"' })).status).toBe(200);
  });

  it('returns 404 for an unknown name, and for paths outside of the folder', async () => {
    for (const path of ['/console/none.js', '/console/assets/main.js.br', '/console/..%2f..%2fpackage.json']) {
      const answer = await ask(path);
      expect(answer.status).toBe(404);
      expect(await answer.json()).toMatchObject({ error: 'not_found' });
    }
  });

  it('returns 405 for writing methods', async () => {
    const answer = await ask('/console/assets/main.js', {}, 'POST');
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('GET, HEAD');
  });
});

describe('A console that was not built', () => {
  it('returns 404 in JSON', async () => {
    const answer = createConsoleHandler(running.app.services, join(folder, 'nowhere'));
    const bare = createServer((request, response) => {
      answer(request, response, request.url ?? '');
    });
    bare.listen(0, '127.0.0.1');
    await once(bare, 'listening');
    const address = bare.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const page = await fetch(`http://127.0.0.1:${port}/`, { headers: { accept: 'text/html' } });
    expect(page.status).toBe(404);
    expect(await page.json()).toMatchObject({ error: 'not_found' });
    bare.close();
    bare.closeAllConnections();
  });
});
