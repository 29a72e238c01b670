// The endpoints that clients call themselves: token (RFC 6749), revocation (RFC 7009), introspection (RFC 7662).
import { consoleClientId, graphiqlClientId, grantTypeNames, requireGrantType } from '../../auth/grants/oauth-client.js';
import type { OauthClient, OauthGrantType } from '../../auth/grants/oauth-client.js';
import { OauthError } from '../../auth/grants/oauth-error.js';
import { requireResources } from '../../auth/grants/protected-resource.js';
import { introspectToken, revokeToken } from '../../auth/grants/token-state.js';
import type { TokenStateReader } from '../../auth/grants/token-state.js';
import { grantToClient, redeemCode, redeemDeviceCode, refreshTokens } from '../../auth/grants/token-grant.js';
import type { IssuedTokens } from '../../auth/grants/issue-tokens.js';
import { sendJson } from '../../http/answer.js';
import { readParameters, resourcesIn } from './body.js';
import type { Parameters } from './body.js';
import { callingClient } from './client-credentials.js';
import { record, tokenIssuer } from './exchange.js';
import type { OauthExchange } from './exchange.js';
import { endSessionHere } from './sign-in.js';

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
  device_code: (exchange, client, body) =>
    redeemDeviceCode(tokenIssuer(exchange), client, required(body, 'device_code')),
};

/** RFC 6749, section 3.2. */
export async function answerToken(exchange: OauthExchange): Promise<void> {
  const body = await readParameters(exchange.request);
  const client = await callingClient(exchange, body);
  const grant = grantTypeOf(required(body, 'grant_type'));
  if (grant === undefined) {
    throw new OauthError(
      'unsupported_grant_type',
      `grant_type must be one of: ${Object.values(grantTypeNames).join(', ')}.`,
      {
        client: client.id,
      },
    );
  }
  requireGrantType(client, grant);
  requireResources(exchange.services.tokens, resourcesIn(body), client.id);
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

/** The clients that are pages of this service: signing out of one ends the session of the browser. */
const pageClientIds = new Set([consoleClientId, graphiqlClientId]);

/** RFC 7009. A token that is not valid anyway is no error. */
export async function answerRevocation(exchange: OauthExchange): Promise<void> {
  const body = await readParameters(exchange.request);
  const client = await callingClient(exchange, body);
  const revoked = await revokeToken(stateReader(exchange), client, required(body, 'token'));
  const about = revoked && { principal: revoked.principalId, authorization: revoked.authorizationId ?? '-' };
  record(exchange, 'token_revoked', { client: client.id, what: revoked?.type ?? 'nothing', ...about });
  // The session would issue a new token to the page immediately. A page whose token has expired signs out, too.
  const isSignOut = pageClientIds.has(client.id) && (revoked !== undefined || isOwnPage(exchange));
  if (isSignOut) await endSessionHere(exchange);
  sendJson(exchange.response, 200, {});
}

/** Whether a page of this service sent the request. Browsers add the origin to every POST, and scripts cannot set it. */
function isOwnPage({ request, services }: OauthExchange): boolean {
  return request.headers.origin === new URL(services.publicUrl).origin;
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

export function required(body: Parameters, name: string): string {
  const value = body.get(name);
  if (value === undefined) throw new OauthError('invalid_request', `The parameter ${name} is missing.`);
  return value;
}

/** The grant of a `grant_type`. */
function grantTypeOf(text: string): OauthGrantType | undefined {
  const types: OauthGrantType[] = ['authorization_code', 'refresh_token', 'client_credentials', 'device_code'];
  return types.find((type) => grantTypeNames[type] === text);
}
