// Which pages of other origins may read answers (the Fetch standard, "CORS protocol"). No cookie of this service
// opens anything but its own sign-in pages, so no answer ever allows credentials, and any origin may be let in.
import type { ServerResponse } from 'node:http';
import { sendEmpty } from './answer.js';
import type { Exchange } from './exchange.js';

export interface CorsSettings {
  /** Exact origins, such as https://dash.example.com; `*` lets in any. */
  origins: readonly string[];
  /** Header names of this service that a page may send, beside those that every page may. */
  sent: readonly string[];
  /** Those that it may read. */
  read: readonly string[];
}

const sentAlways = ['authorization', 'content-type', 'idempotency-key', 'if-none-match', 'traceparent', 'x-request-id'];
const readAlways = ['etag', 'ratelimit', 'ratelimit-policy', 'retry-after', 'www-authenticate', 'x-request-id'];

/** A browser asks again after two hours at the latest, whatever it is told. */
const preflightAgeSeconds = 7_200;

/** Addresses that pages call. The pages for people, where a cookie says who they are, are none. */
const calledPath =
  /^\/(?:graphql$|v0\/(?!oauth\/(?:authorize|sign-in|consent|sign-out|provider|device(?!_)))|\.well-known\/)/;

/**
 * Says who may read the answer, and answers the question whether a request may be sent.
 *
 * @returns whether it was that question, and is answered.
 */
export function answerCors(exchange: Exchange, settings: CorsSettings): boolean {
  const { request, response, path } = exchange;
  const { origin } = request.headers;
  if (settings.origins.length === 0 || !calledPath.test(path)) return false;
  const isAny = settings.origins.includes('*');
  if (!isAny) response.setHeader('vary', 'Origin');
  if (origin === undefined || !(isAny || settings.origins.includes(origin))) return false;
  response.setHeader('access-control-allow-origin', isAny ? '*' : origin);
  if (request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined) {
    sendPreflight(response, settings);
    return true;
  }
  response.setHeader('access-control-expose-headers', [...readAlways, ...settings.read].join(', '));
  return false;
}

function sendPreflight(response: ServerResponse, { sent }: CorsSettings): void {
  sendEmpty(response, 204, {
    'access-control-allow-methods': 'GET, HEAD, POST, DELETE',
    'access-control-allow-headers': [...sentAlways, ...sent].join(', '),
    'access-control-max-age': String(preflightAgeSeconds),
  });
}
