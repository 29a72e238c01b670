// The key that a demo fills into GraphiQL: for local browsers, and not for sites that point their name at the demo.
import { once } from 'node:events';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createGateway } from '../../../src/server/server.js';
import type { Gateway } from '../../../src/server/server.js';
import { useApp } from '../../harness.js';

const running = useApp({ PUBLIC_URL: 'https://demo.example.com' });
const key = 'wcp_the-key-of-the-demo';
let demo: Gateway;
let port = 0;

beforeAll(async () => {
  demo = createGateway({ ...running.app.services, examples: { key } });
  demo.server.listen(0, '127.0.0.1');
  await once(demo.server, 'listening');
  const address = demo.server.address();
  port = typeof address === 'object' && address !== null ? address.port : 0;
});

afterAll(async () => {
  demo.server.closeAllConnections();
  await demo.drain(0, 0);
});

async function pageAs(host: string): Promise<string> {
  const asked = request({ port, host: '127.0.0.1', path: '/graphql', headers: { host, accept: 'text/html' } });
  asked.end();
  const [response] = await once(asked, 'response');
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return text;
}

describe('The API key of the demo', () => {
  it.each(['localhost', '127.0.0.1', '[::1]:4000', 'demo.example.com'])('is shown to a browser at %s', async (host) => {
    expect(await pageAs(host)).toContain(key);
  });

  it.each([
    'attacker.example.net',
    'localhost.attacker.example.net',
    'demo.example.com.attacker.example.net',
    '10.0.0.7',
  ])('is not shown to a browser that used the host name %s', async (host) => {
    const page = await pageAs(host);
    expect(page).toContain('<div id="root">');
    expect(page).not.toContain(key);
  });
});
