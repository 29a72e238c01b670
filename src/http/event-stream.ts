// Server-sent events (HTML, section 9.2): an answer that goes on.
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';

export const eventStreamType = 'text/event-stream';

export interface EventStream {
  /** Sends one event, and waits while the client does not read. */
  send: (event: string, data: string) => Promise<void>;
  end: () => void;
}

/** Begins a stream. While nothing happens, the client is sent a sign of life that often. */
export function openEventStream(response: ServerResponse, heartbeatMs: number): EventStream {
  response.writeHead(200, {
    'content-type': `${eventStreamType}; charset=utf-8`,
    'cache-control': 'no-store',
    // The connection ends with the stream.
    connection: 'close',
    // What stands between must not gather events.
    'x-accel-buffering': 'no',
  });
  const beat = (): void => {
    if (!response.writableNeedDrain) response.write(':\n\n');
  };
  const timer = setInterval(beat, heartbeatMs).unref();
  response.once('close', () => clearInterval(timer));
  beat();
  let waiting = '';
  /** Events that are there at once go out together, as one piece. */
  const flush = (): void => {
    if (waiting === '' || response.destroyed) return;
    response.write(waiting);
    waiting = '';
  };
  return {
    send: async (event, data) => {
      if (waiting === '') setImmediate(flush);
      waiting += `event: ${event}\ndata: ${data}\n\n`;
      if (waiting.length > pieceLengthMax) flush();
      if (response.writableNeedDrain) await roomIn(response);
    },
    end: () => {
      clearInterval(timer);
      flush();
      response.end();
    },
  };
}

/** Longer pieces are no faster, and are held while the client does not read. */
const pieceLengthMax = 65_536;

/** Waits until the client has read what was written, or is gone. */
async function roomIn(response: ServerResponse): Promise<void> {
  if (response.destroyed) return;
  const waiting = new AbortController();
  const { signal } = waiting;
  await Promise.race([once(response, 'drain', { signal }), once(response, 'close', { signal })]).finally(() =>
    waiting.abort(),
  );
}
