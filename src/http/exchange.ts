import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { invalidRequest } from '../errors.js';

/** One request and its answer, as every door gets them. */
export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  requestId: string;
  /** GET for HEAD too: Node itself leaves the body of that answer out. */
  method: string;
  /** The address as it was sent, percent-encoded, without its query. */
  path: string;
  /** What stands behind the question mark. */
  search: string;
  /** What becomes known on the way, for those who measure and log. */
  notes: ExchangeNotes;
}

/** Names, ids and numbers; never a credential, and nothing of a body. */
export interface ExchangeNotes {
  door: 'rest' | 'graphql' | 'oauth' | 'console' | 'document' | 'none';
  /** Of REST the operation, of GraphQL its kind, of a document its address: one of few. */
  operation: string;
  /** The address that was found, with parameters in braces: one of few. */
  route?: string | undefined;
  /** The name that a GraphQL document gives its operation: anything. */
  operationName?: string | undefined;
  account?: { name: string; plan: string } | undefined;
  /** The kind of credential and its label, or its id. */
  credential?: string | undefined;
  cost?: number | undefined;
  /** When it became a stream, which goes on until somebody ends it: how long it takes counts up to here. */
  streamsFromMs?: number | undefined;
  /** The code of what went wrong. */
  error?: string | undefined;
}

/** Takes a request apart. It refuses nothing, so that every refusal can be answered like everything else. */
export function openExchange(request: IncomingMessage, response: ServerResponse): Exchange {
  // RFC 9112, section 3.2.2: a server accepts the absolute form of a target too.
  const target = (request.url ?? '').replace(/^https?:\/\/[^/?]*/i, '');
  const mark = target.indexOf('?');
  const [path, search] = mark < 0 ? [target, ''] : [target.slice(0, mark), target.slice(mark + 1)];
  const method = request.method === 'HEAD' ? 'GET' : (request.method ?? '');
  const notes: ExchangeNotes = { door: 'none', operation: '' };
  return { request, response, requestId: requestIdOf(request), method, path, search, notes };
}

/** The id that somebody before us gave the request, where it is one; else one of our own. */
function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && /^[A-Za-z0-9._-]{8,128}$/.test(given) ? given : randomUUID();
}

/** The trace that a request belongs to, by its `traceparent` (W3C Trace Context, section 3.2). */
export function traceIdOf({ request }: Exchange): string | undefined {
  const given = request.headers['traceparent'];
  const [, traceId] = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/.exec(String(given)) ?? [];
  return traceId === undefined || /^0*$/.test(traceId) ? undefined : traceId;
}

/** Headers of which a second one could be taken for the first by somebody on the way. */
const singleHeaders = new Set(['host', 'authorization', 'content-type', 'content-encoding']);

/**
 * What HTTP asks of every request, beyond what Node's reader has seen to.
 *
 * @throws 400 `invalid_request` for a header that must be sent once (RFC 9112, section 3.2; RFC 9110, section 5.3)
 *   and was sent twice, and for HTTP/1.1 without a `Host`.
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
  if (request.httpVersion === '1.1' && !seen.has('host')) throw invalidRequest('A request must name its Host.');
}

/** Whether nobody is there any more to answer to. */
export function isGone({ response }: Pick<Exchange, 'response'>): boolean {
  return response.destroyed || response.socket?.destroyed === true;
}

/** @throws when nobody is there any more: what ends with an answer must not begin after it, for it ends only once. */
export function requirePresent(of: Pick<Exchange, 'response'>): void {
  if (isGone(of)) throw new Error('the client went away before its turn');
}
