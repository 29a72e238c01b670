// The nginx configuration of docs/operations.md, run by nginx in front of a gateway.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { connect } from 'node:http2';
import { request } from 'node:https';
import type { RequestOptions } from 'node:https';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { freePort } from './console/browser.js';
import { createKey, createTenant, graphql, useApp } from './harness.js';
import type { Tenant } from './harness.js';

const canRun = [
  ['nginx', '-v'],
  ['openssl', 'version'],
].every(([program = '', option = '']) => spawnSync(program, [option]).status === 0);
if (!canRun)
  process.stderr.write('\nNO NGINX or no openssl on this machine: the test of its configuration is SKIPPED.\n\n');

const name = 'api.example.com';
const folder = mkdtempSync(join(tmpdir(), 'nginx-'));
const file = (each: string) => join(folder, each);
const page = readFileSync(new URL('../docs/operations.md', import.meta.url), 'utf8');
const block = /^```nginx\n(.*?)^```$/ms.exec(page)?.[1] ?? '';

/** The configuration around the block of the page. Each replacement must be in the block. */
function configuration(replaced: Record<string, string>): string {
  const site = Object.entries(replaced).reduce((before, [from, to]) => {
    expect(before).toContain(from);
    return before.replaceAll(from, to);
  }, block);
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((each) => `${each}_temp_path ${file(each)};`);
  return [
    ...(process.getuid?.() === 0 ? ['user root;'] : []),
    'daemon off;',
    `pid ${file('pid')};`,
    'events {}',
    `http { access_log off; ${paths.join(' ')}`,
    site,
    '}',
  ].join('\n');
}

interface Response {
  status: number;
  text: string;
}

describe.skipIf(!canRun)('The nginx configuration of docs/operations.md', () => {
  const running = useApp({ CLIENT_ADDRESS_HEADER: 'x-forwarded-for', PUBLIC_URL: `https://${name}` });
  const received: { headers: IncomingHttpHeaders; socket: Socket }[] = [];
  let nginx: ChildProcess;
  let port: number;
  let certificate: Buffer;
  let tenant: Tenant;
  let key: string;
  const options = ['-p', folder, '-e', file('error.log'), '-c', file('nginx.conf')];

  beforeAll(async () => {
    const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', file('key.pem')];
    const subject = ['-days', '2', '-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`];
    execFileSync('openssl', ['req', '-x509', ...kind, '-out', file('cert.pem'), ...subject], { stdio: 'ignore' });
    certificate = readFileSync(file('cert.pem'));
    port = await freePort();
    const replaced = {
      '10.0.0.1:4000': new URL(running.app.origin).host,
      // One gateway serves all requests.
      'server 10.0.0.2:4000;': '',
      'listen 443 ': `listen 127.0.0.1:${port} `,
      '/etc/ssl/control-plane/fullchain.pem': file('cert.pem'),
      '/etc/ssl/control-plane/privkey.pem': file('key.pem'),
    };
    writeFileSync(file('nginx.conf'), configuration(replaced));
    nginx = spawn('nginx', options, { stdio: 'inherit' });
    running.app.gateway.server.prependListener('request', ({ headers, socket }) => received.push({ headers, socket }));
    tenant = await createTenant(running.app, { account: 'northwind', workspaces: ['main'] });
    ({ key } = await createKey(running.app, tenant));
    await vi.waitFor(() => sendHttp1('/healthz'), { timeout: 10_000 });
  });

  afterAll(async () => {
    const ended = once(nginx, 'exit');
    if (nginx.kill('SIGTERM')) await ended;
    rmSync(folder, { recursive: true, force: true });
  });

  async function sendHttp1(path: string, init: RequestOptions = {}, body = ''): Promise<Response> {
    const sent = request({ host: '127.0.0.1', port, servername: name, ca: certificate, path, ...init });
    sent.end(body);
    const [response]: IncomingMessage[] = await once(sent, 'response');
    if (response === undefined) throw new Error('no response');
    expect(response.httpVersion).toBe('1.1');
    return { status: response.statusCode ?? 0, text: await text(response) };
  }

  it('is valid, with no warning', () => {
    const { status, stderr } = spawnSync('nginx', [...options, '-t'], { encoding: 'utf8' });
    expect([status, stderr.match(/\[(?:emerg|warn|error)\].*/g)]).toEqual([0, null]);
  });

  it('serves HTTP/1.1, over connections that it keeps, with the headers that the service reads', async () => {
    received.length = 0;
    const headers = {
      authorization: `Bearer ${key}`,
      host: name,
      'x-forwarded-for': '203.0.113.9',
      'x-request-id': 'of-the-client',
      'idempotency-key': 'once',
      'service-version': '2026-04-28',
      'x-service-workspace': 'main',
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    };
    for (let count = 0; count < 2; count++) {
      expect(await sendHttp1('/v0/agents?limit=1', { headers })).toMatchObject({ status: 200 });
    }
    expect(received).toHaveLength(2);
    expect(received[0]?.socket).toBe(received[1]?.socket);
    for (const each of received) expect(each.headers).toMatchObject({ ...headers, 'x-forwarded-for': '127.0.0.1' });
  });

  it('passes on bodies of 8 MiB and no larger ones', async () => {
    const init = {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    };
    const bytesMax = 8 * 1024 * 1024;
    received.length = 0;
    const largest = await sendHttp1('/v0/usage/events', init, '['.padEnd(bytesMax - 1) + ']');
    expect([largest.status, received.length]).toEqual([200, 1]);
    const larger = await sendHttp1('/v0/usage/events', init, '['.padEnd(bytesMax) + ']');
    expect([larger.status, received.length]).toEqual([413, 1]);
  });

  it('serves HTTP/2, and passes on each event of a stream at once', async () => {
    const session = connect(`https://${name}`, {
      createConnection: () =>
        connectTls({ host: '127.0.0.1', port, servername: name, ca: certificate, ALPNProtocols: ['h2'] }),
    });
    const stream = session.request({
      ':method': 'POST',
      ':path': '/graphql',
      authorization: `Bearer ${key}`,
      accept: 'text/event-stream',
      'content-type': 'application/json',
    });
    let events = '';
    stream.setEncoding('utf8').on('data', (chunk: string) => (events += chunk));
    stream.end(JSON.stringify({ query: 'subscription { changes { node { name } } }' }));
    const [headers] = await once(stream, 'response');
    expect(headers).toMatchObject({ ':status': 200, 'content-type': expect.stringContaining('text/event-stream') });
    for (const agent of ['first', 'second']) {
      expect(events).not.toContain(agent);
      const create =
        'mutation ($name: String!) { createAgent(input: { workspace: "main", metadata: { name: $name } }) { __typename } }';
      const body = await graphql(running.app, key, create, { name: agent });
      expect(body.body.data.createAgent.__typename).toBe('CreateAgentPayload');
      await expect.poll(() => events, { timeout: 2_000 }).toContain(agent);
    }
    session.destroy();
  });
});
