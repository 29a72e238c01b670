// Responses and errors for clients in the form of the RFCs (decision 20).
import { OauthError } from '../../auth/grants/oauth-error.js';
import { sendJson } from '../../http/answer.js';
import { failureOf } from '../../http/failure.js';
import { record } from './exchange.js';
import type { OauthEvent, OauthExchange } from './exchange.js';
import { noteRefusedClient } from './denied-requests.js';

/** RFC 6749, section 5.2. Every refusal is logged. */
export function sendClientError(exchange: OauthExchange, error: unknown, event: OauthEvent = 'token_refused'): void {
  const { reason, status, headers } = oauthFailureOf(exchange, error);
  record(exchange, event, { ...reason.subject, error: reason.code });
  noteRefusedClient(exchange, reason);
  const challenge = status === 401 ? { 'www-authenticate': 'Basic realm="oauth", charset="UTF-8"' } : {};
  sendJson(exchange.response, status, reason.toBody(), { ...headers, ...challenge });
}

interface OauthFailure {
  reason: OauthError;
  status: number;
  headers: Record<string, string>;
}

/** Statuses of HTTP for which OAuth has no word, and which say more than its own would. */
const passedOn = new Set([413, 429]);

/** Translates an error to an OAuth error. Internal errors are logged in full. */
export function oauthFailureOf(exchange: OauthExchange, error: unknown): OauthFailure {
  if (error instanceof OauthError) return { reason: error, status: error.status, headers: {} };
  const { status, message, headers } = failureOf(exchange, exchange.services.log, error);
  if (status < 500) {
    const reason = new OauthError('invalid_request', message);
    return { reason, status: passedOn.has(status) ? status : reason.status, headers };
  }
  const isPassing = status === 503 || status === 504;
  const reason = new OauthError(isPassing ? 'temporarily_unavailable' : 'server_error', message);
  return { reason, status: reason.status, headers: isPassing ? { 'retry-after': '1', ...headers } : headers };
}
