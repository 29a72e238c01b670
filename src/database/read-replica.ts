// A replica of the database that lists and metrics may be read from, for as long as it is known how old its answers can
// be. That needs no clock but this process's own: what the primary has written by now is remembered with the moment when
// it was asked, and once the replica has applied that much, it holds all that was there at that moment.
import { setTimeout as pause } from 'node:timers/promises';
import type { Prisma } from './client/client.js';

/** Reads one text of the replica. */
export type ReadText = (statement: Prisma.Sql) => Promise<string>;

/** Where a server is in the history of a cluster. */
export interface WalPosition {
  /** Of the cluster: a replica has that of its primary. */
  system: string;
  /** Of the database in it, of which a cluster has several. */
  database: string;
  isReplica: boolean;
  /** In bytes: what the primary has written, or the replica applied. */
  position: bigint;
}

export interface ReplicaSources {
  primary: () => Promise<WalPosition>;
  replica: () => Promise<WalPosition>;
  readText: ReadText;
  staleMsMax: number;
  /** Told when it stops being used, with the reason, and when it is used again. */
  onTurn: (problem: string | undefined, error?: unknown) => void;
}

export interface ReadReplica {
  /** What reads for callers of these accounts, unless the primary has to: for want of a replica, or what they changed. */
  readerFor: (accountIds: readonly string[]) => ReadText | undefined;
  /** Notes that something of these accounts was changed just now: until the replica has it, they are read of the primary. */
  wrote: (accountIds: readonly string[]) => void;
  /** Looks at once, and waits half a second at most. @returns why it is not read, if it is not. */
  look: () => Promise<string | undefined>;
  /** How old its answers may be; undefined while nothing is known of it. */
  behindMs: () => number | undefined;
  close: () => void;
}

/** How often it is looked where the two are. */
const lookMs = 250;

/** Who asks for a look hears soon that the replica does not answer, although it may yet. */
const lookMsMax = 500;

/** The sql of a position, on either of them. */
export const positionSql = `
  SELECT (SELECT system_identifier::text FROM pg_control_system()) AS "system",
    (SELECT oid::text FROM pg_database WHERE datname = current_database()) AS "database", pg_is_in_recovery() AS "isReplica",
    (CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_lsn() END - '0/0')::text AS "position"`;

export function createReadReplica(sources: ReplicaSources): ReadReplica {
  const { primary, replica, readText, staleMsMax, onTurn } = sources;
  /** When the primary was where, the earliest first. */
  let marks: { atMs: number; position: bigint }[] = [];
  /** It holds everything that was there at this moment. */
  let asOfMs = -Infinity;
  let problem: string | undefined = 'it has not been looked at yet';
  let looking: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  const wroteMs = new Map<string, number>();
  const waiting = new Set<(error: Error) => void>();

  async function lookOnce(): Promise<void> {
    const atMs = performance.now();
    const from = await primary();
    const to = await replica();
    if (!to.isReplica) throw new NotUsable('it is no replica');
    if (to.system !== from.system || to.database !== from.database)
      throw new NotUsable('it is a replica of another database');
    if (from.isReplica) throw new NotUsable('the database itself is read-only');
    marks.push({ atMs, position: from.position });
    const reached = marks.findLast(({ position }) => position <= to.position);
    asOfMs = reached?.atMs ?? -Infinity;
    const oldestMs = Math.max(asOfMs, atMs - staleMsMax);
    marks = marks.filter((mark) => mark.atMs >= oldestMs);
    for (const [accountId, ms] of wroteMs) if (ms < asOfMs) wroteMs.delete(accountId);
    if (atMs - asOfMs > staleMsMax) throw new NotUsable('it is too far behind');
  }

  function turn(next: string | undefined, error?: unknown): void {
    if (next === problem) return;
    problem = next;
    if (next !== undefined) {
      for (const giveUp of waiting) giveUp(new Error(`The read replica is not used: ${next}`));
      waiting.clear();
    }
    if (!isClosed) onTurn(next, error);
  }

  function look(): Promise<void> {
    looking ??= lookOnce()
      .then(
        () => turn(undefined),
        (error: unknown) => turn(error instanceof NotUsable ? error.message : 'it does not answer', error),
      )
      .finally(() => {
        looking = undefined;
      });
    return looking;
  }

  function watch(): void {
    if (timer !== undefined || isClosed) return;
    timer = setTimeout(() => {
      void look().finally(() => {
        timer = undefined;
        watch();
      });
    }, lookMs);
    timer.unref();
  }

  /** An answer that does not come is not waited for once the replica is known to be away. */
  function read(statement: Prisma.Sql): Promise<string> {
    return new Promise((resolve, reject) => {
      waiting.add(reject);
      readText(statement)
        .finally(() => waiting.delete(reject))
        .then(resolve, reject);
    });
  }

  return {
    readerFor: (accountIds) => {
      watch();
      if (problem !== undefined || performance.now() - asOfMs > staleMsMax) return undefined;
      return accountIds.some((id) => (wroteMs.get(id) ?? -Infinity) >= asOfMs) ? undefined : read;
    },
    wrote: (accountIds) => {
      for (const id of accountIds) wroteMs.set(id, performance.now());
    },
    look: async () => {
      const isOver = await Promise.race([look().then(() => true), pause(lookMsMax, false, { ref: false })]);
      return isOver ? problem : (problem ?? 'it does not answer');
    },
    behindMs: () => (asOfMs === -Infinity ? undefined : performance.now() - asOfMs),
    close: () => {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}

class NotUsable extends Error {}
