// CORS: which origins may read responses (the Fetch standard, "CORS protocol"). Cookies are only used on the service's
// own sign-in pages, so responses never allow credentials, and any origin may be allowed.
import type { ServerResponse } from 'node:http';
import { sendEmpty } from './answer.js';
import type { Exchange } from './exchange.js';

export interface CorsSettings {
  /** Exact origins, such as https://dash.example.com; `*` allows any. */
  origins: readonly string[];
  /** Request headers of this service that pages may send, in addition to the safelisted ones. */
  sent: readonly string[];
  /** Response headers that pages may read. */
  read: readonly string[];
}

const sentAlways = [
  'authorization',
  'content-type',
  'idempotency-key',
  'if-none-match',
  'mcp-method',
  'mcp-name',
  'mcp-protocol-version',
  'traceparent',
  'x-request-id',
];
const readAlways = ['etag', 'ratelimit', 'ratelimit-policy', 'retry-after', 'www-authenticate', 'x-request-id'];

/** Chromium caps the age of a preflight response at two hours. */
const preflightAgeSeconds = 7_200;

/** Paths that scripts of other origins call. The HTML pages that use a cookie are excluded. */
const calledPath =
  /^\/(?:graphql$|mcp$|v0\/(?!oauth\/(?:authorize|sign-in|consent|sign-out|provider|device(?!_)))|\.well-known\/)/;

/**
 * Sets the CORS headers, and responds to preflight requests.
 *
 * @returns whether the request was a preflight, and is answered.
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
