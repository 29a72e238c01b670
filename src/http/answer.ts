// The one writer of answers, whichever door they come from: whole texts, streams, and errors.
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
 * Sends what is a text already: JSON, unless a header says otherwise. Nobody keeps it, unless a header says so. What a
 * GET found carries a validator, and is 304 for whoever has it; what is long and no page is compressed for whoever
 * takes that.
 */
export function sendText(
  response: ServerResponse,
  status: number,
  given: string | Buffer,
  headers: OutgoingHttpHeaders = {},
): void {
  const { req: request } = response;
  const all: OutgoingHttpHeaders = { 'content-type': jsonMediaType, 'cache-control': 'no-store', ...headers };
  const isFound = status === 200 && (request.method === 'GET' || request.method === 'HEAD') && isData(all);
  // Encoded once: for the validator, its length and the wire.
  const text = isFound && typeof given === 'string' ? Buffer.from(given) : given;
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

/** A page may hold a secret beside what its address said, which compressing would let somebody guess. */
function isData(headers: OutgoingHttpHeaders): boolean {
  return !String(headers['content-type']).startsWith('text/html');
}

function varyOf(response: ServerResponse, headers: OutgoingHttpHeaders): string {
  if (headers['vary'] === undefined && !response.hasHeader('vary')) return 'Accept-Encoding';
  const names = [response.getHeader('vary'), headers['vary'], 'Accept-Encoding'].flatMap((value) =>
    value === undefined ? [] : String(value).split(/, */),
  );
  return [...new Set(names)].join(', ');
}

/** @param headers the length of the text among them. */
function write(response: ServerResponse, status: number, text: string | Buffer, headers: OutgoingHttpHeaders): void {
  const { req: request } = response;
  if (request.complete || !hasMuchBody(request.headers)) {
    response.writeHead(status, headers).end(text);
    return;
  }
  // What was not read of the request is not read as the next one: the connection ends with this answer.
  response.writeHead(status, { ...headers, connection: 'close' }).write(text);
  linger(request, () => response.end());
}

/** Sends a status that says all. */
export function sendEmpty(response: ServerResponse, status: number, headers: OutgoingHttpHeaders = {}): void {
  response.writeHead(status, { 'content-length': 0, 'cache-control': 'no-store', ...headers }).end();
}

/** Sends an error, or cuts the connection when the answer has begun: half an answer must not look whole. */
export function sendError(response: ServerResponse, error: ApiError): void {
  if (response.headersSent) response.destroy();
  else sendJson(response, error.status, error.toBody(), error.headers);
}

/**
 * Sends one JSON array chunk by chunk, as fast as the client reads it. The first chunk is read before the
 * status is sent, so a failure up to there is still an ordinary error.
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
 * Sends what comes piece by piece, as fast as the client reads it, and reads no more of it than that. The status
 * goes out with the first piece; when the client has gone, or wants the headers alone, the rest is not read.
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

/** Waits until the client has read what was written, or is gone. */
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
