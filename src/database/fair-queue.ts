// A bounded queue in front of something limited: the request slots of this process, or the connections of a pool. An
// account gets at most half of what the others leave, of the places as of the queue. However many requests of one
// account hang, there is a place for the next account.
import type { ApiError } from '../errors.js';

/** The account and the credential that a place is for. */
export interface Applicant {
  account: string;
  credential: string;
}

export interface FairQueueLimits {
  placesMax: number;
  waitingMax: number;
  waitMsMax: number;
}

/** A place, or a wait for one. */
export interface Place {
  /** Resolves when the place is taken. Rejects if the wait takes too long, or if leave() ends it. */
  taken: Promise<void>;
  /** Gives the place to the next in the queue, or ends the wait. Can be called again. */
  leave: () => void;
}

interface Waiter {
  applicant: Applicant;
  take: () => void;
}

export class FairQueue {
  readonly #taken = new Tally();
  readonly #waiting = new Tally();
  /** In order of arrival. */
  readonly #waiters = new Set<Waiter>();
  readonly #limits: FairQueueLimits;
  readonly #refusal: () => ApiError;
  #isHeld = false;

  /** @param refusal creates the error for those that cannot wait, or have waited too long. */
  constructor(limits: FairQueueLimits, refusal: () => ApiError) {
    this.#limits = limits;
    this.#refusal = refusal;
  }

  /** The number of places that are taken. */
  get taken(): number {
    return this.#taken.total;
  }

  get waiting(): number {
    return this.#waiting.total;
  }

  /** Gives no place until resume(): all wait. */
  hold(): void {
    this.#isHeld = true;
  }

  resume(): void {
    this.#isHeld = false;
    this.#fill();
  }

  /** Takes a place now or waits for one. @throws the refusal if the account has its share of the queue. */
  enter(applicant: Applicant): Place {
    const leave = this.tryEnter(applicant);
    if (leave !== undefined) return { taken: Promise.resolve(), leave };
    if (!isWithinShare(this.#waiting, applicant, this.#limits.waitingMax)) throw this.#refusal();
    return this.#wait(applicant);
  }

  /** @returns the function that gives the place back; undefined if none is free for this account. */
  tryEnter(applicant: Applicant): (() => void) | undefined {
    return this.#hasPlace(applicant) ? this.#take(applicant) : undefined;
  }

  /** Runs an action in a place. */
  async run<Result>(applicant: Applicant, act: () => Promise<Result>): Promise<Result> {
    const place = this.enter(applicant);
    try {
      await place.taken;
      return await act();
    } finally {
      place.leave();
    }
  }

  #hasPlace(applicant: Applicant): boolean {
    return !this.#isHeld && isWithinShare(this.#taken, applicant, this.#limits.placesMax);
  }

  /** @returns the function that gives the place back. */
  #take(applicant: Applicant): () => void {
    this.#taken.add(applicant, 1);
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      this.#taken.add(applicant, -1);
      this.#fill();
    };
  }

  #wait(applicant: Applicant): Place {
    let leave = () => {};
    const taken = new Promise<void>((resolve, reject) => {
      const end = () => {
        clearTimeout(timer);
        this.#waiters.delete(waiter);
        this.#waiting.add(applicant, -1);
      };
      const take = () => {
        end();
        leave = this.#take(applicant);
        resolve();
      };
      const waiter = { applicant, take };
      leave = () => {
        if (!this.#waiters.has(waiter)) return;
        end();
        reject(this.#refusal());
      };
      const timer = setTimeout(() => leave(), this.#limits.waitMsMax);
      this.#waiters.add(waiter);
      this.#waiting.add(applicant, 1);
    });
    return { taken, leave: () => leave() };
  }

  /** Gives free places to the oldest of the least busy credential of the least busy account. */
  #fill(): void {
    for (;;) {
      let next: Waiter | undefined;
      for (const waiter of this.#waiters) {
        if (next !== undefined && !isBusier(this.#taken, next.applicant, waiter.applicant)) continue;
        if (this.#hasPlace(waiter.applicant)) next = waiter;
      }
      if (next === undefined) return;
      next.take();
    }
  }
}

/** Whether an account has less than half of what the other accounts leave. */
function isWithinShare(tally: Tally, applicant: Applicant, max: number): boolean {
  return tally.ofAccount(applicant) < max - tally.total;
}

function isBusier(tally: Tally, one: Applicant, other: Applicant): boolean {
  const difference = tally.ofAccount(one) - tally.ofAccount(other);
  return difference > 0 || (difference === 0 && tally.ofCredential(one) > tally.ofCredential(other));
}

/** Counts by account and by credential. */
class Tally {
  total = 0;
  readonly #accounts = new Map<string, number>();
  readonly #credentials = new Map<string, number>();

  add({ account, credential }: Applicant, change: 1 | -1): void {
    this.total += change;
    count(this.#accounts, account, change);
    count(this.#credentials, credential, change);
  }

  ofAccount({ account }: Applicant): number {
    return this.#accounts.get(account) ?? 0;
  }

  ofCredential({ credential }: Applicant): number {
    return this.#credentials.get(credential) ?? 0;
  }
}

function count(counts: Map<string, number>, key: string, change: number): void {
  const fresh = (counts.get(key) ?? 0) + change;
  if (fresh === 0) counts.delete(key);
  else counts.set(key, fresh);
}
