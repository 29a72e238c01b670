// OAuth clients of all accounts, for operators. These functions do not authorize the caller.
import {
  changeClient,
  endClient,
  lockClient,
  insertClient,
  removeClient,
  replaceClientSecret,
  shownClient,
  storedClientQuery,
} from '../../auth/stored-client.js';
import type { ClientChanges, ClientInput, StoredClient } from '../../auth/stored-client.js';
import { fieldsChanged } from '../../changes/fields-changed.js';
import type { Database, Transaction } from '../../database/open.js';
import { notFound } from '../../errors.js';
import { recordAsOperator } from './record-as-operator.js';
import type { OperatorChange } from './record-as-operator.js';

export type { ClientInput } from '../../auth/stored-client.js';

/**
 * Creates a client.
 *
 * @returns its secret, which is shown only once, or undefined for a public client.
 * @throws 400 `invalid_parameter` if its fields do not fit together, 409 `name_taken`.
 */
export async function createClient(
  db: Database,
  input: ClientInput,
  now: Date,
): Promise<{ secret: string | undefined }> {
  return db.$transaction(async (tx) => {
    const { secret, client } = await insertClient(tx, input, now);
    await recordClient(tx, now, 'created', 'Registered', { after: client });
    return { secret };
  });
}

export interface ListedClient extends StoredClient {
  isPublic: boolean;
}

/** All clients, by name. */
export async function listClients(db: Database): Promise<ListedClient[]> {
  const rows = await db.oauthClient.findMany({ ...storedClientQuery, orderBy: { id: 'asc' } });
  const open = await db.oauthClient.findMany({ where: { secretHash: null }, select: { id: true } });
  const publicIds = new Set(open.map(({ id }) => id));
  return rows.map((client) => ({ ...client, isPublic: publicIds.has(client.id) }));
}

/**
 * Replaces the secret of a client. The old one stops working immediately or after a while.
 *
 * @throws 404 `not_found`, 409 `conflict` if the client is public or revoked.
 */
export async function rotateClientSecret(
  db: Database,
  id: string,
  overlapMs: number,
  now: Date,
): Promise<{ secret: string }> {
  return db.$transaction(async (tx) => {
    const before = await requireClient(tx, id);
    const { secret, client } = await replaceClientSecret(tx, before, overlapMs, now);
    await recordClient(tx, now, 'updated', 'Secret rotated', { before, after: client });
    return { secret };
  });
}

/** Revokes a client and its tokens. If it was revoked before, its time of revocation stays. @throws 404 `not_found` */
export async function revokeClient(db: Database, id: string, now: Date): Promise<{ revokedAt: Date }> {
  return db.$transaction(async (tx) => {
    const before = await requireClient(tx, id);
    const after = await endClient(tx, before, now);
    if (before.revokedAt === null) await recordClient(tx, now, 'revoked', 'Revoked', { before, after });
    return { revokedAt: after.revokedAt ?? now };
  });
}

/** Deletes a client and its tokens. @throws 404 `not_found` */
export async function deleteClient(db: Database, id: string, now: Date): Promise<void> {
  await db.$transaction(async (tx) => {
    const before = await requireClient(tx, id);
    await removeClient(tx, before, now);
    await recordClient(tx, now, 'deleted', 'Deleted', { before });
  });
}

/**
 * Updates a client. Absent fields stay. Users who consented to more than the new scopes are asked again.
 *
 * @throws 400 `invalid_parameter` if its fields do not fit together, 404 `not_found`.
 */
export async function updateClient(db: Database, id: string, changes: ClientChanges, now: Date): Promise<void> {
  await db.$transaction(async (tx) => {
    const before = await requireClient(tx, id);
    const after = await changeClient(tx, before, changes);
    if (fieldsChanged(shownClient(before), shownClient(after)).length === 0) return;
    await recordClient(tx, now, 'updated', 'Updated', { before, after });
  });
}

/** Logs a change in the account of the client, if it has one. Clients that act only for their users have none. */
async function recordClient(
  tx: Transaction,
  now: Date,
  verb: OperatorChange['verb'],
  message: string,
  { before, after }: { before?: StoredClient; after?: StoredClient },
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

async function requireClient(tx: Transaction, id: string): Promise<StoredClient> {
  const client = await lockClient(tx, id);
  if (client === undefined) throw notFound('client', id);
  return client;
}
