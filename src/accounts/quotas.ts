// Reads quotas with their use, and finds what they are set on.
import DataLoader from 'dataloader';
import {
  authorizeAccount,
  authorizePlatform,
  authorizeScope,
  authorizeWorkspace,
  isPlatformAdmin,
  requireAccountAdmin,
  requireScope,
} from '../auth/authorize.js';
import type { Authorized, AuthorizedWorkspace } from '../auth/authorize.js';
import { perRequest } from '../auth/context.js';
import type { RequestContext } from '../auth/context.js';
import { Prisma } from '../database/client/client.js';
import { findJson } from '../database/read-json.js';
import type { Statements } from '../database/transaction.js';

import { ApiError, forbidden, invalidParameter, invalidRequest, quoted } from '../errors.js';
import { readLimits } from '../quotas/limits.js';
import type { LimitWithUse } from '../quotas/limits.js';
import type { QuotaResource } from '../quotas/quota-resources.js';
import { requireNameForPeople } from './name-for-people.js';
import { quotaResourceNames } from './quota.js';
import type { QuotaLimits, QuotaSubject } from './quota.js';

/** A limit and its use. */
export interface Quota {
  resource: QuotaResource;
  limit: number;
  /** The current use; null for a plan. */
  used: number | null;
  /** Whether the limit is that of the account's plan. */
  isDefault: boolean;
  /** The region, for a limit of one. */
  region: string | null;
}

/** The quotas of a plan, an account, a workspace or a region. */
export interface QuotaSet {
  subject: QuotaSubject;
  plan: string | null;
  account: string | null;
  workspace: string | null;
  region: string | null;
  /** Incremented by each change; 0 if no limit was ever set on it. */
  version: number;
  quotas: Quota[];
}

/** The scope that reads quotas: the one that reads workspaces. */
const resourceScope = 'workspaces:get';

/** A workspace, or an account with its regions. */
type QuotaKey = { accountId: string; workspaceId: string | null };

const quotas = perRequest(
  (ctx) => new DataLoader<QuotaKey, Quota[]>((keys) => readQuotas(authorizeScope(ctx).db, keys), { cache: false }),
);

/** The quotas of several accounts and workspaces, in one statement. */
async function readQuotas(db: Statements, keys: readonly QuotaKey[]): Promise<Quota[][]> {
  const accountIds = [...new Set(keys.map(({ accountId }) => accountId))];
  const limits = await readLimits(db, Prisma.sql`a."id" = ANY(${accountIds}::uuid[])`);
  return keys.map((key) =>
    limits
      .filter(({ accountId, workspaceId }) => accountId === key.accountId && workspaceId === key.workspaceId)
      .map(quotaFrom),
  );
}

function quotaFrom({ resource, limit, used, isDefault, region }: LimitWithUse): Quota {
  return { resource, limit, used, isDefault, region };
}

/**
 * The limits of an account, and of its regions.
 *
 * @throws 403 without the scope; 403 `access_denied` for an account that is not accessible; 403 for a credential that is
 * confined to a workspace.
 */
export async function listAccountQuotas(ctx: RequestContext, accountId: string): Promise<Quota[]> {
  authorizeAccount(ctx, resourceScope, accountId);
  if (ctx.caller.confinedTo !== undefined)
    throw forbidden('This credential is restricted to a workspace and cannot access the quotas of the account.');
  return quotas(ctx).load({ accountId, workspaceId: null });
}

/** The limits of a workspace. @throws 403 without the scope, and for a workspace that is not accessible. */
export async function listWorkspaceQuotas(ctx: RequestContext, name: string): Promise<Quota[]> {
  const { account, workspace } = authorizeWorkspace(ctx, resourceScope, name);
  return quotas(ctx).load({ accountId: account.id, workspaceId: workspace.id });
}

/** What to read or set quotas on, by names: a plan, an account, or a workspace or region of it. */
export interface WhichQuotas {
  plan?: string | null | undefined;
  account?: string | null | undefined;
  workspace?: string | null | undefined;
  region?: string | null | undefined;
}

/** What quotas are set on, with the authorization for it. */
export interface QuotaTarget {
  authorized: Authorized;
  subject: QuotaSubject;
  /** The key of the row. */
  key: string;
  names: Pick<QuotaSet, 'plan' | 'account' | 'workspace' | 'region'>;
  accountId: string | null;
  workspaceId: string | null;
  /** Whether the caller sets limits as an admin of the account, below those of the account. */
  isOfAccountAdmin: boolean;
}

/**
 * Finds what a caller may set quotas on: admins of the platform set all of them, admins of an account those of its
 * workspaces.
 *
 * @throws 400 unless exactly one is named; 403 for other callers; 404 if it does not exist.
 */
export async function authorizeQuotas(ctx: RequestContext, which: WhichQuotas): Promise<QuotaTarget> {
  requireScope(ctx.caller, 'admin');
  const { plan = null, account = null, workspace = null, region = null } = which;
  requireOne(which);
  if (plan !== null) {
    const authorized = authorizePlatform(ctx);
    requireNameForPeople('plan', plan);
    const names = { plan, account: null, workspace: null, region: null };
    const ids = { accountId: null, workspaceId: null };
    return { authorized, subject: 'plan', key: `plan ${plan}`, names, ...ids, isOfAccountAdmin: false };
  }
  const own = workspace === null ? undefined : ctx.caller.workspaces.get(workspace);
  if (!isPlatformAdmin(ctx)) {
    const authorized = authorizeOwn(ctx, account, own);
    const names = { plan: null, account: authorized.account.name, workspace, region: null };
    const ids = { accountId: authorized.account.id, workspaceId: authorized.workspace.id };
    const key = `workspace ${authorized.workspace.id}`;
    return { authorized, subject: 'workspace', key, names, ...ids, isOfAccountAdmin: true };
  }
  return findTarget(authorizePlatform(ctx), { account, workspace, region });
}

function requireOne({ plan, account, workspace, region }: WhichQuotas): void {
  if (plan != null && (account != null || workspace != null || region != null))
    throw invalidParameter('plan', 'must be the only name: a plan has no account, workspace or region');
  if (workspace != null && region != null) throw invalidParameter('region', 'is not available for a workspace');
  if (plan == null && account == null && workspace == null)
    throw invalidRequest('Name a plan, an account or a workspace.');
}

/** @throws 403 unless the caller is an admin of the account of the workspace. */
function authorizeOwn(
  ctx: RequestContext,
  account: string | null,
  workspace: { name: string; account: { name: string; id: string } } | undefined,
): AuthorizedWorkspace {
  const ofAccount = workspace === undefined || (account !== null && !isNamed(workspace.account, account));
  if (ofAccount) throw forbidden('Only an admin of the platform can set these quotas.');
  const authorized = authorizeWorkspace(ctx, 'admin', workspace.name);
  requireAccountAdmin(authorized, 'can set the quotas of its workspaces');
  return authorized;
}

function isNamed({ id, name }: { id: string; name: string }, account: string): boolean {
  return account === id || account === name;
}

interface FoundTarget {
  accountId: string;
  account: string;
  workspaceId: string | null;
  region: string | null;
}

async function findTarget(
  authorized: Authorized,
  { account, workspace, region }: Required<Omit<WhichQuotas, 'plan'>>,
): Promise<QuotaTarget> {
  for (const [field, name] of Object.entries({ account, workspace, region }))
    if (name != null) requireNameForPeople(field, name);
  const found = await findJson<FoundTarget>(
    authorized.db,
    Prisma.sql`
      SELECT json_build_object('accountId', a."id", 'account', a."name", 'workspaceId', w."id",
        'region', (SELECT g."name" FROM "region" AS g WHERE g."name" = ${region ?? null}::text))::text
      FROM "account" AS a LEFT JOIN "workspace" AS w ON w."account_id" = a."id" AND w."name" = ${workspace ?? null}::text
      WHERE (${account ?? null}::text IS NULL OR a."name" = ${account ?? null} OR a."id"::text = ${account ?? null})
        AND (${workspace ?? null}::text IS NULL OR w."id" IS NOT NULL)
        AND (${account ?? null}::text IS NOT NULL OR w."id" IS NOT NULL)`,
  );
  if (found === undefined) {
    throw workspace == null ? unknown('account', account) : unknown('workspace', workspace, account);
  }
  if (region != null && found.region === null) throw unknown('region', region);
  const { accountId, workspaceId } = found;
  const names = { plan: null, account: found.account, workspace: workspace ?? null, region: found.region };
  const ids = { accountId, workspaceId };
  const base = { authorized, names, ...ids, isOfAccountAdmin: false };
  if (workspaceId !== null) return { ...base, subject: 'workspace', key: `workspace ${workspaceId}` };
  if (found.region !== null) return { ...base, subject: 'region', key: `region ${accountId} ${found.region}` };
  return { ...base, subject: 'account', key: `account ${accountId}` };
}

function unknown(field: string, name: string | null | undefined, account?: string | null): ApiError {
  const where = account == null ? 'here' : `in the account ${quoted(account)}`;
  return new ApiError('not_found', `There is no ${field} named ${quoted(name)} ${where}.`, { field });
}

/** The quotas of a plan, an account, a workspace or a region. @throws like authorizeQuotas(). */
export async function getQuotas(ctx: RequestContext, which: WhichQuotas): Promise<QuotaSet> {
  const target = await authorizeQuotas(ctx, which);
  return readQuotaSet(target.authorized.db, target);
}

export async function readQuotaSet(db: Statements, target: QuotaTarget): Promise<QuotaSet> {
  const { key, accountId } = target;
  const found = await findJson<StoredLimits>(
    db,
    Prisma.sql`
      SELECT json_build_object('version', q."version", 'limits', q."limits")::text FROM "quota" AS q WHERE q."subject" = ${key}`,
  );
  const stored = found ?? { version: 0, limits: {} };
  const limits = accountId === null ? [] : await readLimits(db, Prisma.sql`a."id" = ${accountId}::uuid`);
  return quotaSetFrom(target, stored, limits);
}

/** The limits of a row of `quota`. */
interface StoredLimits {
  version: number;
  limits: QuotaLimits;
}

/** @param all the limits of the account with their use. */
export function quotaSetFrom(
  { key, names, accountId, subject }: QuotaTarget,
  { version, limits }: StoredLimits,
  all: readonly LimitWithUse[],
): QuotaSet {
  const quotas =
    accountId === null ? quotasOfPlan(limits) : all.filter((limit) => limit.subject === key).map(quotaFrom);
  return { ...names, version, quotas, subject };
}

/** The limits of a plan, which itself uses nothing. */
function quotasOfPlan(limits: QuotaLimits): Quota[] {
  const none = { used: null, isDefault: false, region: null };
  return quotaResourceNames.toSorted().flatMap((resource) => {
    const limit = limits[resource];
    return limit === undefined ? [] : [{ resource, limit, ...none }];
  });
}
