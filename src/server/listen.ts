import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Server } from 'node:net';
import type { Config } from '../config.js';
import { ConfigError } from '../config.js';

type Place = Pick<Config, 'HOST' | 'PORT'>;

/**
 * A port that nobody listens on. Addresses of the service are part of what it makes, so its own has to be known before
 * it listens.
 */
export async function freePort(host: string): Promise<number> {
  const server = createServer();
  const port = await listen(server, { HOST: host, PORT: 0 });
  server.close();
  await once(server, 'close');
  return port;
}

/**
 * Connections that wait to be taken on: one is taken on in each turn of Node's loop, and a client whose connection finds
 * no room waits for a second and more before it tries again. The system has a limit of its own.
 */
const backlog = 4_096;

/**
 * @returns the port.
 * @throws {ConfigError} where the address cannot be listened on.
 */
export async function listen(server: Server, { HOST, PORT }: Place): Promise<number> {
  server.listen({ port: PORT, host: HOST, backlog });
  try {
    await once(server, 'listening');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EADDRINUSE') throw new ConfigError(`PORT: ${PORT} on ${HOST} is in use already`);
    if (code === 'EACCES' || code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
      throw new ConfigError(`HOST, PORT: cannot listen on ${HOST}:${PORT} (${String(code)})`);
    }
    throw error;
  }
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : PORT;
}
