// A replica of the database for reads of lists and metrics, used only while the age of its data is known. The age needs
// no clock but this process's own: the primary's WAL position is stored with the time of the look-up, and once the
// replica has applied that position, its data is at least as new as that time.
import { setTimeout as pause } from 'node:timers/promises';
import type { Prisma } from './client/client.js';

/** Reads one text from the replica. */
export type ReadText = (statement: Prisma.Sql) => Promise<string>;

/** The WAL position of a server. */
export interface WalPosition {
  /** The cluster's identifier: a replica has that of its primary. */
  system: string;
  /** The database's identifier in the cluster. */
  database: string;
  isReplica: boolean;
  /** The position that the primary has written, or that the replica has applied (bytes). */
  position: bigint;
}

export interface ReplicaSources {
  primary: () => Promise<WalPosition>;
  replica: () => Promise<WalPosition>;
  readText: ReadText;
  staleMsMax: number;
  /** Called when the replica is no longer used, with the reason, and when it is used again. */
  onTurn: (problem: string | undefined, error?: unknown) => void;
}

export interface ReadReplica {
  /**
   * Reads for callers of these accounts from the replica; undefined if the primary must be used: the replica is
   * unavailable, or it lacks a recent change of these accounts.
   */
  readerFor: (accountIds: readonly string[]) => ReadText | undefined;
  /** Notes a change in these accounts: they are read from the primary until the replica has applied it. */
  wrote: (accountIds: readonly string[]) => void;
  /** Checks the replica now, for half a second at most. @returns why it is not used, if it is not. */
  look: () => Promise<string | undefined>;
  /** The age of its data (milliseconds); undefined if unknown. */
  behindMs: () => number | undefined;
  close: () => void;
}

/** How often the positions of both servers are read. */
const lookMs = 250;

/** A caller of look() learns after this time that the replica does not answer. */
const lookMsMax = 500;

/** The SQL of a server's position. */
export const positionSql = `
  SELECT (SELECT system_identifier::text FROM pg_control_system()) AS "system",
    (SELECT oid::text FROM pg_database WHERE datname = current_database()) AS "database", pg_is_in_recovery() AS "isReplica",
    (CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_lsn() END - '0/0')::text AS "position"`;

export function createReadReplica(sources: ReplicaSources): ReadReplica {
  const { primary, replica, readText, staleMsMax, onTurn } = sources;
  /** Positions of the primary with their times, oldest first. */
  let marks: { atMs: number; position: bigint }[] = [];
  /** The replica has all data from before this time. */
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

  /** Does not wait for an answer once the replica is known to be unavailable. */
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
