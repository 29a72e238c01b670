// A real receiver of webhooks.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  /** The content of the body. */
  event: ReturnType<typeof JSON.parse>;
}

export interface Receiver {
  origin: string;
  port: number;
  received: Received[];
  /** Those of one path. */
  at: (path: string) => Received[];
  /** The response from now on; initially 204. */
  answer: (next: (response: ServerResponse, received: Received) => void) => void;
  close: () => Promise<void>;
}

export async function openReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  let answer: Parameters<Receiver['answer']>[0] = (response) => void response.writeHead(204).end();
  const server = createServer((request, response) => {
    void take(request, response);
  });
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    const each = { path: request.url ?? '', headers: request.headers, body, event: JSON.parse(body) };
    received.push(each);
    answer(response, each);
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    received,
    at: (path) => received.filter((each) => each.path === path),
    answer: (next) => {
      answer = next;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
