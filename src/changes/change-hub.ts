// Reads what is new of the accounts that somebody in this process watches, once for all who do: woken by the database
// where it tells, and looking by itself from time to time in any case.
import { randomUUID } from 'node:crypto';
import { unavailable } from '../errors.js';
import type { ApiError } from '../errors.js';
import type { Database } from '../database/open.js';
import type { Listen, Listening } from '../database/notifications.js';
import { readNewChanges } from './change-news.js';
import { changeChannel } from './change-rows.js';
import { ReadingTurns } from './reading-turns.js';
import { RecentChanges } from './recent-changes.js';
import { Rounds } from './rounds.js';

declare module '../auth/context.js' {
  interface ProcessServices {
    /** Notifies watchers of committed changes. */
    changeHub: ChangeHub;
  }
}

/** Somebody who watches the changes of an account. */
export interface Follower {
  readonly accountId: string;
  /** Called when there are more recent changes; nothing may hold it up. */
  wake: () => void;
  /** Called several times a second: whether they still may, and still do. Nothing may hold it up. */
  check: (nowMs: number) => void;
  end: (error: ApiError) => void;
}

export interface ChangeHub {
  /**
   * @param last the number of a change after which news are wanted.
   * @returns what is recent of the account from now on.
   */
  join: (follower: Follower, last: number) => RecentChanges;
  leave: (follower: Follower) => void;
  /** Calls back whenever the database tells that something was changed, until it is told to stop. */
  hear: (onChange: () => void) => () => void;
  /** How many follow an account. */
  followersOf: (accountId: string) => number;
  /** How long a follower may be behind. */
  behindMsMax: number;
  isClosed: () => boolean;
  /** Ends all who follow, and takes nobody any more. */
  close: () => Promise<void>;
}

interface Followed {
  recent: RecentChanges;
  followers: Set<Follower>;
}

interface HubSettings {
  db: Database;
  /** Absent where the database tells nothing, such as behind a pooler. */
  listen: Listen | undefined;
  behindMsMax: number;
  onFailure: (error: unknown) => void;
}

/** Everybody who follows is checked once in so many ticks: some with each, so that their look-ups do not come all at once. */
const tickMs = 25;
const ticksOfRound = 10;

/** How often is looked where the database tells of changes, all the same; and where it does not. */
const assuredMs = 1_000;
const unassuredMs = 250;

/** How often the database is told that this process listens, and how long that counts. */
const saidEveryMs = 10_000;
const saidForSeconds = 30;

export function createChangeHub({ db, listen, behindMsMax, onFailure }: HubSettings): ChangeHub {
  const id = randomUUID();
  const accounts = new Map<string, Followed>();
  const followers = new Set<Follower>();
  const rounds = new Rounds(followers, ticksOfRound);
  const turns = new ReadingTurns({ read, followersOf, onFailure });
  const hearers = new Set<() => void>();
  let listening: Listening | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  let lookedMs = 0;
  let saidMs: number | undefined;

  function notified(accountId: string): void {
    for (const onChange of hearers) onChange();
    wake(accountId);
  }

  function wake(accountId: string): void {
    if (accounts.has(accountId)) turns.wake(accountId);
  }

  function followersOf(accountId: string): number {
    return accounts.get(accountId)?.followers.size ?? 0;
  }

  async function read(accountIds: readonly string[]): Promise<string[]> {
    const asked = accountIds.flatMap((accountId) => {
      const account = accounts.get(accountId);
      return account === undefined ? [] : [{ accountId, last: account.recent.end }];
    });
    const lasts = new Map(asked.map(({ accountId, last }) => [accountId, last]));
    const unfinished: string[] = [];
    for (const { accountId, changes, length, isMore } of await readNewChanges(db, asked)) {
      const account = accounts.get(accountId);
      // Who joined again meanwhile asks from somewhere else.
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
      // Who is ended leaves, which a set allows while it is walked through.
      for (const follower of followers) follower.end(shuttingDown());
      clearInterval(timer);
      turns.stop();
      await listening?.close();
    },
  };
}

export function shuttingDown(): ApiError {
  return unavailable('The process is shutting down. Resume from resumeFrom.');
}
