// Shares the connections of each pool fairly between accounts: while the statements of one account wait for a lock, or
// take long, those of the others run.
import { ClientGone, unavailable } from '../errors.js';
import type { ApiError } from '../errors.js';
import { FairQueue } from './fair-queue.js';
import type { Applicant } from './fair-queue.js';
import type { ReadReplica } from './read-replica.js';
import { connectMsMax } from './server-pools.js';
import type { ConnectionShare } from './server-pools.js';
import type { Statements } from './transaction.js';

/** The request that runs statements. */
export interface DatabaseUser extends Applicant {
  /**
   * Called when the request has waited for the database for a while, without using the processor.
   *
   * @returns a function that is called at the end of the wait.
   */
  onWait: () => () => void;
  /** Whether the client has gone away: nobody receives what the request reads. */
  isGone?: () => boolean;
}

/** Runs an action that uses a connection, when it is the user's turn. */
export type Turn = <Result>(act: () => Promise<Result>) => Promise<Result>;

export interface FairConnections {
  /** Reads of a client that has gone away are left out. */
  turnOf: (user: DatabaseUser, share: ConnectionShare['share']) => Turn;
  /** Returns `Statements.$alone`, whose waits are limited. */
  aloneOf: (user: DatabaseUser) => Statements['$alone'];
  /** Adds the statements that wait for their turn to the use of the pools. */
  withWaiting: (shares: readonly ConnectionShare[]) => ConnectionShare[];
}

/** A statement that takes longer than this waits for the database, not for this process. */
const shortMsMax = 100;

/** The maximum number of statements that wait for a connection of a pool. One GraphQL operation may have a hundred. */
const statementsWaitingMax = 1_000;

/** Fewer transactions, because they hold in memory what they are going to write. */
const transactionsWaitingMax = 64;

/**
 * @param shares the pools that requests use.
 * @param aloneMsMax the maximum wait of an action that runs alone (ms).
 */
export function createFairConnections(shares: readonly ConnectionShare[], aloneMsMax: number): FairConnections {
  const queues = new Map(shares.map(({ share, max }) => [share, queueOf(share, max)]));
  return {
    aloneOf: createAlone(aloneMsMax),
    turnOf: (user, share) => {
      const queue = queues.get(share);
      if (queue === undefined) throw new Error(`the pool ${share} has no queue`);
      const needed = share === 'writes' ? neverGone : (user.isGone ?? neverGone);
      return (act) => noticingWait(user, () => queue.run(user, async () => runUnless(needed, act)));
    },
    withWaiting: (current) =>
      current.map((each) => ({ ...each, waiting: each.waiting + (queues.get(each.share)?.waiting ?? 0) })),
  };
}

function queueOf(share: ConnectionShare['share'], placesMax: number): FairQueue {
  const waitingMax = share === 'writes' ? transactionsWaitingMax : statementsWaitingMax;
  return new FairQueue({ placesMax, waitingMax, waitMsMax: connectMsMax }, tooManyWait);
}

function tooManyWait(): ApiError {
  return unavailable('Too many requests of the account wait for the database. Try again.');
}

/** Each key has a queue with one place, while actions run or wait. */
function createAlone(waitMsMax: number): FairConnections['aloneOf'] {
  const limits = { placesMax: 1, waitingMax: statementsWaitingMax, waitMsMax };
  const queues = new Map<string, FairQueue>();
  return (user) => async (key, act) => {
    const queue = queues.get(key) ?? new FairQueue(limits, tooManyWait);
    queues.set(key, queue);
    try {
      return await noticingWait(user, () => queue.run(user, () => runUnless(user.isGone ?? neverGone, act)));
    } finally {
      if (queue.taken + queue.waiting === 0 && queues.get(key) === queue) queues.delete(key);
    }
  };
}

/** Writes go on: the change may be half made, and the client may ask with its idempotency key what became of it. */
const neverGone = () => false;

/** Leaves out the reads of an abandoned request, which would hold a connection that other requests wait for. */
async function runUnless<Result>(isGone: () => boolean, act: () => Promise<Result>): Promise<Result> {
  if (isGone()) throw new ClientGone();
  return act();
}

async function noticingWait<Result>(user: DatabaseUser, act: () => Promise<Result>): Promise<Result> {
  let onEnd = () => {};
  const timer = setTimeout(() => {
    onEnd = user.onWait();
  }, shortMsMax);
  try {
    return await act();
  } finally {
    clearTimeout(timer);
    onEnd();
  }
}

/** The same replica, whose statements wait for their turn. */
export function fairReplica(replica: ReadReplica, turn: Turn): ReadReplica {
  return {
    ...replica,
    readerFor: (accountIds) => {
      if (replica.readerFor(accountIds) === undefined) return undefined;
      return (statement) =>
        turn(async () => {
          // The replica may have failed while the statement waited.
          const read = replica.readerFor(accountIds);
          if (read === undefined) throw new Error('The read replica is no longer used.');
          return read(statement);
        });
    },
  };
}
