// Back-channel logout: the provider reports the end of a session (OpenID Connect Back-Channel Logout 1.0, section 2.8).
import { OauthError } from '../../auth/grants/oauth-error.js';
import type { Logout } from '../../auth/sign-in/logout-token.js';
import { endProviderSessions } from '../../accounts/provider-logout.js';
import { ApiError } from '../../errors.js';
import { sendJson } from '../../http/answer.js';
import { readParameters } from './body.js';
import { required } from './endpoints.js';
import { record } from './exchange.js';
import type { OauthExchange } from './exchange.js';

export async function answerBackchannelLogout(exchange: OauthExchange): Promise<void> {
  const { services, visitor, request, response } = exchange;
  const body = await readParameters(request);
  const logout = await verified(exchange, required(body, 'logout_token'));
  const names = await endProviderSessions(services.db, logout, {
    now: services.now(),
    requestId: visitor.requestId,
  });
  if (names === undefined) throw new OauthError('invalid_request', 'The logout token was used before.');
  for (const name of names) record(exchange, 'signed_out_by_provider', { principal: name, what: logout.provider });
  // The same answer whether or not there was a session, so that it does not reveal who is signed in.
  sendJson(response, 200, {});
}

/** The specification knows no temporary failure: the provider may send the token again after any 400. */
async function verified({ services }: OauthExchange, token: string): Promise<Logout> {
  try {
    return await services.logoutTokens.verify(token);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 503) throw error;
    services.log.warn({ err: error }, 'cannot verify a logout token, because its provider does not respond');
    throw new OauthError('invalid_request', 'The keys of the provider cannot be fetched. Send the token again.');
  }
}
