// API keys, managed by their owners and by admins. An admin of the account manages its keys, an admin of a workspace
// those that are confined to it, and every user their own.
import { areWithin, canonicalRange } from '../auth/address-range.js';
import {
  apiKeyExpiry,
  requestedExpiry,
  rotatedKeyExpiry,
  rotationOverlapSecondsDefault,
  rotationOverlapSecondsMax,
} from '../auth/api-key-expiry.js';
import { authorizeOwnAccount, authorizeScope } from '../auth/authorize.js';
import type { Authorized } from '../auth/authorize.js';
import type { RequestContext } from '../auth/context.js';
import { managedSql } from '../auth/managed-rows.js';
import { apiKeyScopes, scopeNames } from '../auth/scopes.js';
import {
  insertApiKey,
  replaceApiKey,
  revokeDescendants,
  revokeStoredApiKey,
  storedApiKeyQuery,
} from '../auth/stored-api-key.js';
import type { IssuedApiKey, StoredApiKey } from '../auth/stored-api-key.js';
import { canonicalUserName } from '../auth/user-name.js';
import type { ChangeAction } from '../changes/change-subjects.js';
import { recordChanges } from '../changes/record-changes.js';
import type { NewChange } from '../changes/record-changes.js';
import { Prisma } from '../database/client/client.js';
import { ApiError, forbidden, invalidParameter, notFound, unauthorized } from '../errors.js';
import { disguise } from '../schema/text.js';
import { readTogether } from '../schema/read-together.js';
import { isResourceId } from '../schema/resource.js';
import type { ListInput, ListPage } from '../store/read/list-input.js';
import { runInTransaction } from '../auth/run-in-transaction.js';
import type { DryRun } from '../store/write/change-input.js';
import {
  givenScopes,
  grantOf,
  latestExpiry,
  managedBy,
  requireTenantAdmin,
  requireScopes,
  requireAccessible,
} from './managed-tenant.js';
import { filterOf } from '../store/read/filter.js';
import { readPageById } from '../store/read/read-page.js';
import type { Placed } from '../store/read/read-page.js';
import { defineList } from '../store/read/resource-kind.js';

export const apiKeyStatuses = {
  active: 'The key can be used.',
  expired: 'The key has expired.',
  revoked: 'The key was revoked.',
} as const;

export type ApiKeyStatus = keyof typeof apiKeyStatuses;

export function apiKeyStatus({ revokedAt, expiresAt }: StoredApiKey, now: Date): ApiKeyStatus {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && expiresAt <= now ? 'expired' : 'active';
}

export interface ApiKeyListInput extends ListInput {
  /** The name of a workspace: only keys that are confined to it. */
  workspace?: string | null | undefined;
  /** The name of a user or service account: only keys that act as this principal. */
  owner?: string | null | undefined;
  status?: ApiKeyStatus | null | undefined;
}

const apiKeyList = defineList({
  label: 'API key',
  table: 'api_key',
  source: Prisma.sql`(
    SELECT k."id", k."name" COLLATE "C" AS "name", k."created_at", k."expires_at", k."revoked_at", k."account_id",
      k."workspace_id", k."principal_id", lower((k."name" || E'\n' || k."prefix") COLLATE "default") AS "search"
    FROM "api_key" AS k)`,
  isAcrossWorkspaces: true,
  columns: {},
});

/**
 * One page of the keys that the caller may see.
 *
 * @throws 400; 403 without `apiKey:list`, or for an inaccessible workspace.
 */
export async function listApiKeys(
  ctx: RequestContext,
  input: ApiKeyListInput,
): Promise<ListPage<Placed<StoredApiKey>>> {
  const authorized = authorizeScope(ctx, 'apiKey:list');
  const { principal } = ctx.caller;
  const { workspace, owner, status } = input;
  const filter = filterOf(JSON.stringify([workspace, owner, status]), [
    ...(workspace == null ? [] : [Prisma.sql`r."workspace_id" = ${requireAccessible(ctx, workspace).id}::uuid`]),
    ...(owner == null ? [] : [ownedBySql(owner)]),
    ...(status == null ? [] : [inStatus(status, ctx.now())]),
  ]);
  const accessible = managedSql(ctx.caller, { includesOwn: true });
  const lists = { parents: [{ id: principal.id }], query: { principal: principal.id }, accessible, filter };
  return readPageById(authorized, apiKeyList, lists, input, (ids) => findApiKeys(ctx, ids));
}

function ownedBySql(owner: string): Prisma.Sql {
  const name = canonicalUserName(owner) ?? '';
  return Prisma.sql`r."principal_id" = (SELECT p."id" FROM "principal" AS p WHERE p."name" = ${name})`;
}

/** Keys by id, in the order of the ids; null for inaccessible keys. @throws 403 without `apiKey:list`. */
export async function findApiKeys(ctx: RequestContext, ids: readonly string[]): Promise<(StoredApiKey | null)[]> {
  const authorized = authorizeScope(ctx, 'apiKey:list');
  const where = { AND: [{ id: { in: [...ids] } }, managedBy(authorized)] };
  const rows = await (await authorized.db.$prisma()).apiKey.findMany({ where, ...storedApiKeyQuery });
  return ids.map((id) => rows.find((row) => row.id === id) ?? null);
}

export interface ApiKeyInput {
  name: string;
  scopes: readonly string[];
  /** The name of the workspace that the key is confined to; by default the whole account. */
  workspace?: string | null | undefined;
  /** The name of the service account that the key acts as; the caller by default. */
  owner?: string | null | undefined;
  addressRanges?: readonly string[] | null | undefined;
  /** RFC 3339. Without it and without `neverExpires`: the default of the settings. */
  expiresAt?: string | null | undefined;
  neverExpires?: boolean | null | undefined;
}

/**
 * Creates a key.
 *
 * @returns the key with its secret, which is returned only once.
 * @throws 400 for an invalid value; 403 without `apiKey:write`, if the caller is not an admin of the account or
 * workspace, or for more rights than the caller's own credential has; 404 for an unknown owner.
 */
export async function createApiKey(ctx: RequestContext, input: ApiKeyInput & DryRun): Promise<IssuedApiKey> {
  const authorized = authorizeOwnAccount(ctx, 'apiKey:write');
  const tenant = requireTenantAdmin(authorized, input.workspace, 'create keys');
  const latest = await latestExpiry(authorized);
  const read = readTogether({
    name: () => readName(input.name),
    scopes: () => givenScopes(ctx, input.scopes, apiKeyScopes),
    addressRanges: () => readRanges(ctx, input.addressRanges),
    expiresAt: () => apiKeyExpiry(ctx.apiKeyLife, requestedExpiry(input), ctx.now(), latest),
  });
  return runInTransaction(authorized, input.validateOnly, async (within) => {
    await lockCreator(within);
    const grant = await grantOf(within, tenant, input.owner);
    const issued = await insertApiKey(await within.db.$prisma(), grant, { ...read, ...creatorOf(ctx) }, ctx.now());
    await recordChanges(within, [keyChange('created', issued.stored, undefined)]);
    return issued;
  });
}

/**
 * Creates a key that replaces another key. Both work for a while.
 *
 * @param input `overlapSeconds` from 0 to 30 days (default: one day); `expiresAt` defaults to the end of the old
 * key, and to the default of the settings if the old key never expires.
 * @throws 400; 403 without `apiKey:write`, for the key of another user, or for a key with more rights than the caller's
 * own credential; 404; 409 `conflict` for a key that has ended or was already replaced.
 */
export async function rotateApiKey(
  ctx: RequestContext,
  input: DryRun &
    Pick<ApiKeyInput, 'expiresAt' | 'neverExpires'> & { id: string; overlapSeconds?: number | null | undefined },
): Promise<{ issued: IssuedApiKey; previous: StoredApiKey }> {
  const authorized = authorizeOwnAccount(ctx, 'apiKey:write');
  const { principal } = ctx.caller;
  const overlapSeconds = input.overlapSeconds ?? rotationOverlapSecondsDefault;
  if (overlapSeconds < 0 || overlapSeconds > rotationOverlapSecondsMax) {
    throw invalidParameter('overlapSeconds', `must be between 0 and ${rotationOverlapSecondsMax}`);
  }
  const requested = requestedExpiry(input);
  const latest = await latestExpiry(authorized);
  const life = ctx.apiKeyLife;
  const expiry = requested === undefined ? undefined : apiKeyExpiry(life, requested, ctx.now(), latest);
  return runInTransaction(authorized, input.validateOnly, async (within) => {
    await lockCreator(within);
    const key = await requireVisibleKey(within, input.id);
    // The caller receives a key that acts as its owner.
    if (key.principal.kind === 'user' && key.principalId !== principal.id) {
      throw forbidden('Only the user that a key acts as can rotate it.');
    }
    requireScopes(ctx, scopeNames(key.scope));
    requireWithinOwn(ctx, key.addressRanges);
    const expiresAt = expiry === undefined ? rotatedKeyExpiry(life, key.expiresAt, ctx.now(), latest) : expiry;
    const more = { expiresAt, overlapSeconds, ...creatorOf(ctx) };
    const replaced = await replaceApiKey(await within.db.$prisma(), key.id, more, ctx.now());
    if (replaced === undefined) {
      throw new ApiError('conflict', 'The API key has expired, was revoked or was already rotated. Create a new key.');
    }
    const { issued, previous } = replaced;
    await recordChanges(within, [keyChange('created', issued.stored, undefined), keyChange('updated', previous, key)]);
    return replaced;
  });
}

/**
 * Revokes a key. A key that was revoked before keeps the time of its revocation.
 *
 * @param includeDescendants also revokes the keys that were created with it, recursively.
 * @throws 403 without `apiKey:write`; 404.
 */
export async function revokeApiKey(
  ctx: RequestContext,
  { id, includeDescendants, validateOnly }: DryRun & { id: string; includeDescendants?: boolean | null | undefined },
): Promise<{ apiKey: StoredApiKey; descendants: StoredApiKey[] }> {
  const authorized = authorizeOwnAccount(ctx, 'apiKey:write');
  return runInTransaction(authorized, validateOnly, async (within) => {
    const key = await requireVisibleKey(within, id);
    const apiKey =
      key.revokedAt === null ? ((await revokeStoredApiKey(await within.db.$prisma(), key.id, ctx.now())) ?? key) : key;
    const descendants = includeDescendants === true ? await revokeDescendants(within.db, key.id, ctx.now()) : [];
    await recordChanges(within, [
      ...(key.revokedAt === null ? [keyChange('revoked', apiKey, key)] : []),
      ...descendants.map((each) => keyChange('revoked', each, { ...each, revokedAt: null })),
    ]);
    return { apiKey, descendants };
  });
}

/** The request's credential, recorded as the creator of the new key. */
function creatorOf({ caller: { principal, credential } }: RequestContext) {
  return {
    createdBy: principal.name,
    createdWith: `${credential.kind} ${credential.label}`.trim(),
    parentId: credential.kind === 'api_key' ? credential.id : null,
  };
}

/**
 * Locks the API key of the request until the transaction ends. A revocation that includes descendants waits for it, and
 * so finds the key that is created here.
 *
 * @throws 401 `unauthorized` for a key that was revoked while this process still remembered it (half a second).
 */
async function lockCreator({ db, caller }: Authorized): Promise<void> {
  const { kind, id } = caller.credential;
  if (kind !== 'api_key') return;
  const [key] = await (
    await db.$prisma()
  ).$queryRaw<{ isRevoked: boolean }[]>`
    SELECT "revoked_at" IS NOT NULL AS "isRevoked" FROM "api_key" WHERE "id" = ${id}::text::uuid FOR NO KEY UPDATE`;
  if (key?.isRevoked !== false) throw unauthorized('The API key is invalid, expired or revoked.');
}

async function requireVisibleKey(within: Authorized, id: string): Promise<StoredApiKey> {
  const key = isResourceId(id)
    ? await (
        await within.db.$prisma()
      ).apiKey.findFirst({ where: { AND: [{ id }, managedBy(within)] }, ...storedApiKeyQuery })
    : null;
  if (key === null) throw notFound('API key', id);
  return key;
}

function inStatus(status: ApiKeyStatus, now: Date): Prisma.Sql {
  const time = Prisma.sql`${now.toISOString()}::timestamptz`;
  if (status === 'revoked') return Prisma.sql`r."revoked_at" IS NOT NULL`;
  if (status === 'expired') return Prisma.sql`r."revoked_at" IS NULL AND r."expires_at" <= ${time}`;
  return Prisma.sql`r."revoked_at" IS NULL AND (r."expires_at" IS NULL OR r."expires_at" > ${time})`;
}

function readName(text: string): string {
  const name = text.trim();
  const rule = disguise(name);
  if (rule !== undefined) throw invalidParameter('name', rule);
  if (name !== '' && name.length <= 63 && !/\p{Cc}/u.test(name)) return name;
  throw invalidParameter('name', 'must be 1 to 63 characters');
}

function readRanges({ caller }: RequestContext, addressRanges: readonly string[] | null | undefined): string[] {
  const own = caller.credential.addressRanges ?? [];
  if (addressRanges?.length === 0) {
    throw invalidParameter(
      'addressRanges',
      'must contain at least one range. Omit the field for a key without a restriction',
    );
  }
  const ranges = addressRanges == null ? [...own] : addressRanges.map(requireRange);
  requireWithinOwn({ caller }, ranges);
  if (ranges.length > rangesMax)
    throw invalidParameter('addressRanges', `must be at most ${rangesMax} ranges`, {
      limit: rangesMax,
      actual: ranges.length,
    });
  return [...new Set(ranges)];
}

/** A credential cannot create one with a wider address range than its own. @throws 403 */
function requireWithinOwn({ caller }: Pick<RequestContext, 'caller'>, ranges: readonly string[]): void {
  if (areWithin(ranges, caller.credential.addressRanges ?? [])) return;
  throw forbidden('This credential is restricted to address ranges and cannot grant wider ones.');
}

const rangesMax = 50;

function requireRange(text: string): string {
  const range = canonicalRange(text);
  if (range === undefined) {
    throw invalidParameter(
      'addressRanges',
      `must be ranges such as 203.0.113.0/24 (got ${JSON.stringify(text.slice(0, 60))})`,
    );
  }
  return range;
}

/** The change record of a key, without its secret. */
export function keyChange(verb: ChangeAction, key: StoredApiKey, before: StoredApiKey | undefined): NewChange {
  const { id, name, prefix } = key;
  const message = `${verb.charAt(0).toUpperCase()}${verb.slice(1)}: ${name} (${prefix}…)`;
  return {
    kind: 'API_KEY',
    verb,
    resourceId: id,
    name,
    before: before === undefined ? undefined : shownKey(before),
    after: shownKey(key),
    event: { type: verb, status: verb, message },
  };
}

function shownKey(key: StoredApiKey): object {
  const { name, prefix, scope, addressRanges, principal, workspace, createdBy, createdWith, expiresAt, revokedAt } =
    key;
  return {
    name,
    prefix,
    scopes: scope.split(' '),
    addressRanges,
    owner: principal.name,
    workspace: workspace?.name,
    createdBy: createdBy ?? undefined,
    createdWith: createdWith ?? undefined,
    expiresAt: expiresAt?.toISOString(),
    revokedAt: revokedAt?.toISOString(),
  };
}
