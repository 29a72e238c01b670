// Issues tokens for all grants: an access token, an ID token if the scope has `openid`, and a refresh token if the
// client is registered for it.
import type { Database, Transaction } from '../../database/open.js';
import type { Encryption } from '../../encryption.js';
import { accessTokenLifeMinutes, issueAccessToken } from '../access-token.js';
import type { TokenSettings } from '../access-token.js';
import { loadAccess } from '../caller-access.js';
import type { SignInWith, StoredCredential } from '../caller-access.js';
import { grantableNames, includesScope } from '../scopes.js';
import type { LiveAuthorization } from './authorization.js';
import { signIdToken } from './id-token.js';
import type { OauthClient } from './oauth-client.js';
import { OauthError } from './oauth-error.js';
import { createOpaqueToken } from './opaque-token.js';
import { allowedScopes } from './scope-request.js';

const refreshTokenDaysMax = 30;

/** The services needed to issue tokens. */
export interface TokenIssuer {
  db: Database;
  encryption: Encryption;
  tokens: TokenSettings;
  now: () => Date;
}

/** The successful response of RFC 6749, section 5.1. */
export interface TokenAnswer {
  access_token: string;
  token_type: 'Bearer';
  expires_in: number;
  scope: string;
  refresh_token?: string;
  /** OpenID Connect Core, section 3.1.3.3. */
  id_token?: string | undefined;
}

export interface IssuedTokens {
  answer: TokenAnswer;
  principalId: string;
  authorizationId: string | undefined;
  /** The `jti` of the access token. */
  tokenId: string;
}

/** The issued tokens, or why a used grant gave none. */
export type Outcome = { issued: IssuedTokens } | { refused: string; endsAuthorization: string | undefined };

/** Issues tokens for a user, in the transaction that uses the grant. */
export async function issueForUser(
  tx: Transaction,
  issuer: TokenIssuer,
  client: OauthClient,
  authorization: LiveAuthorization,
  { narrowed, nonce }: { narrowed?: string[] | undefined; nonce?: string | null },
): Promise<Outcome> {
  const { id: authorizationId, principalId, accountId, workspaceId } = authorization;
  const subject = { client: client.id, principal: principalId, authorization: authorizationId };
  const beyond = narrowed?.find((name) => !includesScope(authorization.scope, name));
  // Thrown, so that the transaction is rolled back.
  if (beyond !== undefined) {
    throw new OauthError('invalid_scope', `The user did not grant the scope ${beyond}.`, subject);
  }
  // The client's registered scope may be smaller by now.
  const requested = narrowed ?? grantableNames(authorization.scope);
  const names = requested.filter((name) => includesScope(client.scope, name));
  const scope = await narrowedByRoles(tx, { principalId, accountId, workspaceId }, names, authorization);
  if (scope === '' && narrowed !== undefined)
    throw new OauthError('invalid_scope', 'The roles of the user allow none of these scopes.', subject);
  if (!scope) return { refused: 'owner', endsAuthorization: authorizationId };
  const credential = { principalId, accountId, workspaceId, clientId: client.id, authorizationId, scope };
  const issued = await identified(tx, issuer, await issue(tx, issuer, credential), { client, authorization, nonce });
  if (!client.grantTypes.includes('refresh_token')) return { issued };
  const now = issuer.now();
  const { token, hash } = createOpaqueToken('wcr_');
  const expiresAt = new Date(now.getTime() + refreshTokenDaysMax * 24 * 60 * 60_000);
  await tx.oauthRefreshToken.create({
    data: { hash, authorizationId, clientId: client.id, issuedAt: now, expiresAt },
  });
  return { issued: { ...issued, answer: { ...issued.answer, refresh_token: token } } };
}

/** Adds an ID token if the scope has `openid`. */
async function identified(
  tx: Transaction,
  { encryption, tokens, now }: TokenIssuer,
  issued: IssuedTokens,
  about: { client: OauthClient; authorization: LiveAuthorization; nonce: string | null | undefined },
): Promise<IssuedTokens> {
  const { answer } = issued;
  if (!includesScope(answer.scope, 'openid')) return issued;
  const idToken = await signIdToken(tx, encryption, tokens, {
    principalId: issued.principalId,
    clientId: about.client.id,
    signedInAt: about.authorization.signedInAt,
    nonce: about.nonce ?? undefined,
    accessToken: answer.access_token,
    now: now(),
  });
  return { ...issued, answer: { ...answer, id_token: idToken } };
}

/**
 * Returns the scopes that the owner's roles still allow; undefined when the owner is inactive or the account or
 * workspace was deleted.
 *
 * @param signIn the sign-in that the tokens follow from; none for a program that acts for itself.
 */
export async function narrowedByRoles(
  db: Transaction,
  owner: StoredCredential,
  names: string[],
  signIn?: SignInWith,
): Promise<string | undefined> {
  const access = await loadAccess(db, owner, signIn);
  if (access === undefined || (owner.workspaceId !== null && access.workspaces.size === 0)) return undefined;
  return allowedScopes(names, access).join(' ');
}

export async function issue(
  db: Transaction,
  { encryption, tokens, now }: TokenIssuer,
  grant: StoredCredential & { clientId: string; authorizationId?: string; scope: string },
): Promise<IssuedTokens> {
  const { token, id } = await issueAccessToken(db, encryption, tokens, { ...grant, now: now() });
  const expiresIn = accessTokenLifeMinutes * 60;
  return {
    answer: { access_token: token, token_type: 'Bearer', expires_in: expiresIn, scope: grant.scope },
    principalId: grant.principalId,
    authorizationId: grant.authorizationId,
    tokenId: id,
  };
}
