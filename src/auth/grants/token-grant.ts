// What the token endpoint gives for a code, a refresh token, or a client's own credentials: RFC 6749, sections
// 4.1.3, 4.4 and 6. A code and a refresh token are used up by one UPDATE, so of many at once one wins; the
// others are a second use, which ends the authorization (RFC 9700, sections 2.1.1 and 4.14).
import { endAuthorization, useAuthorization } from './authorization.js';
import { refuseDeviceCode } from './device-authorization.js';
import { issue, issueForUser, narrowedByRoles } from './issue-tokens.js';
import type { IssuedTokens, Outcome, TokenIssuer } from './issue-tokens.js';
import type { OauthClient } from './oauth-client.js';
import { OauthError } from './oauth-error.js';
import { hashOpaqueToken } from './opaque-token.js';
import { verifiesChallenge } from './pkce.js';
import { keepRefreshAnswer, repeatRefreshAnswer } from './refresh-answer.js';
import { requestedScopes } from './scope-request.js';
import { scopeNames } from '../scopes.js';

/** What is traded for tokens, as the log names it. */
type GrantedBy = 'code' | 'refresh token' | 'device code';

/** @throws `invalid_grant` for a code that is unknown, expired, used before, another client's, or not verified. */
export async function redeemCode(
  issuer: TokenIssuer,
  client: OauthClient,
  given: { code: string; redirectUri: string | undefined; verifier: string | undefined },
): Promise<IssuedTokens> {
  const now = issuer.now();
  const hash = hashOpaqueToken(given.code);
  const outcome = await issuer.db.$transaction(async (tx): Promise<Outcome | undefined> => {
    const [code] = await tx.oauthCode.updateManyAndReturn({
      where: { hash, clientId: client.id, usedAt: null },
      data: { usedAt: now },
    });
    if (code === undefined) return undefined;
    const endsAuthorization = code.authorizationId;
    if (code.expiresAt <= now) return { refused: 'expired', endsAuthorization };
    if (given.redirectUri !== code.redirectUri) return { refused: 'redirect URI', endsAuthorization };
    if (!verifiesChallenge(given.verifier ?? '', code.challenge)) return { refused: 'verifier', endsAuthorization };
    const authorization = await useAuthorization(tx, code.authorizationId, now);
    if (authorization === undefined) return { refused: 'ended', endsAuthorization: undefined };
    return issueForUser(tx, issuer, client, authorization, { nonce: code.nonce });
  });
  if (outcome !== undefined) return settle(issuer, client, outcome, 'code');
  const used = await issuer.db.oauthCode.findUnique({ where: { hash } });
  return refuseUsed(issuer, client, used, 'code');
}

/**
 * Trades a device code for tokens, once its user has agreed: RFC 8628, section 3.4.
 *
 * @throws `authorization_pending`, `slow_down`, `access_denied`, `expired_token`; `invalid_grant` for a code that is
 *   unknown, used before, or another client's.
 */
export async function redeemDeviceCode(
  issuer: TokenIssuer,
  client: OauthClient,
  deviceCode: string,
): Promise<IssuedTokens> {
  const now = issuer.now();
  const hash = hashOpaqueToken(deviceCode);
  const outcome = await issuer.db.$transaction(async (tx): Promise<Outcome | undefined> => {
    const [code] = await tx.oauthDeviceCode.updateManyAndReturn({
      where: { hash, clientId: client.id, usedAt: null, authorizationId: { not: null }, expiresAt: { gt: now } },
      data: { usedAt: now },
    });
    if (code === undefined || code.authorizationId === null) return undefined;
    const authorization = await useAuthorization(tx, code.authorizationId, now);
    if (authorization === undefined) return { refused: 'ended', endsAuthorization: undefined };
    return issueForUser(tx, issuer, client, authorization, {});
  });
  if (outcome !== undefined) return settle(issuer, client, outcome, 'device code');
  const code = await issuer.db.oauthDeviceCode.findUnique({ where: { hash } });
  if (code === null || code.clientId !== client.id) throw invalidGrant(client, 'device code', 'unknown', undefined);
  const { authorizationId, usedAt } = code;
  if (authorizationId !== null && usedAt !== null) {
    return refuseUsed(issuer, client, { authorizationId, usedAt }, 'device code');
  }
  // Nobody fetches the tokens any more that it would have given.
  if (authorizationId !== null && code.expiresAt <= now) await endAuthorization(issuer.db, authorizationId, now);
  return refuseDeviceCode(issuer.db, code, now);
}

/**
 * Trades a refresh token for new ones. The same token again gives the same answer for a moment.
 *
 * @throws `invalid_grant` for a refresh token that is unknown, expired, used before, or another client's.
 * @throws `invalid_scope` for more than the authorization has; the token is not used up then.
 */
export async function refreshTokens(
  issuer: TokenIssuer,
  client: OauthClient,
  given: { refreshToken: string; scope: string | undefined },
): Promise<IssuedTokens> {
  const now = issuer.now();
  const hash = hashOpaqueToken(given.refreshToken);
  const narrowed = given.scope === undefined ? undefined : requestedScopes(given.scope, client.scope);
  const outcome = await issuer.db.$transaction(async (tx): Promise<Outcome | undefined> => {
    const [token] = await tx.oauthRefreshToken.updateManyAndReturn({
      where: { hash, clientId: client.id, usedAt: null },
      data: { usedAt: now },
    });
    if (token === undefined) return undefined;
    if (token.expiresAt <= now) return { refused: 'expired', endsAuthorization: token.authorizationId };
    const authorization = await useAuthorization(tx, token.authorizationId, now);
    if (authorization === undefined) return { refused: 'ended', endsAuthorization: undefined };
    const granted = await issueForUser(tx, issuer, client, authorization, { narrowed });
    if ('issued' in granted) {
      await keepRefreshAnswer(tx, given.refreshToken, { ...granted.issued, authorizationId: authorization.id });
    }
    return granted;
  });
  if (outcome !== undefined) return settle(issuer, client, outcome, 'refresh token');
  const repeated = await repeatRefreshAnswer(issuer.db, client.id, given.refreshToken, now);
  if (repeated !== undefined) return repeated;
  const used = await issuer.db.oauthRefreshToken.findUnique({ where: { hash } });
  return refuseUsed(issuer, client, used, 'refresh token');
}

/** @throws `invalid_scope`, and `unauthorized_client` when the client has no owner, or one that is not active. */
export async function grantToClient(
  issuer: TokenIssuer,
  client: OauthClient,
  scope: string | undefined,
): Promise<IssuedTokens> {
  const { principalId, accountId, workspaceId } = client;
  const subject = { client: client.id };
  const owner = principalId === null || accountId === null ? undefined : { principalId, accountId, workspaceId };
  // Nobody signs in here, so there is nobody to tell of: OpenID Connect has no word for this grant.
  const names = requestedScopes(scope, scopeNames(client.scope).join(' '));
  const narrowest = owner && (await narrowedByRoles(issuer.db, owner, names));
  if (owner === undefined || narrowest === undefined) {
    throw new OauthError('unauthorized_client', 'The owner of this client is not, or no longer, active.', subject);
  }
  if (narrowest === '') {
    throw new OauthError('invalid_scope', 'The roles of the owner allow none of these scopes.', subject);
  }
  return issue(issuer.db, issuer, { ...owner, clientId: client.id, scope: narrowest });
}

async function settle(
  issuer: TokenIssuer,
  client: OauthClient,
  outcome: Outcome,
  what: GrantedBy,
): Promise<IssuedTokens> {
  if ('issued' in outcome) return outcome.issued;
  const { refused, endsAuthorization } = outcome;
  if (endsAuthorization !== undefined) await endAuthorization(issuer.db, endsAuthorization, issuer.now());
  throw invalidGrant(client, what, refused, endsAuthorization);
}

/** A second use tells that somebody else has it too: what came from the first use ends. */
async function refuseUsed(
  issuer: TokenIssuer,
  client: OauthClient,
  known: { authorizationId: string; usedAt: Date | null } | null,
  what: GrantedBy,
): Promise<never> {
  if (known === null) throw invalidGrant(client, what, 'unknown', undefined);
  if (known.usedAt === null) throw invalidGrant(client, what, 'of another client', known.authorizationId);
  await endAuthorization(issuer.db, known.authorizationId, issuer.now());
  throw invalidGrant(client, what, 'used before', known.authorizationId);
}

/** The same words for every reason: they would tell a thief how far they got. */
function invalidGrant(
  client: OauthClient,
  what: GrantedBy,
  reason: string,
  authorization: string | undefined,
): OauthError {
  return new OauthError('invalid_grant', `The ${what} is invalid, expired or revoked, or belongs to another request.`, {
    client: client.id,
    reason: `${what}: ${reason}`,
    ...(authorization === undefined ? {} : { authorization }),
  });
}
