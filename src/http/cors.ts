// CORS: which origins may read responses (the Fetch standard, "CORS protocol"). Cookies are only used on the service's
// own sign-in pages, so responses never allow credentials, and any origin may be allowed.
import type { ServerResponse } from 'node:http';
import { sendEmpty } from './answer.js';
import type { Exchange } from './exchange.js';

export interface CorsSettings {
  /** Exact origins, such as https://dash.example.com; `*` allows any. */
  origins: readonly string[];
  /** Response headers of this service that pages may read, in addition to those with standard names. */
  read: readonly string[];
}

const readAlways = [
  'etag',
  'mcp-session-id',
  'ratelimit',
  'ratelimit-policy',
  'retry-after',
  'traceparent',
  'www-authenticate',
  'x-request-id',
];

/** A list of header names (RFC 9110, sections 5.1 and 5.6.1). */
const headerList = /^[\w!#$%&'*+.^`|~-]+(?:[ \t]*,[ \t]*[\w!#$%&'*+.^`|~-]+)*$/;

/** Chromium caps the age of a preflight response at two hours. */
const preflightAgeSeconds = 7_200;

/** Paths that scripts of other origins call. The HTML pages that use a cookie are excluded. */
const calledPath =
  /^\/(?:graphql$|mcp$|v0\/(?!oauth\/(?:authorize|sign-in|consent|sign-out|provider|device(?!_)|account))|\.well-known\/)/;

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
  const isPreflight = request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined;
  const vary = [...(isAny ? [] : ['Origin']), ...(isPreflight ? ['Access-Control-Request-Headers'] : [])];
  if (vary.length > 0) response.setHeader('vary', vary.join(', '));
  if (origin === undefined || !(isAny || settings.origins.includes(origin))) return false;
  response.setHeader('access-control-allow-origin', isAny ? '*' : origin);
  if (isPreflight) {
    sendPreflight(response, request.headers['access-control-request-headers']);
    return true;
  }
  response.setHeader('access-control-expose-headers', [...readAlways, ...settings.read].join(', '));
  return false;
}

/**
 * Allows the requested headers, whatever they are: libraries of pages add their own, and no header grants anything
 * except the credential that the page itself has.
 */
function sendPreflight(response: ServerResponse, requested: string | undefined): void {
  sendEmpty(response, 204, {
    'access-control-allow-methods': 'GET, HEAD, POST, DELETE',
    ...(requested !== undefined && headerList.test(requested) && { 'access-control-allow-headers': requested }),
    'access-control-max-age': String(preflightAgeSeconds),
  });
}
