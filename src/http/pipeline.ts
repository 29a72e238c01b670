// Node emits each pipelined request of a connection as soon as it is read, even if the client has not read the previous
// responses. A client that sends hundreds of requests and reads no response would have all of them executed and their
// responses buffered. The requests of one connection are therefore executed one after the other.
import type { Socket } from 'node:net';
import type { Exchange } from './exchange.js';

/** The maximum number of waiting requests on a connection. A client that sends more without reading is disconnected. */
const waitingMax = 100;

const lines = new WeakMap<Socket, (() => void)[]>();

/** Begins a request when the responses to previous requests on its connection are sent. */
export function inTurn({ request, response }: Exchange, begin: () => void): void {
  const { socket } = request;
  const line = lines.get(socket) ?? [];
  lines.set(socket, line);
  if (line.length > waitingMax) {
    socket.destroy();
    return;
  }
  line.push(begin);
  response.once('close', () => {
    line.shift();
    if (!socket.destroyed) line[0]?.();
  });
  if (line.length === 1) begin();
}
