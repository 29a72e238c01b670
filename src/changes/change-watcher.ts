import { ApiError } from '../errors.js';
import type { Change } from './change.js';
import { shuttingDown } from './change-hub.js';
import type { ChangeHub, Follower } from './change-hub.js';
import type { HistoryEnds } from './change-page.js';
import type { RecentChanges } from './recent-changes.js';

/** How many changes are read at a time of those that are recent no more. */
const readMax = 64;

/** How a watcher sees the history. */
export interface WatcherView {
  accountId: string;
  /** Whether a change is to be told. @throws what ends the watch. */
  isSeen: (change: Change) => boolean;
  /** Those of the next changes after a number that are to be told, at most so many. @throws what ends the watch. */
  read: (from: number, limit: number) => Promise<HistoryEnds & { changes: Change[] }>;
  /** Makes sure that the caller still may. @throws 401, 403. */
  renew: () => Promise<void>;
  /** The cursor behind a number. */
  cursorAfter: (sequence: number) => string;
}

type Step = IteratorResult<Change, undefined>;

/**
 * The changes of an account from a number on, one after the other and without an end. Recent ones it finds where all
 * who watch do, older ones it reads, a bounded number at a time, however slowly it is read itself. It ends by throwing,
 * with the cursor to come back with, when the caller no longer may watch, when it is not read for too long, and when
 * the process stops.
 */
export class ChangeWatcher implements AsyncIterableIterator<Change, undefined>, Follower {
  readonly accountId: string;
  private readonly recent: RecentChanges;
  /** What was read, and is to be told before anything else. */
  private read: Change[] = [];
  /** Behind which change the reader stands. */
  private position: number;
  private asked: { give: (step: Step) => void; fail: (error: unknown) => void } | undefined;
  private isReading = false;
  private isRenewing = false;
  private givenAtMs = performance.now();
  private outcome: { error: ApiError | undefined } | undefined;

  /** @param last where the history stood. */
  constructor(
    private readonly hub: ChangeHub,
    private readonly view: WatcherView,
    from: number,
    last: number,
  ) {
    this.accountId = view.accountId;
    this.position = from;
    this.recent = hub.join(this, last);
    if (hub.isClosed()) this.end(shuttingDown());
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<Step> {
    for (;;) {
      if (this.outcome !== undefined) return this.finish(this.outcome);
      const change = this.found();
      if (change !== undefined) return this.given(change);
      // What was found may have ended it.
      if (this.outcome !== undefined) continue;
      if (!this.isBehind()) {
        return new Promise((give, fail) => {
          this.asked = { give, fail };
        });
      }
      await this.catchUp();
    }
  }

  async return(): Promise<Step> {
    this.close(undefined);
    return { done: true, value: undefined };
  }

  /** The next change where no wait is needed for it; next() gives those that come later. */
  atHand(): Change | undefined {
    if (this.outcome !== undefined) return undefined;
    const change = this.found();
    if (change !== undefined) this.given(change);
    return change;
  }

  wake(): void {
    if (this.asked === undefined) return;
    const change = this.found();
    // What ended it has told already.
    const { asked } = this;
    if (change === undefined || asked === undefined) return;
    this.asked = undefined;
    asked.give(this.given(change));
  }

  check(nowMs: number): void {
    this.renew();
    const isIdle = this.asked !== undefined || this.isReading;
    const isLate = this.read.length > 0 || this.position < this.recent.end;
    if (!isIdle && isLate && nowMs - this.givenAtMs > this.hub.behindMsMax) {
      this.end(new ApiError('reader_too_slow', 'Changes arrive faster than they are read. Resume from resumeFrom.'));
    }
  }

  end(error: ApiError): void {
    const { error: code, message, headers } = error;
    const resumeFrom = error.resumeFrom ?? this.view.cursorAfter(this.position);
    this.close(new ApiError(code, message, { headers, resumeFrom, cause: error }));
  }

  private close(error: ApiError | undefined): void {
    if (this.outcome !== undefined) return;
    this.outcome = { error };
    this.read = [];
    this.hub.leave(this);
    const { asked } = this;
    this.asked = undefined;
    if (error === undefined) asked?.give({ done: true, value: undefined });
    else if (asked !== undefined) {
      this.outcome = { error: undefined };
      asked.fail(error);
    }
  }

  /** An error is told once. */
  private finish({ error }: { error: ApiError | undefined }): Step {
    this.outcome = { error: undefined };
    if (error !== undefined) throw error;
    return { done: true, value: undefined };
  }

  private given(change: Change): Step {
    this.position = change.sequence;
    this.givenAtMs = performance.now();
    return { done: false, value: change };
  }

  /** Whether the next changes have to be read. */
  private isBehind(): boolean {
    return this.recent.isGone(this.position);
  }

  /** The next change that is to be told, of those that are at hand; what is not is passed over. */
  private found(): Change | undefined {
    try {
      const read = this.read.shift();
      if (read !== undefined) return read;
      for (;;) {
        const change = this.recent.after(this.position);
        if (change === undefined || this.view.isSeen(change)) return change;
        this.position = change.sequence;
      }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.end(error);
      return undefined;
    }
  }

  /** Reads the next changes from the database. */
  private async catchUp(): Promise<void> {
    this.isReading = true;
    try {
      const { changes, last } = await this.view.read(this.position, readMax);
      if (this.outcome !== undefined) return;
      this.read = changes;
      if (changes.length === 0) this.position = last;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.end(error);
    } finally {
      this.isReading = false;
    }
  }

  private renew(): void {
    if (this.isRenewing) return;
    this.isRenewing = true;
    this.view
      .renew()
      .catch((error: unknown) => {
        // A database that does not answer now says nothing of the credential, and gives nothing to tell either.
        if (error instanceof ApiError && (error.status === 401 || error.status === 403)) this.end(error);
      })
      .finally(() => {
        this.isRenewing = false;
      });
  }
}
