// API keys as rows. These functions do not authorize; their callers do.
import { Prisma } from '../database/client/client.js';
import type { ApiKey } from '../database/client/client.js';
import type { Transaction } from '../database/open.js';
import { readJson } from '../database/read-json.js';
import type { Statements } from '../database/transaction.js';
import { createApiKey } from './api-key.js';
import type { StoredCredential } from './caller-access.js';
import { scopeNames } from './scopes.js';

/** A key without its hash. */
export interface StoredApiKey extends Omit<ApiKey, 'hash'> {
  principal: { name: string; kind: 'user' | 'service_account' };
  account: { name: string };
  workspace: { name: string } | null;
}

export interface IssuedApiKey {
  /** The key itself, returned once and never stored. */
  secret: string;
  stored: StoredApiKey;
}

export interface NewApiKey {
  name: string;
  scopes: readonly string[];
  addressRanges: readonly string[];
  expiresAt: Date | null;
  /** The name of the user or service account that creates it; null for the command line. */
  createdBy: string | null;
  /** The kind and name of the credential that creates it; null for the command line. */
  createdWith: string | null;
  /** The API key that creates it, if any. */
  parentId: string | null;
}

const name = { select: { name: true } } as const;

/** Reads a key with the names of its account, workspace and owner, without its hash. */
export const storedApiKeyQuery = {
  omit: { hash: true },
  include: { principal: { select: { name: true, kind: true } }, account: name, workspace: name },
} as const;

/** Creates a key and stores its hash. The caller has locked the principal of the grant (lock-principal.ts). */
export async function insertApiKey(
  db: Transaction,
  grant: StoredCredential,
  input: NewApiKey,
  now: Date,
): Promise<IssuedApiKey> {
  const { key: secret, prefix, hash } = createApiKey();
  const { principalId, accountId, workspaceId } = grant;
  const { scopes, addressRanges, ...fields } = input;
  const stored = await db.apiKey.create({
    data: {
      principalId,
      accountId,
      workspaceId,
      prefix,
      hash,
      createdAt: now,
      ...fields,
      scope: scopeNames(scopes.join(' ')).join(' '),
      addressRanges: [...addressRanges],
    },
    ...storedApiKeyQuery,
  });
  return { secret, stored };
}

/**
 * Creates a key with the properties of another key, to replace it. The old key keeps working for the overlap, but not
 * beyond its own expiry.
 *
 * @returns undefined, and creates nothing, when the old key has expired or was already revoked or replaced.
 */
export async function replaceApiKey(
  db: Transaction,
  id: string,
  more: Pick<NewApiKey, 'expiresAt' | 'createdBy' | 'createdWith' | 'parentId'> & { overlapSeconds: number },
  now: Date,
): Promise<{ issued: IssuedApiKey; previous: StoredApiKey } | undefined> {
  // Lock the row first, so that of concurrent callers only one replaces the key.
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

/** Revokes a key. A key revoked before keeps its time. @returns undefined for an unknown key. */
export async function revokeStoredApiKey(db: Transaction, id: string, now: Date): Promise<StoredApiKey | undefined> {
  await db.apiKey.updateMany({ where: { id, revokedAt: null }, data: { revokedAt: now } });
  return (await db.apiKey.findUnique({ where: { id }, ...storedApiKeyQuery })) ?? undefined;
}

/**
 * Revokes all active descendants of a key: the keys that it created or was replaced by, and their descendants. Call it
 * after revoking the key itself, in the same transaction.
 *
 * @returns the revoked keys.
 */
export async function revokeDescendants(db: Statements, id: string, now: Date): Promise<StoredApiKey[]> {
  const revoked: StoredApiKey[] = [];
  // A descendant may have created a key in a concurrent transaction. It becomes visible after waiting for the
  // descendant's lock, so repeat until none is found.
  for (let round = await revokeActive(db, id, now); round.length > 0; round = await revokeActive(db, id, now)) {
    revoked.push(...round);
  }
  return revoked;
}

async function revokeActive(db: Statements, id: string, now: Date): Promise<StoredApiKey[]> {
  const ids = await readJson<string[]>(
    db,
    Prisma.sql`
      WITH RECURSIVE "family" AS (
        SELECT k."id", k."successor_id" FROM "api_key" AS k WHERE k."id" = ${id}::uuid
        UNION
        SELECT k."id", k."successor_id" FROM "api_key" AS k JOIN "family" AS f ON k."parent_id" = f."id" OR k."id" = f."successor_id"
      )
      SELECT coalesce(json_agg("id"), '[]')::text FROM "family" WHERE "id" <> ${id}::uuid`,
  );
  const revoked = await (
    await db.$prisma()
  ).apiKey.updateManyAndReturn({
    where: { id: { in: ids }, revokedAt: null },
    data: { revokedAt: now },
    select: { id: true },
  });
  return (await db.$prisma()).apiKey.findMany({
    where: { id: { in: revoked.map((key) => key.id) } },
    ...storedApiKeyQuery,
  });
}
