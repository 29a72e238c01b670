// The grants of the token endpoint: code, refresh token and client credentials (RFC 6749, sections 4.1.3, 4.4 and 6),
// and device code. A code or refresh token is used by one UPDATE, so of concurrent requests one wins. The others count
// as reuse, which ends the authorization (RFC 9700, sections 2.1.1 and 4.14).
import { endAuthorization, useAuthorization } from './authorization.js';
import { refuseDeviceCode } from './device-authorization.js';
import { issue, issueForUser, narrowedByRoles } from './issue-tokens.js';
import type { IssuedTokens, Outcome, TokenIssuer } from './issue-tokens.js';
import { invalidClient } from './oauth-client.js';
import type { OauthClient } from './oauth-client.js';
import { OauthError } from './oauth-error.js';
import { hashOpaqueToken } from './opaque-token.js';
import { verifiesChallenge } from './pkce.js';
import { keepRefreshAnswer, repeatRefreshAnswer } from './refresh-answer.js';
import { requestedScopes } from './scope-request.js';
import { lockEnabledPrincipal } from '../lock-principal.js';
import { includesScope, scopeNames } from '../scopes.js';
import type { Transaction } from '../../database/open.js';
import { retryConflicts } from '../../database/retry-conflicts.js';

/** The type of grant, for the log. */
type GrantedBy = 'code' | 'refresh token' | 'device code';

/** @throws `invalid_grant` for a code that is unknown, expired, used, another client's, or fails PKCE. */
export async function redeemCode(
  issuer: TokenIssuer,
  client: OauthClient,
  request: { code: string; redirectUri: string | undefined; verifier: string | undefined },
): Promise<IssuedTokens> {
  const now = issuer.now();
  const hash = hashOpaqueToken(request.code);
  const outcome = await inTransaction(issuer, async (tx): Promise<Outcome | undefined> => {
    const [code] = await tx.oauthCode.updateManyAndReturn({
      where: { hash, clientId: client.id, usedAt: null },
      data: { usedAt: now },
    });
    if (code === undefined) return undefined;
    const endsAuthorization = code.authorizationId;
    if (code.expiresAt <= now) return { refused: 'expired', endsAuthorization };
    if (request.redirectUri !== code.redirectUri) return { refused: 'redirect URI', endsAuthorization };
    if (!verifiesChallenge(request.verifier ?? '', code.challenge)) return { refused: 'verifier', endsAuthorization };
    const authorization = await useAuthorization(tx, code.authorizationId, now);
    if (authorization === undefined) return { refused: 'ended', endsAuthorization: undefined };
    return issueForUser(tx, issuer, client, authorization, { nonce: code.nonce });
  });
  if (outcome !== undefined) return settle(issuer, client, outcome, 'code');
  const used = await issuer.db.oauthCode.findUnique({ where: { hash } });
  return refuseUsed(issuer, client, used, 'code');
}

/**
 * Exchanges a device code for tokens after its user has agreed (RFC 8628, section 3.4).
 *
 * @throws `authorization_pending`, `slow_down`, `access_denied`, `expired_token`; `invalid_grant` for a code that is
 * unknown, used, or another client's.
 */
export async function redeemDeviceCode(
  issuer: TokenIssuer,
  client: OauthClient,
  deviceCode: string,
): Promise<IssuedTokens> {
  const now = issuer.now();
  const hash = hashOpaqueToken(deviceCode);
  const outcome = await inTransaction(issuer, async (tx): Promise<Outcome | undefined> => {
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
  // The code expired before its tokens were fetched, so end the unused authorization.
  if (authorizationId !== null && code.expiresAt <= now) await endAuthorization(issuer.db, authorizationId, now);
  return refuseDeviceCode(issuer.db, code, now);
}

/**
 * Exchanges a refresh token for new tokens. A repeated request gets the same response for a short time.
 *
 * @throws `invalid_grant` for a refresh token that is unknown, expired, used, or another client's.
 * @throws `invalid_scope` for more than the authorization's scope, and for less than the response that would be repeated; the
 * authorization stays as it is.
 */
export async function refreshTokens(
  issuer: TokenIssuer,
  client: OauthClient,
  request: { refreshToken: string; scope: string | undefined },
): Promise<IssuedTokens> {
  const now = issuer.now();
  const hash = hashOpaqueToken(request.refreshToken);
  const narrowed = request.scope === undefined ? undefined : requestedScopes(request.scope, client.scope);
  const outcome = await inTransaction(issuer, async (tx): Promise<Outcome | undefined> => {
    const [token] = await tx.$queryRaw<{ authorizationId: string; expiresAt: Date }[]>`
      UPDATE "oauth_refresh_token" SET "used_at" = now()
      WHERE "hash" = ${hash} AND "client_id" = ${client.id} AND "used_at" IS NULL
      RETURNING "authorization_id"::text AS "authorizationId", "expires_at" AS "expiresAt"`;
    if (token === undefined) return undefined;
    if (token.expiresAt <= now) return { refused: 'expired', endsAuthorization: token.authorizationId };
    const authorization = await useAuthorization(tx, token.authorizationId, now);
    if (authorization === undefined) return { refused: 'ended', endsAuthorization: undefined };
    const granted = await issueForUser(tx, issuer, client, authorization, { narrowed });
    if ('issued' in granted) {
      await keepRefreshAnswer(tx, request.refreshToken, { ...granted.issued, authorizationId: authorization.id });
    }
    return granted;
  });
  if (outcome !== undefined) return settle(issuer, client, outcome, 'refresh token');
  const repeated = await repeatRefreshAnswer(issuer.db, client.id, request.refreshToken);
  if (repeated !== undefined) {
    requireNoMore(client, repeated, narrowed);
    return repeated;
  }
  const used = await issuer.db.oauthRefreshToken.findUnique({ where: { hash } });
  return refuseUsed(issuer, client, used, 'refresh token');
}

/** A response is not repeated for a request of fewer scopes: the client may pass the token on to something it trusts less. */
function requireNoMore(client: OauthClient, { answer }: IssuedTokens, narrowed: string[] | undefined): void {
  const asked = narrowed?.join(' ');
  if (asked === undefined || answer.scope.split(' ').every((name) => includesScope(asked, name))) return;
  throw new OauthError('invalid_scope', 'The refresh token was just used for more scopes. Use the new one.', {
    client: client.id,
  });
}

/**
 * @throws `invalid_client` for a client that was just revoked; `invalid_scope`; `unauthorized_client` when the client has
 * no owner or an inactive one.
 */
export async function grantToClient(
  issuer: TokenIssuer,
  client: OauthClient,
  scope: string | undefined,
): Promise<IssuedTokens> {
  const { principalId, accountId, workspaceId } = client;
  const subject = { client: client.id };
  const owner = principalId === null || accountId === null ? undefined : { principalId, accountId, workspaceId };
  // No user signs in here, so OpenID Connect scopes do not apply.
  const names = requestedScopes(scope, scopeNames(client.scope).join(' '));
  const isInactive = new OauthError('unauthorized_client', 'The owner of this client is not active.', subject);
  if (owner === undefined) throw isInactive;
  return inTransaction(issuer, async (tx) => {
    // First, as a change of the user or service account does.
    await lockEnabledPrincipal(tx, owner.principalId);
    // Revoking the client waits for this, and then revokes the token too.
    const active = await tx.$queryRaw<object[]>`
      SELECT "id" FROM "oauth_client" WHERE "id" = ${client.id} AND "principal_id" = ${owner.principalId}::text::uuid
        AND "revoked_at" IS NULL FOR SHARE`;
    if (active.length === 0) throw invalidClient(client.id, 'revoked client');
    const narrowest = await narrowedByRoles(tx, owner, names);
    if (narrowest === undefined) throw isInactive;
    if (narrowest === '') {
      throw new OauthError('invalid_scope', 'The roles of the owner allow none of these scopes.', subject);
    }
    return issue(tx, issuer, { ...owner, clientId: client.id, scope: narrowest });
  });
}

/**
 * A grant locks the client or the authorization, and then the user, to whom its token refers. A change of the user locks the
 * user first, so the two can deadlock.
 */
function inTransaction<Result>({ db }: TokenIssuer, grant: (tx: Transaction) => Promise<Result>): Promise<Result> {
  return retryConflicts(() => db.$transaction(grant));
}

async function settle(
  issuer: TokenIssuer,
  client: OauthClient,
  outcome: Outcome,
  grantedBy: GrantedBy,
): Promise<IssuedTokens> {
  if ('issued' in outcome) return outcome.issued;
  const { refused, endsAuthorization } = outcome;
  if (endsAuthorization !== undefined) await endAuthorization(issuer.db, endsAuthorization, issuer.now());
  throw invalidGrant(client, grantedBy, refused, endsAuthorization);
}

/** Reuse means that somebody else has the token too: everything issued from its first use ends. */
async function refuseUsed(
  issuer: TokenIssuer,
  client: OauthClient,
  known: { authorizationId: string; usedAt: Date | null } | null,
  grantedBy: GrantedBy,
): Promise<never> {
  if (known === null) throw invalidGrant(client, grantedBy, 'unknown', undefined);
  if (known.usedAt === null) throw invalidGrant(client, grantedBy, 'of another client', known.authorizationId);
  await endAuthorization(issuer.db, known.authorizationId, issuer.now());
  throw invalidGrant(client, grantedBy, 'used before', known.authorizationId);
}

/** All reasons have the same message, because a specific one would help an attacker. */
function invalidGrant(
  client: OauthClient,
  grantedBy: GrantedBy,
  reason: string,
  authorization: string | undefined,
): OauthError {
  return new OauthError(
    'invalid_grant',
    `The ${grantedBy} is invalid, expired or revoked, or belongs to another request.`,
    {
      client: client.id,
      reason: `${grantedBy}: ${reason}`,
      ...(authorization === undefined ? {} : { authorization }),
    },
  );
}
