// OAuth clients as rows. These functions do not authorize; their callers do.
import type { Prisma } from '../database/client/client.js';
import type { Transaction } from '../database/open.js';
import { ApiError, invalidParameter } from '../errors.js';
import { isOwnClient } from './grants/oauth-client.js';
import type { OauthGrantType } from './grants/oauth-client.js';
import { createOpaqueToken } from './grants/opaque-token.js';
import { redirectUriProblem } from './grants/redirect-uri.js';
import type { StoredCredential } from './caller-access.js';

const name = { select: { name: true } } as const;

/** Reads a client with the names of its account, workspace and owner. */
const storedClientQuery = {
  include: { principal: { select: { name: true, kind: true } }, account: name, workspace: name },
} as const;

type ClientRow = Prisma.OauthClientGetPayload<typeof storedClientQuery>;

/** A client without the hashes of its secrets. */
export interface StoredClient extends Omit<ClientRow, 'secretHash' | 'previousSecretHash'> {
  /** Whether it has no secret. */
  isPublic: boolean;
}

function storedClient({ secretHash, previousSecretHash: _previous, ...client }: ClientRow): StoredClient {
  return { ...client, isPublic: secretHash === null };
}

/** The clients that meet a condition, in no order. */
export async function readClients(db: Transaction, where: Prisma.OauthClientWhereInput): Promise<StoredClient[]> {
  return (await db.oauthClient.findMany({ where, ...storedClientQuery })).map(storedClient);
}

export interface ClientInput {
  id: string;
  displayName: string;
  /** Whether it cannot keep a secret, because it runs in a browser or on the user's machine. */
  isPublic: boolean;
  grantTypes: OauthGrantType[];
  redirectUris: string[];
  scope: string;
  /** The principal that it acts as with client credentials. */
  owner: StoredCredential | undefined;
}

/**
 * Registers a client.
 *
 * @returns its secret, to be returned once; undefined for a public client.
 * @throws 400 `invalid_parameter` for an inconsistent input; 409 `name_taken`, also for the id of a built-in client.
 */
export async function insertClient(
  tx: Transaction,
  input: ClientInput,
  now: Date,
): Promise<{ secret: string | undefined; client: StoredClient }> {
  checkClient(input);
  const { id, displayName, grantTypes, redirectUris, scope, owner } = input;
  if (isOwnClient(id)) throw nameTaken(id, 'a program of this service has it');
  const secret = input.isPublic ? undefined : createOpaqueToken('wcs_');
  const { count } = await tx.oauthClient.createMany({
    data: {
      id,
      displayName,
      grantTypes,
      redirectUris,
      scope,
      secretHash: secret?.hash ?? null,
      principalId: owner?.principalId ?? null,
      accountId: owner?.accountId ?? null,
      workspaceId: owner?.workspaceId ?? null,
      createdAt: now,
    },
    skipDuplicates: true,
  });
  if (count === 0) throw nameTaken(id, 'there is a client of that name');
  return { secret: secret?.token, client: await requireClient(tx, id) };
}

function nameTaken(id: string, why: string): ApiError {
  return new ApiError('name_taken', `The name "${id}" is taken: ${why}.`, { field: 'name' });
}

function checkClient({
  isPublic,
  grantTypes,
  redirectUris,
  owner,
}: Omit<ClientInput, 'id' | 'displayName' | 'scope'>): void {
  const hasCode = grantTypes.includes('authorization_code');
  const hasOwnCredentials = grantTypes.includes('client_credentials');
  if (hasCode !== redirectUris.length > 0) {
    throw invalidParameter(
      'redirectUris',
      'must contain at least one URI for the grant authorization_code, and none for other grants',
    );
  }
  for (const uri of redirectUris) {
    const problem = redirectUriProblem(uri);
    if (problem !== undefined) throw invalidParameter('redirectUris', `${uri}: ${problem}`);
  }
  if (hasOwnCredentials && isPublic)
    throw invalidParameter('grants', 'cannot contain client_credentials for a public client, which has no secret');
  if (hasOwnCredentials !== (owner !== undefined)) {
    throw invalidParameter('owner', 'is required for the grant client_credentials, and not allowed for other grants');
  }
  if (!hasCode && !grantTypes.includes('device_code') && grantTypes.includes('refresh_token')) {
    throw invalidParameter('grants', 'can contain refresh_token only together with authorization_code or device_code');
  }
}

/** Locks a client until the transaction ends; undefined when none meets the condition. */
export async function lockClient(tx: Transaction, id: string, within: object = {}): Promise<StoredClient | undefined> {
  await tx.$queryRaw`SELECT "id" FROM "oauth_client" WHERE "id" = ${id} FOR NO KEY UPDATE`;
  const [client] = await readClients(tx, { AND: [{ id }, within] });
  return client;
}

export interface ClientChanges {
  displayName?: string | undefined;
  redirectUris?: readonly string[] | undefined;
  scope?: string | undefined;
}

/**
 * Updates a locked client. Absent fields are unchanged. Users who agreed to more than the new scope are asked again.
 *
 * @throws 400 `invalid_parameter` for an inconsistent input.
 */
export async function changeClient(
  tx: Transaction,
  client: StoredClient,
  changes: ClientChanges,
): Promise<StoredClient> {
  const { displayName = client.displayName, redirectUris = client.redirectUris, scope = client.scope } = changes;
  const { principalId, accountId, workspaceId } = client;
  const owner = principalId === null || accountId === null ? undefined : { principalId, accountId, workspaceId };
  checkClient({ ...client, redirectUris: [...redirectUris], owner });
  return writeClient(tx, client.id, { displayName, redirectUris: [...redirectUris], scope });
}

/**
 * Replaces the secret of a locked client. The old secret stops working at once or after an overlap.
 *
 * @throws 409 `conflict` for a public or revoked client.
 */
export async function replaceClientSecret(
  tx: Transaction,
  client: StoredClient,
  overlapMs: number,
  now: Date,
): Promise<{ secret: string; client: StoredClient }> {
  const { id } = client;
  const { secretHash } = await tx.oauthClient.findUniqueOrThrow({ where: { id }, select: { secretHash: true } });
  if (secretHash === null) throw new ApiError('conflict', `The client ${id} is public: it has no secret.`);
  requireActive(client);
  const { token, hash } = createOpaqueToken('wcs_');
  const previousSecretEndsAt = new Date(now.getTime() + overlapMs);
  const data = { secretHash: hash, previousSecretHash: secretHash, previousSecretEndsAt };
  return { secret: token, client: await writeClient(tx, id, data) };
}

/** @throws 409 `conflict` for a revoked client. */
export function requireActive({ id, revokedAt }: StoredClient): void {
  if (revokedAt !== null) throw new ApiError('conflict', `The client ${id} is revoked.`);
}

/** Revokes a locked client with all its tokens. A client revoked before keeps its time. */
export async function endClient(tx: Transaction, { id, revokedAt }: StoredClient, now: Date): Promise<StoredClient> {
  await tx.oauthAuthorization.updateMany({ where: { clientId: id, endedAt: null }, data: { endedAt: now } });
  await tx.accessToken.updateMany({ where: { clientId: id, revokedAt: null }, data: { revokedAt: now } });
  await tx.oauthConsent.deleteMany({ where: { clientId: id } });
  return writeClient(tx, id, { revokedAt: revokedAt ?? now });
}

/** Deletes a locked client with all its tokens. Its id can be used again. */
export async function removeClient(tx: Transaction, { id }: StoredClient, now: Date): Promise<void> {
  await tx.accessToken.updateMany({ where: { clientId: id, revokedAt: null }, data: { revokedAt: now } });
  await tx.oauthClient.delete({ where: { id } });
}

/** Returns a client for the change log, without its secrets. */
export function shownClient(client: StoredClient): object {
  const { displayName, grantTypes, redirectUris, scope, principal, workspace, previousSecretEndsAt, revokedAt } =
    client;
  return {
    displayName,
    grants: grantTypes,
    redirectUris,
    scopes: scope.split(' '),
    owner: principal?.name,
    workspace: workspace?.name,
    previousSecretEndsAt: previousSecretEndsAt?.toISOString(),
    revokedAt: revokedAt?.toISOString(),
  };
}

async function writeClient(tx: Transaction, id: string, data: Prisma.OauthClientUpdateInput): Promise<StoredClient> {
  return storedClient(await tx.oauthClient.update({ where: { id }, data, ...storedClientQuery }));
}

async function requireClient(tx: Transaction, id: string): Promise<StoredClient> {
  return storedClient(await tx.oauthClient.findUniqueOrThrow({ where: { id }, ...storedClientQuery }));
}
