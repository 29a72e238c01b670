// API keys as rows. These functions authorise nobody: they are for those who did.
import { Prisma } from '../database/client/client.js';
import type { ApiKey } from '../database/client/client.js';
import type { Statements, Transaction } from '../database/open.js';
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
  /** Name of the user or service account that creates it; null for the command line. */
  createdBy: string | null;
  /** Kind and name of the credential that creates it; null for the command line. */
  createdWith: string | null;
  /** The API key that creates it, if a key does. */
  parentId: string | null;
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
 * Creates a key with the properties of another key, to replace it. The old key keeps working for the overlap, but never
 * longer than it would have.
 *
 * @returns undefined when the old key has expired, or was revoked or replaced before; nothing is created then.
 */
export async function replaceApiKey(
  db: Transaction,
  id: string,
  more: Pick<NewApiKey, 'expiresAt' | 'createdBy' | 'createdWith' | 'parentId'> & { overlapSeconds: number },
  now: Date,
): Promise<{ issued: IssuedApiKey; previous: StoredApiKey } | undefined> {
  // The row is locked first: of two callers at the same time one replaces it.
  const [old] = await db.apiKey.updateManyAndReturn({
    where: { id, revokedAt: null, successorId: null, OR: [{ expiresAt: null }, { expiresAt: { gt: now } }] },
    data: { revokedAt: null },
  });
  if (old === undefined) return undefined;
  const { name: keyName, scope, addressRanges } = old;
  const { overlapSeconds, ...created } = more;
  const issued = await insertApiKey(
    db,
    old,
    { name: keyName, scopes: scope.split(' '), addressRanges, ...created },
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

/**
 * Revokes every active key that a key created or was replaced by, and the keys that those created, and so on. Call it after
 * the key itself was revoked, in the same transaction.
 *
 * @returns the revoked keys.
 */
export async function revokeDescendants(db: Statements, id: string, now: Date): Promise<StoredApiKey[]> {
  const revoked: StoredApiKey[] = [];
  // A descendant may just have created another key, which is seen once the lock of that descendant was waited for.
  for (let round = await revokeActive(db, id, now); round.length > 0; round = await revokeActive(db, id, now)) {
    revoked.push(...round);
  }
  return revoked;
}

async function revokeActive(db: Statements, id: string, now: Date): Promise<StoredApiKey[]> {
  const text = await db.$text(Prisma.sql`
    WITH RECURSIVE "family" AS (
      SELECT k."id", k."successor_id" FROM "api_key" AS k WHERE k."id" = ${id}::uuid
      UNION
      SELECT k."id", k."successor_id" FROM "api_key" AS k JOIN "family" AS f ON k."parent_id" = f."id" OR k."id" = f."successor_id"
    )
    SELECT coalesce(json_agg("id"), '[]')::text FROM "family" WHERE "id" <> ${id}::uuid`);
  const ids: string[] = JSON.parse(text);
  const revoked = await db.apiKey.updateManyAndReturn({
    where: { id: { in: ids }, revokedAt: null },
    data: { revokedAt: now },
    select: { id: true },
  });
  return db.apiKey.findMany({ where: { id: { in: revoked.map((key) => key.id) } }, ...storedApiKeyQuery });
}
