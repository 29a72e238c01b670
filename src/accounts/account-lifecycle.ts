// Creation and deletion of accounts, and changes of any account, by admins of the platform and by operators.
import { z } from 'zod';
import { authorizePlatform } from '../auth/authorize.js';
import type { Authorized } from '../auth/authorize.js';
import type { AccessibleAccount, Caller } from '../auth/caller.js';
import type { RequestContext } from '../auth/context.js';
import { runInTransaction } from '../auth/run-in-transaction.js';
import type { NewChange } from '../changes/record-changes.js';
import { Prisma } from '../database/client/client.js';
import type { Account } from '../database/client/client.js';
import { insertNamed } from '../database/name-taken.js';
import { ApiError, notFound, unknownId } from '../errors.js';
import { displayName, resourceName } from '../schema/resource.js';
import { newResourceId } from '../schema/resource-id.js';
import { readInput, readUpdate, refuseNull } from '../schema/shape-value.js';
import { nameForPeople } from '../schema/text.js';
import type { Addressed, Conditions, CreationInput } from '../store/write/change-input.js';
import { requireVersion } from '../store/write/require-version.js';
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

export const plan = nameForPeople(63);

const newAccount = z.object({ metadata: newAccountMetadata, plan: plan.default('free') });

const accountFrame = z.object({ metadata: z.object({ displayName: displayName.optional() }), plan });

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
    const row = await insertNamed('account', name, insert, { error: 'name_taken', field: 'metadata.name' });
    await recordEverywhere(within, [], changeOf('created', row, { after: shownAccount(row) }));
    return accountSeenBy(ctx.caller, row);
  });
}

/**
 * Changes the display name and the plan of any account.
 *
 * @throws 400 `invalid_input`; 403 unless the caller is an admin of the platform; 404; 409 `version_mismatch`.
 */
export async function updateAnyAccount(
  ctx: RequestContext,
  input: Addressed & Conditions & { metadata?: unknown; plan?: string | null | undefined },
): Promise<AccessibleAccount> {
  const authorized = authorizePlatform(ctx);
  refuseNull(input, ['metadata', 'plan']);
  const changed = await runInTransaction<Authorized, AccessibleAccount>(
    authorized,
    input.validateOnly,
    async (within) => {
      const before = await lockAccount(within, input);
      const current = { metadata: { displayName: before.displayName ?? undefined }, plan: before.plan };
      const changes = { metadata: input.metadata ?? {}, ...(input.plan != null && { plan: input.plan }) };
      const { metadata, plan: planName } = readUpdate(accountFrame, current, changes);
      const { displayName: shown = null } = metadata;
      if (shown === before.displayName && planName === before.plan) return accountSeenBy(ctx.caller, before);
      const version = before.version + 1;
      const data = { displayName: shown, plan: planName, version, updatedAt: ctx.now() };
      const after = await (await within.db.$prisma()).account.update({ where: { id: before.id }, data });
      const states = { before: shownAccount(before), after: shownAccount(after) };
      await recordEverywhere(within, [before.id], changeOf('updated', after, states));
      return accountSeenBy(ctx.caller, after);
    },
  );
  // The accounts of a credential are cached briefly; this request and the cache get the new values.
  const own = ctx.caller.accounts.find(({ id }) => id === changed.id);
  if (input.validateOnly !== true && own !== undefined) Object.assign(own, changed);
  return changed;
}

/**
 * Deletes an account without workspaces, and its memberships, keys, clients and tokens. Its usage and its change log stay
 * under its id.
 *
 * @returns the deleted account.
 * @throws 403 unless the caller is an admin of the platform; 404; 409 `version_mismatch`; 409 `not_deletable` for the
 * platform's account, and with the number of its workspaces.
 */
export async function deleteAccount(ctx: RequestContext, input: Addressed & Conditions): Promise<AccessibleAccount> {
  return runInTransaction<Authorized, AccessibleAccount>(authorizePlatform(ctx), input.validateOnly, async (within) => {
    // From here on, no workspace can be created in it.
    const account = await lockAccount(within, input);
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
    await recordEverywhere(within, [id], changeOf('deleted', account));
    return accountSeenBy(ctx.caller, account);
  });
}

/** An account, locked until the transaction ends. @throws 404; 409 `version_mismatch`. */
async function lockAccount(within: Authorized, input: Addressed & Conditions): Promise<Account> {
  const db = await within.db.$prisma();
  // PostgreSQL cannot store NUL, so no account has a name with it.
  const [id, name] = input.id === undefined ? [null, input.name.replaceAll('\0', ' ')] : [input.id, null];
  await db.$queryRaw(Prisma.sql`
    SELECT "id" FROM "account" WHERE "id" = ${id}::uuid OR "name" = ${name}::text FOR UPDATE`);
  const account = await db.account.findFirst({ where: id === null ? { name } : { id } });
  if (account === null) throw id === null ? notFound('account', name.slice(0, 63)) : unknownId('account');
  await requireVersion({ db: within.db, account }, 'account', account, input.ifVersion);
  return account;
}

/** An account as a caller sees it. Admins of the platform are admins of every account. */
export function accountSeenBy({ accounts }: Caller, { displayName: shown, ...row }: Account): AccessibleAccount {
  const role = accounts.find(({ id }) => id === row.id)?.role ?? 'admin';
  return { ...row, displayName: shown ?? undefined, role };
}

function shownAccount({ name, displayName: shown, plan: planName }: Account): object {
  return { name, displayName: shown ?? undefined, plan: planName };
}

const messages = { created: 'Created', updated: 'Updated', deleted: 'Deleted' } as const;

function changeOf(
  verb: keyof typeof messages,
  { id, name, version }: Account,
  states: Pick<NewChange, 'before' | 'after'> = {},
): NewChange {
  const type = verb === 'deleted' ? 'deletion' : verb === 'created' ? 'creation' : 'update';
  const event = { type, status: verb.toUpperCase(), message: messages[verb] };
  return { kind: 'ACCOUNT', verb, resourceId: id, name, version, ...states, event };
}
