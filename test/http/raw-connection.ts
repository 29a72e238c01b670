// A client connection that sends exactly the given bytes, and reads or not.
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';

/** Connects to an address such as http://127.0.0.1:4000. */
export async function connectTo(origin: string): Promise<Socket> {
  const { hostname, port } = new URL(origin);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.on('error', () => {});
  return socket;
}

export interface RawAnswer {
  status: number;
  headers: Headers;
  text: string;
  /** Parsed JSON, if it is JSON. */
  body: ReturnType<typeof JSON.parse>;
}

/** Sends a text, and returns the response until the server closes the connection. */
export async function sendRaw(origin: string, text: string): Promise<RawAnswer> {
  const socket = await connectTo(origin);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.write(text);
  await once(socket, 'close');
  return responseFrom(Buffer.concat(chunks).toString('utf8'));
}

function responseFrom(text: string): RawAnswer {
  const [head = '', body = ''] = text.split(/\r\n\r\n(.*)/s);
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = new Headers(
    lines.map((line): [string, string] => [line.split(':')[0] ?? '', line.replace(/^[^:]*: */, '')]),
  );
  const isJson = headers.get('content-type')?.startsWith('application/json') ?? false;
  return { status: Number(statusLine.split(' ')[1]), headers, text: body, body: isJson ? JSON.parse(body) : undefined };
}
