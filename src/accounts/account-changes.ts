// Changes of an account by its admins.
import { z } from 'zod';
import { authorizeOwnAccount, isPlatformAdmin, requireScope } from '../auth/authorize.js';
import type { AuthorizedAccount } from '../auth/authorize.js';
import type { AccessibleAccount } from '../auth/caller.js';
import type { RequestContext } from '../auth/context.js';
import { fieldsChanged } from '../changes/fields-changed.js';
import { recordChanges } from '../changes/record-changes.js';
import { Prisma } from '../database/client/client.js';
import { ApiError, forbidden } from '../errors.js';
import type { UpdateInput } from '../store/write/change-input.js';
import { runInTransaction } from '../auth/run-in-transaction.js';
import { lockRow } from '../store/write/lock-row.js';
import { displayName, isResourceId } from '../schema/resource.js';
import { updateAnyAccount } from './account-lifecycle.js';
import { requireProvider } from './group-roles.js';
import { requireVersion } from '../store/write/require-version.js';
import { readUpdate, refuseNull } from '../schema/shape-value.js';

export const accountMetadata = z
  .object({ displayName: displayName.optional().meta({ description: 'Display name (at most 63 characters).' }) })
  .meta({ id: 'AccountMetadata', description: 'Display name of an account.' });

const accountInput = z.object({ metadata: accountMetadata });

export type AccountUpdateInput = UpdateInput & {
  /** The new billing plan. Only for admins of the platform. */
  plan?: string | null | undefined;
  /** The id of the identity provider that users must have signed in with; null for any sign-in. */
  requiredSignInProvider?: string | null | undefined;
};

/**
 * Updates the caller's account, or as an admin of the platform any account: an absent field is kept, null removes the
 * value.
 *
 * @throws 400 `invalid_input`; 400 `invalid_parameter` for a provider that does not serve the account; 403 if the caller
 * signed in with another provider than the one to require; 403 without `admin`, or if the caller is not an admin of the account; 403
 * `access_denied` for another account; 409 `version_mismatch`.
 */
export async function updateAccount(ctx: RequestContext, input: AccountUpdateInput): Promise<AccessibleAccount> {
  requireScope(ctx.caller, 'admin');
  if (isPlatformAdmin(ctx) && input.requiredSignInProvider === undefined) return updateAnyAccount(ctx, input);
  if (input.plan !== undefined) throw forbidden('Only an admin of the platform can change the plan.');
  const authorized = authorizeOwnAccount(ctx, 'admin');
  const { account } = authorized;
  if (input.id === undefined ? account.name !== input.name : account.id !== input.id) throw notAccessible();
  if (account.role !== 'admin' || ctx.caller.confinedTo !== undefined) {
    throw forbidden('Only an admin of the account can change it.');
  }
  refuseNull(input, ['metadata']);
  const { requiredSignInProvider: requested } = input;
  if (requested != null) requireProvider(authorized, requested, 'requiredSignInProvider');
  const changed = await runInTransaction(authorized, input.validateOnly, async (within) => {
    const { id, name } = account;
    if (requested != null) await requireSignedInWith(within, requested);
    const row = await lockAccount(within, input.ifVersion);
    const before = { displayName: row.displayName ?? undefined };
    const { metadata } = readUpdate(accountInput, { metadata: before }, { metadata: input.metadata ?? {} });
    const { displayName: shown } = metadata;
    const { requiredSignInProvider: requiredBefore } = row;
    const required = requested === undefined ? requiredBefore : requested;
    const current = {
      ...account,
      ...before,
      plan: row.plan,
      requiredSignInProvider: requiredBefore,
      version: row.version,
      updatedAt: new Date(row.updatedAt),
    };
    if (shown === before.displayName && required === requiredBefore) return current;
    const [version, updatedAt] = [row.version + 1, ctx.now()];
    const next = { ...current, displayName: shown, requiredSignInProvider: required, version, updatedAt };
    await within.db.$executeRaw(Prisma.sql`
      UPDATE "account" SET "display_name" = ${shown ?? null},
        "required_sign_in_provider" = ${required}, "version" = ${version}::int, "updated_at" = ${updatedAt}::timestamptz
      WHERE "id" = ${id}::uuid`);
    const records = {
      before: { name, displayName: before.displayName, plan: row.plan, ...requirement(requiredBefore) },
      after: { name, displayName: shown, plan: row.plan, ...requirement(required) },
    };
    const event = { type: 'update', status: 'UPDATED', message: `Updated by ${ctx.caller.principal.name}` };
    const fields = fieldsChanged(records.before, records.after);
    const change = {
      kind: 'ACCOUNT',
      verb: 'updated',
      resourceId: id,
      name,
      version,
      ...records,
      fields,
      event,
    } as const;
    await recordChanges(within, [change]);
    return next;
  });
  // The accounts of a credential are cached briefly; this request and the cache get the new values.
  if (input.validateOnly !== true) Object.assign(account, changed);
  return changed;
}

/** The requirement in a change record. */
function requirement(provider: string | null): { requiredSignInProvider?: string } {
  return provider === null ? {} : { requiredSignInProvider: provider };
}

/**
 * Prevents admins from locking themselves out. API keys and programs that act for themselves are not affected by the
 * requirement, so they may set it.
 *
 * @throws 403 `forbidden`
 */
async function requireSignedInWith({ db, caller }: AuthorizedAccount, provider: string): Promise<void> {
  const { kind, id } = caller.credential;
  if (kind !== 'access_token') return;
  const token = isResourceId(id)
    ? await (await db.$prisma()).accessToken.findUnique({ where: { id }, include: { authorization: true } })
    : null;
  if (token !== null && (token.authorizationId === null || token.authorization?.provider === provider)) return;
  throw forbidden(`Sign in with the identity provider ${provider} before you require it.`);
}

interface LockedRow {
  version: number;
  displayName: string | null;
  plan: string;
  requiredSignInProvider: string | null;
  updatedAt: string;
}

/** The current account, locked until the transaction ends. @throws 403 if it was deleted; 409 `version_mismatch`. */
async function lockAccount(within: AuthorizedAccount, ifVersion: number | null | undefined): Promise<LockedRow> {
  const { account } = within;
  const row = await lockRow<LockedRow>(
    within.db,
    Prisma.sql`
      SELECT a."version", a."display_name" AS "displayName", a."plan", a."updated_at" AS "updatedAt",
        a."required_sign_in_provider" AS "requiredSignInProvider" FROM "account" AS a
      WHERE a."id" = ${account.id}::uuid FOR NO KEY UPDATE`,
  );
  if (row === null) throw notAccessible();
  await requireVersion(within, 'account', { id: account.id, version: row.version }, ifVersion);
  return row;
}

function notAccessible(): ApiError {
  return new ApiError('access_denied', 'Access denied.');
}
