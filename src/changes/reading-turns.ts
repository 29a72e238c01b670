// When the accounts that somebody watches are read: one that was quiet at once, and one that changes all the time every so
// often, so that several of its changes are read and told together.

/** How long an account that was read is not read again; longer where many are told. */
const restMsMin = 30;
const restMsEach = 0.02;
const restMsMax = 50;

export interface TurnsSettings {
  /** Reads accounts that have news. @returns those that may have more at once. */
  read: (accountIds: readonly string[]) => Promise<string[]>;
  /** How many are told of the news of an account. */
  followersOf: (accountId: string) => number;
  onFailure: (error: unknown) => void;
}

export class ReadingTurns {
  private readonly woken = new Set<string>();
  private readonly restUntilMs = new Map<string, number>();
  private timer: NodeJS.Timeout | undefined;
  private timerMs = Infinity;
  private isReading = false;

  constructor(private readonly settings: TurnsSettings) {}

  /** Reads an account as soon as it has rested. */
  wake(accountId: string): void {
    this.woken.add(accountId);
    if (!this.isReading) this.readAt(this.restUntilMs.get(accountId) ?? 0);
  }

  /** Nobody asks for this account any more. */
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
    if (rested.length === 0) return;
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
    let firstMs = Infinity;
    for (const accountId of this.woken) firstMs = Math.min(firstMs, this.restUntilMs.get(accountId) ?? 0);
    this.readAt(firstMs);
  }

  /** Those that are to be read now; from now on they rest. */
  private takeRested(): string[] {
    const nowMs = performance.now();
    const taken = [...this.woken].filter((accountId) => (this.restUntilMs.get(accountId) ?? 0) <= nowMs);
    for (const accountId of taken) {
      this.woken.delete(accountId);
      const restMs = Math.max(restMsMin, this.settings.followersOf(accountId) * restMsEach);
      this.restUntilMs.set(accountId, nowMs + Math.min(restMsMax, restMs));
    }
    return taken;
  }
}
