// Idle connections: how long they stay open, and that they never end with a reset.
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createGateway } from '../../src/server/server.js';
import type { Gateway } from '../../src/server/server.js';
import { useApp } from '../harness.js';

const running = useApp({ KEEP_ALIVE_MS: '1000' });

async function listening(
  keepAliveMs = running.app.services.http.keepAliveMs,
): Promise<{ gateway: Gateway; port: number }> {
  const { services } = running.app;
  const gateway = createGateway({ ...services, http: { ...services.http, keepAliveMs } });
  gateway.server.listen(0, '127.0.0.1');
  await once(gateway.server, 'listening');
  const address = gateway.server.address();
  return { gateway, port: typeof address === 'object' && address !== null ? address.port : 0 };
}

interface Kept {
  socket: Socket;
  received: () => string;
  /** The end of the connection: orderly, or a reset. */
  over: Promise<'ended' | 'reset'>;
}

async function keep(port: number): Promise<Kept> {
  const socket = connect(port, '127.0.0.1');
  let received = '';
  socket.on('data', (chunk) => (received += chunk.toString()));
  const over = new Promise<'ended' | 'reset'>((resolve) => {
    socket.once('end', () => resolve('ended'));
    socket.once('error', () => resolve('reset'));
  });
  await once(socket, 'connect');
  return { socket, received: () => received, over };
}

const ask = (socket: Socket) => socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');

describe('An idle connection', () => {
  it('stays open for the configured time, which responses contain, and ends without a reset', async () => {
    const { gateway, port } = await listening();
    try {
      const { socket, received, over } = await keep(port);
      ask(socket);
      await expect.poll(received).toMatch(/^HTTP\/1\.1 200 .*^Keep-Alive: timeout=1\r$/ms);
      ask(socket);
      await expect.poll(() => received().match(/HTTP\/1\.1 200/g)?.length).toBe(2);
      expect(await over).toBe('ended');
    } finally {
      gateway.server.close();
    }
  });

  it('is closed on shutdown, and a request on it gets Connection: close', async () => {
    const { gateway, port } = await listening(60_000);
    const idle = await keep(port);
    ask(idle.socket);
    await expect.poll(idle.received).toMatch(/^HTTP\/1\.1 200/);
    const busy = await keep(port);
    ask(busy.socket);
    await expect.poll(busy.received).toMatch(/^HTTP\/1\.1 200/);
    const drained = gateway.drain(500, 5_000);
    ask(busy.socket);
    await expect.poll(() => busy.received().match(/HTTP\/1\.1 200/g)?.length).toBe(2);
    expect(busy.received()).toMatch(/^Connection: close\r$/im);
    expect(await Promise.all([idle.over, busy.over])).toEqual(['ended', 'ended']);
    await drained;
  });
});
