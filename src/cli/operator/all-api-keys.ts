// API keys of all accounts, for operators. These functions do not authorize the caller.
import { z } from 'zod';
import { hashApiKey, isApiKey } from '../../auth/api-key.js';
import type { StoredCredential } from '../../auth/caller-access.js';
import {
  insertApiKey,
  replaceApiKey,
  revokeDescendants,
  revokeStoredApiKey,
  storedApiKeyQuery,
} from '../../auth/stored-api-key.js';
import type { IssuedApiKey, NewApiKey, StoredApiKey } from '../../auth/stored-api-key.js';
import type { Database } from '../../database/open.js';
import type { ChangeAction } from '../../changes/change-subjects.js';
import { ApiError, notFound } from '../../errors.js';
import { recordAsOperator } from './record-as-operator.js';
import type { OperatorChange } from './record-as-operator.js';

/** Keys of all accounts or of one, by creation. */
export async function listApiKeys(db: Database, accountId?: string): Promise<StoredApiKey[]> {
  return db.apiKey.findMany({
    where: accountId === undefined ? {} : { accountId },
    ...storedApiKeyQuery,
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
  });
}

/**
 * A key by its id, its prefix, or the key itself.
 *
 * @throws 404 `not_found`, 409 `conflict` if several keys have the prefix.
 */
export async function findApiKey(db: Database, which: string): Promise<StoredApiKey> {
  const found = await db.apiKey.findMany({
    where: keysNamed(which),
    ...storedApiKeyQuery,
    orderBy: { id: 'asc' },
    take: 20,
  });
  const [key, ...others] = found;
  if (key === undefined) throw notFound('API key', isApiKey(which) ? which.slice(0, 10) : which);
  if (others.length > 0) {
    const ids = found.map(({ id }) => id).join(', ');
    throw new ApiError('conflict', `Several API keys start with ${which}. Use the id of one of them: ${ids}.`);
  }
  return key;
}

/** Creates a key. @param grant its owner, account and workspace. */
export async function createApiKey(
  db: Database,
  grant: StoredCredential,
  key: NewApiKey,
  now: Date,
): Promise<IssuedApiKey> {
  return db.$transaction(async (tx) => {
    const issued = await insertApiKey(tx, grant, key, now);
    await recordAsOperator(tx, grant.accountId, now, [keyChange('created', issued.stored, 'Created')]);
    return issued;
  });
}

/**
 * Creates a key that replaces another one. Both work for a while.
 *
 * @throws 409 `conflict` if the key has expired, was revoked or was already rotated.
 */
export async function rotateApiKey(
  db: Database,
  key: StoredApiKey,
  more: { expiresAt: Date | null; overlapSeconds: number },
  now: Date,
): Promise<{ issued: IssuedApiKey; previous: StoredApiKey }> {
  const replaced = await db.$transaction(async (tx) => {
    const done = await replaceApiKey(tx, key.id, { ...more, createdBy: null, createdWith: null, parentId: null }, now);
    if (done === undefined) return undefined;
    await recordAsOperator(tx, key.accountId, now, [
      keyChange('created', done.issued.stored, 'Created as the replacement of another key'),
      keyChange('updated', done.previous, 'Replaced by another key'),
    ]);
    return done;
  });
  if (replaced !== undefined) return replaced;
  throw new ApiError('conflict', `The API key ${key.prefix}… has expired, was revoked or was already rotated.`);
}

/** Revokes a key, and its descendants if requested. If it was revoked before, its time of revocation stays. */
export async function revokeApiKey(
  db: Database,
  key: StoredApiKey,
  includeDescendants: boolean,
  now: Date,
): Promise<{ revokedAt: Date; descendants: StoredApiKey[] }> {
  return db.$begin(async (tx) => {
    const done = await revokeStoredApiKey(await tx.$prisma(), key.id, now);
    const descendants = includeDescendants ? await revokeDescendants(tx, key.id, now) : [];
    const ended = [...(key.revokedAt !== null || done === undefined ? [] : [done]), ...descendants];
    const changes = ended.map((each) => keyChange('revoked', each, 'Revoked'));
    if (changes.length > 0) await recordAsOperator(tx, key.accountId, now, changes);
    return { revokedAt: done?.revokedAt ?? now, descendants };
  });
}

function keyChange(
  verb: ChangeAction,
  { id, name, prefix, workspaceId }: StoredApiKey,
  message: string,
): OperatorChange {
  return { kind: 'API_KEY', verb, resourceId: id, name, workspaceId, message: `${message}: ${name} (${prefix}…)` };
}

function keysNamed(which: string): { id: string } | { hash: Uint8Array<ArrayBuffer> } | { prefix: string } {
  if (isApiKey(which)) return { hash: hashApiKey(which) };
  return z.uuid().safeParse(which).success ? { id: which } : { prefix: which };
}
