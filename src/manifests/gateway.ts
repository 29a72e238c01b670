// A client of the gateway: GraphQL over HTTP with a key, with retries after network errors and while the gateway is
// busy. Only the request header contains the key.
import { randomUUID } from 'node:crypto';
import { jsonIn } from '../input/json.js';
import { GatewayError, RefusedError, UnreachableError } from './gateway-errors.js';
import { post } from './post.js';
import type { Answer } from './post.js';
import { isMap } from './shape-document.js';
import type { Values } from './shape-document.js';

/** The connection settings of a gateway. */
export interface GatewayAccess {
  /** Its URL, such as http://localhost:4000. */
  server: string;
  /** Returns the current credential. @throws {UnreachableError} if it had to connect to refresh it, and could not. */
  key: () => Promise<string>;
  /** Says what to do if the gateway does not accept the credential. */
  advice?: string | undefined;
  /** Pauses between two attempts. */
  pause: (ms: number) => Promise<void>;
}

/** Pauses before each retry (ms). They cover a restart of the gateway. */
const pausesMs = [250, 500, 1_000, 2_000, 4_000];

/** The longest time in Retry-After that is waited for: the window of a rate limit. */
const retryAfterMsMax = 60_000;

/**
 * Errors to retry: rate limits, a gateway that starts or stops, and a request with the same idempotency key in
 * progress.
 */
export const passingStatuses: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const passingCodes = new Set(['idempotency_key_in_use', 'unavailable', 'timeout', 'too_many_requests']);

export interface Gateway {
  /** @returns `data`. @throws {RefusedError} {@link GatewayError} */
  query: (document: string, variables: Values) => Promise<Record<string, unknown>>;
  /** The same for mutations. A retry after a lost response does not repeat the change. */
  mutate: (document: string, variables: Values) => Promise<Record<string, unknown>>;
  pause: (ms: number) => Promise<void>;
}

export function openGateway(access: GatewayAccess): Gateway {
  return {
    query: (document, variables) => ask(access, JSON.stringify({ query: document, variables }), {}),
    mutate: (document, variables) =>
      ask(access, JSON.stringify({ query: document, variables }), { 'Idempotency-Key': randomUUID() }),
    pause: access.pause,
  };
}

async function ask(
  access: GatewayAccess,
  body: string,
  headers: Record<string, string>,
): Promise<Record<string, unknown>> {
  for (let tries = 0; ; tries++) {
    const outcome = await askOnce(access, body, headers);
    if ('data' in outcome) return outcome.data;
    const pauseMs = pausesMs[tries];
    const { retryAfterMs = 0 } = outcome;
    if (!outcome.isPassing || pauseMs === undefined || retryAfterMs > retryAfterMsMax) throw outcome.error;
    await access.pause(Math.max(pauseMs, retryAfterMs));
  }
}

type Outcome =
  { data: Record<string, unknown> } | { error: GatewayError | RefusedError; isPassing: boolean; retryAfterMs?: number };

async function askOnce(access: GatewayAccess, body: string, headers: Record<string, string>): Promise<Outcome> {
  try {
    const sent = { 'Content-Type': 'application/json', Authorization: `Bearer ${await access.key()}`, ...headers };
    return outcomeOf(access, await post(access.server, '/graphql', sent, body));
  } catch (error) {
    if (error instanceof UnreachableError) return { error, isPassing: true };
    throw error;
  }
}

function outcomeOf({ server, advice }: GatewayAccess, { status, headers, text }: Answer): Outcome {
  const isPassing = passingStatuses.has(status);
  const retryAfterMs = 1_000 * Number(headers['retry-after'] ?? 0);
  const again = { isPassing, ...(retryAfterMs > 0 ? { retryAfterMs } : {}) };
  const body = jsonIn(text);
  if (!isMap(body)) {
    return {
      error: new GatewayError(`${server} returned ${status} without JSON. Check that it is the URL of a gateway.`),
      ...again,
    };
  }
  const [first] = Array.isArray(body['errors']) ? body['errors'].filter(isMap) : [];
  if (first === undefined && status === 200 && isMap(body['data'])) return { data: body['data'] };
  const { code, message } = toldBy(first ?? body, status);
  if (status === 401 || code === 'unauthorized') {
    const sentences = [`${server} does not accept the key: ${message}`, ...(advice === undefined ? [] : [advice])];
    return { error: new GatewayError(sentences.join(' ')), isPassing: false };
  }
  // The message of the gateway refers to the header, which the user does not see.
  const later = retryAfterMs > retryAfterMsMax ? ` Retry-After is ${retryAfterMs / 1_000} seconds.` : '';
  return {
    error: new RefusedError(code, `${message}${later}`),
    ...again,
    isPassing: isPassing || passingCodes.has(code),
  };
}

/** An error of GraphQL, or of the other endpoints of the gateway. */
function toldBy(error: Record<string, unknown>, status: number): { code: string; message: string } {
  const extensions = isMap(error['extensions']) ? error['extensions'] : error;
  const code = extensions['code'] ?? extensions['error'];
  const message = error['message'];
  return {
    code: typeof code === 'string' ? code : typeof error['error'] === 'string' ? error['error'] : String(status),
    message: typeof message === 'string' ? message : `the gateway returned ${status}`,
  };
}
