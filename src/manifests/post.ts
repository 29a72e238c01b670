// Requests of the command line to its gateway, on `node:http`: `fetch` takes twice the processor time for each.
import http from 'node:http';
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import https from 'node:https';
import { text } from 'node:stream/consumers';
import { UnreachableError } from './gateway-errors.js';

export interface Answer {
  status: number;
  headers: IncomingMessage['headers'];
  text: string;
}

/** The maximum time without a byte from the gateway (ms). */
const silentMsMax = 60_000;

/** Connections are kept for the next request. They keep no process alive. */
const agents = { 'http:': new http.Agent({ keepAlive: true }), 'https:': new https.Agent({ keepAlive: true }) };

/**
 * Sends a body to a path of a server, and reads its answer. Redirects are not followed: a key is for one gateway.
 *
 * @throws {UnreachableError} without a whole answer, with the reason, such as `ECONNREFUSED`.
 */
export async function post(server: string, path: string, headers: OutgoingHttpHeaders, body: string): Promise<Answer> {
  const url = new URL(`${server.replace(/\/+$/, '')}${path}`);
  const isSecure = url.protocol === 'https:';
  const agent = agents[isSecure ? 'https:' : 'http:'];
  try {
    const request = (isSecure ? https : http).request(url, { method: 'POST', agent, headers, timeout: silentMsMax });
    request.on('timeout', () => request.destroy(new Error(`no answer within ${silentMsMax / 1_000} seconds`)));
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      request.on('response', resolve).on('error', reject).end(body);
    });
    return { status: response.statusCode ?? 0, headers: response.headers, text: await text(response) };
  } catch (error) {
    throw new UnreachableError(`Cannot connect to ${server}: ${reasonOf(error)}`);
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error ? String(error.code) : error.message;
}
