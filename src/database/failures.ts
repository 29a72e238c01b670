import { ApiError, internalError, timedOut, unavailable } from '../errors.js';
import { Prisma } from './client/client.js';

/** SQLSTATEs of a server that cannot serve now: connections refused or cut, starting up, shutting down, full. */
const unavailableStates = /^(08...|53...|57P0[123])$/;
const timeoutState = '57014';

/** Prisma's own: a transaction did not get a connection in time, or took too long. */
const transactionTimeout = 'P2028';
const networkCodes = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'ENOENT']);

/** How a pool and a driver put it when there is no connection to be had; they give no code. */
const unavailableMessages =
  /timeout exceeded when trying to connect|Connection terminated|Can't reach database server/i;

/** Any error as the one that this API answers with: 503 or 504 for a database that cannot serve, else 500. */
export function apiErrorFrom(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  for (let cause: unknown = error; cause !== undefined; cause = innerOf(cause)) {
    const code = codeOf(cause);
    if (code === timeoutState) return timedOut(error);
    const message = cause instanceof Error ? cause.message : '';
    if (
      code === transactionTimeout ||
      networkCodes.has(code) ||
      unavailableStates.test(code) ||
      unavailableMessages.test(message)
    ) {
      return unavailable('The database cannot be reached now. Try again.', error);
    }
  }
  return internalError(error);
}

/** Whether a statement that went past the Prisma client failed because a unique key is taken. */
export function isUniqueViolation(error: unknown): boolean {
  for (let cause: unknown = error; cause !== undefined; cause = innerOf(cause)) {
    if (typeof cause === 'object' && cause !== null && 'kind' in cause)
      return cause.kind === 'UniqueConstraintViolation';
  }
  return false;
}

function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  if ('originalCode' in error) return String(error.originalCode);
  if ('kind' in error && error.kind === 'DatabaseNotReachable') return 'ECONNREFUSED';
  if ('kind' in error && error.kind === 'SocketTimeout') return 'ETIMEDOUT';
  return 'code' in error ? String(error.code) : '';
}

function innerOf(error: unknown): unknown {
  if (error instanceof Prisma.PrismaClientKnownRequestError) return error.meta?.['driverAdapterError'];
  if (typeof error !== 'object' || error === null || !('cause' in error)) return undefined;
  return error.cause;
}
