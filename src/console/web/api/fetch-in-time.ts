// The only place that sends requests. A request that is never answered would otherwise keep a view loading, or a form saving,
// until the tab is closed.

/** Longer than the service works on a request, which it ends with an error of its own. */
export const responseSecondsMax = 45;

/** The message for a request without a response. */
export const timedOutText = `The service did not respond within ${responseSecondsMax} seconds.`;

/** `fetch` with a limit for the whole response, except for streams. @throws if the limit is exceeded, see `isTimedOut`. */
export async function fetchInTime(
  input: RequestInfo | URL,
  init: RequestInit = {},
  secondsMax = responseSecondsMax,
): Promise<Response> {
  const isStream = new Headers(init.headers).get('accept')?.startsWith('text/event-stream') === true;
  if (isStream) return fetch(input, init);
  const limit = AbortSignal.timeout(secondsMax * 1000);
  return fetch(input, { ...init, signal: init.signal ? AbortSignal.any([init.signal, limit]) : limit });
}

export function isTimedOut(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError';
}
