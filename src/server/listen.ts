import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Server } from 'node:net';
import type { Config } from '../config.js';
import { ConfigError } from '../config.js';

type Place = Pick<Config, 'HOST' | 'PORT'>;

/**
 * Finds a free port. The port must be known before the gateway listens, because its URL is part of tokens and resources.
 */
export async function freePort(host: string): Promise<number> {
  const server = createServer();
  const port = await listen(server, { HOST: host, PORT: 0 });
  server.close();
  await once(server, 'close');
  return port;
}

/**
 * Maximum number of connections that wait to be accepted. Node accepts one in each turn of its event loop, and a client that
 * finds the queue full retries after a second or more. The operating system has its own limit.
 */
const backlog = 4_096;

/**
 * @param settings the names of the settings that have the host and the port.
 * @returns the port.
 * @throws {ConfigError} if the address cannot be used.
 */
export async function listen(
  server: Server,
  { HOST, PORT }: Place,
  settings = { host: 'HOST', port: 'PORT' },
): Promise<number> {
  server.listen({ port: PORT, host: HOST, backlog });
  try {
    await once(server, 'listening');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EADDRINUSE') throw new ConfigError(`${settings.port}: ${PORT} on ${HOST} is already in use`);
    if (code === 'EACCES' || code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
      throw new ConfigError(`${settings.host}, ${settings.port}: cannot listen on ${HOST}:${PORT} (${String(code)})`);
    }
    throw error;
  }
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : PORT;
}
