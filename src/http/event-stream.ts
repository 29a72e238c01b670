// Server-sent events (HTML, section 9.2).
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';

export const eventStreamType = 'text/event-stream';

export interface EventStream {
  /**
   * Sends events in one write.
   *
   * @returns a promise to wait for before sending more if the client does not keep up; otherwise undefined.
   */
  send: (events: string) => Promise<void> | undefined;
  end: () => void;
}

/**
 * The wire format of an event. The id comes last: some clients take it as soon as its line arrives, and would skip an
 * event of which they received only the beginning.
 *
 * @param id what the client sends as `Last-Event-ID` when it reconnects after the event.
 */
export function eventText(event: string, data: string, id?: string): string {
  return `event: ${event}\ndata: ${data}\n${id === undefined ? '' : `id: ${id}\n`}\n`;
}

/** The wire format of an id without an event: what the client sends when it reconnects before the first event. */
export function startText(id: string): string {
  return `id: ${id}\n\n`;
}

/** Longer writes are not faster, and stay in memory while the client does not read. */
export const pieceLengthMax = 65_536;

const streamHeaders = {
  'content-type': `${eventStreamType}; charset=utf-8`,
  'cache-control': 'no-store',
  // The connection closes with the stream.
  connection: 'close',
  // Proxies must not buffer events.
  'x-accel-buffering': 'no',
};

/** Answers HEAD. Node sends the headers of a response without content only when it ends, and a stream may never end. */
export function sendStreamHead(response: ServerResponse): void {
  response.writeHead(200, streamHeaders).end();
}

/** Begins a stream. While it is idle, a heartbeat is sent at this interval. */
export function openEventStream(response: ServerResponse, heartbeatMs: number): EventStream {
  response.writeHead(200, streamHeaders);
  const beat = (): void => {
    if (!response.writableNeedDrain) response.write(':\n\n');
  };
  const timer = setInterval(beat, heartbeatMs).unref();
  response.once('close', () => clearInterval(timer));
  beat();
  return {
    send: (events) => {
      if (!response.destroyed) response.write(events);
      return response.writableNeedDrain ? roomIn(response) : undefined;
    },
    end: () => {
      clearInterval(timer);
      response.end();
    },
  };
}

/** Waits until the client has read what was written, or has disconnected. */
async function roomIn(response: ServerResponse): Promise<void> {
  if (response.destroyed) return;
  const waiting = new AbortController();
  const { signal } = waiting;
  await Promise.race([once(response, 'drain', { signal }), once(response, 'close', { signal })]).finally(() =>
    waiting.abort(),
  );
}
