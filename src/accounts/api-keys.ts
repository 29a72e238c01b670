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
import {
  actsAsPlatform,
  authorizeAsPlatform,
  authorizeOwnAccount,
  authorizePlatform,
  authorizeScope,
  mayActAsPlatform,
} from '../auth/authorize.js';
import type { Authorized, AuthorizedAccount } from '../auth/authorize.js';
import type { RequestContext } from '../auth/context.js';
import { lockEnabledPrincipal } from '../auth/lock-principal.js';
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
import { changeWithMessage } from '../changes/record-changes.js';
import type { NewChange } from '../changes/record-changes.js';
import { Prisma } from '../database/client/client.js';
import { foldedSql } from '../database/search-pattern.js';
import { ApiError, forbidden, invalidParameter, notFound } from '../errors.js';
import { requireNameForPeople } from './name-for-people.js';
import { readTogether } from '../schema/read-together.js';
import { isResourceId } from '../schema/resource.js';
import type { ListInput, ListPage } from '../store/read/list-input.js';
import { runInTransaction } from '../auth/run-in-transaction.js';
import type { DryRun } from '../store/write/change-input.js';
import { lockCreator } from '../store/write/lock-creator.js';
import { findTenant } from './find-tenant.js';
import type { NamedScope } from './find-tenant.js';
import {
  authorizeTenant,
  givenScopes,
  grantOf,
  latestExpiry,
  managedBy,
  requireActing,
  requireScopes,
  requireAccessible,
} from './managed-tenant.js';
import { ownAccountId, recordEverywhere, recordInAccounts } from './record-in-accounts.js';
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

export interface ApiKeyListInput extends ListInput, NamedScope {
  /** Whether to list the keys of all accounts. */
  isOfAll?: boolean | undefined;
  /** The name of a user or service account: only keys that act as this principal. */
  owner?: string | null | undefined;
  status?: ApiKeyStatus | null | undefined;
}

const apiKeyList = defineList({
  label: 'API key',
  table: 'api_key',
  source: Prisma.sql`(
    SELECT k."id", k."name" COLLATE "C" AS "name", k."created_at", k."expires_at", k."revoked_at", k."account_id",
      k."workspace_id", k."principal_id", ${foldedSql(Prisma.sql`k."name" || E'\n' || k."prefix"`)} AS "search"
    FROM "api_key" AS k)`,
  isAcrossWorkspaces: true,
  columns: {},
});

/**
 * One page of the keys that the caller may see, or for an admin of the platform of the keys of another account or of all.
 *
 * @throws 400; 403 without `apiKey:list`, or for an inaccessible workspace; 404 for an unknown account or workspace.
 */
export async function listApiKeys(
  ctx: RequestContext,
  input: ApiKeyListInput,
): Promise<ListPage<Placed<StoredApiKey>>> {
  const { id: callerId } = ctx.caller.principal;
  const { account, workspace, isOfAll = false, owner, status } = input;
  const isByPlatform = isOfAll || actsAsPlatform(ctx, account);
  const authorized = isByPlatform ? authorizePlatform(ctx) : authorizeScope(ctx, 'apiKey:list');
  const isNamed = isByPlatform && (account ?? workspace) != null;
  const tenant = isNamed ? await findTenant(await authorized.db.$prisma(), input) : undefined;
  const workspaceId = workspace == null ? undefined : (tenant?.workspace ?? requireAccessible(ctx, workspace)).id;
  const filter = filterOf(JSON.stringify([account, workspace, owner, status]), [
    ...(tenant === undefined ? [] : [Prisma.sql`r."account_id" = ${tenant.account.id}::uuid`]),
    ...(workspaceId === undefined ? [] : [Prisma.sql`r."workspace_id" = ${workspaceId}::uuid`]),
    ...(owner == null ? [] : [ownedBySql(owner)]),
    ...(status == null ? [] : [inStatus(status, ctx.now())]),
  ]);
  const accessible = isByPlatform ? undefined : managedSql(ctx.caller, { includesOwn: true });
  const query = { principal: callerId, of: isByPlatform ? 'all accounts' : undefined };
  const lists = { parents: [{ id: callerId }], query, ...(accessible && { accessible }), filter };
  return readPageById(authorized, apiKeyList, lists, input, (ids) => findApiKeys(ctx, ids));
}

function ownedBySql(owner: string): Prisma.Sql {
  const name = canonicalUserName(owner) ?? '';
  return Prisma.sql`r."principal_id" = (SELECT p."id" FROM "principal" AS p WHERE p."name" = ${name})`;
}

/**
 * Keys by id, in the order of the ids; null for inaccessible keys. All keys are accessible to an admin of the platform.
 *
 * @throws 403 without `apiKey:list`.
 */
export async function findApiKeys(ctx: RequestContext, ids: readonly string[]): Promise<(StoredApiKey | null)[]> {
  const authorized = authorizeScope(ctx, 'apiKey:list');
  const where = { AND: [{ id: { in: [...ids] } }, mayActAsPlatform(ctx) ? {} : managedBy(authorized)] };
  const rows = await (await authorized.db.$prisma()).apiKey.findMany({ where, ...storedApiKeyQuery });
  return ids.map((id) => rows.find((row) => row.id === id) ?? null);
}

export interface ApiKeyInput extends NamedScope {
  name: string;
  scopes: readonly string[];
  /** The name of the service account that the key acts as; the caller by default. */
  owner?: string | null | undefined;
  addressRanges?: readonly string[] | null | undefined;
  /** RFC 3339. Without it and without `neverExpires`: the default of the settings. */
  expiresAt?: string | null | undefined;
  neverExpires?: boolean | null | undefined;
}

/**
 * Creates a key for the whole account or a workspace of it. An admin of the platform can name another account, and then any
 * owner that can access it.
 *
 * @returns the key with its secret, which is returned only once.
 * @throws 400 for an invalid value; 403 without `apiKey:write`, if the caller is not an admin of the account or
 * workspace, or for more rights than the caller's own credential has; 404 for an unknown owner, account or workspace; 409
 * `conflict` for a disabled owner, or a workspace of another account.
 */
export async function createApiKey(ctx: RequestContext, input: ApiKeyInput & DryRun): Promise<IssuedApiKey> {
  const { authorized, tenant } = await authorizeTenant(ctx, 'apiKey:write', input, 'create keys');
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
    await recordEverywhere(within, [within.account.id], keyChange('created', issued.stored, undefined));
    return issued;
  });
}

/**
 * Creates a key that replaces another key. Both work for a while.
 *
 * @param input `overlapSeconds` from 0 to 30 days (default: one day); `expiresAt` defaults to the end of the old
 * key, and to the default of the settings if the old key never expires.
 * @throws 400; 403 without `apiKey:write`, for the key of another user, or for a key with more rights than the caller's
 * own credential; 404; 409 `conflict` for a key that has ended or was already replaced, or whose owner is disabled.
 */
export async function rotateApiKey(
  ctx: RequestContext,
  input: DryRun &
    Pick<ApiKeyInput, 'expiresAt' | 'neverExpires'> & { id: string; overlapSeconds?: number | null | undefined },
): Promise<{ issued: IssuedApiKey; previous: StoredApiKey }> {
  const authorized = await authorizeKey(ctx, input.id);
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
    if (!within.isByPlatform && key.principal.kind === 'user' && key.principalId !== principal.id) {
      throw forbidden('Only the user that a key acts as can rotate it.');
    }
    if (!within.isByPlatform) await requireActing(within, key);
    requireScopes(ctx, scopeNames(key.scope));
    requireWithinOwn(ctx, key.addressRanges);
    const expiresAt = expiry === undefined ? rotatedKeyExpiry(life, key.expiresAt, ctx.now(), latest) : expiry;
    if (!(await lockEnabledPrincipal(await within.db.$prisma(), key.principalId)))
      throw new ApiError('conflict', `${key.principal.name} is disabled.`);
    const more = { expiresAt, overlapSeconds, ...creatorOf(ctx) };
    const replaced = await replaceApiKey(await within.db.$prisma(), key.id, more, ctx.now());
    if (replaced === undefined) {
      throw new ApiError('conflict', `The API key ${key.prefix}… has expired, was revoked or was already rotated.`);
    }
    const { issued, previous } = replaced;
    const changes = [keyChange('created', issued.stored, undefined), keyChange('updated', previous, key)];
    await recordEverywhere(within, [within.account.id], ...changes);
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
  const authorized = await authorizeKey(ctx, id);
  return runInTransaction(authorized, validateOnly, async (within) => {
    const key = await requireVisibleKey(within, id);
    const apiKey =
      key.revokedAt === null ? ((await revokeStoredApiKey(await within.db.$prisma(), key.id, ctx.now())) ?? key) : key;
    const descendants = includeDescendants === true ? await revokeDescendants(within.db, key.id, ctx.now()) : [];
    // Keys that an admin of the platform created with this one can be of other accounts.
    const changes = new Map<string, NewChange[]>();
    const own = ownAccountId(within);
    for (const each of [...(key.revokedAt === null ? [apiKey] : []), ...descendants]) {
      const change = keyChange('revoked', each, { ...each, revokedAt: null });
      for (const accountId of new Set([each.accountId, own ?? each.accountId]))
        changes.set(accountId, [...(changes.get(accountId) ?? []), change]);
    }
    await recordInAccounts(within, changes);
    return { apiKey, descendants };
  });
}

/** Authorizes changes of a key: of the caller's account, or for an admin of the platform of any account. */
async function authorizeKey(ctx: RequestContext, id: string): Promise<AuthorizedAccount> {
  if (mayActAsPlatform(ctx) && isResourceId(id)) {
    const db = await authorizePlatform(ctx).db.$prisma();
    const { isOperator, accounts } = ctx.caller;
    const key = await db.apiKey.findUnique({ where: { id }, select: { accountId: true } });
    if (key !== null && (isOperator === true || key.accountId !== accounts[0]?.id))
      return authorizeAsPlatform(ctx, await db.account.findUniqueOrThrow({ where: { id: key.accountId } }));
  }
  return authorizeOwnAccount(ctx, 'apiKey:write');
}

/** The request's credential, recorded as the creator of the new key; none for an operator. */
function creatorOf({ caller: { isOperator, principal, credential } }: RequestContext) {
  if (isOperator === true) return { createdBy: null, createdWith: null, parentId: null };
  return {
    createdBy: principal.name,
    createdWith: `${credential.kind} ${credential.label}`.trim(),
    parentId: credential.kind === 'api_key' ? credential.id : null,
  };
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
  requireNameForPeople('name', name);
  return name;
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
  const { name, prefix, workspaceId } = key;
  const message = `${verb.charAt(0).toUpperCase()}${verb.slice(1)}: ${name} (${prefix}…)`;
  return {
    ...changeWithMessage('API_KEY', verb, key, message),
    workspaceId,
    before: before === undefined ? undefined : shownKey(before),
    after: shownKey(key),
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
