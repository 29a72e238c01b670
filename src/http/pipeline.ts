// Node hands over each request of a connection as soon as it has been read, however many answers still wait to be
// read themselves. A client that sends hundreds and reads none of them would have all of them worked on, and their
// answers held. So the requests of one connection are taken one after the other, as their answers have to go.
import type { Socket } from 'node:net';
import type { Exchange } from './exchange.js';

/** Requests that wait on one connection. Who sends more of them without reading is cut. */
const waitingMax = 100;

const lines = new WeakMap<Socket, (() => void)[]>();

/** Begins with a request when the answers to those before it, on the same connection, are through. */
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
