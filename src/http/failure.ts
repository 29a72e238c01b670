import type { Logger } from 'pino';
import { apiErrorFrom } from '../database/failures.js';
import type { ApiError } from '../errors.js';
import { isGone } from './exchange.js';
import type { Exchange } from './exchange.js';

/**
 * The public form of an error. Internal errors are logged here, once, in full; errors after the client has disconnected
 * are not.
 */
export function failureOf(exchange: Exchange, log: Logger, error: unknown): ApiError {
  const failure = apiErrorFrom(error);
  exchange.notes.error = failure.error;
  const { requestId } = exchange;
  if (isGone(exchange)) log.debug({ err: error, requestId }, 'client disconnected');
  else if (failure.status >= 500) log.error({ err: error, code: failure.error, requestId }, 'request failed');
  return failure;
}
