// One attempt to send something, against real servers that mean no good.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import { connect, createServer as createTcpServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { EgressSettings } from '../../src/webhooks/egress.js';
import { post } from '../../src/webhooks/post.js';
import { openReceiver } from './receiver.js';
import type { Receiver } from './receiver.js';

let receiver: Receiver;
let looked: string[];

const unheard = new AbortController().signal;
const noContent = (response: ServerResponse) => void response.writeHead(204).end();

beforeAll(async () => {
  receiver = await openReceiver();
});

afterAll(() => receiver.close());

beforeEach(() => {
  receiver.received.length = 0;
  receiver.answer(noContent);
  looked = [];
});

function settings(more: Partial<EgressSettings> = {}): EgressSettings {
  return {
    allowsHttp: true,
    allowedNetworks: ['127.0.0.1/32'],
    proxy: undefined,
    resolve: async (name) => {
      looked.push(name);
      return ['127.0.0.1'];
    },
    ...more,
  };
}

const send = (url: string, more: Partial<EgressSettings> = {}, msMax = 5_000) =>
  post(url, { 'x-test': 'yes' }, '{"a":1}', settings(more), unheard, msMax);

describe('An attempt', () => {
  it('sends its headers and its body, and succeeds with any 2xx', async () => {
    const outcome = await send(`${receiver.origin}/in?a=b`);
    expect(outcome).toMatchObject({ isTaken: true, statusCode: 204, answer: '', error: null });
    expect(receiver.received).toMatchObject([
      { path: '/in?a=b', body: '{"a":1}', headers: { 'x-test': 'yes', host: `127.0.0.1:${receiver.port}` } },
    ]);
  });

  it.each([400, 404, 429, 500, 503])('fails with %i', async (status) => {
    receiver.answer((response) => void response.writeHead(status).end('no'));
    expect(await send(receiver.origin)).toMatchObject({ isTaken: false, statusCode: status, answer: 'no' });
  });

  const inTwoMinutes = new Date(Math.ceil(Date.now() / 1_000) * 1_000 + 120_000).toUTCString();
  const [weekday = '', day = '', month = '', year = '', time = ''] = inTwoMinutes.split(/,? /);
  const longWeekday = new Date(inTwoMinutes).toLocaleDateString('en', { weekday: 'long', timeZone: 'UTC' });

  it.each([
    [429, '0', 0, 0],
    [429, '30', 30, 30],
    [503, '30', 30, 30],
    [429, '99999999999999999999', 1e20, 1e20],
    [429, inTwoMinutes, 60, 121],
    [503, `${longWeekday}, ${day}-${month}-${year.slice(2)} ${time} GMT`, 60, 121],
    [503, `${weekday} ${month} ${day.replace(/^0/, ' ')} ${time} ${year}`, 60, 121],
    [503, 'Sun, 06 Nov 1994 08:49:37 GMT', 0, 0],
  ])('with %i and Retry-After %s says how long the receiver asks to wait', async (status, value, least, most) => {
    receiver.answer((response) => void response.writeHead(status, { 'retry-after': value }).end());
    const { retryAfterSeconds } = await send(receiver.origin);
    expect(retryAfterSeconds).toBeGreaterThanOrEqual(least);
    expect(retryAfterSeconds).toBeLessThanOrEqual(most);
  });

  it.each([
    [204, '30'],
    [500, '30'],
    [302, '30'],
    [429, undefined],
    [429, ''],
    [429, '-5'],
    [429, '1.5'],
    [429, '5 minutes'],
    [503, '2026-11-26T12:00:00Z'],
    [503, 'Mon, 99 Foo 2026 08:49:37 GMT'],
  ])('with %i and Retry-After %s asks for no pause', async (status, value) => {
    receiver.answer(
      (response) => void response.writeHead(status, value === undefined ? {} : { 'retry-after': value }).end(),
    );
    expect(await send(receiver.origin)).toMatchObject({ statusCode: status, retryAfterSeconds: null });
  });

  it('follows no redirect, especially not to loopback', async () => {
    receiver.answer((response) => void response.writeHead(307, { location: `${receiver.origin}/inner` }).end());
    const outcome = await send(receiver.origin);
    expect(outcome).toMatchObject({
      isTaken: false,
      statusCode: 307,
      error: 'returned 307: redirects are not followed',
    });
    expect(receiver.received.map(({ path }) => path)).toEqual(['/']);
  });

  it('reads the first kilobyte of an endless response, and disconnects', async () => {
    const isHungUp = new Promise<void>((resolve) => {
      receiver.answer((response) => {
        response.writeHead(200);
        const more = () => {
          while (response.write('x'.repeat(1_000)));
        };
        response.on('drain', more);
        response.on('close', resolve);
        more();
      });
    });
    expect(await send(receiver.origin)).toMatchObject({ isTaken: true, answer: 'x'.repeat(1_024) });
    await isHungUp;
  });

  it('stores only characters of a response that the database accepts', async () => {
    receiver.answer((response) => void response.end(Buffer.from([65, 0, 10, 0x80, 66, 0xe2, 0x82])));
    expect((await send(receiver.origin)).answer).toBe('A\uFFFD\n\uFFFDB');
  });

  it('ends in time for a receiver that hangs, with the status that it has sent', async () => {
    receiver.answer(() => {});
    expect(await send(receiver.origin, {}, 100)).toMatchObject({
      isTaken: false,
      statusCode: null,
      error: 'no response within 0.1 seconds',
    });
    receiver.answer((response) => {
      response.writeHead(200);
      response.write('a beginning');
    });
    expect(await send(receiver.origin, {}, 300)).toMatchObject({ isTaken: true, answer: 'a beginning' });
  });

  it('ends in time for a name that does not resolve, and an address that does not respond', async () => {
    const never = { resolve: () => new Promise<string[]>(() => {}) };
    expect(await send('http://receiver.test', never, 100)).toMatchObject({ error: 'no response within 0.1 seconds' });
    const nowhere = { resolve: async () => [] };
    expect(await send('http://receiver.test', nowhere)).toMatchObject({ error: 'the host name has no address' });
  });

  it('reports a refused connection, an invalid response, and an abort', async () => {
    const server = createTcpServer((socket) => socket.resume().end('nonsense\r\n\r\n')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    expect(await send(`http://127.0.0.1:${port}`)).toMatchObject({ isTaken: false, statusCode: null });
    server.close();
    await once(server, 'close');
    expect(await send(`http://127.0.0.1:${port}`)).toMatchObject({ error: 'the connection was refused' });
    const stopped = AbortSignal.abort();
    const outcome = await post(receiver.origin, {}, '{}', settings(), stopped);
    expect(outcome).toMatchObject({ isTaken: false, error: 'the process was shut down' });
  });
});

describe('An attempt to a receiver of raw bytes', () => {
  const head = 'HTTP/1.1 200 OK\r\n';
  const isInvalid = (code: string) => ({ isTaken: false, error: `the response is not valid HTTP (${code})` });

  async function answeredBy(act: (socket: Socket) => void, body = '{}') {
    const sockets: Socket[] = [];
    const server = createTcpServer((socket) => {
      sockets.push(socket.on('error', () => {}));
      act(socket);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const outcome = await post(`http://127.0.0.1:${port}`, {}, body, settings(), unheard, 20_000);
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
    return outcome;
  }

  it.each([
    ['headers without an end', `${head}${'x-a: b\r\n'.repeat(10_000)}`, isInvalid('HPE_HEADER_OVERFLOW')],
    ['no HTTP', 'hello', isInvalid('HPE_INVALID_CONSTANT')],
    ['a status of five digits', 'HTTP/1.1 20000 OK\r\n\r\n', isInvalid('HPE_INVALID_STATUS')],
    [
      'an informational response first',
      `HTTP/1.1 103 Early Hints\r\n\r\n${head}\r\n`,
      { isTaken: true, statusCode: 200 },
    ],
    [
      'another protocol',
      'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n',
      { isTaken: false, statusCode: null, error: 'the receiver requested a protocol upgrade' },
    ],
    ['a second response', `HTTP/1.1 204 No Content\r\n\r\n${head}\r\n`, { isTaken: true, statusCode: 204 }],
  ])('that sends %s', async (_what, text, expected) => {
    expect(await answeredBy((socket) => socket.once('data', () => socket.end(text)))).toMatchObject(expected);
  });

  it('that responds before it has read the request', async () => {
    const text = `${head}content-length: 2\r\n\r\nok`;
    const outcome = await answeredBy((socket) => socket.pause().end(text), 'x'.repeat(3_000_000));
    expect(outcome).toMatchObject({ isTaken: true, statusCode: 200, answer: 'ok' });
  });

  it('that resets the connection before the response, and within its body', async () => {
    const before = await answeredBy((socket) => socket.once('data', () => socket.resetAndDestroy()));
    expect(before).toMatchObject({ isTaken: false, statusCode: null, error: 'the connection was reset' });
    const within = await answeredBy((socket) => {
      socket.once('data', () => socket.write(`${head}content-length: 9\r\n\r\nok`));
      setTimeout(() => socket.resetAndDestroy(), 500);
    });
    expect(within).toMatchObject({ isTaken: true, statusCode: 200, answer: 'ok' });
  });
});

describe('An outgoing connection', () => {
  it('uses https, unless http is allowed', async () => {
    expect(await send(receiver.origin, { allowsHttp: false })).toMatchObject({ error: 'the URL is not https' });
    expect(receiver.received).toEqual([]);
  });

  it.each([
    ['a loopback address', 'http://127.0.0.2'],
    ['loopback in the form of IPv6', 'http://[::ffff:127.0.0.2]'],
    ['metadata of a cloud', 'http://169.254.169.254'],
    ['an address in decimal', 'http://2130706434'],
    ['a private one', 'http://10.0.0.1'],
  ])('is rejected to an internal address: %s', async (_, url) => {
    expect((await send(url, {}, 500)).error).toMatch(/^the address is not public/);
  });

  it('uses the checked address, so that a second DNS response cannot change it', async () => {
    const answers = [['127.0.0.1'], ['127.0.0.2'], ['10.0.0.1', '::ffff:169.254.169.254']];
    const rebinding = { resolve: async () => answers.shift() ?? [] };
    const url = `http://receiver.test:${receiver.port}`;
    expect(await send(url, rebinding)).toMatchObject({ isTaken: true });
    expect((await send(url, rebinding)).error).toMatch(/^the address is not public/);
    expect((await send(url, rebinding)).error).toMatch(/^the address is not public/);
    expect(receiver.received).toHaveLength(1);
    expect(receiver.received[0]?.headers.host).toBe(`receiver.test:${receiver.port}`);
  });

  it('uses the allowed addresses of a name that has others as well', async () => {
    const mixed = { resolve: async () => ['10.0.0.1', '127.0.0.1'] };
    expect(await send(`http://receiver.test:${receiver.port}`, mixed)).toMatchObject({ isTaken: true });
  });

  it('uses the next address of a name if the first one does not respond', async () => {
    const asked: string[] = [];
    const proxy = createServer().on('connect', ({ url: authority = '' }, socket) => {
      asked.push(authority);
      socket.on('error', () => {});
      if (authority.startsWith('127.0.0.2')) return;
      const onward = connect(receiver.port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        onward.pipe(socket).pipe(onward);
      });
      onward.on('error', () => {});
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const { port } = proxy.address() as AddressInfo;
    const two = {
      proxy: `http://127.0.0.1:${port}`,
      allowedNetworks: ['127.0.0.0/8'],
      resolve: async () => ['127.0.0.2', '127.0.0.1'],
    };
    const outcome = await send(`http://receiver.test:${receiver.port}`, two);
    expect(asked).toEqual([`127.0.0.2:${receiver.port}`, `127.0.0.1:${receiver.port}`]);
    expect(outcome).toMatchObject({ isTaken: true });
    proxy.close();
  });

  it('resolves the name each time', async () => {
    const url = `http://receiver.test:${receiver.port}`;
    await send(url);
    await send(url);
    expect(looked).toEqual(['receiver.test', 'receiver.test']);
  });

  it('uses a proxy, which receives the checked address', async () => {
    const asked: { authority: string | undefined; by: string | undefined }[] = [];
    const proxy = createServer().on('connect', ({ url: authority, headers }, socket) => {
      asked.push({ authority, by: headers['proxy-authorization'] });
      const onward = connect(receiver.port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        onward.pipe(socket).pipe(onward);
      });
      for (const each of [socket, onward]) each.on('error', () => {});
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const { port } = proxy.address() as AddressInfo;
    const through = { proxy: `http://me:p%40ss@127.0.0.1:${port}` };
    expect(await send(`http://receiver.test:${receiver.port}/in`, through)).toMatchObject({ isTaken: true });
    expect(asked).toEqual([
      { authority: `127.0.0.1:${receiver.port}`, by: `Basic ${Buffer.from('me:p@ss').toString('base64')}` },
    ]);
    expect((await send('http://10.0.0.1', through)).error).toMatch(/^the address is not public/);
    expect(asked).toHaveLength(1);
    proxy.removeAllListeners('connect').on('connect', (_request, socket) => socket.end('HTTP/1.1 403 No\r\n\r\n'));
    expect(await send(receiver.origin, through)).toMatchObject({ error: 'the proxy of this service returned 403' });
    proxy.close();
  });
});
