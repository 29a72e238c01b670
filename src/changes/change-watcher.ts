import { ApiError } from '../errors.js';
import type { Change } from './change.js';
import { shuttingDown } from './change-hub.js';
import type { ChangeHub, Follower } from './change-hub.js';
import type { HistoryEnds } from './change-page.js';
import type { RecentChanges } from './recent-changes.js';

/** How many older changes are read from the database at a time. */
const readMax = 64;

/** A watcher's access to the change log. */
export interface WatcherView {
  accountId: string;
  /** Whether the watcher delivers a change. @throws to end the watch. */
  isSeen: (change: Change) => boolean;
  /** Whether the caller must be authenticated again before the change is delivered or skipped. */
  canGiveAccess: (change: Change) => boolean;
  /** The next changes after a sequence number that the watcher delivers, up to a limit. @throws to end the watch. */
  read: (from: number, limit: number) => Promise<HistoryEnds & { changes: Change[] }>;
  /** Authenticates and authorizes the caller again. @param isFresh with the access of this moment. @throws 401, 403. */
  renew: (isFresh: boolean) => Promise<void>;
  /** The cursor after a sequence number. */
  cursorAfter: (sequence: number) => string;
}

type Step = IteratorResult<Change, undefined>;

/**
 * Iterates over the changes of an account from a sequence number onwards, without an end. Recent changes come from
 * memory that all watchers share; older ones are read from the database, a bounded number at a time. It throws, with
 * the cursor to resume from, when the caller loses access, when it is read too slowly, and when the process stops.
 */
export class ChangeWatcher implements AsyncIterableIterator<Change, undefined>, Follower {
  readonly accountId: string;
  private readonly recent: RecentChanges;
  /** Changes that were read from the database, to be delivered first. */
  private read: Change[] = [];
  /** The sequence number of the last delivered change. */
  private position: number;
  private pending: { give: (step: Step) => void; fail: (error: unknown) => void } | undefined;
  private isReading = false;
  private isRenewing = false;
  /** The sequence number of the last change of access for which the caller was authenticated again. */
  private renewedFor = 0;
  private givenAtMs = performance.now();
  private outcome: { error: ApiError | undefined } | undefined;

  /** @param last the last sequence number when the watch began. */
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
      const change = this.findNext();
      if (change !== undefined) return this.stepOf(change);
      // nextInMemory() may have ended the watch.
      if (this.outcome !== undefined) continue;
      if (!this.isBehind()) {
        return new Promise((give, fail) => {
          this.pending = { give, fail };
        });
      }
      await this.catchUp();
    }
  }

  async return(): Promise<Step> {
    this.close(undefined);
    return { done: true, value: undefined };
  }

  /** The next change, if it is in memory; later ones come through next(). */
  atHand(): Change | undefined {
    if (this.outcome !== undefined) return undefined;
    const change = this.findNext();
    if (change !== undefined) this.stepOf(change);
    return change;
  }

  /** The cursor after the last delivered change; before the first one, of the start. */
  cursor(): string {
    return this.view.cursorAfter(this.position);
  }

  wake(): void {
    if (this.pending === undefined) return;
    const change = this.findNext();
    // If the watch has ended, finish() has already settled the promise.
    const { pending } = this;
    if (pending === undefined) return;
    if (change !== undefined) {
      this.pending = undefined;
      pending.give(this.stepOf(change));
    } else if (this.isBehind()) {
      // Many changes came while the caller was authenticated again.
      this.pending = undefined;
      this.next().then(pending.give, pending.fail);
    }
  }

  check(nowMs: number): void {
    void this.renew(0);
    const isIdle = this.pending !== undefined || this.isReading;
    const isLate = this.read.length > 0 || this.position < this.recent.end;
    if (!isIdle && isLate && nowMs - this.givenAtMs > this.hub.behindMsMax) {
      this.end(
        new ApiError('reader_too_slow', 'The client reads changes too slowly. Subscribe again from resumeFrom.'),
      );
    }
  }

  end(error: ApiError): void {
    const { error: code, message, headers } = error;
    const resumeFrom = error.resumeFrom ?? this.cursor();
    this.close(new ApiError(code, message, { headers, resumeFrom, cause: error }));
  }

  private close(error: ApiError | undefined): void {
    if (this.outcome !== undefined) return;
    this.outcome = { error };
    this.read = [];
    this.hub.leave(this);
    const { pending } = this;
    this.pending = undefined;
    if (error === undefined) pending?.give({ done: true, value: undefined });
    else if (pending !== undefined) {
      this.outcome = { error: undefined };
      pending.fail(error);
    }
  }

  /** An error is thrown once. */
  private finish({ error }: { error: ApiError | undefined }): Step {
    this.outcome = { error: undefined };
    if (error !== undefined) throw error;
    return { done: true, value: undefined };
  }

  private stepOf(change: Change): Step {
    this.position = change.sequence;
    this.givenAtMs = performance.now();
    return { done: false, value: change };
  }

  /** Whether the next changes have to be read from the database. */
  private isBehind(): boolean {
    return this.recent.isGone(this.position);
  }

  /**
   * The next change in memory that the watcher delivers, of those read from the database first; it skips all others. At a
   * change of access, the caller is authenticated again, so that it sees this change, those after it and their resources.
   */
  private findNext(): Change | undefined {
    try {
      for (let read = this.read.shift(); read !== undefined; read = this.read.shift()) {
        // The caller may have lost access since it was read.
        if (this.view.isSeen(read)) return read;
        this.position = read.sequence;
      }
      for (;;) {
        const change = this.recent.after(this.position);
        if (change === undefined) return undefined;
        if (this.renewedFor < change.sequence && this.view.canGiveAccess(change)) {
          void this.renew(change.sequence);
          return undefined;
        }
        if (this.view.isSeen(change)) return change;
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

  /** Authenticates the caller again. @param sequence the change of access that makes it necessary; 0 without one. */
  private async renew(sequence: number): Promise<void> {
    if (this.isRenewing) return;
    this.isRenewing = true;
    // All changes in memory were committed before this.
    const { end } = this.recent;
    try {
      await this.view.renew(sequence > 0);
      if (sequence > 0) this.renewedFor = Math.max(this.renewedFor, end);
    } catch (error) {
      // A failure of the database does not affect the credential: the watch continues, and the next check tries again.
      if (error instanceof ApiError && (error.status === 401 || error.status === 403)) this.end(error);
      return;
    } finally {
      this.isRenewing = false;
    }
    this.wake();
  }
}
