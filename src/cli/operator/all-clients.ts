// OAuth clients as an operator sees them. These functions authorise nobody.
import {
  changeClient,
  endClient,
  holdClient,
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
 * Registers a client.
 *
 * @returns its secret, to be shown once; undefined for a public client.
 * @throws 400 `invalid_parameter` when its parts do not fit together, 409 `name_taken`.
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
  return db.$transaction(async (tx) => {
    const before = await requireClient(tx, id);
    const { secret, client } = await replaceClientSecret(tx, before, overlapMs, now);
    await recordClient(tx, now, 'updated', 'Secret rotated', { before, after: client });
    return { secret };
  });
}

/** Revokes a client with all that it was given; one that was revoked before keeps its time. @throws 404 `not_found` */
export async function revokeClient(db: Database, id: string, now: Date): Promise<{ revokedAt: Date }> {
  return db.$transaction(async (tx) => {
    const before = await requireClient(tx, id);
    const after = await endClient(tx, before, now);
    if (before.revokedAt === null) await recordClient(tx, now, 'revoked', 'Revoked', { before, after });
    return { revokedAt: after.revokedAt ?? now };
  });
}

/** Removes a client with all that it was given. Its name is free again, and means nothing old. @throws 404 `not_found` */
export async function deleteClient(db: Database, id: string, now: Date): Promise<void> {
  await db.$transaction(async (tx) => {
    const before = await requireClient(tx, id);
    await removeClient(tx, before, now);
    await recordClient(tx, now, 'deleted', 'Deleted', { before });
  });
}

/**
 * Changes a client. What is left out stays. Whoever agreed to more than it may ask for from now on is asked again.
 *
 * @throws 400 `invalid_parameter` when its parts do not fit together, 404 `not_found`.
 */
export async function updateClient(db: Database, id: string, changes: ClientChanges, now: Date): Promise<void> {
  await db.$transaction(async (tx) => {
    const before = await requireClient(tx, id);
    const after = await changeClient(tx, before, changes);
    if (fieldsChanged(shownClient(before), shownClient(after)).length === 0) return;
    await recordClient(tx, now, 'updated', 'Updated', { before, after });
  });
}

/** Tells the account of a client that acts for one. One that acts for its users alone is of no account. */
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
  const client = await holdClient(tx, id);
  if (client === undefined) throw notFound('client', id);
  return client;
}
