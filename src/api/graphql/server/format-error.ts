// Translates errors to GraphQL errors with their code, HTTP status and request id. Internal errors are logged, and the
// response has a generic message.
import { GraphQLError } from 'graphql';
import type { ASTNode, Source, SourceLocation } from 'graphql';
import type { Logger } from 'pino';
import { apiErrorFrom } from '../../../database/failures.js';
import { errorCodes } from '../../../error-codes.js';
import type { ErrorCode } from '../../../error-codes.js';
import { ClientGone } from '../../../errors.js';
import type { ApiError } from '../../../errors.js';
import { DocumentErrors } from './document.js';

type Extensions = Record<string, unknown>;

/** An error with locations: a GraphQLError, or an object of graphql-jit with the same fields. */
interface PlacedError extends Error {
  locations: readonly SourceLocation[] | undefined;
  path?: readonly (string | number)[] | undefined;
  nodes?: readonly ASTNode[] | undefined;
  source?: Source | undefined;
  positions?: readonly number[] | undefined;
  originalError?: unknown;
  extensions?: Extensions | undefined;
}

/** Whatever was thrown, or everything that went wrong, as the answer has it. */
export function formatErrors(thrown: unknown, requestId: string, log: Logger): GraphQLError[] {
  const errors = thrown instanceof DocumentErrors ? thrown.errors : Array.isArray(thrown) ? thrown : [thrown];
  return errors.map((error) => formatError(error, requestId, log));
}

/** An error of parsing, validation or execution as the answer has it. */
export function formatError(error: unknown, requestId: string, log: Logger): GraphQLError {
  if (error instanceof GraphQLError && error.extensions?.['requestId'] !== undefined) return error;
  const located = isPlaced(error) ? error : undefined;
  const thrown = located === undefined ? error : thrownIn(located);
  const http = located?.extensions?.['http'];
  // GraphQL's own errors, and Yoga's, which have an HTTP status, are for callers.
  if (located !== undefined && (thrown === undefined || http !== undefined)) {
    const code: ErrorCode = statusOf(http) === 405 ? 'method_not_allowed' : 'invalid_request';
    return copyOf(located, located.message, {
      code,
      status: errorCodes[code].status,
      requestId,
      ...(http ? { http } : {}),
    });
  }
  const failure = apiErrorFrom(thrown);
  // A subscription that ends regularly has a cursor to resume from. Neither this nor a disconnected client is a failure.
  if (failure.status >= 500 && failure.resumeFrom === undefined && !(failure instanceof ClientGone))
    log.error({ err: thrown, code: failure.error, requestId }, 'GraphQL request failed');
  return copyOf(located, failure.message, extensionsOf(failure, requestId));
}

/** What a resolver threw; undefined for an error of GraphQL itself, such as an argument that does not fit its type. */
export function thrownIn({ originalError }: { originalError?: unknown }): unknown {
  return originalError == null || originalError instanceof GraphQLError ? undefined : originalError;
}

export function extensionsOf(error: ApiError, requestId: string): Extensions {
  const { error: code, status, field, resumeFrom, headers, exceeded } = error;
  const retryAfter = headers['Retry-After'];
  return {
    code,
    status,
    requestId,
    ...(field === undefined ? {} : { field }),
    ...(resumeFrom === undefined ? {} : { resumeFrom }),
    ...exceeded,
    ...(retryAfter === undefined ? {} : { retryAfterSeconds: Number(retryAfter) }),
  };
}

function isPlaced(error: unknown): error is PlacedError {
  return error instanceof Error && 'locations' in error;
}

function statusOf(http: unknown): unknown {
  return typeof http === 'object' && http !== null && 'status' in http ? http.status : undefined;
}

function copyOf(located: PlacedError | undefined, message: string, extensions: Extensions): GraphQLError {
  if (located === undefined) return new GraphQLError(message, { extensions });
  const { nodes, source, positions, path, locations } = located;
  const copy = new GraphQLError(message, {
    nodes: nodes ?? null,
    source: source ?? null,
    positions: positions ?? null,
    path: path ?? null,
    extensions,
  });
  // graphql-jit knows where, but not in which document.
  if (copy.locations === undefined) Object.defineProperty(copy, 'locations', { value: locations, enumerable: true });
  return copy;
}
