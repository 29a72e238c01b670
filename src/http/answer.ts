// Writes all responses, for every transport: texts, streams and errors.
import { once } from 'node:events';
import type { IncomingHttpHeaders, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { ApiError } from '../errors.js';
import { chooseEncoding, compress, compressedFromBytes } from './encoding.js';
import { linger } from './linger.js';
import { etagOf, isMatch } from './validator.js';

export const jsonMediaType = 'application/json; charset=utf-8';

/** Sends one JSON value. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: OutgoingHttpHeaders = {},
): void {
  sendText(response, status, JSON.stringify(body), headers);
}

/**
 * Sends a text: JSON, unless a header says otherwise. It is not cacheable, unless a header says so. A successful GET
 * has an ETag, and results in 304 if the client's copy is current. Long texts other than HTML are compressed if the
 * client accepts it.
 */
export function sendText(
  response: ServerResponse,
  status: number,
  content: string | Buffer,
  headers: OutgoingHttpHeaders = {},
): void {
  const { req: request } = response;
  const all: OutgoingHttpHeaders = { 'content-type': jsonMediaType, 'cache-control': 'no-store', ...headers };
  const isFound = status === 200 && (request.method === 'GET' || request.method === 'HEAD') && isData(all);
  // Encoded once, for the ETag, the length and the socket.
  const text = isFound && typeof content === 'string' ? Buffer.from(content) : content;
  if (isFound) {
    const etag = typeof all['etag'] === 'string' ? all['etag'] : etagOf(text);
    all['etag'] = etag;
    if (isMatch(request.headers['if-none-match'], etag)) {
      response.writeHead(304, { etag, 'cache-control': all['cache-control'], vary: varyOf(response, all) }).end();
      return;
    }
  }
  all['content-length'] = Buffer.byteLength(text);
  if (all['content-length'] < compressedFromBytes || !isData(all) || all['content-encoding'] !== undefined) {
    write(response, status, text, all);
    return;
  }
  all['vary'] = varyOf(response, all);
  const encoding = chooseEncoding(request.headers['accept-encoding']);
  if (encoding === 'identity') {
    write(response, status, text, all);
    return;
  }
  compress(Buffer.from(text), encoding).then(
    (body) => write(response, status, body, { ...all, 'content-length': body.length, 'content-encoding': encoding }),
    () => write(response, status, text, all),
  );
}

/**
 * HTML is not compressed: a page may contain a secret next to text from its URL, and the compressed size would reveal
 * it (BREACH).
 */
function isData(headers: OutgoingHttpHeaders): boolean {
  return !String(headers['content-type']).startsWith('text/html');
}

/** Tells caches that the response depends on the Accept header of the request. */
export function varyByAccept(response: ServerResponse): void {
  response.appendHeader('vary', 'Accept');
}

function varyOf(response: ServerResponse, headers: OutgoingHttpHeaders): string {
  if (headers['vary'] === undefined && !response.hasHeader('vary')) return 'Accept-Encoding';
  const names = [response.getHeader('vary'), headers['vary'], 'Accept-Encoding'].flatMap((value) =>
    value === undefined ? [] : String(value).split(/, */),
  );
  return [...new Set(names)].join(', ');
}

/** @param headers the headers, including the length of the text. */
function write(response: ServerResponse, status: number, text: string | Buffer, headers: OutgoingHttpHeaders): void {
  const { req: request } = response;
  if (request.complete || !hasMuchBody(request.headers)) {
    response.writeHead(status, headers).end(text);
    return;
  }
  // The unread rest of the request must not be parsed as the next one, so the connection is closed after this response.
  response.writeHead(status, { ...headers, connection: 'close' }).write(text);
  linger(request, () => response.end());
}

/** Sends a status without a body. */
export function sendEmpty(response: ServerResponse, status: number, headers: OutgoingHttpHeaders = {}): void {
  response.writeHead(status, { 'content-length': 0, 'cache-control': 'no-store', ...headers }).end();
}

/**
 * Sends an error. If the response has begun, it closes the connection, so that an incomplete response does not look
 * complete.
 */
export function sendError(response: ServerResponse, error: ApiError): void {
  if (response.headersSent) response.destroy();
  else sendJson(response, error.status, error.toBody(), error.headers);
}

/**
 * Sends a JSON array chunk by chunk, as fast as the client reads it. The first chunk is read before the status is sent,
 * so an error up to there is still a normal error response.
 */
export async function sendItems(
  response: ServerResponse,
  chunks: AsyncIterable<unknown[]>,
  status = 200,
): Promise<void> {
  await sendStream(response, status, { 'content-type': jsonMediaType }, arrayText(chunks));
}

async function* arrayText(chunks: AsyncIterable<unknown[]>): AsyncGenerator<string> {
  let separator = '[';
  for await (const items of chunks) {
    if (items.length === 0) continue;
    yield `${separator}${JSON.stringify(items).slice(1, -1)}`;
    separator = ',';
  }
  yield separator === '[' ? '[]' : ']';
}

/**
 * Streams chunks as fast as the client reads them. The status is sent with the first chunk. If the client disconnects,
 * or sent a HEAD request, the rest is not read.
 */
export async function sendStream(
  response: ServerResponse,
  status: number,
  headers: OutgoingHttpHeaders,
  pieces: AsyncIterable<string | Uint8Array>,
): Promise<void> {
  for await (const piece of pieces) {
    if (response.destroyed) return;
    begin(response, status, headers);
    if (response.req.method === 'HEAD') break;
    if (!response.write(piece)) await roomIn(response);
    if (response.destroyed) return;
  }
  begin(response, status, headers);
  response.end();
}

function begin(response: ServerResponse, status: number, headers: OutgoingHttpHeaders): void {
  if (!response.headersSent) response.writeHead(status, { 'cache-control': 'no-store', ...headers });
}

/** Waits until the client has read the buffered data, or has disconnected. */
async function roomIn(response: ServerResponse): Promise<void> {
  const waiting = new AbortController();
  const { signal } = waiting;
  await Promise.race([once(response, 'drain', { signal }), once(response, 'close', { signal })]).finally(() =>
    waiting.abort(),
  );
}

/** Node reads a small body to its end by itself, so that the connection can be used again. */
const smallBodyBytes = 65_536;

function hasMuchBody(headers: IncomingHttpHeaders): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > smallBodyBytes;
}
