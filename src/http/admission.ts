// Limits how many requests this process works on at a time. Further requests wait in a queue for a short time, so that an
// overloaded process answers as many requests in time as it can. A slot is for work: a request that waits for the
// database gives its slot back.
import type { ServerResponse } from 'node:http';
import { FairQueue } from '../database/fair-queue.js';
import type { Applicant, Place } from '../database/fair-queue.js';
import { unavailable } from '../errors.js';
import { createConnectionHold } from './connection-hold.js';
import { requirePresent } from './exchange.js';

export interface AdmissionLimits {
  /** The maximum number of requests that have a slot. */
  inFlightMax: number;
  /** The maximum number of waiting requests. */
  waitingMax: number;
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
  /** Releases the slot of a response that does no work for a while. It may acquire another slot. */
  release: (response: ServerResponse) => void;
  /**
   * Releases the slot of a request that waits for the database. The request goes on without a slot: the connections
   * limit how many do. An account whose share of such requests is used up keeps its slots.
   *
   * @returns a function for the end of the wait.
   */
  pause: (applicant: Applicant, response: ServerResponse) => () => void;
  /** Reports a new connection: others may wait to be accepted, for which requests wait a moment. */
  connected: () => void;
  /** The number of requests with a slot, and of waiting requests. */
  load: () => { inFlight: number; waiting: number };
}

/** The maximum number of requests that wait for the database without a slot, as a multiple of the slots. */
const pausedShare = 4;

export function createAdmission({ inFlightMax, waitingMax, waitMsMax }: AdmissionLimits): Admission {
  const overloaded = () => unavailable('The service is overloaded. Try again.');
  const queue = new FairQueue({ placesMax: inFlightMax, waitingMax, waitMsMax }, overloaded);
  const paused = new FairQueue({ placesMax: inFlightMax * pausedShare, waitingMax: 0, waitMsMax }, overloaded);
  const pausing = new WeakSet<ServerResponse>();
  const places = new WeakMap<ServerResponse, Place>();
  return {
    admit: async (applicant, response) => {
      requirePresent({ response });
      const place = queue.enter(applicant);
      if (!places.has(response)) response.once('close', () => places.get(response)?.leave());
      places.set(response, place);
      await place.taken;
    },
    release: (response) => places.get(response)?.leave(),
    pause: (applicant, response) => {
      const resume = pausing.has(response) ? undefined : paused.tryEnter(applicant);
      if (resume === undefined) return () => {};
      pausing.add(response);
      places.get(response)?.leave();
      return () => {
        pausing.delete(response);
        resume();
      };
    },
    connected: createConnectionHold({
      isLoaded: () => queue.waiting > 0,
      hold: () => queue.hold(),
      resume: () => queue.resume(),
    }),
    load: () => ({ inFlight: queue.taken, waiting: queue.waiting }),
  };
}
