// OAuth clients as an operator sees them. These functions authorise nobody.
import type { OauthClient } from '../database/client/client.js';
import type { Database, Transaction } from '../database/open.js';
import { ApiError, invalidParameter, notFound } from '../errors.js';
import type { StoredCredential } from '../access/reach.js';
import { fieldsChanged } from '../changes/fields-changed.js';
import type { OauthGrantType } from '../access/grants/oauth-client.js';
import { createOpaqueToken } from '../access/grants/opaque-token.js';
import { redirectUriProblem } from '../access/grants/redirect-uri.js';
import { recordAsOperator } from './record-as-operator.js';
import type { OperatorChange } from './record-as-operator.js';

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
export async function createClient(
  db: Database,
  input: ClientInput,
  now: Date,
): Promise<{ secret: string | undefined }> {
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
  await db.$transaction(async (tx) => {
    const { count } = await tx.oauthClient.createMany({ data, skipDuplicates: true });
    if (count === 0) throw new ApiError('conflict', `The name "${id}" is taken: there is a client of that name.`);
    await recordClient(tx, now, 'created', 'Registered', { after: await requireClient(tx, id) });
  });
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
  if (!hasCode && !grantTypes.includes('device_code') && grantTypes.includes('refresh_token')) {
    throw invalidParameter('grants', 'refresh_token needs authorization_code or device_code');
  }
}

export interface ListedClient extends Omit<OauthClient, 'secretHash' | 'previousSecretHash'> {
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
  return rows.map(({ secretHash, previousSecretHash: _previous, ...client }) => ({
    ...client,
    isPublic: secretHash === null,
  }));
}

/**
 * Gives a client a new secret; the old one stops working at once, or works beside it for a while.
 *
 * @throws 404 `not_found`, 409 `conflict` for a client that is public or revoked.
 */
export async function rotateClientSecret(
  db: Database,
  id: string,
  overlapMs: number,
  now: Date,
): Promise<{ secret: string }> {
  const before = await requireClient(db, id);
  const { secretHash, revokedAt } = before;
  if (secretHash === null) throw new ApiError('conflict', `The client ${id} is public: it has no secret.`);
  if (revokedAt !== null) throw new ApiError('conflict', `The client ${id} is revoked.`);
  const { token, hash } = createOpaqueToken('wcs_');
  await db.$transaction(async (tx) => {
    const after = await tx.oauthClient.update({
      where: { id },
      data: {
        secretHash: hash,
        previousSecretHash: secretHash,
        previousSecretEndsAt: new Date(now.getTime() + overlapMs),
      },
    });
    await recordClient(tx, now, 'updated', 'Secret rotated', { before, after });
  });
  return { secret: token };
}

/** Revokes a client with all that it was given; one that was revoked before keeps its time. @throws 404 `not_found` */
export async function revokeClient(db: Database, id: string, now: Date): Promise<{ revokedAt: Date }> {
  const client = await requireClient(db, id);
  await db.$transaction(async (tx) => {
    const { count } = await tx.oauthClient.updateMany({ where: { id, revokedAt: null }, data: { revokedAt: now } });
    await tx.oauthAuthorization.updateMany({ where: { clientId: id, endedAt: null }, data: { endedAt: now } });
    await tx.accessToken.updateMany({ where: { clientId: id, revokedAt: null }, data: { revokedAt: now } });
    await tx.oauthConsent.deleteMany({ where: { clientId: id } });
    if (count === 0) return;
    await recordClient(tx, now, 'revoked', 'Revoked', { before: client, after: { ...client, revokedAt: now } });
  });
  return { revokedAt: client.revokedAt ?? now };
}

/** Removes a client with all that it was given. Its name is free again, and means nothing old. @throws 404 `not_found` */
export async function deleteClient(db: Database, id: string, now: Date): Promise<void> {
  const before = await requireClient(db, id);
  await db.$transaction(async (tx) => {
    await tx.accessToken.updateMany({ where: { clientId: id, revokedAt: null }, data: { revokedAt: now } });
    await tx.oauthClient.delete({ where: { id } });
    await recordClient(tx, now, 'deleted', 'Deleted', { before });
  });
}

export interface ClientChanges {
  displayName?: string | undefined;
  redirectUris?: string[] | undefined;
  scope?: string | undefined;
}

/**
 * Changes a client. What is left out stays. Whoever agreed to more than it may ask for from now on is asked again.
 *
 * @throws 400 `invalid_parameter` when its parts do not fit together, 404 `not_found`.
 */
export async function updateClient(db: Database, id: string, changes: ClientChanges, now: Date): Promise<void> {
  const client = await requireClient(db, id);
  const { principalId, accountId, workspaceId } = client;
  const owner = principalId === null || accountId === null ? undefined : { principalId, accountId, workspaceId };
  const { displayName = client.displayName, redirectUris = client.redirectUris, scope = client.scope } = changes;
  checkClient({ ...client, displayName, redirectUris, scope, owner, isPublic: client.secretHash === null });
  await db.$transaction(async (tx) => {
    const after = await tx.oauthClient.update({ where: { id }, data: { displayName, redirectUris, scope } });
    if (fieldsChanged(shownClient(client), shownClient(after)).length === 0) return;
    await recordClient(tx, now, 'updated', 'Updated', { before: client, after });
  });
}

/** Tells the account of a client that acts for one. One that acts for its users alone is of no account. */
async function recordClient(
  tx: Transaction,
  now: Date,
  verb: OperatorChange['verb'],
  message: string,
  { before, after }: { before?: OauthClient; after?: OauthClient },
): Promise<void> {
  const client = after ?? before;
  if (client === undefined || client.accountId === null) return;
  const change = {
    kind: 'OAUTH_CLIENT',
    verb,
    name: client.id,
    workspaceId: client.workspaceId,
    before: before && shownClient(before),
    after: after && shownClient(after),
    message,
  } as const;
  await recordAsOperator(tx, client.accountId, now, [change]);
}

/** A client without what proves who it is. */
function shownClient(client: OauthClient): object {
  const { displayName, grantTypes, redirectUris, scope, previousSecretEndsAt, revokedAt } = client;
  return {
    displayName,
    grants: grantTypes,
    redirectUris,
    scopes: scope.split(' '),
    previousSecretEndsAt: previousSecretEndsAt?.toISOString(),
    revokedAt: revokedAt?.toISOString(),
  };
}

async function requireClient(db: Transaction, id: string): Promise<OauthClient> {
  const client = await db.oauthClient.findUnique({ where: { id } });
  if (client === null) throw notFound('client', id);
  return client;
}
