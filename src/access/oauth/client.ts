import type { OauthClient } from '../../database/client/client.js';
import type { Database } from '../../database/open.js';
import { scopes } from '../scopes.js';
import { isTokenOf } from './opaque-token.js';
import { OauthError } from './oauth-error.js';

export type { OauthClient } from '../../database/client/client.js';

export type OauthGrantType = OauthClient['grantTypes'][number];

/** The client of the GraphiQL page, which every gateway has. */
export const graphiqlClientId = 'graphiql';

/** How a client says who it is, at the endpoints that it calls itself. RFC 6749, section 2.3. */
export interface ClientCredentials {
  clientId: string;
  /** Undefined for a public client. */
  secret: string | undefined;
}

/** A client that may be used now. That of GraphiQL is made when it is first asked for. */
export async function findClient(db: Database, id: string, publicUrl: string): Promise<OauthClient | undefined> {
  if (!/^[a-z0-9-]{1,49}$/.test(id)) return undefined;
  const row = await db.oauthClient.findUnique({ where: { id } });
  if (row === null && id === graphiqlClientId) return graphiqlClient(db, publicUrl);
  if (row === null || row.revokedAt !== null) return undefined;
  return id === graphiqlClientId ? { ...row, redirectUris: [graphiqlAddress(publicUrl)] } : row;
}

/**
 * The client that calls.
 *
 * @throws `invalid_client`, alike for one that is unknown, revoked, or has another secret.
 */
export async function authenticateClient(
  db: Database,
  credentials: ClientCredentials,
  publicUrl: string,
): Promise<OauthClient> {
  const client = await findClient(db, credentials.clientId, publicUrl);
  const { secret } = credentials;
  const isAuthentic =
    client !== undefined &&
    (client.secretHash === null ? secret === undefined : secret !== undefined && isTokenOf(secret, client.secretHash));
  if (isAuthentic) return client;
  throw new OauthError('invalid_client', 'The client is unknown, or its secret is not right.', {
    client: credentials.clientId,
    reason: client === undefined ? 'unknown client' : secret === undefined ? 'no secret' : 'wrong secret',
  });
}

/** @throws `unauthorized_client` when a client is not registered for a grant. RFC 6749, section 5.2. */
export function requireGrantType(client: OauthClient, grantType: OauthGrantType): void {
  if (client.grantTypes.includes(grantType)) return;
  throw new OauthError('unauthorized_client', `This client is not registered for the grant ${grantType}.`, {
    client: client.id,
  });
}

function graphiqlAddress(publicUrl: string): string {
  return `${publicUrl}/graphql`;
}

async function graphiqlClient(db: Database, publicUrl: string): Promise<OauthClient> {
  const redirectUris = [graphiqlAddress(publicUrl)];
  const row = await db.oauthClient.upsert({
    where: { id: graphiqlClientId },
    update: {},
    create: {
      id: graphiqlClientId,
      displayName: 'GraphiQL',
      redirectUris,
      grantTypes: ['authorization_code', 'refresh_token'],
      scope: scopes.join(' '),
    },
  });
  return { ...row, redirectUris };
}
