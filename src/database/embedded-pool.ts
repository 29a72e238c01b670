// Connects node-postgres to PostgreSQL inside this process, so that both kinds of databases have the same driver.
import { Duplex } from 'node:stream';
import type { PGlite } from '@electric-sql/pglite';
import pg from 'pg';
import type { ConnectionShare } from './server-pools.js';
import { shareOf } from './server-pools.js';

export interface EmbeddedPool {
  /** The one connection, for which all statements and transactions wait in turn. */
  pool: pg.Pool;
  share: () => ConnectionShare;
  /** Calls a function with each notification. */
  onNotification: (hear: (notification: pg.Notification) => void) => () => void;
}

/** PostgreSQL in the process has one session. It outlives its connections, of which a new one replaces one that failed. */
const resetSession = simpleQuery('ROLLBACK; DEALLOCATE ALL');

/** The first byte of the message that begins a connection. All others begin with a letter. */
const startupByte = 0;

/** The only user of PostgreSQL in the process is the process: the environment of other programs has no effect. */
const settings = { host: 'localhost', port: 5432, user: 'postgres', database: 'postgres', password: '', ssl: false };

export function openEmbeddedPool(pglite: PGlite): EmbeddedPool {
  const hearers = new Set<(notification: pg.Notification) => void>();
  const pool = new pg.Pool({
    ...settings,
    stream: () => new EmbeddedSocket(pglite),
    max: 1,
    idleTimeoutMillis: 0,
  });
  // A crash is reported by the engine. Without a listener, an error would end the process.
  pool.on('error', () => {});
  pool.on('connect', (client) => {
    client.on('error', () => {});
    client.on('notification', (notification) => {
      for (const hear of hearers) hear(notification);
    });
  });
  return {
    pool,
    share: () => shareOf('embedded', pool),
    onNotification: (hear) => {
      hearers.add(hear);
      return () => hearers.delete(hear);
    },
  };
}

/** The stream of a connection: what is written is executed in this thread, and what is read are the answers. */
class EmbeddedSocket extends Duplex {
  readonly #pglite: PGlite;

  constructor(pglite: PGlite) {
    super();
    this.#pglite = pglite;
  }

  // The methods of a network socket that node-postgres calls.
  connect(): this {
    setImmediate(() => this.emit('connect'));
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  override _read(): void {}

  override _write(messages: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    // Not at once: node-postgres expects no answer before it has finished sending.
    setImmediate(() => {
      if (this.destroyed) return;
      if (messages[0] === startupByte) this.#pglite.execProtocolRawSync(resetSession);
      const answer = this.#pglite.execProtocolRawSync(messages);
      if (answer.length > 0) this.push(answer);
      done();
    });
  }

  override _writev(chunks: { chunk: Buffer }[], done: (error?: Error | null) => void): void {
    this._write(Buffer.concat(chunks.map(({ chunk }) => chunk)), 'buffer', done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.push(null);
    done();
  }
}

/** The message that runs statements without parameters (PostgreSQL's protocol 3.0, "Query"). */
function simpleQuery(sql: string): Buffer {
  const text = Buffer.from(`${sql}\0`);
  const head = Buffer.from('Q\0\0\0\0');
  head.writeInt32BE(text.length + 4, 1);
  return Buffer.concat([head, text]);
}
