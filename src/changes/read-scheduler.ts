// Schedules the reads of watched accounts. A quiet account is read immediately; a busy account is read at intervals, so
// that several of its changes are read and published together.

/** The minimum interval between two reads of an account (milliseconds), and its extension per watcher. */
const restMsMin = 30;
const restMsEach = 0.02;
const restMsMax = 50;

export interface ReadSchedulerSettings {
  /** Reads new changes of accounts. @returns the accounts that may have more. */
  read: (accountIds: readonly string[]) => Promise<string[]>;
  /** The number of watchers of an account. */
  followersOf: (accountId: string) => number;
  onFailure: (error: unknown) => void;
}

export class ReadScheduler {
  private readonly woken = new Set<string>();
  private readonly restUntilMs = new Map<string, number>();
  private timer: NodeJS.Timeout | undefined;
  private timerMs = Infinity;
  private isReading = false;

  constructor(private readonly settings: ReadSchedulerSettings) {}

  /** Schedules a read of an account, after its minimum interval. */
  wake(accountId: string): void {
    this.woken.add(accountId);
    if (!this.isReading) this.readAt(this.restUntilMs.get(accountId) ?? 0);
  }

  /** Cancels the reads of an account that is no longer watched. */
  forget(accountId: string): void {
    this.woken.delete(accountId);
    this.restUntilMs.delete(accountId);
  }

  stop(): void {
    clearTimeout(this.timer);
    this.woken.clear();
  }

  private readAt(atMs: number): void {
    if (atMs >= this.timerMs) return;
    clearTimeout(this.timer);
    this.timerMs = Infinity;
    const waitMs = atMs - performance.now();
    if (waitMs <= 0) return void this.read();
    this.timerMs = atMs;
    this.timer = setTimeout(() => {
      this.timerMs = Infinity;
      void this.read();
    }, waitMs).unref();
  }

  private async read(): Promise<void> {
    const { read, onFailure } = this.settings;
    const rested = this.takeRested();
    // A timer can fire up to a millisecond early.
    if (rested.length === 0) return this.readEarliest();
    this.isReading = true;
    try {
      for (const accountId of await read(rested)) {
        this.restUntilMs.delete(accountId);
        this.woken.add(accountId);
      }
    } catch (error) {
      onFailure(error);
    }
    this.isReading = false;
    this.readEarliest();
  }

  /** Schedules the next read, of the account whose interval ends first. */
  private readEarliest(): void {
    let firstMs = Infinity;
    for (const accountId of this.woken) firstMs = Math.min(firstMs, this.restUntilMs.get(accountId) ?? 0);
    this.readAt(firstMs);
  }

  /** The accounts that are due; their interval starts now. */
  private takeRested(): string[] {
    const nowMs = performance.now();
    const due = [...this.woken].filter((accountId) => (this.restUntilMs.get(accountId) ?? 0) <= nowMs);
    for (const accountId of due) {
      this.woken.delete(accountId);
      const restMs = Math.max(restMsMin, this.settings.followersOf(accountId) * restMsEach);
      this.restUntilMs.set(accountId, nowMs + Math.min(restMsMax, restMs));
    }
    return due;
  }
}
