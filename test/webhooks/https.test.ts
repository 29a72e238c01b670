// Receivers with certificates: deliveries go only to those with a certificate of a CA that Node trusts.
import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import type { Server } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Outcome } from '../../src/webhooks/post.js';
import { programWords } from '../program-flags.js';

function hasOpenssl(): boolean {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

describe.skipIf(!hasOpenssl())('A receiver with a certificate', () => {
  const folder = mkdtempSync(join(tmpdir(), 'webhook-certificates-'));
  const file = (name: string) => join(folder, name);
  const bodies: string[] = [];
  let server: Server;
  let port = 0;

  beforeAll(async () => {
    const names = 'subjectAltName=DNS:receiver.test,IP:127.0.0.1';
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', file('key.pem')];
    const certificate = ['-out', file('certificate.pem'), '-days', '2', '-subj', '/CN=receiver.test', '-addext', names];
    execFileSync('openssl', ['req', '-x509', ...key, ...certificate], { stdio: 'ignore' });
    const held = { key: readFileSync(file('key.pem')), cert: readFileSync(file('certificate.pem')) };
    server = createServer(held, (request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        bodies.push(body);
        response.writeHead(204).end();
      });
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const address = server.address();
    port = typeof address === 'object' && address !== null ? address.port : 0;
  });

  afterAll(() => {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** One attempt by a process that was started with this environment. */
  async function attempt(host: string, environment: Record<string, string>): Promise<Outcome> {
    const run = [...programWords('webhooks/post-once'), `https://${host}:${port}/in`];
    const { stdout } = await promisify(execFile)(process.execPath, run, { env: { ...process.env, ...environment } });
    return JSON.parse(stdout);
  }

  it('that is not trusted receives nothing', async () => {
    const outcome = await attempt('receiver.test', {});
    expect(outcome).toMatchObject({ isTaken: false, statusCode: null, error: expect.stringMatching(/^TLS: /) });
    expect(bodies).toEqual([]);
  });

  it('receives deliveries, by name and by address, once NODE_EXTRA_CA_CERTS trusts it', async () => {
    const trusting = { NODE_EXTRA_CA_CERTS: file('certificate.pem') };
    for (const host of ['receiver.test', '127.0.0.1']) {
      expect(await attempt(host, trusting)).toMatchObject({ isTaken: true, statusCode: 204, error: null });
    }
    expect(bodies).toEqual(['{}', '{}']);
  });

  it('for another name receives nothing', async () => {
    bodies.length = 0;
    const outcome = await attempt('elsewhere.test', { NODE_EXTRA_CA_CERTS: file('certificate.pem') });
    expect(outcome).toMatchObject({ isTaken: false, error: 'TLS: ERR_TLS_CERT_ALTNAME_INVALID' });
    expect(bodies).toEqual([]);
  });
});
