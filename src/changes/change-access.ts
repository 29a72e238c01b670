// The changes that a caller may see: those of resources that they may read. Changes of the account itself are visible
// only to its admins.
import { authorizeOwnAccount, authorizePlatform } from '../auth/authorize.js';
import type { AuthorizedAccount } from '../auth/authorize.js';
import type { Caller } from '../auth/caller.js';
import type { RequestContext } from '../auth/context.js';
import type { Scope } from '../auth/scopes.js';
import { Prisma } from '../database/client/client.js';
import { findJson } from '../database/read-json.js';
import { notFound, unavailable } from '../errors.js';
import type { Change } from './change.js';
import { oneOf } from './change-condition.js';
import type { ChangeCondition } from './change-condition.js';
import { allKinds, changeSubjects } from './change-subjects.js';
import type { ChangeKind } from './change-subjects.js';

export interface ChangeAccess {
  accountId: string;
  /**
   * Whether the caller sees the whole account: also changes outside of workspaces or in deleted ones, and client
   * addresses.
   */
  isWholeAccount: boolean;
  /** The workspaces that a filter can name, by name. */
  workspaces: ReadonlyMap<string, { id: string }>;
  /** The conditions of the changes that the caller may see. */
  conditions: ChangeCondition[];
}

/** Authorizes reading the account's change log. @throws 403 if no scope of the caller reads changes. */
export function authorizeChanges(ctx: RequestContext): { within: AuthorizedAccount; access: ChangeAccess } {
  const kinds = kindsSeenBy(ctx.caller);
  const [kind = 'AGENT'] = kinds;
  const within = authorizeOwnAccount(ctx, changeSubjects[kind].scope);
  const isWholeAccount = isAdminOfOwnAccount(ctx.caller);
  const { workspaces } = ctx.caller;
  const workspaceIds = Array.from(workspaces.values(), ({ id }) => id).toSorted();
  return {
    within,
    access: {
      accountId: within.account.id,
      isWholeAccount,
      workspaces,
      conditions: [
        ...(kinds.length === allKinds.length ? [] : [oneOf('kind', kinds)]),
        ...(isWholeAccount ? [] : [oneOf('workspaceId', workspaceIds)]),
      ],
    },
  };
}

/**
 * Authorizes an admin of the platform to read the change log of any account.
 *
 * @param account its name, or its id, also after its deletion.
 * @param workspaceNames the workspaces that a filter names.
 * @throws 403 `forbidden` unless the caller is an admin of the platform; 404 `not_found`.
 */
export async function authorizeAnyChanges(
  ctx: RequestContext,
  account: string,
  workspaceNames: readonly string[],
): Promise<ChangeAccess> {
  const { db } = authorizePlatform(ctx);
  // PostgreSQL cannot store NUL, so no account or workspace has a name with it.
  const [which = '', ...names] = [account, ...workspaceNames].map((name) => name.replaceAll('\0', ' '));
  const found = await findJson<{ accountId: string; workspaces: [name: string, id: string][] }>(
    db,
    Prisma.sql`
      SELECT json_build_object('accountId', f."id", 'workspaces', (
        SELECT coalesce(json_agg(json_build_array(w."name", w."id")), '[]') FROM "workspace" AS w
        WHERE w."account_id" = f."id" AND w."name" = ANY(${names}::text[])))::text
      FROM (
        SELECT coalesce((SELECT a."id" FROM "account" AS a WHERE a."name" = ${which}),
          (SELECT h."account_id" FROM "change_head" AS h WHERE h."account_id"::text = ${which})) AS "id") AS f
      WHERE f."id" IS NOT NULL`,
  );
  if (found === undefined) throw notFound('account', account);
  const workspaces = new Map(found.workspaces.map(([name, id]) => [name, { id }]));
  return { accountId: found.accountId, isWholeAccount: true, workspaces, conditions: [] };
}

/** The kinds of changes after which a caller can have access to more workspaces. */
const accessKinds: ReadonlySet<ChangeKind> = new Set(['WORKSPACE', 'ACCOUNT', 'MEMBER', 'GROUP_ROLE', 'GROUP']);

/**
 * Whether a caller can have access to more workspaces after a change. An admin of the account gains access
 * only when a workspace is created.
 */
export function canGiveAccess(caller: Caller, { kind, verb }: Pick<Change, 'kind' | 'verb'>): boolean {
  return isAdminOfOwnAccount(caller) ? kind === 'WORKSPACE' && verb === 'created' : accessKinds.has(kind);
}

/** The caller's authorization to read changes. */
type ChangesAuthorization = ReturnType<typeof authorizeChanges>;

/** How often changes are read before the request fails, because the access of the caller differs after each read. */
const readsMax = 10;

/**
 * Reads changes to continue from their end. The caller is authenticated again after the read. If the caller sees other
 * changes then, the result can lack some, and is read again.
 *
 * @throws 503 `unavailable` if its access changes during each of many reads.
 */
export async function readWithNewestAccess<Result>(
  ctx: RequestContext,
  read: (authorization: ChangesAuthorization) => Promise<Result>,
): Promise<Result> {
  for (let reads = 0; reads < readsMax; reads++) {
    const authorization = authorizeChanges(ctx);
    const result = await read(authorization);
    await ctx.renew(true);
    if (textOf(authorizeChanges(ctx).access) === textOf(authorization.access)) return result;
  }
  throw unavailable('The access of the caller changes all the time. Try again.');
}

function textOf({ isWholeAccount, conditions }: ChangeAccess): string {
  return JSON.stringify([isWholeAccount, conditions.map(({ text }) => text)]);
}

function kindsSeenBy(caller: Caller): ChangeKind[] {
  const isAdmin = isAdminOfOwnAccount(caller);
  const has = (scope: Scope) => caller.scopes.has('admin') || caller.scopes.has(scope);
  return allKinds.filter(
    (kind) => has(changeSubjects[kind].scope) && (isAdmin || changeSubjects[kind].isOfAccount !== true),
  );
}

/** isAccountAdmin() for the account of the credential, before its authorization. */
export function isAdminOfOwnAccount({ accounts, confinedTo }: Caller): boolean {
  return confinedTo === undefined && accounts[0]?.role === 'admin';
}
