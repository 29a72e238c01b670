import { ApiError, internalError, timedOut, unavailable } from '../errors.js';
import { Prisma } from './client/client.js';
import { silentMessage, uncommittedMessage } from './server-pools.js';

/** SQLSTATEs of a server that cannot serve now: connections refused or cut, starting up, shutting down, full. */
const unavailableStates = /^(08...|53...|57P0[123])$/;
const timeoutState = '57014';
const lockTimeoutState = '55P03';
const deadlockState = '40P01';
const missingReferenceState = '23503';
const readOnlyState = '25006';
const diskFullState = '53100';
const clusterState = 'XX000';

/** Prisma's own: a transaction did not get a connection in time, or took too long. */
const transactionTimeout = 'P2028';
const networkCodes = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'ENOENT']);

/** How a pool and a driver put it when there is no connection to be had; they give no code. */
const unavailableMessages =
  /timeout exceeded when trying to connect|Connection terminated|Can't reach database server|Client has encountered a connection error/i;

const reasons = new Map([
  [lockTimeoutState, 'Another change is in the way. Try again.'],
  [deadlockState, 'Another change is in the way. Try again.'],
  [readOnlyState, 'The database takes no changes now. Try again later.'],
  [diskFullState, 'The database has no room left. Try again later.'],
]);

/** How a cluster puts it when it has lost one of its machines; the code is often that of an error of its own. */
const lostMachineMessages =
  /^(?:terminating connection due to|connection to the remote node|failure on connection marked as essential|failed to (?:COPY to shard|complete COPY on|prepare transaction)|could not commit transaction for shard)/;

/** Of two changes at once the other one removed it: a workspace, a sandbox. */
const goneMessage = 'What this belongs to is gone by now.';

/** Any error as the one that this API answers with: 503 or 504 for a database that cannot serve, 409 for what is gone by
 * now, else 500. */
export function apiErrorFrom(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  for (const cause of causesOf(error)) {
    const code = codeOf(cause);
    const message = cause instanceof Error ? cause.message : '';
    if (code === timeoutState || message === silentMessage) return timedOut(error);
    if (code === missingReferenceState) return new ApiError('conflict', goneMessage, { cause: error });
    const told = reasons.get(code);
    if (told !== undefined) return unavailable(told, error);
    if (
      code === transactionTimeout ||
      networkCodes.has(code) ||
      unavailableStates.test(code) ||
      unavailableMessages.test(message) ||
      lostMachineMessages.test(message) ||
      message === uncommittedMessage
    ) {
      return unavailable('The database cannot be reached now. Try again.', error);
    }
  }
  return internalError(error);
}

/** Whether a statement gave up because another one held a lock for longer than statements wait for one. */
export function isLockTimeout(error: unknown): boolean {
  return causesOf(error).some((cause) => codeOf(cause) === lockTimeoutState);
}

/** Whether the server ended a statement that took too long. */
export function isStatementTimeout(error: unknown): boolean {
  return causesOf(error).some((cause) => codeOf(cause) === timeoutState);
}

/** Whether a statement that went past the Prisma client failed because a unique key is taken. */
export function isUniqueViolation(error: unknown): boolean {
  for (const cause of causesOf(error)) {
    if (typeof cause === 'object' && cause !== null && 'kind' in cause)
      return cause.kind === 'UniqueConstraintViolation' || isOfShard(cause);
  }
  return false;
}

/** A cluster tells a key that is taken on one of its machines without its code, by the key's name there. */
function isOfShard(cause: object): boolean {
  const message = 'originalMessage' in cause ? String(cause.originalMessage) : '';
  return codeOf(cause) === clusterState && /"\w+_pkey_\d+"/.test(message);
}

function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  if ('originalCode' in error) return String(error.originalCode);
  if ('kind' in error && error.kind === 'DatabaseNotReachable') return 'ECONNREFUSED';
  if ('kind' in error && error.kind === 'ConnectionClosed') return 'ECONNRESET';
  if ('kind' in error && error.kind === 'SocketTimeout') return 'ETIMEDOUT';
  return 'code' in error ? String(error.code) : '';
}

/** An error, and what each was caused by, the outermost first. */
function causesOf(error: unknown): unknown[] {
  const causes: unknown[] = [];
  for (let cause = error; cause !== undefined; cause = innerOf(cause)) causes.push(cause);
  return causes;
}

function innerOf(error: unknown): unknown {
  if (error instanceof Prisma.PrismaClientKnownRequestError) return error.meta?.['driverAdapterError'];
  if (typeof error !== 'object' || error === null || !('cause' in error)) return undefined;
  return error.cause;
}
