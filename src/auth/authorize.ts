// Authorization. Functions that read or write rows take one of these classes, which only this file can create. A
// transport has no other access to the database, so it cannot reach rows without authorization.
import { Prisma } from '../database/client/client.js';
import type { Account } from '../database/client/client.js';
import type { Transactional } from '../database/open.js';
import type { Statements } from '../database/transaction.js';
import { Reads } from '../database/reads.js';
import { ApiError, forbidden, scopeRequired, unknownId } from '../errors.js';
import type { Caller, ExecutorAccess, AccessibleAccount, AccessibleWorkspace } from './caller.js';
import { databaseOf, readsOf } from './context.js';
import type { RequestContext } from './context.js';
import { executorScope, isChangingScope, provisioningScope } from './scopes.js';
import type { Scope } from './scopes.js';

/** Authorization for everything accessible to the caller. */
export class Authorized {
  readonly ctx: RequestContext;
  /** Runs statements in the database, or in the transaction of this authorization. */
  readonly db: Statements;
  /** A private field makes the class nominal: an object of the same shape is not assignable. */
  readonly #database: Transactional;

  constructor(ctx: RequestContext, db: Statements = databaseOf(ctx)) {
    this.ctx = ctx;
    this.db = db;
    this.#database = databaseOf(ctx);
  }

  get caller(): Caller {
    return this.ctx.caller;
  }

  /** Reads lists and metrics, from a replica if the request allows it. In a transaction, reads from the transaction. */
  get reads(): Reads {
    return this.isInTransaction ? new Reads(this.db) : readsOf(this.ctx);
  }

  /** Whether statements run in a transaction. Data that the request read outside it must not be reused then. */
  get isInTransaction(): boolean {
    return this.db !== this.#database;
  }

  /** Whether transaction() begins a transaction of its own, and does not run in another one. */
  get beginsTransaction(): boolean {
    return !this.isInTransaction && this.#database.isNested !== true;
  }

  /** Runs an action in a transaction, which is rolled back when the action throws. */
  transaction<Result>(act: (within: Authorized) => Promise<Result>): Promise<Result> {
    return this.begin((db) => act(new Authorized(this.ctx, db)));
  }

  protected begin<Result>(act: (db: Statements) => Promise<Result>): Promise<Result> {
    return this.isInTransaction ? act(this.db) : this.#database.$begin(act);
  }
}

/** Authorization for one account. */
export class AuthorizedAccount extends Authorized {
  readonly account: AccessibleAccount;
  /** Whether the caller acts as an admin of the platform, and need not be a member of the account. */
  readonly isByPlatform: boolean;

  constructor(ctx: RequestContext, account: AccessibleAccount, db?: Statements, isByPlatform = false) {
    super(ctx, db);
    this.account = account;
    this.isByPlatform = isByPlatform;
  }

  override transaction<Result>(act: (within: AuthorizedAccount) => Promise<Result>): Promise<Result> {
    return this.begin((db) => act(new AuthorizedAccount(this.ctx, this.account, db, this.isByPlatform)));
  }

  /** Returns the same authorization in the transaction of another one. */
  joining({ db }: Authorized): AuthorizedAccount {
    return new AuthorizedAccount(this.ctx, this.account, db, this.isByPlatform);
  }

  /** Returns the same authorization for a workspace that this transaction creates. */
  inNew(workspace: AccessibleWorkspace): AuthorizedWorkspace {
    return new AuthorizedWorkspace(this.ctx, workspace, this.db);
  }
}

/** Authorization for one workspace. */
export class AuthorizedWorkspace extends AuthorizedAccount {
  readonly workspace: AccessibleWorkspace;

  constructor(ctx: RequestContext, workspace: AccessibleWorkspace, db?: Statements) {
    super(ctx, workspace.account, db);
    this.workspace = workspace;
  }

  override joining({ db }: Authorized): AuthorizedWorkspace {
    return new AuthorizedWorkspace(this.ctx, this.workspace, db);
  }

  override transaction<Result>(act: (within: AuthorizedWorkspace) => Promise<Result>): Promise<Result> {
    return this.begin((db) => act(new AuthorizedWorkspace(this.ctx, this.workspace, db)));
  }
}

/** Authorization for the assignments of an executor's regions, in all accounts. */
export class AuthorizedExecutor extends Authorized {
  readonly executor: ExecutorAccess;

  constructor(ctx: RequestContext, executor: ExecutorAccess, db?: Statements) {
    super(ctx, db);
    this.executor = executor;
  }

  override transaction<Result>(act: (within: AuthorizedExecutor) => Promise<Result>): Promise<Result> {
    return this.begin((db) => act(new AuthorizedExecutor(this.ctx, this.executor, db)));
  }
}

/** @throws 403 `forbidden` unless the caller is an executor, also for an admin. */
export function authorizeExecutor(ctx: RequestContext): AuthorizedExecutor {
  const { executor } = ctx.caller;
  if (executor === undefined) throw scopeRequired(executorScope);
  return new AuthorizedExecutor(ctx, executor);
}

/** @throws 403 `forbidden` unless the credential has the scope, or `admin` if that includes the scope. */
export function requireScope(caller: Caller, scope: Scope): void {
  if (caller.scopes.has(scope) || (caller.scopes.has('admin') && scope !== provisioningScope)) return;
  throw scopeRequired(scope);
}

/**
 * Authorizes the request's workspace: the named one, else the one in the header, else the only one accessible to the
 * caller (decision 3).
 *
 * @throws 403 `forbidden` without the scope, for an unknown or inaccessible workspace alike, and for a viewer when the
 * scope allows changes.
 * @throws 400 `workspace_required` when none is named and several are accessible.
 */
export function authorizeWorkspace(ctx: RequestContext, scope: Scope, named?: string | null): AuthorizedWorkspace {
  requireScope(ctx.caller, scope);
  const workspace = workspaceOf(ctx, named);
  if (isChangingScope(scope)) requireChanger(workspace);
  return new AuthorizedWorkspace(ctx, workspace);
}

/** A resource by its id, or the name of its workspace. */
export type ResourceReference = { id: string } | { id?: undefined; workspace?: string | null | undefined };

/**
 * Authorizes the workspace of a resource: that of the resource with the id, else the request's workspace.
 *
 * @param kind the kind of the resource.
 * @throws like authorizeWorkspace(); 404 `not_found` for the id of a resource that does not exist or is in a workspace
 *   that is not accessible.
 */
export async function authorizeResource(
  ctx: RequestContext,
  scope: Scope,
  kind: { label: string; table: string },
  reference: ResourceReference,
): Promise<AuthorizedWorkspace> {
  if (reference.id === undefined) return authorizeWorkspace(ctx, scope, reference.workspace);
  const { db } = authorizeScope(ctx, scope);
  const workspaceId = await db.$text(Prisma.sql`
    SELECT r."workspace_id"::text FROM ${Prisma.raw(`"${kind.table}"`)} AS r WHERE r."id" = ${reference.id}::uuid`);
  const workspace = workspaceById(ctx, workspaceId);
  if (workspace === undefined) throw unknownId(kind.label);
  return authorizeWorkspace(ctx, scope, workspace.name);
}

function workspaceById({ caller }: RequestContext, id: string): AccessibleWorkspace | undefined {
  return [...caller.workspaces.values()].find((workspace) => workspace.id === id);
}

/** The name of a workspace by id or by name; empty if the id is not accessible. */
export function workspaceNameOf(
  ctx: RequestContext,
  reference: { id: string } | { id?: undefined; name: string },
): string {
  return reference.id === undefined ? reference.name : (workspaceById(ctx, reference.id)?.name ?? '');
}

/** The same for a change, which a viewer cannot make. The scope alone does not always reveal one, as `admin`. */
export async function authorizeResourceChange(
  ...reference: Parameters<typeof authorizeResource>
): Promise<AuthorizedWorkspace> {
  const within = await authorizeResource(...reference);
  requireChanger(within.workspace);
  return within;
}

/** @throws 403 `forbidden` for a viewer, for changes that the scope alone does not reveal. */
export function requireChanger(workspace: AccessibleWorkspace): void {
  if (workspace.role !== 'viewer') return;
  throw forbidden(`Your role in the workspace ${workspace.name} is viewer, which cannot make changes.`);
}

function workspaceOf(ctx: RequestContext, named: string | null | undefined): AccessibleWorkspace {
  const name = named ?? ctx.workspaceName;
  if (name !== undefined) {
    const workspace = ctx.caller.workspaces.get(name);
    if (workspace === undefined) throw workspaceNotAccessible();
    return workspace;
  }
  const [only, ...others] = ctx.caller.workspaces.values();
  if (only === undefined) throw forbidden('This credential cannot access any workspace.');
  if (others.length > 0) {
    throw new ApiError(
      'workspace_required',
      'This credential can access several workspaces. Name one in the workspace header.',
    );
  }
  return only;
}

/** The error for an unknown, inaccessible or deleted workspace, the same for all three (decision 3). */
export function workspaceNotAccessible(): ApiError {
  return forbidden('The workspace does not exist, or this credential cannot access it.');
}

/** Authorizes everything accessible to the caller. @throws 403 `forbidden` without the scope, if one is given. */
export function authorizeScope(ctx: RequestContext, scope?: Scope): Authorized {
  if (scope !== undefined) requireScope(ctx.caller, scope);
  return new Authorized(ctx);
}

/**
 * Authorizes an account by its id.
 *
 * @throws 403 `forbidden` without the scope; 403 `access_denied` for an unknown or inaccessible account alike (decision
 * 19).
 */
export function authorizeAccount(ctx: RequestContext, scope: Scope, id: string): AuthorizedAccount {
  requireScope(ctx.caller, scope);
  const account = ctx.caller.accounts.find((each) => each.id === id);
  if (account === undefined) throw new ApiError('access_denied', 'Access denied.');
  return new AuthorizedAccount(ctx, account);
}

/** Whether the caller is an admin of the account, with a credential that is not confined to a workspace. */
export function isAccountAdmin({ account, caller }: AuthorizedAccount): boolean {
  return account.role === 'admin' && caller.confinedTo === undefined;
}

/**
 * @param action the end of the message, such as "can list its members".
 * @throws 403 `forbidden` unless the caller is an admin of the account, with a credential that is not confined to a
 * workspace.
 */
export function requireAccountAdmin(authorized: AuthorizedAccount, action: string): AuthorizedAccount {
  if (isAccountAdmin(authorized)) return authorized;
  throw forbidden(`Only an admin of the account ${action}.`);
}

/** Authorizes an admin of an account, by its name or id. @throws 403 like authorizeAccount() and requireAccountAdmin(). */
export function authorizeAccountAdmin(
  ctx: RequestContext,
  scope: Scope,
  nameOrId: string,
  action: string,
): AuthorizedAccount {
  const named = ctx.caller.accounts.find(({ id, name }) => id === nameOrId || name === nameOrId);
  return requireAccountAdmin(authorizeAccount(ctx, scope, named?.id ?? nameOrId), action);
}

/**
 * Whether the caller is an admin of the platform's account, with a credential that is not confined to a workspace, or an
 * operator.
 */
export function isPlatformAdmin({ caller, platformAccount }: RequestContext): boolean {
  return caller.isOperator === true || platformAccountOf(caller, platformAccount) !== undefined;
}

/**
 * Authorizes changes of the platform. The change log of the account named by PLATFORM_ACCOUNT records them.
 *
 * @returns the authorization for that account. An operator is also authorized when the setting names none.
 * @throws 403 `forbidden` without `admin`, and unless the caller is an admin of that account; the same when none is
 * set.
 */
export function authorizePlatform(ctx: RequestContext): Authorized | AuthorizedAccount {
  requireScope(ctx.caller, 'admin');
  const account = platformAccountOf(ctx.caller, ctx.platformAccount);
  if (account !== undefined) return new AuthorizedAccount(ctx, account);
  if (ctx.caller.isOperator === true) return new Authorized(ctx);
  throw forbidden('Only an admin of the platform can do this.');
}

/**
 * Authorizes an account for an admin of the platform, who need not be a member of it.
 *
 * @throws 403 `forbidden` like authorizePlatform().
 */
export function authorizeAsPlatform(ctx: RequestContext, { displayName, ...account }: Account): AuthorizedAccount {
  authorizePlatform(ctx);
  const accessible = { ...account, displayName: displayName ?? undefined, role: 'admin' as const };
  return new AuthorizedAccount(ctx, accessible, undefined, true);
}

/** Whether authorizePlatform() succeeds. */
export function mayActAsPlatform(ctx: RequestContext): boolean {
  return ctx.caller.scopes.has('admin') && isPlatformAdmin(ctx);
}

/**
 * Whether a request acts on an account as the platform: for an operator, and for an admin of the platform if it is not the
 * account of the request's credential.
 */
export function actsAsPlatform(ctx: RequestContext, account: string | null | undefined): boolean {
  const { isOperator, accounts } = ctx.caller;
  return isOperator === true || (account != null && account !== accounts[0]?.name);
}

function platformAccountOf({ accounts, confinedTo }: Caller, name: string | undefined): AccessibleAccount | undefined {
  if (confinedTo !== undefined) return undefined;
  return accounts.find((account) => account.name === name && account.role === 'admin');
}

/**
 * Requires that an admin of the platform makes a change in any account. A credential is for one account. So it can also be one
 * for the account of the change, if its owner is an admin of the platform's account.
 *
 * @param field the field of the input that only these admins can set.
 * @throws 403 `forbidden` without `admin`, with a credential that is confined to a workspace, and for anyone else.
 */
export async function requirePlatformAdmin(authorized: Authorized, field: string): Promise<void> {
  const { ctx, caller } = authorized;
  const isEntitled = caller.scopes.has('admin') && caller.confinedTo === undefined;
  if (isEntitled && (isPlatformAdmin(ctx) || (await isOfPlatformAdmin(authorized)))) return;
  const message = `Only an admin of the platform can set ${field}, with the scope admin and not confined to a workspace.`;
  throw new ApiError('forbidden', message, { field });
}

/** Whether the owner of the credential is an admin of the platform's account, which may require an identity provider for sign-ins. */
async function isOfPlatformAdmin({ ctx: { platformAccount }, caller, db }: Authorized): Promise<boolean> {
  if (platformAccount === undefined) return false;
  const found = await db.$text(Prisma.sql`
    SELECT m."role"::text FROM "account" AS a JOIN "account_member" AS m ON m."account_id" = a."id"
    WHERE a."name" = ${platformAccount}::text AND m."principal_id" = ${caller.principal.id}::uuid AND m."role" = 'admin'
      AND (a."required_sign_in_provider" IS NULL OR ${caller.credential.kind}::text = 'api_key')`);
  return found !== '';
}

/** Authorizes the account of the request's credential. @throws 403 `forbidden` without the scope. */
export function authorizeOwnAccount(ctx: RequestContext, scope: Scope): AuthorizedAccount {
  requireScope(ctx.caller, scope);
  const [account] = ctx.caller.accounts;
  if (account === undefined) throw forbidden('This credential cannot access any account.');
  return new AuthorizedAccount(ctx, account);
}
