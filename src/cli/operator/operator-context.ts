// The context in which an operator calls the application functions. A person who can run a command on the database may
// do everything, so there is no credential to check. Change records name the operator and no user.
import type { Caller, AccessibleAccount, AccessibleWorkspace } from '../../auth/caller.js';
import { createContext } from '../../auth/context.js';
import { unknownLocation } from '../../auth/viewer-location.js';
import type { ApplicationServices, ServiceContext } from '../../http/open-context.js';
import { noPlatformAccount } from '../../auth/platform-account.js';
import type { Account, Workspace } from '../../database/client/client.js';
import type { Database } from '../../database/open.js';
import { ApiError } from '../../errors.js';
import { findTenant } from '../../accounts/find-tenant.js';

export interface OperatorServices extends ApplicationServices {
  db: Database;
}

/** The id of no user. */
const nilUuid = '00000000-0000-0000-0000-000000000000';

/**
 * The context of an operator who acts on an account, or on a workspace of it.
 *
 * @throws 404 `not_found`, 409 `conflict` if the workspace belongs to another account.
 */
export async function operatorContext(
  services: OperatorServices,
  named: { account?: string | undefined; workspace?: string | undefined },
): Promise<ServiceContext> {
  const { account, workspace } = await findTenant(services.db, named);
  return contextOf(services, [account], workspace === undefined ? [] : [workspace]);
}

/** The context of an operator who acts on the accounts only, and not on their workspaces. */
export async function allAccountsContext(services: OperatorServices): Promise<ServiceContext> {
  return contextOf(services, await services.db.account.findMany());
}

/**
 * The context of an operator who changes the platform. Its changes are in the change log of the account that
 * PLATFORM_ACCOUNT names. Without the setting, no change log has them.
 *
 * @throws 409 `conflict` if the account does not exist.
 */
export async function platformContext(services: OperatorServices): Promise<ServiceContext> {
  const { db, platformAccount: name } = services;
  if (name === undefined) return contextOf(services, []);
  const account = await db.account.findUnique({ where: { name } });
  if (account === null) throw new ApiError('conflict', noPlatformAccount(name));
  return contextOf(services, [account]);
}

/** The same for what can be created before the account of PLATFORM_ACCOUNT exists, such as accounts, users and keys. */
export async function frameContext(services: OperatorServices): Promise<ServiceContext> {
  const { db, platformAccount: name } = services;
  return contextOf(services, name === undefined ? [] : await db.account.findMany({ where: { name } }));
}

function contextOf(
  services: OperatorServices,
  accounts: readonly Account[],
  workspaces: readonly Workspace[] = [],
): ServiceContext {
  const byId = new Map(accounts.map((row): [string, AccessibleAccount] => [row.id, accessible(row)]));
  const byName = new Map<string, AccessibleWorkspace>();
  for (const { accountId, ...row } of workspaces) {
    const account = byId.get(accountId);
    if (account !== undefined) byName.set(row.name, { ...accessible(row), account });
  }
  const caller: Caller = {
    isOperator: true,
    principal: { id: nilUuid, kind: 'service_account', name: 'an operator', displayName: undefined },
    credential: { kind: 'session', id: nilUuid, label: 'command line', expiresAt: undefined },
    scopes: new Set(['admin']),
    accounts: [...byId.values()],
    confinedTo: undefined,
    workspaces: byName,
    addWorkspace: (workspace) => byName.set(workspace.name, workspace),
    forget: () => {},
  };
  const request = {
    ...services,
    caller,
    workspaceName: undefined,
    viewerLocation: () => unknownLocation,
    clientAddress: '',
    requestId: '',
    api: 'cli' as const,
    idempotencyKey: undefined,
  };
  return createContext({ db: services.db, replica: undefined }, request, async () => caller);
}

function accessible<Row extends { displayName: string | null }>(row: Row) {
  return { ...row, displayName: row.displayName ?? undefined, role: 'admin' as const };
}
