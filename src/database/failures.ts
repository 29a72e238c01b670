import { ApiError, internalError, timedOut, unavailable } from '../errors.js';
import { Prisma } from './client/client.js';

/**
 * SQLSTATEs of a server that cannot serve at the moment: connections refused or lost, starting up, shutting down, out
 * of resources. During maintenance the database can be absent or closed, or its password new.
 */
const unavailableStates = /^(08...|28...|3D000|53...|55000|57P0[123])$/;
const timeoutState = '57014';
const lockTimeoutState = '55P03';
const deadlockState = '40P01';
const serializationState = '40001';
const missingReferenceState = '23503';
const uniqueState = '23505';
const readOnlyState = '25006';
const diskFullState = '53100';
const clusterState = 'XX000';

/** Prisma's own code: the row to update or delete was deleted after it had been read. */
const deletedRow = 'P2025';

/** Prisma's own code: a transaction did not get a connection in time, or took too long. */
const transactionTimeout = 'P2028';

/** The error of a statement whose server has fallen silent. */
export const silentMessage = 'The database has fallen silent';

/** The error of a statement of which a cluster cannot confirm that all its machines have committed it. */
export const uncommittedMessage = 'The database has not committed everywhere';

/** Error codes of the network for a server that cannot be reached, with the reason for its operator. */
export const networkReasons: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', 'connection refused. Check the host and port, and that the server is running'],
  ['ENOTFOUND', 'the host name does not exist'],
  ['EAI_AGAIN', 'the host name cannot be resolved at the moment'],
  ['ETIMEDOUT', 'no response'],
  ['EHOSTUNREACH', 'the host is not reachable'],
  ['EHOSTDOWN', 'the host is not reachable'],
  ['ENETUNREACH', 'the network of the host is not reachable'],
  ['ENETDOWN', 'the network is down'],
  ['ECONNRESET', 'the server closed the connection'],
  ['ECONNABORTED', 'the connection was aborted'],
  ['EPIPE', 'the server closed the connection'],
]);

/** The socket of a server on the same machine does not exist. */
const missingSocket = 'ENOENT';

/** Messages of the pool and the driver for a missing connection; these errors have no code. */
const unavailableMessages =
  /timeout exceeded when trying to connect|Connection terminated|Can't reach database server|Client has encountered a connection error/i;

const reasons = new Map([
  [lockTimeoutState, 'Another change holds a lock. Try again.'],
  [deadlockState, 'Another change holds a lock. Try again.'],
  [serializationState, 'Another change was made at the same time. Try again.'],
  [deletedRow, 'Another change was made at the same time. Try again.'],
  [readOnlyState, 'The database is read-only at the moment. Try again later.'],
  [diskFullState, 'The disk of the database is full. Try again later.'],
]);

/** Messages of a cluster that has lost one of its machines; the codes of these errors vary. */
const lostMachineMessages =
  /^(?:terminating connection due to|connection to the remote node|failure on connection marked as essential|failed to (?:COPY to shard|complete COPY on|prepare transaction)|could not commit transaction for shard)/;

/** The message if the parent of the row, such as a workspace, was deleted concurrently. */
const goneMessage = 'The parent of the resource was deleted.';

/**
 * Translates any error to an ApiError: 503 or 504 for a database that cannot serve, 409 for a parent that was deleted
 * concurrently, otherwise 500.
 */
export function apiErrorFrom(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  for (const cause of causesOf(error)) {
    const code = codeOf(cause);
    const message = cause instanceof Error ? cause.message : '';
    if (code === timeoutState || message === silentMessage) return timedOut(error);
    if (code === missingReferenceState) return new ApiError('conflict', goneMessage, { cause: error });
    const reason = reasons.get(code);
    if (reason !== undefined) return unavailable(reason, error);
    if (
      code === transactionTimeout ||
      networkReasons.has(code) ||
      code === missingSocket ||
      unavailableStates.test(code) ||
      unavailableMessages.test(message) ||
      lostMachineMessages.test(message) ||
      message === uncommittedMessage
    ) {
      return unavailable('The database is not reachable. Try again.', error);
    }
  }
  return internalError(error);
}

/**
 * Whether a transaction failed because of a concurrent one: a deadlock, a serialization failure, or a row that was deleted
 * after it had been read.
 */
export function isTransactionConflict(error: unknown): boolean {
  return causesOf(error).some((cause) => [deadlockState, serializationState, deletedRow].includes(codeOf(cause)));
}

/** Whether a statement failed with this SQLSTATE. */
export function hasState(error: unknown, state: string): boolean {
  return causesOf(error).some((cause) => codeOf(cause) === state);
}

/** Whether a statement failed because it waited for a lock for longer than `lock_timeout`. */
export function isLockTimeout(error: unknown): boolean {
  return hasState(error, lockTimeoutState);
}

/** Whether the server cancelled a statement because of `statement_timeout`. */
export function isStatementTimeout(error: unknown): boolean {
  return hasState(error, timeoutState);
}

/** The detail of a statement's failure with an SQLSTATE; undefined for another failure. */
export function detailOf(error: unknown, state: string): string | undefined {
  for (const cause of causesOf(error)) {
    if (codeOf(cause) !== state || typeof cause !== 'object' || cause === null || !('detail' in cause)) continue;
    if (typeof cause.detail === 'string') return cause.detail;
  }
  return undefined;
}

/** Whether a statement that bypassed the Prisma client violated a unique key. */
export function isUniqueViolation(error: unknown): boolean {
  for (const cause of causesOf(error)) {
    if (codeOf(cause) === uniqueState) return true;
    if (typeof cause === 'object' && cause !== null && 'kind' in cause)
      return cause.kind === 'UniqueConstraintViolation' || isOfShard(cause);
  }
  return false;
}

/** A cluster reports a unique violation on one of its machines without the code; only the key's name shows it. */
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

/** An error and its causes, the outermost first. */
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
