// A proxy between a client and the gateway that cuts each event stream after some bytes, in all the ways in which
// connections end: a reset, an end in the middle of an event, an end as if the response were complete, and a refusal.
import { once } from 'node:events';
import { createServer, request as sendRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { portOf } from '../manifests/command.js';

const ways = ['refusal', 'reset', 'end of the connection', 'end of the response', 'reset before the response'] as const;

type Way = (typeof ways)[number];

export interface CuttingProxy {
  url: string;
  /** How many connections were cut, by way. */
  cuts: Map<Way, number>;
  close: () => void;
}

interface ProxySettings {
  /** Added to requests without one: browsers send none with an EventSource. */
  authorization?: string;
  /** The HTML page at `/`. */
  page?: string;
  /** Whether streams begin with a short `retry`, so that an EventSource reconnects immediately. */
  isQuick?: boolean;
}

const shortRetry = 'retry: 10\n\n';

export async function openCuttingProxy(target: string, settings: ProxySettings = {}): Promise<CuttingProxy> {
  const cuts = new Map<Way, number>(ways.map((way) => [way, 0]));
  let connections = 0;
  const server = createServer((incoming, response) => {
    if (incoming.url === '/') return response.writeHead(200, { 'content-type': 'text/html' }).end(settings.page ?? '');
    if (incoming.url === '/favicon.ico') return response.writeHead(404).end();
    const number = connections++;
    const way = ways[number % ways.length] ?? 'reset';
    const count = (): void => void cuts.set(way, (cuts.get(way) ?? 0) + 1);
    if (way === 'refusal') {
      count();
      return response.writeHead(502).end();
    }
    if (way === 'reset before the response') {
      count();
      return incoming.socket.resetAndDestroy();
    }
    // Different places of an event: the step has no divisor in common with the length of one.
    const bytesMax = 200 + ((number * 617) % 8_009);
    return relay(target, settings, incoming, response, bytesMax, () => {
      count();
      cut(way, response);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${portOf(server.address())}`, cuts, close };
}

function relay(
  target: string,
  { authorization, isQuick = false }: ProxySettings,
  incoming: IncomingMessage,
  response: ServerResponse,
  bytesMax: number,
  onLimit: () => void,
): void {
  const { host: _, ...headers } = incoming.headers;
  const url = new URL(incoming.url ?? '/', target);
  const sent = sendRequest(url, {
    method: incoming.method,
    headers: { ...(authorization !== undefined && { authorization }), ...headers },
  });
  incoming.pipe(sent);
  sent.on('error', () => response.destroy());
  response.on('close', () => sent.destroy());
  sent.on('response', (answer) => {
    response.writeHead(answer.statusCode ?? 500, answer.headers);
    if (isQuick) response.write(shortRetry);
    let left = bytesMax;
    answer.on('error', () => response.destroy());
    answer.on('data', async (chunk: Buffer) => {
      answer.pause();
      for (const event of eventsOf(chunk)) {
        if (left <= 0) break;
        const part = event.subarray(0, left);
        left -= part.length;
        await new Promise((resolve) => response.write(part, resolve));
        await sleep(1);
      }
      if (left <= 0) setTimeout(onLimit, 5);
      else answer.resume();
    });
    answer.on('end', () => response.end());
  });
}

/** The events of a chunk, each with its end. graphql-sse reads events only at the end of a chunk that ends with a line. */
function eventsOf(chunk: Buffer): Buffer[] {
  return chunk
    .toString('latin1')
    .split(/(?<=\n\n)/)
    .map((event) => Buffer.from(event, 'latin1'));
}

function cut(way: Way, response: ServerResponse): void {
  if (way === 'end of the response') response.end();
  else if (way === 'end of the connection') response.socket?.destroy();
  else response.socket?.resetAndDestroy();
}
