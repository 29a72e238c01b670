// Creation and deletion of accounts, which only operators may do.
import { authorizeOwnAccount } from '../../auth/authorize.js';
import { recordChanges } from '../../changes/record-changes.js';
import type { Account } from '../../database/client/client.js';
import type { Database } from '../../database/open.js';
import { insertNamed } from '../../database/name-taken.js';
import { ApiError } from '../../errors.js';
import { operatorContext } from './operator-context.js';
import type { OperatorServices } from './operator-context.js';

export interface AccountInput {
  name: string;
  displayName?: string | undefined;
  plan: string;
}

/** @throws 409 `conflict` if the name is taken. */
export async function createAccount(db: Database, input: AccountInput): Promise<Account> {
  const { name, displayName = null, plan } = input;
  return insertNamed('account', name, () => db.account.create({ data: { name, displayName, plan } }));
}

/**
 * Deletes an account without workspaces, and its memberships, keys, clients and tokens. Its usage and its change log stay
 * under its id.
 *
 * @throws 404 `not_found`, 409 `not_deletable` for the platform account, and with the number of its workspaces.
 */
export async function deleteAccount(services: OperatorServices, name: string): Promise<void> {
  const authorized = authorizeOwnAccount(await operatorContext(services, { account: name }), 'admin');
  if (name === services.platformAccount) {
    throw new ApiError('not_deletable', `PLATFORM_ACCOUNT names the account ${name}. Set it to another account first.`);
  }
  const { id } = authorized.account;
  await authorized.transaction(async (within) => {
    // From here on, no workspace can be created in it.
    await (
      await within.db.$prisma()
    ).$queryRaw`SELECT "id" FROM "account" WHERE "id" = ${id}::uuid FOR UPDATE`;
    const count = await (await within.db.$prisma()).workspace.count({ where: { accountId: id } });
    if (count > 0) {
      const message = `The account ${name} has ${count} ${count === 1 ? 'workspace' : 'workspaces'}. Delete its workspaces first.`;
      throw new ApiError('not_deletable', message);
    }
    await (await within.db.$prisma()).account.delete({ where: { id } });
    const event = { type: 'deletion', status: 'DELETED', message: 'Deleted' };
    await recordChanges(within, [{ kind: 'ACCOUNT', verb: 'deleted', resourceId: id, name, event }]);
  });
}
