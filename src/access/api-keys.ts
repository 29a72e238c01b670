// API keys as an operator sees them. These functions authorise nobody.
import { z } from 'zod';
import type { ApiKey } from '../database/client/client.js';
import type { Database } from '../database/open.js';
import { ApiError, notFound } from '../errors.js';
import { createApiKey, hashApiKey, isApiKey } from './api-key.js';
import type { StoredCredential } from './reach.js';

export interface IssuedApiKey {
  /** Shown once, never stored. */
  key: string;
  id: string;
  prefix: string;
}

/** Makes a key and stores its hash. */
export async function issueApiKey(
  db: Database,
  grant: StoredCredential,
  input: { name: string; expiresAt: Date | null },
): Promise<IssuedApiKey> {
  const { key, prefix, hash } = createApiKey();
  const { principalId, accountId, workspaceId } = grant;
  const { id } = await db.apiKey.create({ data: { principalId, accountId, workspaceId, prefix, hash, ...input } });
  return { key, id, prefix };
}

export interface ListedApiKey extends Omit<ApiKey, 'hash'> {
  principal: { name: string };
  account: { name: string };
  workspace: { name: string } | null;
}

/** Keys in the order in which they were made, of every account or of one. */
export async function listApiKeys(db: Database, accountId?: string): Promise<ListedApiKey[]> {
  const name = { select: { name: true } };
  return db.apiKey.findMany({
    where: accountId === undefined ? {} : { accountId },
    omit: { hash: true },
    include: { principal: name, account: name, workspace: name },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
  });
}

/**
 * Revokes a key; one that was revoked before keeps its time.
 *
 * @param which its id, its prefix, or the key itself.
 * @throws 404 `not_found`, 409 `conflict` when several keys have the prefix.
 */
export async function revokeApiKey(
  db: Database,
  which: string,
  now: Date,
): Promise<{ id: string; name: string; prefix: string; revokedAt: Date }> {
  const found = await db.apiKey.findMany({ where: keysNamed(which), orderBy: { id: 'asc' }, take: 20 });
  const [key, ...others] = found;
  if (key === undefined) throw notFound('API key', isApiKey(which) ? which.slice(0, 10) : which);
  if (others.length > 0) {
    const ids = found.map(({ id }) => id).join(', ');
    throw new ApiError('conflict', `Several API keys start with ${which}: name one by its id (${ids}).`);
  }
  const { id, name, prefix } = key;
  await db.apiKey.updateMany({ where: { id, revokedAt: null }, data: { revokedAt: now } });
  return { id, name, prefix, revokedAt: key.revokedAt ?? now };
}

function keysNamed(which: string): { id: string } | { hash: Uint8Array<ArrayBuffer> } | { prefix: string } {
  if (isApiKey(which)) return { hash: hashApiKey(which) };
  return z.uuid().safeParse(which).success ? { id: which } : { prefix: which };
}
