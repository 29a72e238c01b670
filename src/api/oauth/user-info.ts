import { OauthError } from '../../auth/grants/oauth-error.js';
import { readUserInfo } from '../../auth/grants/user-info.js';
import { bearerOf } from '../../auth/request-headers.js';
import { ApiError } from '../../errors.js';
import { sendJson } from '../../http/answer.js';
import { record } from './exchange.js';
import type { OauthExchange } from './exchange.js';

/** OpenID Connect Core, section 5.3. The token is accepted only in the header, never in the URL or a form. */
export async function answerUserInfo(exchange: OauthExchange): Promise<void> {
  const { services, request, response } = exchange;
  const { db, tokenVerifier: verifier, now } = services;
  try {
    const info = await readUserInfo({ db, verifier, now }, bearerOf(services.headers, request.headers));
    record(exchange, 'user_info_read', { principal: info.sub });
    sendJson(response, 200, info);
  } catch (error) {
    if (!(error instanceof ApiError) || (error.status !== 401 && error.status !== 403)) throw error;
    const reason = new OauthError(error.status === 401 ? 'invalid_token' : 'insufficient_scope', error.message);
    record(exchange, 'token_refused', { error: reason.code });
    // RFC 6750, section 3: the header has the error too.
    sendJson(response, reason.status, reason.toBody(), error.headers);
  }
}
