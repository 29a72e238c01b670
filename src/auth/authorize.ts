// What authorising gives. Whatever reads or changes rows takes one of these, and nothing else can make one: a door has
// nothing to hand over, so it cannot reach a row that was not authorised.
import type { Statements, Transactional } from '../database/open.js';
import { Reads } from '../database/reads.js';
import { ApiError, forbidden, scopeRequired } from '../errors.js';
import type { Caller, ExecutorReach, ReachableAccount, ReachableWorkspace } from './caller.js';
import { databaseOf, readsOf } from './context.js';
import type { RequestContext } from './context.js';
import { executorScope, isChangingScope } from './scopes.js';
import type { Scope } from './scopes.js';

/** The right to read or change within all that the caller reaches. */
export class Authorized {
  readonly ctx: RequestContext;
  /** Runs statements: the database, or the transaction that this right was taken into. */
  readonly db: Statements;
  /** Makes the class nominal: an object of the same shape is none. */
  readonly #database: Transactional;

  constructor(ctx: RequestContext, db: Statements = databaseOf(ctx)) {
    this.ctx = ctx;
    this.db = db;
    this.#database = databaseOf(ctx);
  }

  get caller(): Caller {
    return this.ctx.caller;
  }

  /** Reads lists and metrics: of a replica where the request may, and in a transaction what that sees. */
  get reads(): Reads {
    return this.isInTransaction ? new Reads(this.db) : readsOf(this.ctx);
  }

  /** Whether statements run in a transaction: what the request has read outside of it is no use there. */
  get isInTransaction(): boolean {
    return this.db !== this.#database;
  }

  /** Does something in one transaction: all of it or, when it throws, none of it. */
  transaction<Result>(act: (within: Authorized) => Promise<Result>): Promise<Result> {
    return this.begin((db) => act(new Authorized(this.ctx, db)));
  }

  protected begin<Result>(act: (db: Statements) => Promise<Result>): Promise<Result> {
    return this.isInTransaction ? act(this.db) : this.#database.$begin(act);
  }
}

/** The right to read or change what belongs to one account. */
export class AuthorizedAccount extends Authorized {
  readonly account: ReachableAccount;

  constructor(ctx: RequestContext, account: ReachableAccount, db?: Statements) {
    super(ctx, db);
    this.account = account;
  }

  override transaction<Result>(act: (within: AuthorizedAccount) => Promise<Result>): Promise<Result> {
    return this.begin((db) => act(new AuthorizedAccount(this.ctx, this.account, db)));
  }

  /** The same right in the transaction of another one. */
  joining({ db }: Authorized): AuthorizedAccount {
    return new AuthorizedAccount(this.ctx, this.account, db);
  }

  /** The same right in a workspace of the account that comes to be in this transaction. */
  inNew(workspace: ReachableWorkspace): AuthorizedWorkspace {
    return new AuthorizedWorkspace(this.ctx, workspace, this.db);
  }
}

/** The right to read or change what is in one workspace. */
export class AuthorizedWorkspace extends AuthorizedAccount {
  readonly workspace: ReachableWorkspace;

  constructor(ctx: RequestContext, workspace: ReachableWorkspace, db?: Statements) {
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

/** The right to what executors have to do in the regions of one of them, of whatever account. */
export class AuthorizedExecutor extends Authorized {
  readonly executor: ExecutorReach;

  constructor(ctx: RequestContext, executor: ExecutorReach, db?: Statements) {
    super(ctx, db);
    this.executor = executor;
  }

  override transaction<Result>(act: (within: AuthorizedExecutor) => Promise<Result>): Promise<Result> {
    return this.begin((db) => act(new AuthorizedExecutor(this.ctx, this.executor, db)));
  }
}

/** @throws 403 `forbidden` for whoever is no executor, an admin included. */
export function authorizeExecutor(ctx: RequestContext): AuthorizedExecutor {
  const { executor } = ctx.caller;
  if (executor === undefined) throw scopeRequired(executorScope);
  return new AuthorizedExecutor(ctx, executor);
}

/** Refuses with 403 `forbidden` unless the credential carries the scope, or `admin`. */
export function requireScope(caller: Caller, scope: Scope): void {
  if (caller.scopes.has('admin') || caller.scopes.has(scope)) return;
  throw scopeRequired(scope);
}

/**
 * The workspace of a request: the one that is named, else the one of the header, else the only one that
 * the caller reaches (decision 3).
 *
 * @throws 403 `forbidden` without the scope, for a workspace that is unknown or out of reach, alike, and for a viewer
 *   where the scope names a change.
 * @throws 400 `workspace_required` when none is named and the caller reaches several.
 */
export function authorizeWorkspace(ctx: RequestContext, scope: Scope, named?: string | null): AuthorizedWorkspace {
  requireScope(ctx.caller, scope);
  const workspace = workspaceOf(ctx, named);
  if (isChangingScope(scope)) requireChanger(workspace);
  return new AuthorizedWorkspace(ctx, workspace);
}

/** Refuses with 403 `forbidden` a viewer, who changes nothing. Scopes that name a change are refused to them anyway. */
export function requireChanger(workspace: ReachableWorkspace): void {
  if (workspace.role !== 'viewer') return;
  throw forbidden(`Your role in the workspace ${workspace.name} is viewer, which cannot make changes.`);
}

function workspaceOf(ctx: RequestContext, named: string | null | undefined): ReachableWorkspace {
  const name = named ?? ctx.workspaceName;
  if (name !== undefined) {
    const workspace = ctx.caller.workspaces.get(name);
    if (workspace === undefined) throw workspaceOutOfReach();
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

/** What is said of a workspace that is unknown, out of reach or gone, alike (decision 3). */
export function workspaceOutOfReach(): ApiError {
  return forbidden('The workspace does not exist, or this credential cannot access it.');
}

/** All that the caller reaches. @throws 403 `forbidden` without the scope; none is needed where none is named. */
export function authorizeReach(ctx: RequestContext, scope?: Scope): Authorized {
  if (scope !== undefined) requireScope(ctx.caller, scope);
  return new Authorized(ctx);
}

/**
 * An account by its id.
 *
 * @throws 403 `forbidden` without the scope; 403 `access_denied` for an account that the caller does not belong to,
 *   whether it exists or not (decision 19).
 */
export function authorizeAccount(ctx: RequestContext, scope: Scope, id: string): AuthorizedAccount {
  requireScope(ctx.caller, scope);
  const account = ctx.caller.accounts.find((each) => each.id === id);
  if (account === undefined) throw new ApiError('access_denied', 'Access denied.');
  return new AuthorizedAccount(ctx, account);
}

/** Whether somebody is an admin of the platform: of the account that the operator named, by no confined credential. */
export function isPlatformAdmin({ caller, platformAccount }: RequestContext): boolean {
  return platformAccountOf(caller, platformAccount) !== undefined;
}

/**
 * The right to change what is the platform's. It is recorded in the history of the account that PLATFORM_ACCOUNT names.
 *
 * @throws 403 `forbidden` without `admin`, and but for an admin of that account: alike whether one is named or not.
 */
export function authorizePlatform(ctx: RequestContext): AuthorizedAccount {
  requireScope(ctx.caller, 'admin');
  const account = platformAccountOf(ctx.caller, ctx.platformAccount);
  if (account === undefined) throw forbidden('Only an admin of the platform can do this.');
  return new AuthorizedAccount(ctx, account);
}

function platformAccountOf({ accounts, confinedTo }: Caller, name: string | undefined): ReachableAccount | undefined {
  if (confinedTo !== undefined) return undefined;
  return accounts.find((account) => account.name === name && account.role === 'admin');
}

/** The account that the credential of the request was made for. @throws 403 `forbidden` without the scope. */
export function authorizeOwnAccount(ctx: RequestContext, scope: Scope): AuthorizedAccount {
  requireScope(ctx.caller, scope);
  const [account] = ctx.caller.accounts;
  if (account === undefined) throw forbidden('This credential cannot access any account.');
  return new AuthorizedAccount(ctx, account);
}
