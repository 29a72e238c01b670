import type { CombinedError } from '@urql/core';
import { isTimedOut, timedOutText } from './fetch-in-time.js';

/** An error message with the request id for the operator. */
export interface Failure {
  title: string;
  message: string;
  requestId: string | undefined;
  /** Whether a retry may succeed. */
  canRetry: boolean;
}

const titles = new Map([
  ['forbidden', 'Access denied'],
  ['access_denied', 'Access denied'],
  ['not_found', 'Not found'],
  ['unauthorized', 'Your session has ended'],
  ['too_many_requests', 'Too many requests'],
  ['timeout', 'Request timed out'],
  ['query_too_complex', 'Query too complex'],
]);

/** The statuses of a proxy that does not reach the service. */
export const unreachableStatuses: readonly number[] = [502, 503, 504];

export function failureFrom(error: CombinedError): Failure {
  const [first] = error.graphQLErrors;
  if (isTimedOut(error.networkError)) {
    return { title: 'Request timed out', message: timedOutText, requestId: undefined, canRetry: true };
  }
  if (first === undefined && !isUnreachable(error)) {
    return {
      title: 'Request failed',
      message: `The service could not process the request (status ${statusOf(error)}).`,
      requestId: undefined,
      canRetry: true,
    };
  }
  if (first === undefined) {
    return {
      title: 'Connection lost',
      message: 'The data shown may be out of date. Retrying automatically.',
      requestId: undefined,
      canRetry: true,
    };
  }
  const code = String(first.extensions['code'] ?? '');
  const requestId = first.extensions['requestId'];
  return {
    title: titles.get(code) ?? 'Request failed',
    message: first.message,
    requestId: typeof requestId === 'string' ? requestId : undefined,
    canRetry: !['forbidden', 'access_denied', 'not_found', 'cursor_expired', 'cursor_invalid'].includes(code),
  };
}

/** Whether the service did not respond, or a proxy responded that it cannot reach it. */
export function isUnreachable(error: CombinedError): boolean {
  const status = statusOf(error);
  if (error.networkError === undefined || isTimedOut(error.networkError)) return false;
  return status === undefined || unreachableStatuses.includes(status);
}

/** The status of the response, if there is one. */
function statusOf({ response }: CombinedError): number | undefined {
  return response instanceof Response ? response.status : undefined;
}

/** The message of a mutation without a result. Mutations are not repeated: whether one was executed is unknown. */
export function mutationProblem(error: CombinedError, validateOnly = false): string {
  if (isTimedOut(error.networkError)) {
    return validateOnly
      ? timedOutText
      : `${timedOutText} The change may be saved nevertheless. Check the resource, and try again.`;
  }
  if (error.networkError !== undefined) {
    return 'Connection lost. The change may not be saved. Check the resource once the connection is back, and try again.';
  }
  const { title, message } = failureFrom(error);
  return `${title}. ${message}`;
}

/** The error message of a mutation: that of each invalid field in its own line, or that of the failed request. */
export function problemOf(result: object | undefined, error: CombinedError | undefined): string {
  if (result !== undefined && 'problems' in result && Array.isArray(result.problems) && result.problems.length > 0) {
    return result.problems.map(({ message }) => String(message)).join('\n');
  }
  if (result !== undefined && 'message' in result) return String(result.message);
  return error === undefined ? 'The request failed. Try again.' : mutationProblem(error);
}
