// Reads new changes of the watched accounts, once for all watchers in this process. PostgreSQL's notifications trigger
// a read; the hub also polls, in case a notification is lost.
import { randomUUID } from 'node:crypto';
import type { RequestContext } from '../auth/context.js';
import { unavailable } from '../errors.js';
import type { ApiError } from '../errors.js';
import type { Database } from '../database/open.js';
import type { Listen, Listening } from '../database/notifications.js';
import { readNewChanges } from './change-notifications.js';
import { changeChannel } from './change-rows.js';
import { ReadScheduler } from './read-scheduler.js';
import { RecentChanges } from './recent-changes.js';
import { RoundRobin } from './round-robin.js';

/** The context of requests that watch changes. */
export interface WatchContext extends RequestContext {
  /** Notifies watchers of committed changes. */
  changeHub: ChangeHub;
}

/** A watcher of an account's changes. */
export interface Follower {
  readonly accountId: string;
  /** Called when there are new changes; must return immediately. */
  wake: () => void;
  /** Called several times a second to check the watcher's rights and its timeout; must return immediately. */
  check: (nowMs: number) => void;
  end: (error: ApiError) => void;
}

export interface ChangeHub {
  /**
   * @param last the sequence number after which changes are needed.
   * @returns the recent changes of the account from now on.
   */
  join: (follower: Follower, last: number) => RecentChanges;
  leave: (follower: Follower) => void;
  /** Calls back with the account of every notification of the database, until the returned function is called. */
  hear: (onChange: (accountId: string) => void) => () => void;
  /** The number of watchers of an account. */
  followersOf: (accountId: string) => number;
  /** How long a watcher may lag behind (milliseconds). */
  behindMsMax: number;
  isClosed: () => boolean;
  /** Ends all watchers and refuses new ones. */
  close: () => Promise<void>;
}

interface Followed {
  recent: RecentChanges;
  followers: Set<Follower>;
}

interface HubSettings {
  db: Database;
  /** Absent if the database cannot notify, such as behind a pooler. */
  listen: Listen | undefined;
  behindMsMax: number;
  onFailure: (error: unknown) => void;
}

/** Every watcher is checked once in this many ticks, a part of them in each tick, to spread their look-ups. */
const tickMs = 25;
const ticksOfRound = 10;

/** The polling intervals with and without notifications. */
const assuredMs = 1_000;
const unassuredMs = 250;

/** How often this process registers as a listener, and how long a registration is valid. */
const saidEveryMs = 10_000;
const saidForSeconds = 30;

export function createChangeHub({ db, listen, behindMsMax, onFailure }: HubSettings): ChangeHub {
  const id = randomUUID();
  const accounts = new Map<string, Followed>();
  const followers = new Set<Follower>();
  const rounds = new RoundRobin(followers, ticksOfRound);
  const turns = new ReadScheduler({ read, followersOf, onFailure });
  const hearers = new Set<(accountId: string) => void>();
  let listening: Listening | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  let lookedMs = 0;
  let saidMs: number | undefined;

  function notified(accountId: string): void {
    for (const onChange of hearers) onChange(accountId);
    wake(accountId);
  }

  function wake(accountId: string): void {
    if (accounts.has(accountId)) turns.wake(accountId);
  }

  function followersOf(accountId: string): number {
    return accounts.get(accountId)?.followers.size ?? 0;
  }

  async function read(accountIds: readonly string[]): Promise<string[]> {
    const requested = accountIds.flatMap((accountId) => {
      const account = accounts.get(accountId);
      return account === undefined ? [] : [{ accountId, last: account.recent.end }];
    });
    const lasts = new Map(requested.map(({ accountId, last }) => [accountId, last]));
    const unfinished: string[] = [];
    for (const { accountId, changes, length, isMore } of await readNewChanges(db, requested)) {
      const account = accounts.get(accountId);
      // A watcher that rejoined meanwhile has another start.
      if (account === undefined || account.recent.end !== lasts.get(accountId)) continue;
      account.recent.add(changes, length);
      for (const follower of account.followers) follower.wake();
      if (isMore) unfinished.push(accountId);
    }
    return unfinished;
  }

  function tick(): void {
    const nowMs = performance.now();
    for (const follower of rounds.step()) follower.check(nowMs);
    sayThatWeListen(nowMs);
    const isAssured = listening?.isOn() === true;
    if (nowMs - lookedMs < (isAssured ? assuredMs : unassuredMs)) return;
    lookedMs = nowMs;
    for (const accountId of accounts.keys()) wake(accountId);
  }

  function sayThatWeListen(nowMs: number): void {
    if (listening?.isOn() !== true || (saidMs !== undefined && nowMs - saidMs < saidEveryMs)) return;
    saidMs = nowMs;
    db.$executeRaw`
      WITH "gone" AS (DELETE FROM "change_listener" WHERE "until" < now() AND "id" <> ${id}::uuid)
      INSERT INTO "change_listener" ("id", "until") VALUES (${id}::uuid, now() + ${saidForSeconds} * interval '1 second')
      ON CONFLICT ("id") DO UPDATE SET "until" = EXCLUDED."until"`.catch(onFailure);
  }

  function begin(): void {
    listening ??= listen?.(changeChannel, notified);
    timer ??= setInterval(tick, tickMs).unref();
  }

  function endIfAlone(): void {
    if (accounts.size > 0 || hearers.size > 0) return;
    clearInterval(timer);
    timer = undefined;
    saidMs = undefined;
  }

  return {
    join: (follower, last) => {
      const { accountId } = follower;
      const account = accounts.get(accountId) ?? { recent: new RecentChanges(last), followers: new Set() };
      if (isClosed) return account.recent;
      accounts.set(accountId, account);
      account.followers.add(follower);
      followers.add(follower);
      begin();
      wake(accountId);
      return account.recent;
    },
    leave: (follower) => {
      const account = accounts.get(follower.accountId);
      account?.followers.delete(follower);
      followers.delete(follower);
      if (account?.followers.size === 0) {
        accounts.delete(follower.accountId);
        turns.forget(follower.accountId);
      }
      endIfAlone();
    },
    hear: (onChange) => {
      if (isClosed) return () => {};
      hearers.add(onChange);
      begin();
      return () => {
        hearers.delete(onChange);
        endIfAlone();
      };
    },
    followersOf,
    isClosed: () => isClosed,
    behindMsMax,
    close: async () => {
      isClosed = true;
      // end() removes the watcher from the set, which is safe during iteration.
      for (const follower of followers) follower.end(shuttingDown());
      clearInterval(timer);
      turns.stop();
      await listening?.close();
    },
  };
}

export function shuttingDown(): ApiError {
  return unavailable('The process is shutting down. Subscribe again from resumeFrom.');
}
