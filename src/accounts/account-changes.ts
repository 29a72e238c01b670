// Creation, update and deletion of accounts. Admins of the platform and operators may do it with every account, admins of an
// account may update it, except its plan.
import { z } from 'zod';
import { authorizeOwnAccount, authorizePlatform, isPlatformAdmin, requireAccountAdmin } from '../auth/authorize.js';
import type { Authorized } from '../auth/authorize.js';
import type { AccessibleAccount, Caller } from '../auth/caller.js';
import { afterCommit } from '../auth/context.js';
import type { RequestContext } from '../auth/context.js';
import { runInTransaction } from '../auth/run-in-transaction.js';
import { fieldsChanged } from '../changes/fields-changed.js';
import { eventBy } from '../changes/record-changes.js';
import type { EventfulAction, NewChange } from '../changes/record-changes.js';
import { Prisma } from '../database/client/client.js';
import type { Account } from '../database/client/client.js';
import { insertNamed } from '../database/name-taken.js';
import { ApiError, forbidden, notFound, unknownId } from '../errors.js';
import { displayName, isResourceId, resourceName } from '../schema/resource.js';
import { newResourceId } from '../schema/resource-id.js';
import { readInput, readUpdate, refuseNull } from '../schema/shape-value.js';
import { nameForPeople } from '../schema/text.js';
import type { Reference, Conditions, CreationInput, UpdateInput } from '../store/write/change-input.js';
import { lockRow } from '../store/write/lock-row.js';
import { requireVersion } from '../store/write/require-version.js';
import { requireProvider } from './group-roles.js';
import { recordEverywhere } from './record-in-accounts.js';

export const newAccountMetadata = z
  .object({
    name: resourceName.meta({
      description:
        'Name, unique among all accounts (lowercase letters, digits and hyphens; at most 49 characters). Immutable.',
    }),
    displayName: displayName.optional().meta({ description: 'Display name (at most 63 characters).' }),
  })
  .meta({ id: 'NewAccountMetadata', description: 'Name and display name of a new account.' });

const plan = nameForPeople(63);

const newAccount = z.object({ metadata: newAccountMetadata, plan: plan.default('free') });

export const accountMetadata = z
  .object({ displayName: displayName.optional().meta({ description: 'Display name (at most 63 characters).' }) })
  .meta({ id: 'AccountMetadata', description: 'Display name of an account.' });

const accountInput = z.object({ metadata: accountMetadata, plan });

/**
 * Creates an account without members. createPrincipal() adds its first admin.
 *
 * @throws 400 `invalid_input`; 403 unless the caller is an admin of the platform; 409 `name_taken`.
 */
export async function createAccount(
  ctx: RequestContext,
  input: Pick<CreationInput, 'metadata' | 'validateOnly'> & { plan?: string | null | undefined },
): Promise<AccessibleAccount> {
  const authorized = authorizePlatform(ctx);
  const { metadata, plan: planName } = readInput(newAccount, { metadata: input.metadata, plan: input.plan });
  const { name, displayName: shown = null } = metadata;
  return runInTransaction<Authorized, AccessibleAccount>(authorized, input.validateOnly, async (within) => {
    const db = await within.db.$prisma();
    const now = ctx.now();
    const data = { id: newResourceId(now), name, displayName: shown, plan: planName, createdAt: now, updatedAt: now };
    const insert = () => db.account.create({ data });
    const row = await insertNamed('account', name, insert, 'metadata.name');
    await recordEverywhere(within, [], changeOf(ctx, 'created', row, { after: shownAccount(row) }));
    return accountSeenBy(ctx.caller, row);
  });
}

export type AccountUpdateInput = UpdateInput & {
  /** The new billing plan. Only for admins of the platform. */
  plan?: string | null | undefined;
  /** The id of the identity provider that users must have signed in with; null for any sign-in. */
  requiredSignInProvider?: string | null | undefined;
};

/**
 * Updates an account: an absent field is kept, null removes the value.
 *
 * @throws 400 `invalid_input`; 400 `invalid_parameter` for a provider that does not serve the account; 403 if the caller
 * signed in with another provider than the one to require; 403 without `admin`, or if the caller is an admin neither of the
 * account nor of the platform; 403 `access_denied` for another account, and 404 for admins of the platform; 409
 * `version_mismatch`.
 */
export async function updateAccount(ctx: RequestContext, input: AccountUpdateInput): Promise<AccessibleAccount> {
  const authorized = authorizeUpdate(ctx, input);
  refuseNull(input, ['metadata', 'plan']);
  const { requiredSignInProvider: requested } = input;
  const changed = await runInTransaction<Authorized, AccessibleAccount>(
    authorized,
    input.validateOnly,
    async (within) => {
      const before = await lockAccount(within, input, Prisma.sql`FOR NO KEY UPDATE`);
      if (requested != null) await requireSignInWith(within, before, requested);
      const current = { metadata: { displayName: before.displayName ?? undefined }, plan: before.plan };
      const changes = { metadata: input.metadata ?? {}, ...(input.plan != null && { plan: input.plan }) };
      const { metadata, plan: planName } = readUpdate(accountInput, current, changes);
      const after = {
        ...before,
        displayName: metadata.displayName ?? null,
        plan: planName,
        requiredSignInProvider: requested === undefined ? before.requiredSignInProvider : requested,
        version: before.version + 1,
        updatedAt: ctx.now(),
      };
      const states = { before: shownAccount(before), after: shownAccount(after) };
      if (fieldsChanged(states.before, states.after).length === 0) return accountSeenBy(ctx.caller, before);
      await within.db.$executeRaw(Prisma.sql`
        UPDATE "account" SET "display_name" = ${after.displayName}, "plan" = ${after.plan},
          "required_sign_in_provider" = ${after.requiredSignInProvider}, "version" = ${after.version}::int,
          "updated_at" = ${after.updatedAt}::timestamptz
        WHERE "id" = ${before.id}::uuid`);
      await recordEverywhere(within, [before.id], changeOf(ctx, 'updated', after, states));
      return accountSeenBy(ctx.caller, after);
    },
  );
  const { caller } = ctx;
  const own = caller.accounts.find(({ id }) => id === changed.id);
  if (input.validateOnly !== true && own !== undefined) {
    afterCommit(ctx, () => {
      Object.assign(own, changed);
      caller.forget();
    });
  }
  return changed;
}

function authorizeUpdate(ctx: RequestContext, input: AccountUpdateInput): Authorized {
  if (isPlatformAdmin(ctx)) return authorizePlatform(ctx);
  const authorized = authorizeOwnAccount(ctx, 'admin');
  const { account } = authorized;
  if (input.plan !== undefined) throw forbidden('Only an admin of the platform can change the plan.');
  if (input.id === undefined ? account.name !== input.name : account.id !== input.id) {
    throw new ApiError('access_denied', 'Access denied.');
  }
  return requireAccountAdmin(authorized, 'can change it');
}

/**
 * Checks a new requirement. Admins cannot lock themselves out of their account; API keys and programs that act for
 * themselves are not affected by the requirement, so they may set it.
 *
 * @throws 400 `invalid_parameter` for a provider that does not serve the account; 403 `forbidden`.
 */
async function requireSignInWith({ ctx, caller, db }: Authorized, account: Account, provider: string): Promise<void> {
  requireProvider({ ctx, account }, provider, 'requiredSignInProvider');
  const { kind, id } = caller.credential;
  if (kind !== 'access_token' || !caller.accounts.some((own) => own.id === account.id)) return;
  const token = isResourceId(id)
    ? await (await db.$prisma()).accessToken.findUnique({ where: { id }, include: { authorization: true } })
    : null;
  if (token !== null && (token.authorizationId === null || token.authorization?.provider === provider)) return;
  throw forbidden(`Sign in with the identity provider ${provider} before you require it.`);
}

/**
 * Deletes an account without workspaces, and its memberships, keys, clients and tokens. Its usage and its change log stay
 * under its id.
 *
 * @returns the deleted account.
 * @throws 403 unless the caller is an admin of the platform; 404; 409 `version_mismatch`; 409 `not_deletable` for the
 * platform's account, and with the number of its workspaces.
 */
export async function deleteAccount(ctx: RequestContext, input: Reference & Conditions): Promise<AccessibleAccount> {
  return runInTransaction<Authorized, AccessibleAccount>(authorizePlatform(ctx), input.validateOnly, async (within) => {
    // From here on, no workspace can be created in it.
    const account = await lockAccount(within, input, Prisma.sql`FOR UPDATE`);
    const { id, name } = account;
    if (name === ctx.platformAccount) {
      throw new ApiError(
        'not_deletable',
        `PLATFORM_ACCOUNT names the account ${name}. Set it to another account first.`,
      );
    }
    const db = await within.db.$prisma();
    const count = await db.workspace.count({ where: { accountId: id } });
    if (count > 0) {
      const message = `The account ${name} has ${count} ${count === 1 ? 'workspace' : 'workspaces'}. Delete its workspaces first.`;
      throw new ApiError('not_deletable', message);
    }
    await db.account.delete({ where: { id } });
    await recordEverywhere(within, [id], changeOf(ctx, 'deleted', account));
    return accountSeenBy(ctx.caller, account);
  });
}

/**
 * An account, locked until the transaction ends.
 *
 * @param lock `FOR UPDATE` also keeps workspaces from being created in it.
 * @throws 404; 409 `version_mismatch`.
 */
async function lockAccount(within: Authorized, input: Reference & Conditions, lock: Prisma.Sql): Promise<Account> {
  // PostgreSQL cannot store NUL, so no account has a name with it.
  const [id, name] = input.id === undefined ? [null, input.name.replaceAll('\0', ' ')] : [input.id, null];
  const row = await lockRow<Account>(
    within.db,
    Prisma.sql`
      SELECT "id", "name", "display_name" AS "displayName", "plan", "required_sign_in_provider" AS "requiredSignInProvider",
        "version", "created_at" AS "createdAt", "updated_at" AS "updatedAt"
      FROM "account" WHERE "id" = ${id}::uuid OR "name" = ${name}::text ${lock}`,
  );
  if (row === null) throw id === null ? notFound('account', name) : unknownId('account');
  const account = { ...row, createdAt: new Date(row.createdAt), updatedAt: new Date(row.updatedAt) };
  // After a version_mismatch, clients read the account again: it must not come from the caller's cache.
  within.caller.forget();
  await requireVersion({ db: within.db, account }, 'account', account, input.ifVersion);
  return account;
}

/** An account as a caller sees it. Admins of the platform are admins of every account. */
export function accountSeenBy({ accounts }: Caller, { displayName: shown, ...row }: Account): AccessibleAccount {
  const role = accounts.find(({ id }) => id === row.id)?.role ?? 'admin';
  return { ...row, displayName: shown ?? undefined, role };
}

function shownAccount({ name, displayName: shown, plan: planName, requiredSignInProvider: required }: Account): object {
  return { name, displayName: shown ?? undefined, plan: planName, requiredSignInProvider: required ?? undefined };
}

function changeOf(
  { caller }: RequestContext,
  verb: EventfulAction,
  { id, name, version }: Account,
  states: Pick<NewChange, 'before' | 'after'> = {},
): NewChange {
  const event = eventBy(verb, caller.principal.name);
  return { kind: 'ACCOUNT', verb, resourceId: id, name, version, ...states, event };
}
