// OAuth clients as an operator sees them. These functions authorise nobody.
import type { OauthClient } from '../../database/client/client.js';
import type { Database } from '../../database/open.js';
import { ApiError, invalidParameter, notFound } from '../../errors.js';
import type { StoredCredential } from '../reach.js';
import type { OauthGrantType } from './client.js';
import { createOpaqueToken } from './opaque-token.js';
import { redirectUriProblem } from './redirect-uri.js';

export interface ClientInput {
  id: string;
  displayName: string;
  /** One that cannot keep a secret: it runs in a browser, or on its user's machine. */
  isPublic: boolean;
  grantTypes: OauthGrantType[];
  redirectUris: string[];
  scope: string;
  /** As whom it acts with client credentials. */
  owner: StoredCredential | undefined;
}

/**
 * Registers a client.
 *
 * @returns its secret, to be shown once; undefined for a public client.
 * @throws 400 `invalid_parameter` when its parts do not fit together, 409 `conflict` when the name is taken.
 */
export async function createClient(db: Database, input: ClientInput): Promise<{ secret: string | undefined }> {
  checkClient(input);
  const { id, displayName, grantTypes, redirectUris, scope, owner } = input;
  const secret = input.isPublic ? undefined : createOpaqueToken('wcs_');
  const data = {
    id,
    displayName,
    grantTypes,
    redirectUris,
    scope,
    secretHash: secret?.hash ?? null,
    principalId: owner?.principalId ?? null,
    accountId: owner?.accountId ?? null,
    workspaceId: owner?.workspaceId ?? null,
  };
  const { count } = await db.oauthClient.createMany({ data, skipDuplicates: true });
  if (count === 0) throw new ApiError('conflict', `The name "${id}" is taken: there is a client of that name.`);
  return { secret: secret?.token };
}

function checkClient({ isPublic, grantTypes, redirectUris, owner }: ClientInput): void {
  const hasCode = grantTypes.includes('authorization_code');
  const hasOwnCredentials = grantTypes.includes('client_credentials');
  if (hasCode !== redirectUris.length > 0) {
    throw invalidParameter('redirectUris', 'belong to the grant authorization_code, which needs at least one');
  }
  for (const uri of redirectUris) {
    const problem = redirectUriProblem(uri);
    if (problem !== undefined) throw invalidParameter('redirectUris', `${uri}: ${problem}`);
  }
  if (hasOwnCredentials && isPublic)
    throw invalidParameter('grants', 'client_credentials needs a client with a secret');
  if (hasOwnCredentials !== (owner !== undefined)) {
    throw invalidParameter('owner', 'belongs to the grant client_credentials, which needs one');
  }
  if (!hasCode && grantTypes.includes('refresh_token')) {
    throw invalidParameter('grants', 'refresh_token needs authorization_code');
  }
}

export interface ListedClient extends Omit<OauthClient, 'secretHash'> {
  isPublic: boolean;
  principal: { name: string } | null;
  account: { name: string } | null;
  workspace: { name: string } | null;
}

/** All clients, by name. */
export async function listClients(db: Database): Promise<ListedClient[]> {
  const name = { select: { name: true } };
  const rows = await db.oauthClient.findMany({
    include: { principal: name, account: name, workspace: name },
    orderBy: { id: 'asc' },
  });
  return rows.map(({ secretHash, ...client }) => ({ ...client, isPublic: secretHash === null }));
}

/**
 * Gives a client a new secret; the old one stops working at once.
 *
 * @throws 404 `not_found`, 409 `conflict` for a client that is public or revoked.
 */
export async function rotateClientSecret(db: Database, id: string): Promise<{ secret: string }> {
  const { secretHash, revokedAt } = await requireClient(db, id);
  if (secretHash === null) throw new ApiError('conflict', `The client ${id} is public: it has no secret.`);
  if (revokedAt !== null) throw new ApiError('conflict', `The client ${id} is revoked.`);
  const { token, hash } = createOpaqueToken('wcs_');
  await db.oauthClient.update({ where: { id }, data: { secretHash: hash } });
  return { secret: token };
}

/** Revokes a client with all that it was given; one that was revoked before keeps its time. @throws 404 `not_found` */
export async function revokeClient(db: Database, id: string, now: Date): Promise<{ revokedAt: Date }> {
  const client = await requireClient(db, id);
  await db.$transaction([
    db.oauthClient.updateMany({ where: { id, revokedAt: null }, data: { revokedAt: now } }),
    db.oauthAuthorization.updateMany({ where: { clientId: id, endedAt: null }, data: { endedAt: now } }),
    db.accessToken.updateMany({ where: { clientId: id, revokedAt: null }, data: { revokedAt: now } }),
    db.oauthConsent.deleteMany({ where: { clientId: id } }),
  ]);
  return { revokedAt: client.revokedAt ?? now };
}

async function requireClient(db: Database, id: string): Promise<OauthClient> {
  const client = await db.oauthClient.findUnique({ where: { id } });
  if (client === null) throw notFound('client', id);
  return client;
}
