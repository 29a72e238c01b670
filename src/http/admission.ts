// Limits how many requests this process works on at a time. Further requests wait for a short time; a request that
// would wait too long is rejected immediately. An overloaded process thus answers as many requests in time as it can.
// When the oldest waiting request has used up most of its time, the queue is served in LIFO order: the newest requests
// are then answered in time, while in FIFO order every request would be late.
import type { ServerResponse } from 'node:http';
import { unavailable } from '../errors.js';
import { createConnectionHold } from './connection-hold.js';
import { requirePresent } from './exchange.js';

/**
 * The account and the credential of a request. Slots are shared fairly between accounts, then between the credentials
 * of one.
 */
export interface Applicant {
  account: string;
  credential: string;
}

export interface AdmissionLimits {
  /** The maximum number of concurrent requests; while the processor is saturated, a quarter as many are started. */
  inFlightMax: number;
  /** The maximum number of waiting requests. */
  waitingMax: number;
  /** The maximum wait; a quarter of a second if requests are short and the queue has not been empty for a second. */
  waitMsMax: number;
}

export interface Admission {
  /**
   * Waits for a slot, which is released when the response closes.
   *
   * @throws 503 `unavailable` with Retry-After if too many requests wait or this one waited too long. Also if the
   * response is over: its slot would never be released.
   */
  admit: (applicant: Applicant, response: ServerResponse) => Promise<void>;
  /** Releases the slot of a long response that does little work. It may acquire another slot. */
  release: (response: ServerResponse) => void;
  /** Reports a new connection. While requests wait, none is started until all new connections are accepted. */
  connected: () => void;
  /** The number of running and of waiting requests. */
  load: () => { inFlight: number; waiting: number };
}

/** A queue that has not been empty for this long is not a burst: new requests are served soon, or refused. */
const lastingMsMax = 1_000;
const lastingWaitMsMax = 250;

/** When the oldest request has waited for this part of its maximum, the newest ones are served first. */
const patience = 0.8;

/** A request that runs for longer is not limited by the processor: it waits for the database, or for its client. */
const youngMsMax = 100;

/** If requests take longer on average, such as batches of usage events, they may wait for the full maximum. */
const shortMsMax = 50;

/** The weight of the last request in the moving average, and the maximum duration that is counted. */
const lastShare = 0.1;
const countedMsMax = 1_000;

interface Waiter {
  fromMs: number;
  waitMsMax: number;
  applicant: Applicant;
  admit: () => void;
  refuse: () => void;
}

/** @param isSaturated whether the processor is the bottleneck: a quarter as many requests are then started. */
export function createAdmission(limits: AdmissionLimits, isSaturated: () => boolean = () => false): Admission {
  const busy = new Tally();
  const waiters: Waiter[] = [];
  const turns = new Map<ServerResponse, { fromMs: number; end: () => void }>();
  /** Since when the queue has not been empty. */
  let standsFromMs = 0;
  let averageMs = 0;
  let looking: NodeJS.Timeout | undefined;
  const hold = createConnectionHold(() => waiters.length > 0, fill);

  function take(applicant: Applicant, response: ServerResponse): void {
    busy.add(applicant, 1);
    const fromMs = performance.now();
    const end = (): void => {
      if (!turns.delete(response)) return;
      response.off('close', end);
      busy.add(applicant, -1);
      averageMs += (Math.min(performance.now() - fromMs, countedMsMax) - averageMs) * lastShare;
      fill();
    };
    turns.set(response, { fromMs, end });
    response.once('close', end);
  }

  function hasRoom(): boolean {
    if (busy.total >= limits.inFlightMax || !isSaturated()) return busy.total < limits.inFlightMax;
    const sinceMs = performance.now() - youngMsMax;
    let young = 0;
    for (const { fromMs } of turns.values()) if (fromMs > sinceMs) young++;
    return young < limits.inFlightMax / 4;
  }

  /**
   * While new connections are being accepted, accounts without running requests go on: the waiting connections may be
   * theirs.
   */
  function isHeld(applicant: Applicant): boolean {
    return hold.isOn() && busy.ofAccount(applicant) > 0;
  }

  function fill(): void {
    while (hasRoom()) {
      const [first] = waiters;
      if (first === undefined) return;
      const isLate = performance.now() - first.fromMs > first.waitMsMax * patience;
      const next = nextOf(isLate ? waiters.toReversed() : waiters, busy);
      if (next === undefined || isHeld(next.applicant)) return;
      next.admit();
    }
  }

  function look(): void {
    if (waiters.length > 0) {
      fill();
      return;
    }
    clearInterval(looking);
    looking = undefined;
  }

  /** The account with the most waiting requests loses one, so that a burst of one account displaces no other. */
  function makeRoom(applicant: Applicant): void {
    if (waiters.length < limits.waitingMax) return;
    const waiting = new Tally();
    for (const waiter of waiters) waiting.add(waiter.applicant, 1);
    const last = waiters.findLast((waiter) => isBusier(waiting, waiter.applicant, applicant));
    if (last === undefined) throw overloaded();
    last.refuse();
  }

  function wait(applicant: Applicant, response: ServerResponse): Promise<void> {
    makeRoom(applicant);
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        clearTimeout(timer);
        waiters.splice(waiters.indexOf(waiter), 1);
        response.off('close', waiter.refuse);
      };
      const fromMs = performance.now();
      if (waiters.length === 0) standsFromMs = fromMs;
      // Requests age without any event, so the queue is checked periodically.
      looking ??= setInterval(look, youngMsMax);
      const isLasting = averageMs <= shortMsMax && fromMs - standsFromMs > lastingMsMax;
      const waitMsMax = isLasting ? Math.min(lastingWaitMsMax, limits.waitMsMax) : limits.waitMsMax;
      const waiter: Waiter = {
        fromMs,
        waitMsMax,
        applicant,
        admit: () => {
          leave();
          take(applicant, response);
          resolve();
        },
        refuse: () => {
          leave();
          reject(overloaded());
        },
      };
      const timer = setTimeout(waiter.refuse, waitMsMax);
      response.once('close', waiter.refuse);
      waiters.push(waiter);
      fill();
    });
  }

  return {
    admit: async (applicant, response) => {
      requirePresent({ response });
      if (waiters.length === 0 && hasRoom() && !isHeld(applicant)) take(applicant, response);
      else await wait(applicant, response);
    },
    release: (response) => turns.get(response)?.end(),
    connected: hold.connected,
    load: () => ({ inFlight: busy.total, waiting: waiters.length }),
  };
}

/** Counts requests by account and by credential. */
class Tally {
  total = 0;
  private readonly accounts = new Map<string, number>();
  private readonly credentials = new Map<string, number>();

  add({ account, credential }: Applicant, change: 1 | -1): void {
    this.total += change;
    count(this.accounts, account, change);
    count(this.credentials, credential, change);
  }

  ofAccount({ account }: Applicant): number {
    return this.accounts.get(account) ?? 0;
  }

  ofCredential({ credential }: Applicant): number {
    return this.credentials.get(credential) ?? 0;
  }
}

function count(counts: Map<string, number>, key: string, change: number): void {
  const fresh = (counts.get(key) ?? 0) + change;
  if (fresh === 0) counts.delete(key);
  else counts.set(key, fresh);
}

/** The oldest request of the least busy credential of the least busy account. */
function nextOf(waiters: readonly Waiter[], busy: Tally): Waiter | undefined {
  let [next] = waiters;
  for (const waiter of waiters) {
    // Skips the comparison in the common case of a single credential.
    if (next?.applicant.credential === waiter.applicant.credential) continue;
    if (next !== undefined && isBusier(busy, next.applicant, waiter.applicant)) next = waiter;
  }
  return next;
}

function isBusier(tally: Tally, one: Applicant, other: Applicant): boolean {
  const difference = tally.ofAccount(one) - tally.ofAccount(other);
  return difference > 0 || (difference === 0 && tally.ofCredential(one) > tally.ofCredential(other));
}

function overloaded() {
  return unavailable('The service is overloaded. Try again.');
}
