// Creates and updates workspaces.
import { randomUUID } from 'node:crypto';
import { authorizeOwnAccount, authorizeWorkspace, requireAccountAdmin, workspaceNameOf } from '../auth/authorize.js';
import type { AuthorizedAccount, AuthorizedWorkspace } from '../auth/authorize.js';
import type { AccessibleWorkspace } from '../auth/caller.js';
import { afterCommit } from '../auth/context.js';
import type { RequestContext } from '../auth/context.js';
import { askForForeignName } from '../auth/foreign-names.js';
import { recordChanges } from '../changes/record-changes.js';
import { Prisma } from '../database/client/client.js';
import { insertNamed } from '../database/name-taken.js';
import { forbidden } from '../errors.js';
import type { CreationInput, UpdateInput } from '../store/write/change-input.js';
import { runInTransaction } from '../auth/run-in-transaction.js';
import { readInput, readUpdate, refuseNull } from '../schema/shape-value.js';
import { lockWorkspace } from './lock-workspace.js';
import { workspaceChange, workspaceInput } from './workspace.js';

/**
 * Creates a workspace in the caller's account.
 *
 * @throws 400 `invalid_input`; 403 if the caller is not an admin of the account; 409 `name_taken`, also for a name in
 * another account; 429 `too_many_requests` for too many such names.
 */
export async function createWorkspace(
  ctx: RequestContext,
  input: Pick<CreationInput, 'metadata' | 'validateOnly'>,
): Promise<AccessibleWorkspace> {
  const authorized = authorizeOwnAccount(ctx, 'workspaces:create');
  requireAccountAdmin(authorized, 'can create or delete workspaces');
  const { name, displayName } = readInput(workspaceInput, { metadata: input.metadata }).metadata;
  const { account } = authorized;
  const now = ctx.now();
  const times = { createdAt: now, updatedAt: now };
  const workspace: AccessibleWorkspace = {
    id: randomUUID(),
    version: 1,
    name,
    displayName,
    account,
    role: 'admin',
    ...times,
  };
  const create = (inAccount: AuthorizedAccount) => insertWorkspace(inAccount.inNew(workspace), workspace);
  const run = () => runInTransaction(authorized, input.validateOnly, create);
  await (ctx.caller.workspaces.has(name) ? run() : askForForeignName(authorized, input, ['name_taken'], run));
  const { caller } = ctx;
  if (input.validateOnly === true || !authorized.beginsTransaction) addWorkspaceUntilRollback(ctx, workspace);
  if (input.validateOnly !== true) afterCommit(ctx, () => caller.addWorkspace(workspace));
  return workspace;
}

/**
 * After a dry run, and before the transaction of an `Idempotency-Key` commits, the workspace is accessible to this request
 * alone, which may select its (empty) contents.
 */
function addWorkspaceUntilRollback(ctx: RequestContext, createdWorkspace: AccessibleWorkspace): void {
  const { workspaces, addWorkspace } = ctx.caller;
  const own = new Map(workspaces).set(createdWorkspace.name, createdWorkspace);
  ctx.caller = {
    ...ctx.caller,
    workspaces: own,
    addWorkspace: (workspace) => {
      own.set(workspace.name, workspace);
      addWorkspace(workspace);
    },
  };
}

async function insertWorkspace(within: AuthorizedWorkspace, workspace: AccessibleWorkspace): Promise<void> {
  const { id, version, name, displayName = null, account, createdAt, updatedAt } = workspace;
  const insert = () =>
    within.db.$executeRaw(Prisma.sql`
      INSERT INTO "workspace" ("id", "version", "account_id", "name", "display_name", "created_at", "updated_at")
      SELECT ${id}::uuid, ${version}::int, ${account.id}::uuid, ${name}, ${displayName}, ${createdAt}::timestamptz,
        ${updatedAt}::timestamptz`);
  await insertNamed('workspace', name, insert, 'metadata.name');
  await recordChanges(within, workspaceChange(within, 'created', { after: workspace }));
}

/**
 * Updates a workspace: an absent field is kept, null removes the value.
 *
 * @throws 400 `invalid_input`; 403 if the caller is not an admin of the workspace, or if it does not exist; 409
 * `version_mismatch`.
 */
export async function updateWorkspace(ctx: RequestContext, input: UpdateInput): Promise<AccessibleWorkspace> {
  const authorized = authorizeWorkspace(ctx, 'workspaces:update', workspaceNameOf(ctx, input));
  if (authorized.workspace.role !== 'admin') throw forbidden('Only an admin of the workspace can change it.');
  refuseNull(input, ['metadata']);
  const changed = await runInTransaction(authorized, input.validateOnly, async (within) => {
    const current = await lockWorkspace(within, 'change', input.ifVersion);
    const { name, displayName: before } = current;
    const changes = { metadata: input.metadata ?? {} };
    const { displayName } = readUpdate(workspaceInput, { metadata: { name, displayName: before } }, changes).metadata;
    if (displayName === before) return current;
    const next = { ...current, displayName, version: current.version + 1, updatedAt: ctx.now() };
    const { id, version, updatedAt } = next;
    await within.db.$executeRaw(Prisma.sql`
      UPDATE "workspace" SET "display_name" = ${displayName ?? null}, "version" = ${version}::int,
        "updated_at" = ${updatedAt}::timestamptz
      WHERE "id" = ${id}::uuid`);
    const records = { before: current, after: next, fields: ['metadata.displayName'] };
    await recordChanges(within, workspaceChange(within, 'updated', records));
    return next;
  });
  const { caller } = ctx;
  if (input.validateOnly !== true) afterCommit(ctx, () => caller.addWorkspace(changed));
  return changed;
}
