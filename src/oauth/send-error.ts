// Answers to clients: the shapes of the RFCs (decision 20), also for what went wrong.
import { OauthError } from '../access/oauth/oauth-error.js';
import { apiErrorFrom } from '../database/failures.js';
import { sendJson } from '../rest/write.js';
import { record } from './exchange.js';
import type { OauthExchange } from './exchange.js';

/** RFC 6749, section 5.2. Every refusal is logged. */
export function sendClientError(exchange: OauthExchange, error: unknown): void {
  const { response } = exchange;
  const failure = oauthErrorFrom(exchange, error);
  record(exchange, 'token_refused', { ...failure.subject, error: failure.code });
  if (failure.status === 401) response.setHeader('www-authenticate', 'Basic realm="oauth", charset="UTF-8"');
  if (failure.status === 503) response.setHeader('retry-after', '1');
  sendJson(response, failure.status, failure.toBody());
}

/** Any error in the words of OAuth. What is none of the caller's business is logged whole. */
export function oauthErrorFrom({ services, visitor }: OauthExchange, error: unknown): OauthError {
  if (error instanceof OauthError) return error;
  const failure = apiErrorFrom(error);
  if (failure.status < 500) return new OauthError('invalid_request', failure.message);
  services.log.error({ err: error, requestId: visitor.requestId }, 'request failed');
  const isPassing = failure.status === 503 || failure.status === 504;
  return new OauthError(isPassing ? 'temporarily_unavailable' : 'server_error', failure.message);
}
