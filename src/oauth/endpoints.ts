// The endpoints that clients call themselves: token (RFC 6749), revocation (RFC 7009), introspection (RFC 7662).
import { requireGrantType } from '../access/oauth/client.js';
import type { OauthClient, OauthGrantType } from '../access/oauth/client.js';
import { OauthError } from '../access/oauth/oauth-error.js';
import { introspectToken, revokeToken } from '../access/oauth/token-state.js';
import type { TokenStateReader } from '../access/oauth/token-state.js';
import { grantToClient, redeemCode, refreshTokens } from '../access/oauth/tokens.js';
import type { IssuedTokens } from '../access/oauth/tokens.js';
import { sendJson } from '../rest/write.js';
import { readParameters } from './body.js';
import type { Parameters } from './body.js';
import { callingClient } from './client-credentials.js';
import { record, tokenIssuer } from './exchange.js';
import type { OauthExchange } from './exchange.js';

type Grant = (exchange: OauthExchange, client: OauthClient, body: Parameters) => Promise<IssuedTokens>;

const grants: Record<OauthGrantType, Grant> = {
  authorization_code: (exchange, client, body) =>
    redeemCode(tokenIssuer(exchange), client, {
      code: required(body, 'code'),
      redirectUri: body.get('redirect_uri'),
      verifier: body.get('code_verifier'),
    }),
  refresh_token: (exchange, client, body) =>
    refreshTokens(tokenIssuer(exchange), client, {
      refreshToken: required(body, 'refresh_token'),
      scope: body.get('scope'),
    }),
  client_credentials: (exchange, client, body) => grantToClient(tokenIssuer(exchange), client, body.get('scope')),
};

/** RFC 6749, section 3.2. */
export async function answerToken(exchange: OauthExchange): Promise<void> {
  const body = await readParameters(exchange.request);
  const client = await callingClient(exchange, body);
  const grant = required(body, 'grant_type');
  if (!isGrantType(grant)) {
    throw new OauthError('unsupported_grant_type', `The grants are ${Object.keys(grants).join(', ')}.`, {
      client: client.id,
    });
  }
  requireGrantType(client, grant);
  const resource = body.get('resource');
  if (resource !== undefined && resource !== exchange.services.tokens.audience) {
    throw new OauthError('invalid_target', 'Tokens of this service are for this service.', { client: client.id });
  }
  const { answer, principalId, authorizationId, tokenId } = await grants[grant](exchange, client, body);
  record(exchange, grant === 'refresh_token' ? 'token_refreshed' : 'token_issued', {
    client: client.id,
    principal: principalId,
    ...(authorizationId === undefined ? {} : { authorization: authorizationId }),
    grant,
    scope: answer.scope,
    token: tokenId,
  });
  sendJson(exchange.response, 200, answer);
}

/** RFC 7009. A token that is not valid anyway is no error. */
export async function answerRevocation(exchange: OauthExchange): Promise<void> {
  const body = await readParameters(exchange.request);
  const client = await callingClient(exchange, body);
  const revoked = await revokeToken(stateReader(exchange), client, required(body, 'token'));
  const about = revoked && { principal: revoked.principalId, authorization: revoked.authorizationId ?? '-' };
  record(exchange, 'token_revoked', { client: client.id, what: revoked?.what ?? 'nothing', ...about });
  sendJson(exchange.response, 200, {});
}

/** RFC 7662. */
export async function answerIntrospection(exchange: OauthExchange): Promise<void> {
  const body = await readParameters(exchange.request);
  const client = await callingClient(exchange, body);
  const answer = await introspectToken(stateReader(exchange), client, required(body, 'token'));
  record(exchange, 'token_introspected', { client: client.id, what: answer.active ? answer.sub : 'not active' });
  sendJson(exchange.response, 200, answer);
}

function stateReader({ services }: OauthExchange): TokenStateReader {
  const { db, tokenVerifier: verifier, tokens, now } = services;
  return { db, verifier, tokens, now };
}

function required(body: Parameters, name: string): string {
  const value = body.get(name);
  if (value === undefined) throw new OauthError('invalid_request', `The parameter ${name} is missing.`);
  return value;
}

function isGrantType(text: string): text is OauthGrantType {
  return Object.hasOwn(grants, text);
}
