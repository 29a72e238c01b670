// The one step between who is calling and the work: how much of it this process takes on at a time. What does
// not fit waits its turn, for a moment; what would wait too long is told so at once, so that a process under more
// load than it carries still does as much as it can, instead of everything too late. Once the first in the line has hardly
// time left, it is served from its other end: whoever came last is in time, where each in turn would be late.
import type { ServerResponse } from 'node:http';
import { unavailable } from '../errors.js';
import { createConnectionHold } from './connection-hold.js';
import { requirePresent } from './exchange.js';

/** Between whom turns are shared fairly: accounts first, then the credentials of one account. */
export interface Applicant {
  account: string;
  credential: string;
}

export interface AdmissionLimits {
  /** Requests that are worked on at the same time; a quarter as many are begun while the processor limits. */
  inFlightMax: number;
  /** Requests that wait. */
  waitingMax: number;
  /** How long one waits at most; a quarter of a second in a line for short turns that has stood for a second. */
  waitMsMax: number;
}

export interface Admission {
  /**
   * Waits for a turn, which ends when the response does.
   *
   * @throws 503 `unavailable` with Retry-After when too many wait already, or this one waited too long. Also when the
   *   response is over: its turn would never end.
   */
  admit: (applicant: Applicant, response: ServerResponse) => Promise<void>;
  /** Ends the turn of a response that goes on for long, and does little. It may get another. */
  release: (response: ServerResponse) => void;
  /** Tells that a connection was taken on. While somebody waits, nothing is begun until no other waits to be. */
  connected: () => void;
  /** How many are worked on, and how many wait. */
  load: () => { inFlight: number; waiting: number };
}

/** A line that has stood for this long is no burst: whoever joins it is served soon, or told to come back later. */
const lastingMsMax = 1_000;
const lastingWaitMsMax = 250;

/** What part of its time the first in the line may have waited before the last ones are served first. */
const patience = 0.8;

/** A turn that has lasted for longer is not one of those that make each other slower: it waits for the database, or reads. */
const youngMsMax = 100;

/** Where turns take longer on average, such as batches of usage events, who waits for one waits for as long as anybody may. */
const shortMsMax = 50;

/** How much of the average the last turn is, and for how long it counts at most. */
const lastShare = 0.1;
const countedMsMax = 1_000;

interface Waiter {
  fromMs: number;
  waitMsMax: number;
  applicant: Applicant;
  admit: () => void;
  refuse: () => void;
}

/** @param isSaturated whether the processor is what limits: a quarter as many are young then. */
export function createAdmission(limits: AdmissionLimits, isSaturated: () => boolean = () => false): Admission {
  const busy = new Tally();
  const waiters: Waiter[] = [];
  const turns = new Map<ServerResponse, { fromMs: number; end: () => void }>();
  /** Since when somebody waits without a break. */
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

  /** While work is held up, an account that has nothing in hand goes on: whoever connects is somebody else. */
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

  /** Whoever has most requests waiting gives way, so that a storm of one account pushes out no other. */
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
      // Turns grow old without anything that happens.
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

/** How many requests there are of each account and of each credential. */
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

/** The first one of the least busy credential of the least busy account. */
function nextOf(waiters: readonly Waiter[], busy: Tally): Waiter | undefined {
  let [next] = waiters;
  for (const waiter of waiters) {
    // Mostly all of them are of one credential.
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
  return unavailable('This process has more to do than it can. Try again.');
}
