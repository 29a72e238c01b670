// OAuth clients that act for a principal of an account, managed by its members. Clients to which users sign in act for
// users of every account, so only the platform's operator changes those.
import { rotationOverlapSecondsDefault, rotationOverlapSecondsMax } from '../auth/api-key-expiry.js';
import { authorizeOwnAccount, authorizeScope } from '../auth/authorize.js';
import type { Authorized, AuthorizedAccount } from '../auth/authorize.js';
import type { RequestContext } from '../auth/context.js';
import { askForForeignName } from '../auth/foreign-names.js';
import { isOwnClient } from '../auth/grants/oauth-client.js';
import { managedSql } from '../auth/managed-rows.js';
import {
  changeClient,
  endClient,
  lockClient,
  insertClient,
  removeClient,
  replaceClientSecret,
  shownClient,
  storedClientQuery,
} from '../auth/stored-client.js';
import type { StoredClient } from '../auth/stored-client.js';
import type { ChangeAction } from '../changes/change-subjects.js';
import { fieldsChanged } from '../changes/fields-changed.js';
import { recordChanges } from '../changes/record-changes.js';
import { Prisma } from '../database/client/client.js';
import { forbidden, invalidParameter, notFound } from '../errors.js';
import type { ListInput, ListPage } from '../store/read/list-input.js';
import { runInTransaction } from '../auth/run-in-transaction.js';
import type { DryRun } from '../store/write/change-input.js';
import { displayName as displayNameText, resourceName } from '../schema/resource.js';
import { readTogether } from '../schema/read-together.js';
import { readInput, refuseNull } from '../schema/shape-value.js';
import { z } from 'zod';
import {
  givenScopes,
  grantOf,
  managedBy,
  requireTenantAdmin,
  requireScopes,
  requireAccessible,
  requireUnlimited,
} from './managed-tenant.js';
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
      lower((c."id" || E'\n' || c."display_name") COLLATE "default") AS "search"
    FROM "oauth_client" AS c)`,
  idType: Prisma.sql`text`,
  isAcrossWorkspaces: true,
  columns: {},
});

/**
 * One page of the clients that the caller manages.
 *
 * @throws 400; 403 without `admin`, or for an inaccessible workspace.
 */
export async function listClients(
  ctx: RequestContext,
  { workspace, ...input }: ListInput & { workspace?: string | null | undefined },
): Promise<ListPage<Placed<StoredClient>>> {
  const authorized = authorizeScope(ctx, 'admin');
  const { principal } = ctx.caller;
  const filter =
    workspace == null
      ? undefined
      : filterOf(workspace, [Prisma.sql`r."workspace_id" = ${requireAccessible(ctx, workspace).id}::uuid`]);
  const accessible = managedSql(ctx.caller, { includesOwn: true });
  const lists = { parents: [{ id: principal.id }], query: { principal: principal.id }, accessible, filter };
  return readPageById(authorized, clientList, lists, input, async (ids) => {
    const rows = await (
      await authorized.db.$prisma()
    ).oauthClient.findMany({ where: { id: { in: ids } }, ...storedClientQuery });
    return ids.map((id) => rows.find((row) => row.id === id) ?? null);
  });
}

export interface NewClient {
  /** The `client_id`. */
  name: string;
  displayName?: string | null | undefined;
  scopes: readonly string[];
  workspace?: string | null | undefined;
  /** The name of the service account that it acts as; the caller by default. */
  owner?: string | null | undefined;
}

export interface ClientWithSecret {
  client: StoredClient;
  /** Returned only once. */
  secret: string;
}

/**
 * Registers a client for the client credentials grant.
 *
 * @throws 400; 403 without `admin`, for a caller who is not an admin of the account or workspace, for scopes that the
 * caller's credential lacks, and for a credential that expires (see requireUnlimited); 404 for an unknown owner; 409
 * `name_taken`, also for a name in another account; 429 `too_many_requests` for too many such names.
 */
export async function createClient(ctx: RequestContext, input: NewClient & DryRun): Promise<ClientWithSecret> {
  const authorized = authorizeOwnAccount(ctx, 'admin');
  const tenant = requireTenantAdmin(authorized, input.workspace, 'register clients');
  const { text, scopes } = readTogether({
    text: () => readInput(clientText, { name: input.name, ...namedBy(input) }),
    scopes: () => givenScopes(ctx, input.scopes),
  });
  const { name, displayName = name } = text;
  const scope = scopes.join(' ');
  requireEverywhere(ctx);
  await requireUnlimited(authorized);
  const create = async (within: AuthorizedAccount) => {
    const owner = await grantOf(within, tenant, input.owner);
    const properties = { isPublic: false, grantTypes: ['client_credentials' as const], redirectUris: [] };
    const { secret = '', client } = await insertClient(
      await within.db.$prisma(),
      { id: name, displayName, scope, owner, ...properties },
      ctx.now(),
    );
    await record(within, 'created', { after: client });
    return { client, secret };
  };
  const run = () => runInTransaction(authorized, input.validateOnly, create);
  const { db, account } = authorized;
  const isOwn =
    isOwnClient(name) ||
    (await (await db.$prisma()).oauthClient.count({ where: { id: name, accountId: account.id } })) > 0;
  return isOwn ? run() : askForForeignName(authorized, input, ['name_taken'], run);
}

function namedBy({ displayName }: { displayName?: string | null | undefined }): object {
  return displayName == null ? {} : { displayName };
}

/**
 * Updates a client; absent fields are kept. A credential that expires cannot add scopes, because they would outlast it.
 *
 * @throws 400; 403 as for a new client; 404; 409 `conflict` for a revoked client.
 */
export async function updateClient(
  ctx: RequestContext,
  input: DryRun & {
    name: string;
    displayName?: string | null | undefined;
    scopes?: readonly string[] | null | undefined;
  },
): Promise<StoredClient> {
  const authorized = authorizeOwnAccount(ctx, 'admin');
  refuseNull(input, ['displayName', 'scopes']);
  const { scopes } = input;
  const { text, scope } = readTogether({
    text: () => readInput(clientText.partial(), namedBy(input)),
    scope: () => (scopes == null ? undefined : givenScopes(ctx, scopes).join(' ')),
  });
  const { displayName } = text;
  return runInTransaction(authorized, input.validateOnly, async (within) => {
    const before = await requireManaged(within, input.name);
    requireOwnOrService(ctx, before);
    const had = before.scope.split(' ');
    if (scope?.split(' ').some((name) => !had.includes(name)) === true) await requireUnlimited(within);
    const after = await changeClient(await within.db.$prisma(), before, { displayName, scope });
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
  const authorized = authorizeOwnAccount(ctx, 'admin');
  const overlapSeconds = input.overlapSeconds ?? rotationOverlapSecondsDefault;
  if (overlapSeconds < 0 || overlapSeconds > rotationOverlapSecondsMax) {
    throw invalidParameter('overlapSeconds', `must be between 0 and ${rotationOverlapSecondsMax}`);
  }
  requireEverywhere(ctx);
  await requireUnlimited(authorized);
  return runInTransaction(authorized, input.validateOnly, async (within) => {
    const before = await requireManaged(within, input.name);
    // The caller receives a secret with which to act as the client's owner.
    requireOwnOrService(ctx, before);
    requireScopes(ctx, before.scope.split(' '));
    const { secret, client } = await replaceClientSecret(
      await within.db.$prisma(),
      before,
      overlapSeconds * 1000,
      ctx.now(),
    );
    await record(within, 'updated', { before, after: client }, ['secret']);
    return { client, secret };
  });
}

/** Revokes a client with its tokens; one that was revoked before keeps the time. @throws 403 without `admin`; 404. */
export async function revokeClient(
  ctx: RequestContext,
  { name, validateOnly }: DryRun & { name: string },
): Promise<StoredClient> {
  const authorized = authorizeOwnAccount(ctx, 'admin');
  return runInTransaction(authorized, validateOnly, async (within) => {
    const before = await requireManaged(within, name);
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
  const authorized = authorizeOwnAccount(ctx, 'admin');
  return runInTransaction(authorized, validateOnly, async (within) => {
    const before = await requireManaged(within, name);
    await removeClient(await within.db.$prisma(), before, ctx.now());
    await record(within, 'deleted', { before });
    return before;
  });
}

/**
 * @throws 404 for a client that does not exist or that the caller does not manage; 403 for one to which users sign in.
 */
async function requireManaged(within: Authorized, name: string): Promise<StoredClient> {
  // Other texts cannot be the name of a client.
  const isName = resourceName.safeParse(name).success;
  const client = isName ? await lockClient(await within.db.$prisma(), name, managedBy(within)) : undefined;
  if (client === undefined) throw notFound('OAuth client', name);
  if (client.grantTypes.some((grant) => grant !== 'client_credentials')) {
    throw forbidden('Only the operator of the service can manage a client that users sign in to.');
  }
  return client;
}

/** @throws 403 for a client that acts as another user. */
function requireOwnOrService({ caller }: RequestContext, { principal, principalId }: StoredClient): void {
  if (principal?.kind === 'service_account' || principalId === caller.principal.id) return;
  throw forbidden('Only the user that a client acts as can change it. Other admins can revoke it.');
}

/** @throws 403 for a credential that is confined to address ranges: a client can be used from any address. */
function requireEverywhere({ caller }: RequestContext): void {
  if ((caller.credential.addressRanges ?? []).length === 0) return;
  throw forbidden(
    'This credential is restricted to address ranges and cannot create a client that works from any address.',
  );
}

async function record(
  within: AuthorizedAccount,
  verb: ChangeAction,
  { before, after }: { before?: StoredClient; after?: StoredClient },
  fields: string[] = [],
): Promise<void> {
  const client = after ?? before;
  if (client === undefined) return;
  const shown = { before: before && shownClient(before), after: after && shownClient(after) };
  const changed =
    before === undefined || after === undefined ? [] : fieldsChanged(shownClient(before), shownClient(after));
  const label = `${verb.charAt(0).toUpperCase()}${verb.slice(1)}`;
  const event = { type: verb, status: verb, message: `${label} by ${within.caller.principal.name}` };
  const { id: name, workspaceId } = client;
  const change = { kind: 'OAUTH_CLIENT', verb, name, workspaceId, ...shown, event } as const;
  await recordChanges(within, [{ ...change, fields: [...changed, ...fields] }]);
}
