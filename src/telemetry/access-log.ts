// One line for each request that is worth one: who asked for what from where, and what came of it. What a line holds
// is names, ids and numbers; neither a credential nor anything of a body is ever in it.
import type { Logger } from 'pino';
import { repeats } from './repeated-failures.js';

/** Which requests are logged. */
export const accessLogChoices = {
  off: 'None.',
  slow: 'Those that took long, and those that failed on our side.',
  failed: 'Those too that were refused.',
  all: 'Every one.',
} as const;

export type AccessLogChoice = keyof typeof accessLogChoices;

/** What is known of a request when it is over. */
export interface AccessRecord {
  requestId: string;
  traceId?: string | undefined;
  method: string;
  door: string;
  operation?: string | undefined;
  status: number;
  durationMs: number;
  cost?: number | undefined;
  account?: string | undefined;
  /** The kind of credential and its id. */
  credential?: string | undefined;
  address: string;
  /** Why it was refused: the code of the error. */
  error?: string | undefined;
}

/**
 * Whether a request is logged.
 *
 * @param slowMs from which duration on a request counts as slow.
 */
export function isLogged(
  { choice, slowMs }: { choice: AccessLogChoice; slowMs: number },
  { durationMs, status }: { durationMs: number; status: number },
): boolean {
  const isSlow = durationMs >= slowMs || status >= 500;
  return choice === 'all' || (choice === 'failed' && (isSlow || status >= 400)) || (choice === 'slow' && isSlow);
}

/**
 * Who asked for all of them gets all of them; otherwise refusals that are alike are summed up, and so is whatever is
 * refused of somebody who did not prove who they are: nobody can fill the log from outside.
 */
export function logAccess(log: Logger, choice: AccessLogChoice, record: AccessRecord): void {
  const { status, credential } = record;
  const isFromOutside = status >= 400 && credential === undefined;
  const isSummedUp = choice !== 'all' && (status >= 500 || status === 429 || isFromOutside);
  log.info({ access: record, ...(isSummedUp ? { [repeats]: sameAs(record) } : {}) }, 'request');
}

/** What a refusal has in common with others that one line stands for. */
function sameAs({ door, status, error = '', account = '' }: AccessRecord): string {
  return `${door} ${status} ${error} ${status === 429 ? account : ''}`.trim();
}
