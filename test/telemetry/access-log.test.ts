import { once } from 'node:events';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createGateway } from '../../src/server/server.js';
import { isLogged } from '../../src/telemetry/access-log.js';
import type { AccessLogChoice } from '../../src/telemetry/access-log.js';
import { createKey, createTenant, graphql, rest, useApp } from '../harness.js';
import type { TestApp } from '../harness.js';

const running = useApp();
const lines: string[] = [];
const apps = new Map<AccessLogChoice, TestApp>();
let key: string;

/** The same app behind a gateway for each setting, whose log is captured. */
beforeAll(async () => {
  const stream = new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(String(chunk));
      done();
    },
  });
  const { services } = running.app;
  for (const choice of ['off', 'failed', 'all'] as const) {
    const http = { ...services.http, accessLog: { choice, slowMs: 60_000 } };
    const gateway = createGateway({ ...services, http, log: pino({}, stream) });
    gateway.server.listen(0, '127.0.0.1');
    await once(gateway.server, 'listening');
    const address = gateway.server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    apps.set(choice, { ...running.app, gateway, origin: `http://127.0.0.1:${port}` });
  }
  ({ key } = await createKey(
    running.app,
    await createTenant(running.app, { account: 'northwind', workspaces: ['main'] }),
  ));
});

afterAll(() => {
  for (const { gateway } of apps.values()) {
    gateway.server.closeAllConnections();
    gateway.server.close();
  }
});

/** The log lines of the requests in an action. */
async function logged(choice: AccessLogChoice, act: (app: TestApp) => Promise<unknown>): Promise<object[]> {
  const app = apps.get(choice);
  if (app === undefined) throw new Error('there is no such app');
  lines.length = 0;
  await act(app);
  // The line is written when the connection has let go of the answer, just after the client has it.
  await new Promise((resolve) => setTimeout(resolve, 100));
  return lines
    .map((line) => JSON.parse(line))
    .filter((line) => line.msg === 'request')
    .map(({ access }) => access);
}

describe('The access log', () => {
  it('contains caller, operation, address and result', async () => {
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const headers = { 'x-request-id': 'from-the-balancer-1', traceparent: `00-${traceId}-00f067aa0ba902b7-01` };
    const [line] = await logged('all', (app) => graphql(app, key, 'query mine { viewer { name } }', {}, headers));
    expect(line).toEqual({
      requestId: 'from-the-balancer-1',
      traceId,
      method: 'POST',
      api: 'graphql',
      operation: 'query mine',
      status: 200,
      durationMs: expect.any(Number),
      cost: expect.any(Number),
      account: 'northwind',
      credential: expect.stringMatching(/^api_key wcp_/),
      address: '127.0.0.1',
    });
  });

  it('contains the reason of a denied request', async () => {
    const [one, other] = await logged('failed', async (app) => {
      await rest(app, '/agents', { key });
      await rest(app, '/agents');
      await rest(app, '/agents?limit=0', { key, version: '2026-04-28' });
    });
    expect(one).toMatchObject({ operation: 'ListAgents', status: 401, error: 'unauthorized' });
    expect(other).toMatchObject({
      operation: 'ListAgents',
      status: 400,
      error: 'invalid_parameter',
      account: 'northwind',
    });
  });

  it.each([
    ['off', []],
    ['slow', ['slow', 'failed']],
    ['failed', ['slow', 'refused', 'failed']],
    ['all', ['fine', 'slow', 'refused', 'failed']],
  ] as const)('contains, if it is %s, requests that are %j', (choice, told) => {
    const requests = {
      fine: { status: 200, durationMs: 999 },
      slow: { status: 200, durationMs: 1_000 },
      refused: { status: 401, durationMs: 1 },
      failed: { status: 500, durationMs: 1 },
    };
    const logged = Object.entries(requests).filter(([, request]) => isLogged({ choice, slowMs: 1_000 }, request));
    expect(logged.map(([name]) => name)).toEqual(told);
  });

  it('is empty if it is off', async () => {
    expect(await logged('off', (app) => rest(app, '/nothing'))).toEqual([]);
  });

  it('never contains a credential, a body or a query', async () => {
    await logged('all', async (app) => {
      await rest(app, '/agents?q=secret-term', { key });
      await graphql(app, key, '{ agent(name: "secret-term") { id } }', { secret: 'secret-term' });
      await rest(app, '/agents', { key: `${key}x` });
    });
    expect(lines.join()).not.toContain(key);
    expect(lines.join()).not.toContain('secret-term');
  });

  it.each(['short', 'a b c d e f', 'a'.repeat(129), 'naïve-naïve', '<script>alert</script>'])(
    'ignores an invalid request id: %s',
    async (id) => {
      const sent = await rest(running.app, '/agents', { headers: { 'x-request-id': encodeURI(id) } });
      expect(sent.headers.get('x-request-id')).not.toBe(encodeURI(id));
    },
  );
});
