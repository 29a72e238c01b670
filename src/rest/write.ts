// The one place that writes REST answers: always JSON, also for what is not found at all.
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { ApiError } from '../errors.js';

const mediaType = 'application/json; charset=utf-8';

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  sendText(response, status, JSON.stringify(body));
}

/** Sends what is JSON already. */
export function sendText(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'content-type': mediaType,
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
  });
  response.end(text);
}

/** Sends an error, or cuts the connection when the answer has begun: half a list must not look whole. */
export function sendError(response: ServerResponse, error: ApiError): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  for (const [name, value] of Object.entries(error.headers)) response.setHeader(name, value);
  sendJson(response, error.status, error.toBody());
}

/**
 * Sends one JSON array chunk by chunk, as fast as the client reads it. The first chunk is read before the
 * status is sent, so a failure up to there is still an ordinary error.
 */
export async function sendItems(response: ServerResponse, chunks: AsyncIterable<unknown[]>): Promise<void> {
  let separator = '[';
  for await (const items of chunks) {
    begin(response);
    const hasRoom = items.length === 0 || response.write(`${separator}${JSON.stringify(items).slice(1, -1)}`);
    if (items.length > 0) separator = ',';
    if (response.destroyed) return;
    if (!hasRoom) await roomIn(response);
  }
  begin(response);
  response.end(separator === '[' ? '[]' : ']');
}

function begin(response: ServerResponse): void {
  if (!response.headersSent) response.writeHead(200, { 'content-type': mediaType, 'cache-control': 'no-store' });
}

/** Waits until the client has read what was written, or is gone. */
async function roomIn(response: ServerResponse): Promise<void> {
  const waiting = new AbortController();
  const { signal } = waiting;
  await Promise.race([once(response, 'drain', { signal }), once(response, 'close', { signal })]).finally(() =>
    waiting.abort(),
  );
}
