// A long list, sent to a client that reads it slowly or not at all.
import { createServer } from 'node:http';
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiError } from '../../src/errors.js';
import { sendError, sendItems, sendJson } from '../../src/http/answer.js';

type Answer = Parameters<typeof createServer>[1];

let server: ReturnType<typeof createServer>;
const warnings: string[] = [];
const onWarning = (warning: Error) => warnings.push(warning.name);

beforeEach(() => {
  process.on('warning', onWarning);
});

afterEach(() => {
  process.off('warning', onWarning);
  server.closeAllConnections();
  server.close();
});

async function listen(answer: NonNullable<Answer>): Promise<number> {
  server = createServer(answer);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function* chunksOf(...chunks: unknown[][]): AsyncGenerator<unknown[]> {
  yield* chunks;
}

describe('sendItems', () => {
  it.each([
    { chunks: [], text: '[]' },
    { chunks: [[]], text: '[]' },
    { chunks: [[1, 2]], text: '[1,2]' },
    { chunks: [[1], [2], [3]], text: '[1,2,3]' },
    { chunks: [[1], []], text: '[1]' },
    { chunks: [[{ a: undefined, b: 'é' }]], text: '[{"b":"é"}]' },
  ])('writes $chunks as $text', async ({ chunks, text }) => {
    const port = await listen((_request, response) => void sendItems(response, chunksOf(...chunks)));
    const received = await fetch(`http://127.0.0.1:${port}`);
    expect(received.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await received.text()).toBe(text);
  });

  it('reads no more than the client accepts, and leaves no listeners', async () => {
    let read = 0;
    async function* endless(): AsyncGenerator<unknown[]> {
      for (; read < 10_000; read++) yield ['a'.repeat(100_000)];
    }
    let listeners = 0;
    const port = await listen((_request, response) => {
      response.on('drain', () => {
        listeners = Math.max(listeners, response.listenerCount('close'));
      });
      void sendItems(response, endless());
    });
    const socket = connect(port, '127.0.0.1');
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await new Promise<void>((resolve) => {
      let bytes = 0;
      socket.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes <= 20_000_000) return;
        socket.pause();
        resolve();
      });
    });
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(read).toBeLessThan(5_000);
    expect(listeners).toBeLessThan(10);
    expect(warnings).toEqual([]);
    socket.destroy();
  });

  it('stops reading when the client has disconnected', async () => {
    let isOver: (over: boolean) => void;
    const over = new Promise<boolean>((resolve) => {
      isOver = resolve;
    });
    async function* endless(): AsyncGenerator<unknown[]> {
      try {
        for (;;) yield ['a'.repeat(100_000)];
      } finally {
        isOver(true);
      }
    }
    const port = await listen((_request, response) => void sendItems(response, endless()));
    const socket = connect(port, '127.0.0.1');
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await once(socket, 'data');
    socket.destroy();
    expect(await over).toBe(true);
  });

  it('sends nothing if the first chunk fails, so that an error can be returned', async () => {
    const failing = (async function* (): AsyncGenerator<unknown[]> {
      yield await Promise.reject(new ApiError('forbidden', 'No.'));
    })();
    const port = await listen((_request, response) => {
      sendItems(response, failing).catch((error: unknown) => {
        if (error instanceof ApiError) sendError(response, error);
      });
    });
    const received = await fetch(`http://127.0.0.1:${port}`);
    expect(received.status).toBe(403);
    expect(await received.json()).toEqual({ error: 'forbidden', code: 403, message: 'No.' });
  });

  it('cuts the connection if a later chunk fails, so that a partial list does not look complete', async () => {
    const failing = (async function* (): AsyncGenerator<unknown[]> {
      yield [1];
      throw new ApiError('unavailable', 'Gone.');
    })();
    const port = await listen((_request, response) => {
      sendItems(response, failing).catch((error: unknown) => {
        if (error instanceof ApiError) sendError(response, error);
      });
    });
    const text = fetch(`http://127.0.0.1:${port}`).then((received) => received.text());
    await expect(text).rejects.toThrow(/terminated|fetch failed/);
  });
});

describe('sendJson', () => {
  it('sends the length in bytes', async () => {
    const port = await listen((_request, response) => sendJson(response, 200, { name: 'é東' }));
    const received = await fetch(`http://127.0.0.1:${port}`);
    expect(received.headers.get('content-length')).toBe('16');
    expect(await received.json()).toEqual({ name: 'é東' });
  });
});
