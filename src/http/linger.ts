// If a connection is closed while its client still sends, it is reset, and the reset can overtake the response. The
// server therefore discards what the client sends for a short time and up to a small size.
import type { IncomingMessage } from 'node:http';

const lingerMsMax = 1_000;
const lingerBytesMax = 4 * 1024 * 1024;

/** Discards the rest of a request until it ends or exceeds the limits, then calls `then`. */
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
