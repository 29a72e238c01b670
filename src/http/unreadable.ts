// Responds to invalid HTTP with a JSON error, and closes the connection.
import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { ApiError, invalidRequest } from '../errors.js';
import { jsonMediaType } from './answer.js';

const failures = new Map([
  ['HPE_HEADER_OVERFLOW', new ApiError('headers_too_large', 'The URL and the headers are too large.')],
  [
    'ERR_HTTP_REQUEST_TIMEOUT',
    new ApiError('request_timeout', 'The request took too long to arrive. Send it again without pauses.'),
  ],
]);

/** @param headers the headers of every response. */
export function answerUnreadable(error: NodeJS.ErrnoException, socket: Duplex, headers: Record<string, string>): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const failure = failures.get(error.code ?? '') ?? invalidRequest('The request is not valid HTTP.');
  const body = JSON.stringify(failure.toBody());
  const lines = Object.entries({
    ...headers,
    'x-request-id': randomUUID(),
    'content-type': jsonMediaType,
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}`);
  const status = `HTTP/1.1 ${failure.status} ${STATUS_CODES[failure.status] ?? ''}`;
  socket.end(`${[status, ...lines].join('\r\n')}\r\n\r\n${body}`);
}
