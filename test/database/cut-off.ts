// A proxy in front of a PostgreSQL server that cuts all clients off between two statements. For the server this is a
// killed process: its sessions end, and uncommitted changes are rolled back.
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { Socket } from 'node:net';

export interface CutOff {
  /** Address of the same database behind it. */
  url: string;
  /**
   * Cuts all clients off after a number of statements in transactions (including their end) or of separate statements
   * that write. The last one gets no response.
   */
  cutAfter: (statements: number) => void;
  /** Whether all sessions were ended; new connections are accepted. */
  mend: () => Promise<boolean>;
  close: () => Promise<void>;
}

export async function openCutOff(databaseUrl: string): Promise<CutOff> {
  const { hostname, port } = new URL(databaseUrl);
  const sessions = new Set<{ client: Socket; server: Socket }>();
  let left = Number.POSITIVE_INFINITY;
  let isCut = false;

  function cut(): void {
    isCut = true;
    for (const { client, server } of sessions) {
      client.destroy();
      server.end();
    }
  }

  const listener = createServer((client) => {
    if (isCut) {
      client.destroy();
      return;
    }
    const server = connect(Number(port || 5432), hostname);
    const session = { client, server };
    sessions.add(session);
    for (const socket of [client, server]) socket.setNoDelay(true).on('error', () => {});
    server.once('close', () => {
      sessions.delete(session);
      client.destroy();
    });
    client.once('close', () => server.end());
    const asked = messages({ isFirstUntyped: true });
    const answered = messages({ isFirstUntyped: false });
    const isChanging = changing();
    let isInTransaction = false;
    let isLast = false;
    let held: Buffer[] = [];
    client.on('data', (chunk: Buffer) => {
      for (const message of asked(chunk)) {
        const { type, bytes } = message;
        // Statements are sent as several messages, and the server executes each as it arrives, also a COMMIT.
        const isStatement = (isChanging(message) || isInTransaction) && (type === 'Q' || type === 'S');
        if (isStatement && left === 0) return cut();
        if (isStatement) isLast = --left === 0;
        held.push(bytes);
        if (heldBack.has(type)) continue;
        server.write(Buffer.concat(held));
        held = [];
      }
    });
    server.on('data', (chunk: Buffer) => {
      const ready = answered(chunk).findLast(({ type }) => type === readyForQuery);
      if (ready !== undefined) isInTransaction = ready.bytes.at(-1) === inTransaction;
      if (!isLast) client.write(chunk);
      else if (ready !== undefined) cut();
    });
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const address = listener.address();
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String(typeof address === 'object' && address !== null ? address.port : 0);
  return {
    url: url.href,
    cutAfter: (statements) => {
      left = statements;
    },
    mend: async () => {
      left = Number.POSITIVE_INFINITY;
      const wasCut = isCut;
      if (wasCut) await Promise.all([...sessions].map(({ server }) => once(server, 'close')));
      isCut = false;
      return wasCut;
    },
    close: async () => {
      cut();
      listener.close();
      await once(listener, 'close');
    },
  };
}

/** Parse, Bind, Describe, Execute and Close: a Sync follows. */
const heldBack = new Set(['P', 'B', 'D', 'E', 'C']);

/** The server's message after each statement; its last byte is the transaction status. */
const readyForQuery = 'Z';
const inTransaction = 'T'.charCodeAt(0);

interface Message {
  /** Its first letter; none for the one that begins a session. */
  type: string;
  bytes: Buffer;
}

/** Reports for each message of a session whether it belongs to a statement that records a change. */
function changing(): (message: Message) => boolean {
  const prepared = new Map<string, boolean>();
  let isChanging = false;
  return ({ type, bytes }) => {
    // Parse: a name and a statement. Bind: a portal, and the name of its statement.
    const [first = '', second = ''] = bytes.toString('utf8', 5).split('\0', 2);
    if (type === 'P') prepared.set(first, second.includes('INSERT INTO "change_head"'));
    if (type === 'B') isChanging = prepared.get(second) === true;
    return isChanging;
  };
}

/** Splits a stream of PostgreSQL's protocol into messages: a type byte, a length of four bytes, the content. */
function messages({ isFirstUntyped }: { isFirstUntyped: boolean }): (chunk: Buffer) => Message[] {
  let rest: Buffer = Buffer.alloc(0);
  let isUntyped = isFirstUntyped;
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    const found: Message[] = [];
    for (;;) {
      const letters = isUntyped ? 0 : 1;
      if (rest.length < letters + 4) return found;
      const length = letters + rest.readUInt32BE(letters);
      if (rest.length < length) return found;
      found.push({ type: rest.toString('latin1', 0, letters), bytes: rest.subarray(0, length) });
      rest = rest.subarray(length);
      isUntyped = false;
    }
  };
}
