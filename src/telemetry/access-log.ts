// The access log: one line for each logged request. A line has names, ids and numbers, but never a credential or data
// of a body.
import type { Logger } from 'pino';
import { repeats } from './repeated-failures.js';

/** Which requests are logged. */
export const accessLogChoices = {
  off: 'None.',
  slow: 'Slow requests, and 5xx responses.',
  failed: 'Also 4xx responses.',
  all: 'All requests.',
} as const;

export type AccessLogChoice = keyof typeof accessLogChoices;

/** A completed request. */
export interface AccessRecord {
  requestId: string;
  traceId?: string | undefined;
  method: string;
  api: string;
  operation?: string | undefined;
  status: number;
  durationMs: number;
  cost?: number | undefined;
  account?: string | undefined;
  /** The kind of credential and its id. */
  credential?: string | undefined;
  address: string;
  /** The error code of a failed request. */
  error?: string | undefined;
}

/**
 * Whether a request is logged.
 *
 * @param slowMs the minimum duration of a slow request (ms).
 */
export function isLogged(
  { choice, slowMs }: { choice: AccessLogChoice; slowMs: number },
  { durationMs, status }: { durationMs: number; status: number },
): boolean {
  const isSlow = durationMs >= slowMs || status >= 500;
  return choice === 'all' || (choice === 'failed' && (isSlow || status >= 400)) || (choice === 'slow' && isSlow);
}

/**
 * Unless the choice is `all`, repeated 5xx and 429 responses, and repeated errors of requests without a valid
 * credential, are summarized. So clients without a credential cannot fill the log.
 */
export function logAccess(log: Logger, choice: AccessLogChoice, record: AccessRecord): void {
  const { status, credential } = record;
  const isFromOutside = status >= 400 && credential === undefined;
  const isSummedUp = choice !== 'all' && (status >= 500 || status === 429 || isFromOutside);
  log.info({ access: record, ...(isSummedUp ? { [repeats]: sameAs(record) } : {}) }, 'request');
}

/** The key by which errors are summarized. */
function sameAs({ api, status, error = '', account = '' }: AccessRecord): string {
  return `${api} ${status} ${error} ${status === 429 ? account : ''}`.trim();
}
