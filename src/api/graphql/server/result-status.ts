import type { ExecutionResult } from 'graphql';

/** The parts of a result that determine the HTTP status. */
interface Failed {
  data?: ExecutionResult['data'];
  errors?: readonly { extensions?: Record<string, unknown> }[];
}

/** Statuses that pass: trying again later may help. */
const passing = new Set([409, 429, 503, 504]);

/** Statuses of a response in which everything failed for the same reason, in both media types. */
const ofTheWhole = new Set([413, 422, ...passing]);

/**
 * The HTTP status of a result. In `application/graphql-response+json` a response without data is a failure (GraphQL
 * over HTTP, section 6.4.2); in `application/json` it is 200, as clients of that type expect. In both, a response in which
 * all fields failed with the same status has that status, if a retry can help, the request was too large, or its
 * Idempotency-Key was used for another request.
 */
export function statusOfResult({ data, errors = [] }: Failed, isGraphqlType: boolean): number {
  const statuses = errors.map(({ extensions }) => Number(extensions?.['status'] ?? 400));
  const [first] = statuses;
  if (first === undefined) return 200;
  const isEmpty = data == null || Object.values(data).every((value) => value === null);
  const isAlike = statuses.every((status) => status === first);
  if (isEmpty && isAlike && ofTheWhole.has(first)) return first;
  return data === undefined && isGraphqlType ? Math.max(...statuses) : 200;
}

/** The headers of a temporary failure: the longest Retry-After of the errors. */
export function headersOfStatus(status: number, { errors = [] }: Failed): Record<string, string> {
  if (!passing.has(status)) return {};
  const seconds = errors.map(({ extensions }) => Number(extensions?.['retryAfterSeconds'] ?? 1));
  return { 'retry-after': String(Math.max(...seconds)) };
}
