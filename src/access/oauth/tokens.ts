// What the token endpoint gives for a code, a refresh token, or a client's own credentials: RFC 6749, sections
// 4.1.3, 4.4 and 6. A code and a refresh token are used up by one UPDATE, so of many at once one wins; the
// others are a second use, which ends the authorization (RFC 9700, sections 2.1.1 and 4.14).
import type { Transaction } from '../../database/open.js';
import type { Database } from '../../database/open.js';
import type { Seal } from '../../seal.js';
import { accessTokenLifeMinutes, issueAccessToken } from '../access-token.js';
import type { TokenSettings } from '../access-token.js';
import { loadReach } from '../reach.js';
import type { StoredCredential } from '../reach.js';
import { endAuthorization, useAuthorization } from './authorization.js';
import type { LiveAuthorization } from './authorization.js';
import type { OauthClient } from './client.js';
import { OauthError } from './oauth-error.js';
import { createOpaqueToken, hashOpaqueToken } from './opaque-token.js';
import { verifiesChallenge } from './pkce.js';
import { allowedScopes, includesScope, requestedScopes, scopeNames } from './scope-request.js';

const refreshTokenDaysMax = 30;

/** What issuing needs of the process. */
export interface TokenIssuer {
  db: Database;
  seal: Seal;
  tokens: TokenSettings;
  now: () => Date;
}

/** The successful answer of RFC 6749, section 5.1. */
export interface TokenAnswer {
  access_token: string;
  token_type: 'Bearer';
  expires_in: number;
  scope: string;
  refresh_token?: string;
}

export interface IssuedTokens {
  answer: TokenAnswer;
  principalId: string;
  authorizationId: string | undefined;
  /** The `jti` of the access token. */
  tokenId: string;
}

/** Why a grant came to nothing, when it was used up all the same. */
type Outcome = { issued: IssuedTokens } | { refused: string; endsAuthorization: string | undefined };

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
    return issueForUser(tx, issuer, client, authorization, undefined);
  });
  if (outcome !== undefined) return settle(issuer, client, outcome, 'code');
  const used = await issuer.db.oauthCode.findUnique({ where: { hash } });
  return refuseUsed(issuer, client, used, 'code');
}

/**
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
    return issueForUser(tx, issuer, client, authorization, narrowed);
  });
  if (outcome !== undefined) return settle(issuer, client, outcome, 'refresh token');
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
  const names = requestedScopes(scope, client.scope);
  const narrowest = owner && (await narrowedByRoles(issuer.db, owner, names));
  if (owner === undefined || narrowest === undefined) {
    throw new OauthError('unauthorized_client', 'The owner of this client is not, or no longer, active.', subject);
  }
  if (narrowest === '') {
    throw new OauthError('invalid_scope', 'The roles of the owner allow none of these scopes.', subject);
  }
  return issue(issuer.db, issuer, { ...owner, clientId: client.id, scope: narrowest });
}

/** Tokens for a user, in the transaction that used up what they are given for. */
async function issueForUser(
  tx: Transaction,
  issuer: TokenIssuer,
  client: OauthClient,
  authorization: LiveAuthorization,
  narrowed: string[] | undefined,
): Promise<Outcome> {
  const { id: authorizationId, principalId, accountId, workspaceId } = authorization;
  const beyond = narrowed?.find((name) => !includesScope(authorization.scope, name));
  // It is thrown, so that the transaction is undone.
  if (beyond !== undefined) {
    const subject = { client: client.id, principal: principalId, authorization: authorizationId };
    throw new OauthError('invalid_scope', `The user did not agree to the scope ${beyond}.`, subject);
  }
  const names = narrowed ?? scopeNames(authorization.scope);
  const scope = await narrowedByRoles(tx, { principalId, accountId, workspaceId }, names);
  if (!scope) return { refused: 'owner', endsAuthorization: authorizationId };
  const credential = { principalId, accountId, workspaceId, clientId: client.id, authorizationId, scope };
  const issued = await issue(tx, issuer, credential);
  if (!client.grantTypes.includes('refresh_token')) return { issued };
  const now = issuer.now();
  const { token, hash } = createOpaqueToken('wcr_');
  const expiresAt = new Date(now.getTime() + refreshTokenDaysMax * 24 * 60 * 60_000);
  await tx.oauthRefreshToken.create({
    data: { hash, authorizationId, clientId: client.id, issuedAt: now, expiresAt },
  });
  return { issued: { ...issued, answer: { ...issued.answer, refresh_token: token } } };
}

/** Of some scopes what an owner's roles allow now; undefined when the owner is not active or the place is gone. */
async function narrowedByRoles(db: Transaction, owner: StoredCredential, names: string[]): Promise<string | undefined> {
  const reach = await loadReach(db, owner);
  if (reach === undefined || (owner.workspaceId !== null && reach.workspaces.size === 0)) return undefined;
  return allowedScopes(names, reach).join(' ');
}

async function issue(
  db: Transaction,
  { seal, tokens, now }: TokenIssuer,
  grant: StoredCredential & { clientId: string; authorizationId?: string; scope: string },
): Promise<IssuedTokens> {
  const { token, id } = await issueAccessToken(db, seal, tokens, { ...grant, now: now() });
  const expiresIn = accessTokenLifeMinutes * 60;
  return {
    answer: { access_token: token, token_type: 'Bearer', expires_in: expiresIn, scope: grant.scope },
    principalId: grant.principalId,
    authorizationId: grant.authorizationId,
    tokenId: id,
  };
}

async function settle(
  issuer: TokenIssuer,
  client: OauthClient,
  outcome: Outcome,
  what: 'code' | 'refresh token',
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
  what: 'code' | 'refresh token',
): Promise<never> {
  if (known === null) throw invalidGrant(client, what, 'unknown', undefined);
  if (known.usedAt === null) throw invalidGrant(client, what, 'of another client', known.authorizationId);
  await endAuthorization(issuer.db, known.authorizationId, issuer.now());
  throw invalidGrant(client, what, 'used before', known.authorizationId);
}

/** The same words for every reason: they would tell a thief how far they got. */
function invalidGrant(
  client: OauthClient,
  what: 'code' | 'refresh token',
  reason: string,
  authorization: string | undefined,
): OauthError {
  return new OauthError('invalid_grant', `The ${what} is not valid, or no longer, or not for this request.`, {
    client: client.id,
    reason: `${what}: ${reason}`,
    ...(authorization === undefined ? {} : { authorization }),
  });
}
