// Token revocation (RFC 7009) and introspection (RFC 7662).
import type { AccessTokenVerifier } from '../access-token.js';
import type { TokenSettings } from '../access-token.js';
import type { Database } from '../../database/open.js';
import { ApiError } from '../../errors.js';
import { loadAccess } from '../caller-access.js';
import type { SignInWith } from '../caller-access.js';
import { endAuthorization } from './authorization.js';
import type { OauthClient } from './oauth-client.js';
import { OauthError } from './oauth-error.js';
import { hashOpaqueToken } from './opaque-token.js';

export interface TokenStateReader {
  db: Database;
  verifier: AccessTokenVerifier;
  tokens: TokenSettings;
  now: () => Date;
}

/** The revoked tokens, for the log; undefined for a token that was not valid, which is no error. */
export interface Revoked {
  type: 'refresh token' | 'access token';
  principalId: string;
  authorizationId: string | null;
}

/**
 * Revokes a token of the client, with its whole authorization.
 *
 * @throws `unauthorized_client` for a token of another client (RFC 7009, section 2.1).
 */
export async function revokeToken(
  reader: TokenStateReader,
  client: OauthClient,
  token: string,
): Promise<Revoked | undefined> {
  const found = (await findRefreshToken(reader, token)) ?? (await findAccessToken(reader, token));
  if (found === undefined) return undefined;
  const { principalId, authorizationId } = found;
  if (found.clientId !== client.id) {
    const subject = { client: client.id, principal: principalId };
    throw new OauthError('unauthorized_client', 'The token was issued to another client.', subject);
  }
  if (found.kind === 'refresh_token') {
    await endAuthorization(reader.db, found.authorizationId, reader.now());
    return { type: 'refresh token', principalId, authorizationId };
  }
  const { id } = found;
  // The refresh token could get a new access token, so end the authorization (RFC 7009, section 2.1).
  if (authorizationId !== null) await endAuthorization(reader.db, authorizationId, reader.now());
  await reader.db.accessToken.updateMany({ where: { id, revokedAt: null }, data: { revokedAt: reader.now() } });
  return { type: 'access token', principalId, authorizationId };
}

/** RFC 7662, section 2.2. */
export type Introspection =
  | { active: false }
  | {
      active: true;
      scope: string;
      client_id: string;
      username: string;
      sub: string;
      exp: number;
      iat: number;
      account: string;
      workspace?: string;
      token_type?: 'Bearer';
      aud?: string;
      iss?: string;
      jti?: string;
    };

/** Whether a token is confined to the client's account, or to the one workspace that the client is confined to. */
function isPlaceOf(client: OauthClient, token: FoundToken): boolean {
  if (client.accountId === null || client.accountId !== token.accountId) return false;
  return client.workspaceId === null || client.workspaceId === token.workspaceId;
}

/**
 * Returns the state of a token. A client can introspect its own tokens and those of its account or workspace; all
 * others appear inactive.
 *
 * @throws `invalid_client` for a public client, because anybody could impersonate it.
 * @throws `unauthorized_client` for a client with an inactive owner.
 */
export async function introspectToken(
  reader: TokenStateReader,
  client: OauthClient,
  token: string,
): Promise<Introspection> {
  if (client.secretHash === null) {
    throw new OauthError('invalid_client', 'Introspection needs a client with a secret.', { client: client.id });
  }
  const { principalId, accountId, workspaceId } = client;
  const owner = principalId === null || accountId === null ? undefined : { principalId, accountId, workspaceId };
  if (owner !== undefined && (await loadAccess(reader.db, owner)) === undefined) {
    const description = 'The owner of this client is not active.';
    throw new OauthError('unauthorized_client', description, { client: client.id });
  }
  const found = (await findRefreshToken(reader, token)) ?? (await findAccessToken(reader, token));
  if (found === undefined || !found.isLive) return { active: false };
  if (found.clientId !== client.id && !isPlaceOf(client, found)) return { active: false };
  const access = await loadAccess(reader.db, found, found.signIn);
  if (access === undefined) return { active: false };
  return {
    active: true,
    scope: found.scope,
    client_id: found.clientId,
    username: access.principal.name,
    sub: found.principalId,
    exp: Math.floor(found.expiresAt.getTime() / 1000),
    iat: Math.floor(found.issuedAt.getTime() / 1000),
    account: found.accountId,
    ...(found.workspaceId === null ? {} : { workspace: found.workspaceId }),
    ...(found.kind === 'refresh_token'
      ? {}
      : { token_type: 'Bearer', aud: reader.tokens.audience, iss: reader.tokens.issuer, jti: found.id }),
  };
}

interface FoundToken {
  clientId: string;
  principalId: string;
  accountId: string;
  workspaceId: string | null;
  scope: string;
  issuedAt: Date;
  expiresAt: Date;
  isLive: boolean;
  /** The sign-in that it follows from; undefined if its client acts for itself. */
  signIn: SignInWith | undefined;
}

type FoundRefreshToken = FoundToken & { kind: 'refresh_token'; authorizationId: string };
type FoundAccessToken = FoundToken & { kind: 'access_token'; id: string; authorizationId: string | null };

async function findRefreshToken({ db, now }: TokenStateReader, token: string): Promise<FoundRefreshToken | undefined> {
  const row = await db.oauthRefreshToken.findUnique({
    where: { hash: hashOpaqueToken(token) },
    include: { authorization: { include: { client: true } } },
  });
  if (row === null) return undefined;
  const { authorization, authorizationId, clientId, issuedAt, expiresAt } = row;
  const { principalId, accountId, workspaceId, scope, client } = authorization;
  const isLive =
    row.usedAt === null && expiresAt > now() && authorization.endedAt === null && client.revokedAt === null;
  const about = {
    clientId,
    principalId,
    accountId,
    workspaceId,
    scope,
    issuedAt,
    expiresAt,
    isLive,
    signIn: authorization,
  };
  return { kind: 'refresh_token', authorizationId, ...about };
}

/** Only accepts tokens with a valid signature of this service, even if their id is known. */
export async function findAccessToken(
  { db, verifier, now }: Pick<TokenStateReader, 'db' | 'verifier' | 'now'>,
  token: string,
): Promise<FoundAccessToken | undefined> {
  const claims = await verifier.verify(token).catch((error: unknown) => {
    if (error instanceof ApiError && error.error === 'unauthorized') return undefined;
    throw error;
  });
  if (claims === undefined) return undefined;
  const row = await db.accessToken.findUnique({ where: { id: claims.jti }, include: { authorization: true } });
  if (row === null) return undefined;
  const isLive = row.revokedAt === null && row.expiresAt > now();
  const { authorization, ...stored } = row;
  return { kind: 'access_token', ...stored, clientId: row.clientId ?? '', isLive, signIn: authorization ?? undefined };
}
