// Clients that send requests without reading: the work and the time for them are bounded.
import type { Socket } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { addAgents, anAgent, createKey, createTenant, useApp } from '../harness.js';
import { connectTo } from './raw-connection.js';

const stalledMs = 1_000;
const running = useApp({ STALLED_MS_MAX: String(stalledMs) });
let key: string;

beforeAll(async () => {
  const { app } = running;
  const tenant = await createTenant(app, { account: 'northwind', workspaces: ['main'] });
  ({ key } = await createKey(app, tenant));
  const text = 'x'.repeat(1_000);
  await addAgents(
    app,
    tenant.workspaces['main'],
    Array.from({ length: 200 }, (_, n) =>
      anAgent(`agent-${n}`, { spec: { runtime: { envs: [{ name: 'TEXT', value: text }] } } }),
    ),
  );
});

/** A connection that sends requests for long answers at once, and reads none of them. */
async function stalled(requests: number): Promise<Socket> {
  const socket = await connectTo(running.app.origin);
  socket.pause();
  const head = `GET /v0/agents?limit=200 HTTP/1.1\r\nHost: a\r\nService-Version: 2026-04-28\r\nAuthorization: Bearer ${key}\r\n\r\n`;
  socket.write(head.repeat(requests));
  return socket;
}

describe('Connections that send requests without reading the responses', () => {
  it('are processed only as far as the network buffers, and then closed', async () => {
    const { app } = running;
    const [connections, requests] = [3, 80];
    const open = () => new Promise<number>((resolve) => app.gateway.server.getConnections((_, n) => resolve(n)));
    app.statements.length = 0;
    const sockets = await Promise.all(Array.from({ length: connections }, () => stalled(requests)));
    // Before the gateway closes them: a reset connection is closed even without reads.
    const closed = sockets.map((socket) => new Promise((resolve) => socket.once('close', resolve)));
    await expect.poll(open, { timeout: 10_000, interval: 50 }).toBe(0);
    // One page takes at least one statement: most of the requests were not started.
    expect(app.statements.filter((sql) => sql.includes('"agent"')).length).toBeLessThan((connections * requests) / 2);
    for (const socket of sockets) socket.resume();
    await Promise.all(closed);
  });
});
