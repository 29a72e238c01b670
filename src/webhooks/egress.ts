// Outgoing connections to receivers. The name is resolved here, and the connection uses an address that was checked, so
// that a second lookup cannot return a forbidden address (DNS rebinding).
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect, isIP } from 'node:net';
import type { Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { EgressRules } from '../config/egress-rules.js';
import { isAllowedAddress } from './public-address.js';

export interface EgressSettings extends EgressRules {
  /** The HTTP proxy for all requests. */
  proxy: string | undefined;
  /** Resolves a name to its addresses. */
  resolve: (hostname: string) => Promise<string[]>;
}

/** Why nothing was sent. The webhook's owner sees the message. */
export class EgressError extends Error {}

/** The maximum number of addresses of a name that are tried. */
const addressesTried = 4;

/** How long an address has to accept the connection if another one can be tried after it (ms). */
const connectMsMax = 2_000;

const resolverMsMax = 2_000;

/** Queries the name servers directly. The system's lookup (`getaddrinfo`) blocks a thread of the pool. */
export function createResolve(): EgressSettings['resolve'] {
  const resolver = new Resolver({ timeout: resolverMsMax, tries: 2 });
  return async (hostname) => {
    const found = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    return found.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  };
}

/**
 * Opens a connection to the host of a URL, with TLS for https.
 *
 * @throws {EgressError} when the address is forbidden or the name does not resolve; connection errors of the socket.
 */
export async function connectTo(url: URL, settings: EgressSettings, signal: AbortSignal): Promise<Socket> {
  const isTls = url.protocol === 'https:';
  if (!isTls && !(settings.allowsHttp && url.protocol === 'http:')) throw new EgressError('the URL is not https');
  const port = url.port === '' ? (isTls ? 443 : 80) : Number(url.port);
  const hostname = url.hostname.replaceAll(/^\[|\]$/g, '');
  const addresses = await allowedAddresses(hostname, settings, signal);
  const socket = await connectToFirst(addresses, port, settings, signal);
  return isTls ? withTls(socket, hostname, signal) : socket;
}

async function allowedAddresses(
  hostname: string,
  { resolve, allowedNetworks }: EgressSettings,
  signal: AbortSignal,
): Promise<string[]> {
  const found = isIP(hostname) > 0 ? [hostname] : await beforeAbort(resolve(hostname), signal);
  if (found.length === 0) throw new EgressError('the host name has no address');
  const allowed = found.filter((address) => isAllowedAddress(address, allowedNetworks));
  if (allowed.length === 0)
    throw new EgressError('the address is not public, and WEBHOOK_ALLOWED_NETWORKS does not allow it');
  return allowed.slice(0, addressesTried);
}

async function connectToFirst(
  [address, ...others]: string[],
  port: number,
  settings: EgressSettings,
  signal: AbortSignal,
): Promise<Socket> {
  if (address === undefined) throw new EgressError('the host name has no address');
  // It no longer aborts once the connection is open.
  const connecting = new AbortController();
  const timer = others.length === 0 ? undefined : setTimeout(() => connecting.abort(), connectMsMax);
  const either = AbortSignal.any([signal, connecting.signal]);
  try {
    return settings.proxy === undefined
      ? await connectDirectly(address, port, settings, either)
      : await connectThrough(new URL(settings.proxy), address, port, either);
  } catch (error) {
    if (others.length === 0 || signal.aborted) throw error;
    return connectToFirst(others, port, settings, signal);
  } finally {
    clearTimeout(timer);
  }
}

async function connectDirectly(
  address: string,
  port: number,
  { allowedNetworks }: EgressSettings,
  signal: AbortSignal,
): Promise<Socket> {
  const socket = endedBy(connect({ host: address, port }), signal);
  await once(socket, 'connect', { signal });
  // Check the address that was really reached.
  if (!isAllowedAddress(socket.remoteAddress ?? '', allowedNetworks)) {
    socket.destroy();
    throw new EgressError('the address is not public, and WEBHOOK_ALLOWED_NETWORKS does not allow it');
  }
  return socket;
}

/**
 * Connects through a proxy with CONNECT (RFC 9110, section 9.3.6). The proxy gets the checked address, not the name.
 */
async function connectThrough(proxy: URL, address: string, port: number, signal: AbortSignal): Promise<Socket> {
  const authority = `${address.includes(':') ? `[${address}]` : address}:${port}`;
  const credentials = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  const authorization = { 'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}` };
  const request = (proxy.protocol === 'https:' ? httpsRequest : httpRequest)({
    host: proxy.hostname.replaceAll(/^\[|\]$/g, ''),
    port: proxy.port === '' ? (proxy.protocol === 'https:' ? 443 : 80) : Number(proxy.port),
    method: 'CONNECT',
    path: authority,
    headers: { host: authority, ...(credentials === ':' ? {} : authorization) },
    agent: false,
    signal,
  });
  return new Promise((resolve, reject) => {
    request.on('connect', ({ statusCode = 0 }, socket: Socket) => {
      if (statusCode >= 200 && statusCode < 300) return resolve(endedBy(socket, signal));
      socket.destroy();
      reject(new EgressError(`the proxy of this service returned ${statusCode}`));
    });
    request.on('response', ({ statusCode = 0 }) => {
      request.destroy();
      reject(new EgressError(`the proxy of this service returned ${statusCode}`));
    });
    request.on('error', reject);
    request.end();
  });
}

async function withTls(socket: Socket, hostname: string, signal: AbortSignal): Promise<Socket> {
  const named = isIP(hostname) > 0 ? { host: hostname } : { host: hostname, servername: hostname };
  const secure = endedBy(connectTls({ socket, ...named, ALPNProtocols: ['http/1.1'] }), signal);
  try {
    await once(secure, 'secureConnect', { signal });
    return secure;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

/** Destroys the socket when the signal aborts. */
function endedBy<Kind extends Socket>(socket: Kind, signal: AbortSignal): Kind {
  const end = () => socket.destroy();
  // The user of the socket gets the error too. Without a listener here, an early error would end the process.
  socket.on('error', end);
  if (signal.aborted) end();
  signal.addEventListener('abort', end, { once: true });
  socket.once('close', () => signal.removeEventListener('abort', end));
  return socket;
}

async function beforeAbort<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const end = () => reject(new EgressError('timed out resolving the host name'));
    if (signal.aborted) end();
    signal.addEventListener('abort', end, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', end));
  });
}
