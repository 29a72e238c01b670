// The one place that turns errors into what GraphQL answers: the code of the closed list, its HTTP status
// and the request id. What is not meant for the caller is logged, and answered with a plain message.
import { GraphQLError } from 'graphql';
import type { Logger } from 'pino';
import { apiErrorFrom } from '../database/failures.js';
import type { ApiError } from '../errors.js';
import { errorStatuses } from '../errors.js';

/** An error of execution or validation as the answer has it. */
export function formatError(error: unknown, requestId: string, log: Logger): GraphQLError {
  if (error instanceof GraphQLError && 'requestId' in error.extensions) return error;
  const place = error instanceof Error && 'path' in error && 'locations' in error ? error : undefined;
  const thrown = place !== undefined && 'originalError' in place ? place.originalError : error;
  // Without an original error it is GraphQL's own: a syntax, validation or coercion error, made for callers.
  if (place !== undefined && (thrown === undefined || thrown === null || thrown instanceof GraphQLError)) {
    return copyOf(place, place.message, {
      code: 'invalid_request',
      status: errorStatuses.invalid_request,
      requestId,
    });
  }
  const failure = apiErrorFrom(thrown);
  if (failure.status >= 500) log.error({ err: thrown, requestId }, 'GraphQL request failed');
  return copyOf(place, failure.message, extensionsOf(failure, requestId));
}

export function extensionsOf(error: ApiError, requestId: string): Record<string, string | number> {
  const { error: code, status, field } = error;
  return { code, status, requestId, ...(field === undefined ? {} : { field }) };
}

function copyOf(place: Error | undefined, message: string, extensions: Record<string, string | number>): GraphQLError {
  const copy = new GraphQLError(message, { extensions });
  if (place !== undefined) {
    for (const part of ['path', 'locations']) {
      Object.defineProperty(copy, part, { value: Reflect.get(place, part), enumerable: true });
    }
  }
  return copy;
}
