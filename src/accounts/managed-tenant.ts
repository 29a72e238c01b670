// Rules that API keys and OAuth clients share: which principal they act for, and who manages them. An admin of the
// account manages those of the account, an admin of a workspace those that are confined to it, and every user their
// own.
import { oldSignInKeyLifeMs, recentSignInMs } from '../auth/api-key-expiry.js';
import type { LatestExpiry } from '../auth/api-key-expiry.js';
import {
  actsAsPlatform,
  AuthorizedAccount,
  authorizeAsPlatform,
  authorizeOwnAccount,
  authorizePlatform,
  isAccountAdmin,
} from '../auth/authorize.js';
import type { Authorized } from '../auth/authorize.js';
import type { AccessibleAccount, AccessibleWorkspace, Role } from '../auth/caller.js';
import type { RequestContext } from '../auth/context.js';
import { managedCondition } from '../auth/managed-rows.js';
import { loadAccess } from '../auth/caller-access.js';
import type { StoredCredential } from '../auth/caller-access.js';
import { lockEnabledPrincipal } from '../auth/lock-principal.js';
import { openingScopes, scopes as knownScopes } from '../auth/scopes.js';
import type { Scope } from '../auth/scopes.js';
import { canonicalUserName } from '../auth/user-name.js';
import type { Transaction } from '../database/open.js';
import { ApiError, forbidden, invalidParameter, quoted, unauthorized } from '../errors.js';
import { isResourceId } from '../schema/resource.js';
import { findTenant, noMember } from './find-tenant.js';
import type { NamedScope } from './find-tenant.js';
import { findPrincipal } from './principals.js';

/** A Prisma condition for the credentials that the caller manages: as the platform, all of the account. */
export function managedBy(within: Authorized): object {
  if (within instanceof AuthorizedAccount && within.isByPlatform) return { accountId: within.account.id };
  return managedCondition(within.caller, { includesOwn: true });
}

/** The scope of a new credential: a whole account, or one workspace of it. */
export interface ManagedTenant {
  account: AccessibleAccount;
  workspace: { id: string; name: string } | undefined;
}

/**
 * Authorizes a new credential for the caller's account, or for a workspace of it. An admin of the platform can name any
 * account.
 *
 * @param action what the caller is about to do, for the error message.
 * @throws 403 without the scope, and if the caller is not an admin of the account or workspace, nor of the platform; 404 and
 * 409 as for findTenant().
 */
export async function authorizeTenant(
  ctx: RequestContext,
  scope: Scope,
  { account, workspace }: NamedScope,
  action: string,
): Promise<{ authorized: AuthorizedAccount; tenant: ManagedTenant }> {
  if (!actsAsPlatform(ctx, account)) {
    const authorized = authorizeOwnAccount(ctx, scope);
    return { authorized, tenant: requireTenantAdmin(authorized, workspace, action) };
  }
  return authorizeAnyTenant(ctx, { account, workspace });
}

/** Authorizes an admin of the platform for any account or workspace. @throws 403 for others; 404; 409. */
export async function authorizeAnyTenant(
  ctx: RequestContext,
  named: NamedScope,
): Promise<{ authorized: AuthorizedAccount; tenant: ManagedTenant }> {
  const { account, workspace } = await findTenant(await authorizePlatform(ctx).db.$prisma(), named);
  const authorized = authorizeAsPlatform(ctx, account);
  return { authorized, tenant: { account: authorized.account, workspace } };
}

/**
 * The caller's account, or the named workspace of it, if the caller is its admin.
 *
 * @param action what the caller is about to do, for the error message.
 */
function requireTenantAdmin(
  authorized: AuthorizedAccount,
  named: string | null | undefined,
  action: string,
): ManagedTenant {
  if (named == null) {
    if (!isAccountAdmin(authorized)) {
      throw forbidden(`Only an admin of the account can ${action} for the whole account. Name a workspace.`);
    }
    return { account: authorized.account, workspace: undefined };
  }
  const workspace = requireAccessible(authorized, named);
  if (workspace.role !== 'admin') throw forbidden(`Only an admin of the workspace can ${action} for it.`);
  return { account: workspace.account, workspace };
}

export function requireAccessible({ caller }: Pick<RequestContext, 'caller'>, name: string): AccessibleWorkspace {
  const workspace = caller.workspaces.get(name);
  if (workspace === undefined) throw forbidden('The workspace does not exist, or this credential cannot access it.');
  return workspace;
}

/**
 * The principal that a new credential acts for: the caller, or a service account of the account or workspace. As the
 * platform: any user or service account that can access it. Locks the principal until the transaction ends.
 *
 * @throws 401 `unauthorized` if the caller was just disabled; 404 for an unknown owner; 409 `conflict` for a disabled one.
 */
export async function grantOf(
  within: Authorized,
  tenant: ManagedTenant,
  owner: string | null | undefined,
): Promise<StoredCredential> {
  const { principal } = within.caller;
  const { account, workspace } = tenant;
  const db = await within.db.$prisma();
  if (within instanceof AuthorizedAccount && within.isByPlatform) {
    if (owner == null) throw invalidParameter('owner', 'is required for a credential of another account');
    return findGrant(db, tenant, owner);
  }
  const grant = { principalId: principal.id, accountId: account.id, workspaceId: workspace?.id ?? null };
  const name = owner == null ? principal.name : (canonicalUserName(owner) ?? '');
  if (name === principal.name) {
    if (await lockEnabledPrincipal(db, principal.id)) return grant;
    throw unauthorized('The user or service account of the credential is disabled.');
  }
  const found = await db.principal.findFirst({ where: { name, kind: 'service_account' } });
  const acting = { ...grant, principalId: found?.id ?? '' };
  const isEnabled = found !== null && (await lockEnabledPrincipal(db, found.id));
  const access = isEnabled ? await loadAccess(db, acting) : undefined;
  // A service account that does not exist and one of another account get the same error.
  if (access === undefined || (workspace !== undefined && access.workspaces.size === 0)) {
    throw new ApiError(
      'not_found',
      `There is no service account named ${quoted(owner)} in this account or workspace.`,
      {
        field: 'owner',
      },
    );
  }
  refuseAdmin(within, access.accounts);
  return acting;
}

/**
 * Checks that the caller may get the secret of a credential, and so act as its owner: only an admin of the account may act
 * as an admin.
 *
 * @throws 403
 */
export async function requireActing(
  within: Authorized,
  { principalId, accountId }: { principalId: string | null; accountId: string | null },
): Promise<void> {
  if (principalId === null || accountId === null || principalId === within.caller.principal.id) return;
  // Includes an owner who is disabled, because the owner may be enabled again.
  const db = await within.db.$prisma();
  refuseAdmin(within, await db.accountMember.findMany({ where: { principalId, accountId } }));
}

function refuseAdmin({ caller }: Authorized, memberships: readonly { role: Role }[]): void {
  const isAdmin = (each: { role: Role }) => each.role === 'admin';
  if (memberships.some(isAdmin) && !caller.accounts.some(isAdmin))
    throw forbidden('Only an admin of the account can have a credential that acts as an admin.');
}

/**
 * A credential of a user or service account that can access the account or workspace. It does not authorize the caller, and
 * locks the user or service account until the transaction ends.
 *
 * @throws 404 `not_found`, 409 `conflict` if the owner is disabled.
 */
export async function findGrant(
  db: Transaction,
  { account, workspace }: { account: { id: string; name: string }; workspace: ManagedTenant['workspace'] },
  ownerName: string,
): Promise<StoredCredential> {
  const owner = await findPrincipal(db, ownerName);
  if (!(await lockEnabledPrincipal(db, owner.id))) throw new ApiError('conflict', `${owner.name} is disabled.`);
  const grant = { principalId: owner.id, accountId: account.id, workspaceId: workspace?.id ?? null };
  const access = await loadAccess(db, grant);
  if (access === undefined) throw noMember(owner.name, { account, workspace: undefined });
  if (workspace !== undefined && !access.workspaces.has(workspace.name)) {
    throw noMember(owner.name, { account, workspace });
  }
  return grant;
}

/**
 * The scopes of a new credential.
 *
 * @param allowed the scopes that such a credential can have.
 * @throws 400 for an unknown scope, or if the scopes allow nothing; 403 for scopes that the caller lacks.
 */
export function givenScopes(
  ctx: RequestContext,
  scopes: readonly string[],
  allowed: readonly string[] = openingScopes,
): string[] {
  const unknown = scopes.find((name) => !knownScopes.includes(name) && !allowed.includes(name));
  if (unknown !== undefined)
    throw invalidParameter('scopes', `must be scopes of this service (got ${JSON.stringify(unknown)})`);
  const absent = scopes.find((name) => !allowed.includes(name));
  if (absent !== undefined)
    throw invalidParameter('scopes', `must contain a scope that grants access (no operation uses ${absent})`);
  if (scopes.length === 0)
    throw invalidParameter('scopes', 'must contain at least one scope. The scope admin grants all');
  requireScopes(ctx, scopes);
  return allowed.filter((name) => scopes.includes(name));
}

/** A credential cannot give scopes that it lacks. @throws 403 */
export function requireScopes({ caller }: RequestContext, scopes: readonly string[]): void {
  const beyond = caller.scopes.has('admin') ? undefined : scopes.find((name) => !caller.scopes.has(name));
  if (beyond !== undefined) throw forbidden(`This credential lacks the scope ${beyond}, so it cannot grant it.`);
}

/**
 * The latest expiry of a credential that this request creates: that of the request's own credential. A user who signed
 * in within the last hour may create credentials that outlast the access token; with an older sign-in they last a day
 * at most.
 */
export async function latestExpiry({ db, ctx, caller }: Authorized): Promise<LatestExpiry | undefined> {
  const { kind, id, expiresAt } = caller.credential;
  if (expiresAt === undefined) return undefined;
  const ofCredential = { at: expiresAt, because: 'the credential of this request expires then' };
  if (kind !== 'access_token' || !isResourceId(id)) return ofCredential;
  const token = await (await db.$prisma()).accessToken.findUnique({ where: { id }, include: { authorization: true } });
  if (token === null || token.authorization === null) return ofCredential;
  const { signedInAt } = token.authorization;
  const nowMs = ctx.now().getTime();
  if (signedInAt !== null && nowMs - signedInAt.getTime() <= recentSignInMs) return undefined;
  const because = 'you signed in more than an hour ago; sign in again to lift this limit';
  return { at: new Date(nowMs + oldSignInKeyLifeMs), because };
}

/** The secret of an OAuth client does not expire, so a credential that expires cannot create one. @throws 403 */
export async function requireUnlimited(authorized: Authorized): Promise<void> {
  const latest = await latestExpiry(authorized);
  if (latest === undefined) return;
  const at = latest.at.toISOString();
  throw forbidden(
    `The secret of an OAuth client does not expire. This credential can only create credentials that expire by ${at}, because ${latest.because}.`,
  );
}
