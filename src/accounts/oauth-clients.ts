// OAuth clients that act for a principal of an account, managed by its members. Clients to which users sign in act for
// users of every account, so only admins of the platform manage those.
import { rotationOverlapSecondsDefault, rotationOverlapSecondsMax } from '../auth/api-key-expiry.js';
import {
  actsAsPlatform,
  AuthorizedAccount,
  authorizeOwnAccount,
  authorizePlatform,
  authorizeScope,
  mayActAsPlatform,
} from '../auth/authorize.js';
import type { Authorized } from '../auth/authorize.js';
import type { RequestContext } from '../auth/context.js';
import { askForForeignName } from '../auth/foreign-names.js';
import { isOwnClient } from '../auth/grants/oauth-client.js';
import type { OauthGrantType } from '../auth/grants/oauth-client.js';
import { managedSql } from '../auth/managed-rows.js';
import { knownScopes, openingScopes } from '../auth/scopes.js';
import {
  changeClient,
  endClient,
  insertClient,
  lockClient,
  readClients,
  removeClient,
  replaceClientSecret,
  requireActive,
  shownClient,
} from '../auth/stored-client.js';
import type { StoredClient } from '../auth/stored-client.js';
import type { ChangeAction } from '../changes/change-subjects.js';
import { fieldsChanged } from '../changes/fields-changed.js';
import { Prisma } from '../database/client/client.js';
import { foldedSql } from '../database/search-pattern.js';
import { forbidden, invalidParameter, notFound } from '../errors.js';
import type { ListInput, ListPage } from '../store/read/list-input.js';
import { runInTransaction } from '../auth/run-in-transaction.js';
import type { DryRun } from '../store/write/change-input.js';
import { lockCreator } from '../store/write/lock-creator.js';
import { displayName as displayNameText, resourceName } from '../schema/resource.js';
import { readTogether } from '../schema/read-together.js';
import { readInput, refuseNull } from '../schema/shape-value.js';
import { z } from 'zod';
import type { NamedScope } from './find-tenant.js';
import {
  authorizeAnyTenant,
  authorizeTenant,
  givenScopes,
  grantOf,
  managedBy,
  requireActing,
  requireScopes,
  requireAccessible,
  requireUnlimited,
} from './managed-tenant.js';
import type { ManagedTenant } from './managed-tenant.js';
import { recordEverywhere } from './record-in-accounts.js';
import { filterOf } from '../store/read/filter.js';
import { readPageById } from '../store/read/read-page.js';
import type { Placed } from '../store/read/read-page.js';
import { defineList } from '../store/read/resource-kind.js';

const clientText = z.object({ name: resourceName, displayName: displayNameText.optional() });

const clientList = defineList({
  label: 'OAuth client',
  table: 'oauth_client',
  source: Prisma.sql`(
    SELECT c."id", c."id" AS "name", c."created_at", c."account_id", c."workspace_id", c."principal_id",
      ${foldedSql(Prisma.sql`c."id" || E'\n' || c."display_name"`)} AS "search"
    FROM "oauth_client" AS c)`,
  idType: Prisma.sql`text`,
  isAcrossWorkspaces: true,
  columns: {},
});

/**
 * One page of the clients that the caller manages, or for an admin of the platform of all clients.
 *
 * @throws 400; 403 without `admin`, or for an inaccessible workspace.
 */
export async function listClients(
  ctx: RequestContext,
  { workspace, isOfAll = false, ...input }: ListInput & { workspace?: string | null | undefined; isOfAll?: boolean },
): Promise<ListPage<Placed<StoredClient>>> {
  const authorized = isOfAll ? authorizePlatform(ctx) : authorizeScope(ctx, 'admin');
  const { principal } = ctx.caller;
  const filter =
    workspace == null
      ? undefined
      : filterOf(workspace, [Prisma.sql`r."workspace_id" = ${requireAccessible(ctx, workspace).id}::uuid`]);
  const accessible = isOfAll ? {} : { accessible: managedSql(ctx.caller, { includesOwn: true }) };
  const query = { principal: principal.id, of: isOfAll ? 'all accounts' : undefined };
  const lists = { parents: [{ id: principal.id }], query, ...accessible, filter };
  return readPageById(authorized, clientList, lists, input, async (ids) =>
    readClients(await authorized.db.$prisma(), { id: { in: ids } }),
  );
}

export interface NewClient extends NamedScope {
  /** The `client_id`. */
  name: string;
  displayName?: string | null | undefined;
  scopes: readonly string[];
  /** The name of the service account that it acts as; the caller by default. */
  owner?: string | null | undefined;
  /** Default: `client_credentials`. */
  grants?: readonly OauthGrantType[] | null | undefined;
  redirectUris?: readonly string[] | null | undefined;
  /** Whether it has no secret. */
  isPublic?: boolean | null | undefined;
}

export interface ClientWithSecret {
  client: StoredClient;
  /** Returned only once. Empty for a public client. */
  secret: string;
}

/**
 * Registers a client. Admins of the platform can name another account, and then any owner that can access it, and other
 * grants than client credentials.
 *
 * @throws 400; 403 without `admin`, for a caller who is not an admin of the account or workspace, for scopes that the
 * caller's credential lacks, and for a credential that expires (see requireUnlimited); 404 for an unknown owner; 409
 * `name_taken`, also for a name in another account; 429 `too_many_requests` for too many such names.
 */
export async function createClient(ctx: RequestContext, input: NewClient & DryRun): Promise<ClientWithSecret> {
  const grants = input.grants ?? ['client_credentials'];
  const isForUsers = grants.some(isForUsersGrant);
  const isByPlatform = isForUsers || actsAsPlatform(ctx, input.account);
  const { authorized, tenant } = await authorizeNewClient(ctx, input, isByPlatform);
  const { text, scopes } = readTogether({
    text: () => readInput(clientText, { name: input.name, ...namedBy(input) }),
    scopes: () => givenScopes(ctx, input.scopes, isByPlatform ? knownScopes : openingScopes),
  });
  const { name, displayName = name } = text;
  const properties = {
    id: name,
    displayName,
    scope: scopes.join(' '),
    grantTypes: [...grants],
    redirectUris: [...(input.redirectUris ?? [])],
    isPublic: input.isPublic === true,
  };
  requireEverywhere(ctx);
  await requireUnlimited(authorized);
  const create = async (within: Authorized) => {
    await lockCreator(within);
    const owner = tenant && (await grantOf(within, tenant, input.owner));
    const db = await within.db.$prisma();
    const { secret = '', client } = await insertClient(db, { ...properties, owner }, ctx.now());
    await record(within, 'created', { after: client });
    return { client, secret };
  };
  const run = () => runInTransaction<Authorized, ClientWithSecret>(authorized, input.validateOnly, create);
  if (isByPlatform || isOwnClient(name) || !(authorized instanceof AuthorizedAccount)) return run();
  const { db, account } = authorized;
  const isOwn = (await (await db.$prisma()).oauthClient.count({ where: { id: name, accountId: account.id } })) > 0;
  return isOwn ? run() : askForForeignName(authorized, input, ['name_taken'], run);
}

/** Whether users sign in to a client with a grant. */
function isForUsersGrant(grant: OauthGrantType): boolean {
  return grant !== 'client_credentials';
}

/** Authorizes a new client, for an account or workspace unless it acts only for users who sign in. */
async function authorizeNewClient(
  ctx: RequestContext,
  { account, workspace, owner }: NewClient,
  isByPlatform: boolean,
): Promise<{ authorized: Authorized; tenant: ManagedTenant | undefined }> {
  if (!isByPlatform) return authorizeTenant(ctx, 'admin', { account, workspace }, 'register clients');
  const authorized = authorizePlatform(ctx);
  if (account != null || workspace != null) return authorizeAnyTenant(ctx, { account, workspace });
  if (owner != null) throw invalidParameter('owner', 'requires account');
  return { authorized, tenant: undefined };
}

function namedBy({ displayName }: { displayName?: string | null | undefined }): object {
  return displayName == null ? {} : { displayName };
}

/**
 * Updates a client; absent fields are kept. A credential that expires cannot add scopes, because they would outlast it. Users
 * who consented to more than the new scopes are asked again.
 *
 * @throws 400; 403 as for a new client; 404; 409 `conflict` for a revoked client.
 */
export async function updateClient(
  ctx: RequestContext,
  input: DryRun & {
    name: string;
    displayName?: string | null | undefined;
    scopes?: readonly string[] | null | undefined;
    redirectUris?: readonly string[] | null | undefined;
  },
): Promise<StoredClient> {
  const { authorized, isByPlatform } = await authorizeClient(ctx, input.name);
  refuseNull(input, ['displayName', 'scopes', 'redirectUris']);
  const { scopes } = input;
  const allowed = isByPlatform ? knownScopes : openingScopes;
  const { text, scope } = readTogether({
    text: () => readInput(clientText.partial(), namedBy(input)),
    scope: () => (scopes == null ? undefined : givenScopes(ctx, scopes, allowed).join(' ')),
  });
  const { displayName } = text;
  return runInTransaction<Authorized, StoredClient>(authorized, input.validateOnly, async (within) => {
    await lockCreator(within);
    const before = await requireManaged(within, input.name, isByPlatform);
    requireActive(before);
    if (!isByPlatform) await requireActingAs(within, before);
    const had = before.scope.split(' ');
    if (scope?.split(' ').some((name) => !had.includes(name)) === true) await requireUnlimited(within);
    const changes = { displayName, scope, redirectUris: input.redirectUris ?? undefined };
    const after = await changeClient(await within.db.$prisma(), before, changes);
    if (fieldsChanged(shownClient(before), shownClient(after)).length === 0) return before;
    await record(within, 'updated', { before, after });
    return after;
  });
}

/**
 * Gives a client a new secret; both work for a while.
 *
 * @param input `overlapSeconds` from 0 to 30 days (default: one day).
 * @throws 400; 403 as for a new client; 404; 409 `conflict` for a revoked client.
 */
export async function rotateClientSecret(
  ctx: RequestContext,
  input: DryRun & { name: string; overlapSeconds?: number | null | undefined },
): Promise<ClientWithSecret> {
  const { authorized, isByPlatform } = await authorizeClient(ctx, input.name);
  const overlapSeconds = input.overlapSeconds ?? rotationOverlapSecondsDefault;
  if (overlapSeconds < 0 || overlapSeconds > rotationOverlapSecondsMax) {
    throw invalidParameter('overlapSeconds', `must be between 0 and ${rotationOverlapSecondsMax}`);
  }
  requireEverywhere(ctx);
  await requireUnlimited(authorized);
  return runInTransaction<Authorized, ClientWithSecret>(authorized, input.validateOnly, async (within) => {
    await lockCreator(within);
    const before = await requireManaged(within, input.name, isByPlatform);
    // The caller receives a secret with which to act as the client's owner.
    if (!isByPlatform) await requireActingAs(within, before);
    requireScopes(ctx, before.scope.split(' '));
    const { secret, client } = await replaceClientSecret(
      await within.db.$prisma(),
      before,
      overlapSeconds * 1000,
      ctx.now(),
    );
    await record(within, 'updated', { before, after: client }, { fields: ['secret'], done: 'Secret rotated' });
    return { client, secret };
  });
}

/** Revokes a client with its tokens; one that was revoked before keeps the time. @throws 403 without `admin`; 404. */
export async function revokeClient(
  ctx: RequestContext,
  { name, validateOnly }: DryRun & { name: string },
): Promise<StoredClient> {
  const { authorized, isByPlatform } = await authorizeClient(ctx, name);
  return runInTransaction<Authorized, StoredClient>(authorized, validateOnly, async (within) => {
    const before = await requireManaged(within, name, isByPlatform);
    if (before.revokedAt !== null) return before;
    const after = await endClient(await within.db.$prisma(), before, ctx.now());
    await record(within, 'revoked', { before, after });
    return after;
  });
}

/**
 * Deletes a client with its tokens; its name becomes available.
 *
 * @returns the deleted client.
 * @throws 403 without `admin`; 404.
 */
export async function deleteClient(
  ctx: RequestContext,
  { name, validateOnly }: DryRun & { name: string },
): Promise<StoredClient> {
  const { authorized, isByPlatform } = await authorizeClient(ctx, name);
  return runInTransaction<Authorized, StoredClient>(authorized, validateOnly, async (within) => {
    const before = await requireManaged(within, name, isByPlatform);
    await removeClient(await within.db.$prisma(), before, ctx.now());
    await record(within, 'deleted', { before });
    return before;
  });
}

/** Authorizes changes of a client: of the caller's account, or for an admin of the platform of any account or of none. */
async function authorizeClient(
  ctx: RequestContext,
  name: string,
): Promise<{ authorized: Authorized; isByPlatform: boolean }> {
  if (mayActAsPlatform(ctx)) {
    const authorized = authorizePlatform(ctx);
    const { isOperator, accounts } = ctx.caller;
    const select = { accountId: true, grantTypes: true } as const;
    const client = isClientName(name)
      ? await (await authorized.db.$prisma()).oauthClient.findUnique({ where: { id: name }, select })
      : null;
    const isForUsers = client?.grantTypes.some(isForUsersGrant) === true;
    if (isOperator === true || isForUsers || client?.accountId !== accounts[0]?.id)
      return { authorized, isByPlatform: true };
  }
  return { authorized: authorizeOwnAccount(ctx, 'admin'), isByPlatform: false };
}

/** Other texts cannot be the name of a client. */
function isClientName(name: string): boolean {
  return resourceName.safeParse(name).success;
}

/**
 * @throws 404 for a client that does not exist or that the caller does not manage; 403 for one to which users sign in.
 */
async function requireManaged(within: Authorized, name: string, isByPlatform: boolean): Promise<StoredClient> {
  const where = isByPlatform ? {} : managedBy(within);
  const client = isClientName(name) ? await lockClient(await within.db.$prisma(), name, where) : undefined;
  if (client === undefined) throw notFound('client', name);
  if (!isByPlatform && client.grantTypes.some(isForUsersGrant)) {
    throw forbidden('Only an admin of the platform can manage a client that users sign in to.');
  }
  return client;
}

/** @throws 403 for a client that acts as another user, or as an admin of an account that the caller is no admin of. */
async function requireActingAs(within: Authorized, client: StoredClient): Promise<void> {
  const { principal, principalId } = client;
  if (principal?.kind !== 'service_account' && principalId !== within.caller.principal.id)
    throw forbidden('Only the user that a client acts as can change it. Other admins can revoke it.');
  await requireActing(within, client);
}

/** @throws 403 for a credential that is confined to address ranges: a client can be used from any address. */
function requireEverywhere({ caller }: RequestContext): void {
  if ((caller.credential.addressRanges ?? []).length === 0) return;
  throw forbidden(
    'This credential is restricted to address ranges and cannot create a client that works from any address.',
  );
}

async function record(
  within: Authorized,
  verb: ChangeAction,
  { before, after }: { before?: StoredClient; after?: StoredClient },
  { fields = [], done = `${verb.charAt(0).toUpperCase()}${verb.slice(1)}` }: { fields?: string[]; done?: string } = {},
): Promise<void> {
  const client = after ?? before;
  if (client === undefined) return;
  const shown = { before: before && shownClient(before), after: after && shownClient(after) };
  const changed =
    before === undefined || after === undefined ? [] : fieldsChanged(shownClient(before), shownClient(after));
  const { isOperator, principal } = within.caller;
  const message = isOperator === true ? done : `${done} by ${principal.name}`;
  const event = { type: verb, status: verb, message };
  const { id: name, accountId, workspaceId } = client;
  const change = { kind: 'OAUTH_CLIENT', verb, name, workspaceId, ...shown, event } as const;
  // A client that acts only for users who sign in has no account.
  await recordEverywhere(within, accountId === null ? [] : [accountId], { ...change, fields: [...changed, ...fields] });
}
