// All accounts, for operators. These functions do not authorize the caller, because only users with access to the database
// can run them. The API must not import them.
import type { Account } from '../../database/client/client.js';
import type { Database } from '../../database/open.js';
import { ApiError, notFound } from '../../errors.js';
import { insertNamed } from '../../database/taken-name.js';
import { recordAsOperator } from './record-as-operator.js';

export interface AccountInput {
  name: string;
  displayName?: string | undefined;
  plan: string;
}

/** @throws 409 `conflict` if the name is taken. */
export async function createAccount(db: Database, input: AccountInput): Promise<Account> {
  const { name, displayName = null, plan } = input;
  return insertNamed('an account', name, () => db.account.create({ data: { name, displayName, plan } }));
}

/** All accounts, by name. */
export async function listAccounts(db: Database): Promise<Account[]> {
  return db.account.findMany({ orderBy: { name: 'asc' } });
}

/** @throws 404 `not_found` */
export async function findAccount(db: Database, name: string): Promise<Account> {
  const account = await db.account.findUnique({ where: { name } });
  if (account === null) throw notFound('account', name);
  return account;
}

export interface AccountChanges {
  displayName?: string | undefined;
  plan?: string | undefined;
}

/** Updates an account. Absent fields stay. @throws 404 `not_found` */
export async function updateAccount(db: Database, name: string, changes: AccountChanges, now: Date): Promise<Account> {
  const { id } = await findAccount(db, name);
  return db.$transaction(async (tx) => {
    const before = await tx.account.findUniqueOrThrow({ where: { id } });
    const { displayName = before.displayName, plan = before.plan } = changes;
    const after = await tx.account.update({
      where: { id },
      data: { displayName, plan, version: { increment: 1 }, updatedAt: now },
    });
    const change = { kind: 'ACCOUNT', verb: 'updated', resourceId: id, name, message: 'Updated' } as const;
    await recordAsOperator(tx, id, now, [
      { ...change, version: after.version, before: shownAccount(before), after: shownAccount(after) },
    ]);
    return after;
  });
}

function shownAccount({ name, displayName, plan }: Account): object {
  return { name, displayName: displayName ?? undefined, plan };
}

/**
 * Deletes an account without workspaces, and its memberships, keys, clients and tokens. Its usage and its change log stay
 * under its id.
 *
 * @param platformAccount the name of the platform account, which cannot be deleted.
 * @throws 404 `not_found`, 409 `not_deletable` with the number of its workspaces.
 */
export async function deleteAccount(db: Database, name: string, now: Date, platformAccount?: string): Promise<void> {
  const { id } = await findAccount(db, name);
  if (name === platformAccount) {
    throw new ApiError('not_deletable', `PLATFORM_ACCOUNT names the account ${name}. Set it to another account first.`);
  }
  await db.$transaction(async (tx) => {
    // From here on, no workspace can be created in it.
    await tx.$queryRaw`SELECT "id" FROM "account" WHERE "id" = ${id}::uuid FOR UPDATE`;
    const count = await tx.workspace.count({ where: { accountId: id } });
    if (count > 0) {
      const message = `The account ${name} has ${count} ${count === 1 ? 'workspace' : 'workspaces'}. Delete its workspaces first.`;
      throw new ApiError('not_deletable', message);
    }
    await tx.account.delete({ where: { id } });
    const change = { kind: 'ACCOUNT', verb: 'deleted', resourceId: id, name, message: 'Deleted' } as const;
    await recordAsOperator(tx, id, now, [change]);
  });
}
