import type { CombinedError } from '@urql/core';

/** What went wrong, in words that help, and what to tell whoever runs the service. */
export interface Failure {
  title: string;
  message: string;
  requestId: string | undefined;
  /** Whether the same again may work. */
  canRetry: boolean;
}

const titles = new Map([
  ['forbidden', 'You may not see this'],
  ['access_denied', 'You may not see this'],
  ['not_found', 'There is nothing here'],
  ['unauthorized', 'Your session has ended'],
  ['too_many_requests', 'Too many requests'],
  ['timeout', 'This took too long'],
  ['query_too_complex', 'This asks for too much at once'],
]);

export function failureFrom(error: CombinedError): Failure {
  const [first] = error.graphQLErrors;
  if (first === undefined) {
    return {
      title: 'The service is not reached',
      message: 'What you see may be old. It is tried again by itself.',
      requestId: undefined,
      canRetry: true,
    };
  }
  const code = String(first.extensions['code'] ?? '');
  const requestId = first.extensions['requestId'];
  return {
    title: titles.get(code) ?? 'This did not work',
    message: first.message,
    requestId: typeof requestId === 'string' ? requestId : undefined,
    canRetry: !['forbidden', 'access_denied', 'not_found'].includes(code),
  };
}

/** Why a change was not made, for people: the answer's own words, or what went wrong on the way. */
export function problemOf(result: object | undefined, error: CombinedError | undefined): string {
  if (result !== undefined && 'message' in result) return String(result.message);
  if (error === undefined) return 'It did not work. Try again.';
  const { title, message } = failureFrom(error);
  return `${title}. ${message}`;
}
