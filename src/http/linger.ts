// A connection that is closed while its client still sends is reset, and the reset can overtake the answer. So
// what the client sends is dropped for a moment, but never for long, and never much of it.
import type { IncomingMessage } from 'node:http';

const lingerMsMax = 1_000;
const lingerBytesMax = 4 * 1024 * 1024;

/** Drops what still comes of a request, until it ends or has been enough, and then goes on. */
export function linger(request: IncomingMessage, then: () => void): void {
  let bytes = 0;
  let isOver = false;
  const finish = (): void => {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    request.off('data', count);
    request.pause();
    then();
  };
  const count = (chunk: Buffer): void => {
    bytes += chunk.length;
    if (bytes > lingerBytesMax) finish();
  };
  const timer = setTimeout(finish, lingerMsMax);
  timer.unref();
  request.on('data', count);
  request.once('end', finish);
  request.once('close', finish);
  request.on('error', () => {});
  request.resume();
}
