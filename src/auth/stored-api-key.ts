// API keys as rows. These functions authorise nobody: they are for those who did.
import type { ApiKey } from '../database/client/client.js';
import type { Transaction } from '../database/open.js';
import { createApiKey } from './api-key.js';
import type { StoredCredential } from './reach.js';
import { scopeNames } from './scopes.js';

/** A key as it may be seen: all but its hash. */
export interface StoredApiKey extends Omit<ApiKey, 'hash'> {
  principal: { name: string; kind: 'user' | 'service_account' };
  account: { name: string };
  workspace: { name: string } | null;
}

export interface IssuedApiKey {
  /** The key itself: shown once, never stored. */
  secret: string;
  stored: StoredApiKey;
}

export interface NewApiKey {
  name: string;
  scopes: readonly string[];
  addressRanges: readonly string[];
  expiresAt: Date | null;
  /** The name of who makes it; none for the command line. */
  createdBy: string | null;
}

const name = { select: { name: true } } as const;

/** How a key is read: with the names of what it belongs to, and without its hash. */
export const storedApiKeyQuery = {
  omit: { hash: true },
  include: { principal: { select: { name: true, kind: true } }, account: name, workspace: name },
} as const;

/** Makes a key and stores its hash. */
export async function insertApiKey(
  db: Transaction,
  grant: StoredCredential,
  input: NewApiKey,
  now: Date,
): Promise<IssuedApiKey> {
  const { key: secret, prefix, hash } = createApiKey();
  const { principalId, accountId, workspaceId } = grant;
  const { scopes, addressRanges, ...rest } = input;
  const stored = await db.apiKey.create({
    data: {
      principalId,
      accountId,
      workspaceId,
      prefix,
      hash,
      createdAt: now,
      ...rest,
      scope: scopeNames(scopes.join(' ')).join(' '),
      addressRanges: [...addressRanges],
    },
    ...storedApiKeyQuery,
  });
  return { secret, stored };
}

/**
 * Makes a key that takes the place of another, which it is like in all but its end. The other goes on for as long as
 * both are to work, but never longer than it would have.
 *
 * @returns undefined for one that has ended, was revoked, or was replaced already; nothing is made then.
 */
export async function replaceApiKey(
  db: Transaction,
  id: string,
  more: { expiresAt: Date | null; createdBy: string | null; overlapSeconds: number },
  now: Date,
): Promise<{ issued: IssuedApiKey; previous: StoredApiKey } | undefined> {
  // The row is locked first: of two callers at the same time one replaces it.
  const [old] = await db.apiKey.updateManyAndReturn({
    where: { id, revokedAt: null, successorId: null, OR: [{ expiresAt: null }, { expiresAt: { gt: now } }] },
    data: { revokedAt: null },
  });
  if (old === undefined) return undefined;
  const { name: keyName, scope, addressRanges } = old;
  const { expiresAt, createdBy, overlapSeconds } = more;
  const issued = await insertApiKey(
    db,
    old,
    { name: keyName, scopes: scope.split(' '), addressRanges, expiresAt, createdBy },
    now,
  );
  const overlapEnd = new Date(now.getTime() + overlapSeconds * 1000);
  const previous = await db.apiKey.update({
    where: { id },
    data: {
      successorId: issued.stored.id,
      expiresAt: old.expiresAt === null || old.expiresAt > overlapEnd ? overlapEnd : old.expiresAt,
    },
    ...storedApiKeyQuery,
  });
  return { issued, previous };
}

/** Revokes a key; one that was revoked before keeps its time. @returns undefined for an unknown one. */
export async function revokeStoredApiKey(db: Transaction, id: string, now: Date): Promise<StoredApiKey | undefined> {
  await db.apiKey.updateMany({ where: { id, revokedAt: null }, data: { revokedAt: now } });
  return (await db.apiKey.findUnique({ where: { id }, ...storedApiKeyQuery })) ?? undefined;
}
