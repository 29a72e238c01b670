// A client in a process of its own that sends requests at a fixed rate, whether or not earlier ones are answered (an open
// loop). overload.ts starts it and receives its report. It shares the cores with the gateway, so it reads only the status and
// the length of a response.
import { connect } from 'node:net';
import type { Socket } from 'node:net';

interface Order {
  origin: string;
  path: string;
  headers: Record<string, string>;
  perSecond: number;
  seconds: number;
}

/** The outcomes of the requests. */
export interface StormReport {
  served: number;
  /** 503 and 429. */
  shed: number;
  failed: number;
  /** Of those that were served, in milliseconds. */
  latencies: number[];
}

/** One that was answered is used again. */
const connectionsMax = 4_000;

const answerMsMax = 30_000;

process.once('message', ({ origin, path, headers, perSecond, seconds }: Order) => {
  const report: StormReport = { served: 0, shed: 0, failed: 0, latencies: [] };
  const { hostname, port, host } = new URL(origin);
  const fields = Object.entries({ Host: host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  const request = Buffer.from(`GET ${path} HTTP/1.1\r\n${fields.join('')}\r\n`);
  const idle: Connection[] = [];
  let connections = 0;
  let open = 0;

  function answered(connection: Connection, status: number, tookMs: number): void {
    open--;
    if (status === 200) {
      report.served++;
      report.latencies.push(tookMs);
    } else if (status === 503 || status === 429) report.shed++;
    else report.failed++;
    idle.push(connection);
  }

  function broken(connection: Connection): void {
    connections--;
    if (connection.isBusy) {
      open--;
      report.failed++;
    } else idle.splice(idle.indexOf(connection), 1);
  }

  function send(): void {
    open++;
    const connection = idle.pop();
    if (connection !== undefined) connection.send(request);
    else if (connections < connectionsMax) {
      connections++;
      new Connection(connect(Number(port), hostname), answered, broken).send(request);
    } else throw new Error(`more than ${connectionsMax} requests wait for an answer`);
  }

  const beganMs = performance.now();
  let sent = 0;
  const tick = setInterval(() => {
    const elapsed = (performance.now() - beganMs) / 1_000;
    const due = Math.floor(Math.min(elapsed, seconds) * perSecond);
    while (sent < due) {
      send();
      sent++;
    }
    if (elapsed < seconds || (open > 0 && elapsed < seconds + 20)) return;
    clearInterval(tick);
    process.send?.(report, () => process.exit(0));
  }, 5);
});

/** A connection on which one request at a time is answered. */
class Connection {
  isBusy = false;
  private startedMs = 0;
  private status = 0;
  private head: Buffer = Buffer.alloc(0);
  private bodyBytesLeft = -1;

  constructor(
    private readonly socket: Socket,
    private readonly answered: (connection: Connection, status: number, tookMs: number) => void,
    broken: (connection: Connection) => void,
  ) {
    socket.setNoDelay();
    socket.setTimeout(answerMsMax, () => socket.destroy());
    socket.on('data', (chunk: Buffer) => this.read(chunk));
    socket.on('error', () => {});
    socket.once('close', () => broken(this));
  }

  send(request: Buffer): void {
    this.isBusy = true;
    this.startedMs = performance.now();
    this.socket.write(request);
  }

  private read(chunk: Buffer): void {
    if (this.bodyBytesLeft < 0) {
      this.head = this.head.length === 0 ? chunk : Buffer.concat([this.head, chunk]);
      const headBytes = this.head.indexOf('\r\n\r\n');
      if (headBytes < 0) return;
      const head = this.head.toString('latin1', 0, headBytes);
      const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
      if (length === undefined) throw new Error(`an answer of an unknown length: ${head}`);
      this.status = Number(head.slice(9, 12));
      this.bodyBytesLeft = Number(length) - (this.head.length - headBytes - 4);
    } else this.bodyBytesLeft -= chunk.length;
    if (this.bodyBytesLeft > 0) return;
    this.head = Buffer.alloc(0);
    this.bodyBytesLeft = -1;
    this.isBusy = false;
    this.answered(this, this.status, performance.now() - this.startedMs);
  }
}
