// A process of those who watch. It is told whom to watch, says when all do, and notes when each change came to each of them; of
// what it reads it looks at the bytes of names alone, so that what is late is late because of the server.
import { createConnection } from 'node:net';
import type { Socket } from 'node:net';
import { quantile } from '../processes.js';
import { sharedMs } from './clock.js';
import type { Committed, Lateness, Watching } from './watchers.js';

const query = 'subscription { changes { cursor node { action kind name actor { name } } } }';

/** What the names of changes begin with that count; a number follows. */
const mark = Buffer.from('"name":"c-');
const [zero, nine] = [0x30, 0x39];

/** One piece of memory that every connection reads into: what is in it is looked at before the next one reads. */
const buffer = Buffer.allocUnsafe(65_536);

/** Which change came, and when. */
let changes = new Uint32Array(0);
let arrivals = new Float64Array(0);
let count = 0;
const sockets: Socket[] = [];

process.on('message', (asked: { watch: Watching } | { tell: Committed }) => {
  if ('watch' in asked) watchAll(asked.watch).then(() => process.send?.('watching'), fail);
  else process.send?.(latenessOf(asked.tell));
});
process.on('disconnect', () => process.exit(0));

async function watchAll({ origin, accounts, watchers, eventsMax }: Watching): Promise<void> {
  changes = new Uint32Array(eventsMax);
  arrivals = new Float64Array(eventsMax);
  for (let from = 0; from < watchers; from += 50) {
    const some = Array.from({ length: Math.min(50, watchers - from) }, (_, index) => from + index);
    await Promise.all(some.map((index) => watch(origin, accounts[index % accounts.length])));
  }
}

/** Opens a watch. It settles when it is answered. */
function watch(origin: string, account: Watching['accounts'][number] | undefined): Promise<void> {
  if (account === undefined) throw new Error('there is no account');
  const { hostname, port, host } = new URL(origin);
  const body = JSON.stringify({ query });
  const head = [
    'POST /graphql HTTP/1.1',
    `host: ${host}`,
    `authorization: Bearer ${account.key}`,
    'content-type: application/json',
    'accept: text/event-stream',
    `x-account: ${account.id}`,
    `content-length: ${body.length}`,
  ];
  return new Promise((resolve, reject) => {
    let answer = '';
    let rest: Buffer | undefined;
    const callback = (length: number): boolean => {
      const piece = buffer.subarray(0, length);
      if (answer.endsWith('\r\n\r\n')) {
        rest = note(rest === undefined ? piece : Buffer.concat([rest, piece]), sharedMs());
        return true;
      }
      const [before = ''] = `${answer}${piece.toString('latin1')}`.split(/(?<=\r\n\r\n)/);
      answer = before;
      if (!answer.endsWith('\r\n\r\n')) return true;
      if (answer.startsWith('HTTP/1.1 200')) resolve();
      else reject(new Error(`a watch is answered with ${answer}`));
      return true;
    };
    const socket = createConnection({ host: hostname, port: Number(port), onread: { buffer, callback } });
    socket.once('error', reject);
    sockets.push(socket);
    socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  });
}

/** Notes the changes in a piece. @returns what of it may be the beginning of one more. */
function note(piece: Buffer, arrivedMs: number): Buffer | undefined {
  for (let from = 0; ;) {
    const found = piece.indexOf(mark, from);
    if (found < 0) return copyFrom(piece, Math.max(from, piece.length - mark.length + 1));
    let number = 0;
    let at = found + mark.length;
    for (; at < piece.length; at++) {
      const digit = piece[at] ?? 0;
      if (digit < zero || digit > nine) break;
      number = number * 10 + digit - zero;
    }
    if (at === piece.length) return copyFrom(piece, found);
    changes[count] = number;
    arrivals[count] = arrivedMs;
    count++;
    from = at;
  }
}

function copyFrom(piece: Buffer, from: number): Buffer | undefined {
  return from === piece.length ? undefined : Buffer.from(piece.subarray(from));
}

function latenessOf({ committedMs }: Committed): Lateness {
  const late = [...arrivals.subarray(0, count)].map(
    (arrived, index) => arrived - (committedMs[changes[index] ?? 0] ?? 0),
  );
  return { p50: quantile(late, 0.5), p99: quantile(late, 0.99), told: count };
}

function fail(error: unknown): void {
  process.stderr.write(`${String(error)}\n`);
  process.exit(1);
}
