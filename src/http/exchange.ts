import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { invalidRequest } from '../errors.js';

/** A request and its response, as all transports receive them. */
export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  requestId: string;
  /** GET for HEAD too: Node omits the body of the response. */
  method: string;
  /** The path as it was sent, percent-encoded, without the query. */
  path: string;
  /** The query string after the question mark. */
  search: string;
  /** Facts about the request for metrics and logs. */
  notes: ExchangeNotes;
}

/** Names, ids and numbers; never a credential or a part of a body. */
export interface ExchangeNotes {
  api: 'rest' | 'graphql' | 'mcp' | 'scim' | 'oauth' | 'console' | 'document' | 'none';
  /** The REST operation, the GraphQL operation type, the MCP tool, or the path of a document: one of few values. */
  operation: string;
  /** The matched route, with parameters in braces: one of few values. */
  route?: string | undefined;
  /** The name of the operation in a GraphQL document: any text of the client. */
  operationName?: string | undefined;
  account?: { name: string; plan: string } | undefined;
  /** The kind of the credential, with its label or id. */
  credential?: string | undefined;
  cost?: number | undefined;
  /** When the response became a stream: the measured duration ends here. */
  streamsFromMs?: number | undefined;
  /** The error code. */
  error?: string | undefined;
}

/** Parses a request. It never fails, so that every error can be sent as a normal response. */
export function openExchange(request: IncomingMessage, response: ServerResponse): Exchange {
  // RFC 9112, section 3.2.2: a server accepts the absolute form of a target too.
  const target = (request.url ?? '').replace(/^https?:\/\/[^/?]*/i, '');
  const mark = target.indexOf('?');
  const [path, search] = mark < 0 ? [target, ''] : [target.slice(0, mark), target.slice(mark + 1)];
  const method = request.method === 'HEAD' ? 'GET' : (request.method ?? '');
  const notes: ExchangeNotes = { api: 'none', operation: '' };
  return { request, response, requestId: requestIdOf(request), method, path, search, notes };
}

/** The request id of a proxy or client, if it is valid; otherwise a new one. */
function requestIdOf({ headers }: IncomingMessage): string {
  const header = headers['x-request-id'];
  return typeof header === 'string' && /^[A-Za-z0-9._-]{8,128}$/.test(header) ? header : randomUUID();
}

/** The trace id of a request, from `traceparent` (W3C Trace Context, section 3.2). */
export function traceIdOf({ request }: Exchange): string | undefined {
  const header = request.headers['traceparent'];
  const [, traceId] = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/.exec(String(header)) ?? [];
  return traceId === undefined || /^0*$/.test(traceId) ? undefined : traceId;
}

/** Headers that must not be repeated: proxies and this server could read different ones. */
const singleHeaders = new Set(['host', 'authorization', 'content-type', 'content-encoding']);

/**
 * Checks the rules of HTTP that Node's parser does not.
 *
 * @throws 400 `invalid_request` for a repeated header that must be sent once (RFC 9112, section 3.2; RFC 9110, section
 * 5.3), and for HTTP/1.1 without a `Host`.
 */
export function checkHeaders({ request }: Exchange): void {
  const seen = new Set<string>();
  const { rawHeaders } = request;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? '').toLowerCase();
    if (!singleHeaders.has(name)) continue;
    if (seen.has(name)) throw invalidRequest(`The header ${name} must be sent once.`);
    seen.add(name);
  }
  if (request.httpVersion === '1.1' && !seen.has('host')) throw invalidRequest('The header Host is required.');
}

/** Whether the client has disconnected. */
export function isGone({ response }: Pick<Exchange, 'response'>): boolean {
  return response.destroyed || response.socket?.destroyed === true;
}

/**
 * @throws if the client has disconnected. Resources that are released when the response closes must not be taken
 * afterwards: the event occurs only once.
 */
export function requirePresent(of: Pick<Exchange, 'response'>): void {
  if (isGone(of)) throw new Error('the client disconnected while it waited');
}
