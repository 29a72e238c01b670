// The rows that a caller manages, such as API keys and webhooks: an admin of an account manages its rows, an admin of a
// workspace those of the workspace. The condition exists for Prisma and as SQL.
import { Prisma } from '../database/client/client.js';
import type { Caller } from './caller.js';

/** `includesOwn`: callers also manage the rows that they own, in accounts accessible to them. */
interface Ownership {
  includesOwn: boolean;
}

/** Returns the Prisma condition on a row with an account and a workspace; with `includesOwn` also an owner. */
export function managedCondition(caller: Caller, { includesOwn }: Ownership): object {
  const { accountIds, managedIds, administeredIds, ownerId } = idsOf(caller);
  return {
    AND: [
      { accountId: { in: accountIds } },
      ...(caller.confinedTo === undefined ? [] : [{ workspaceId: caller.confinedTo }]),
      {
        OR: [
          { accountId: { in: managedIds } },
          { workspaceId: { in: administeredIds } },
          ...(includesOwn ? [{ principalId: ownerId }] : []),
        ],
      },
    ],
  };
}

/** Returns the same condition as SQL on a row `r`. */
export function managedSql(caller: Caller, { includesOwn }: Ownership): Prisma.Sql {
  const { accountIds, managedIds, administeredIds, ownerId } = idsOf(caller);
  const { confinedTo } = caller;
  const confinedSql = confinedTo === undefined ? Prisma.empty : Prisma.sql`AND r."workspace_id" = ${confinedTo}::uuid`;
  const ownSql = includesOwn ? Prisma.sql`OR r."principal_id" = ${ownerId}::uuid` : Prisma.empty;
  return Prisma.sql`r."account_id" = ANY(${accountIds}::uuid[]) ${confinedSql} AND (
    r."account_id" = ANY(${managedIds}::uuid[]) OR r."workspace_id" = ANY(${administeredIds}::uuid[]) ${ownSql})`;
}

/**
 * The ids of the tenants as whose admin a caller manages a row: the account, which includes its workspaces, or the workspace of
 * the row.
 *
 * @param workspaceId null for a row of the whole account; undefined if unknown, which stands for every workspace.
 */
export function managingTenants(caller: Caller, workspaceId: string | null | undefined): string[] {
  const { managedIds, administeredIds } = idsOf(caller);
  if (managedIds.length > 0) return managedIds;
  return workspaceId === undefined ? administeredIds : administeredIds.filter((id) => id === workspaceId);
}

/** Whether a caller is an admin of all these accounts and workspaces. */
export function administers(caller: Caller, ids: readonly string[]): boolean {
  const { managedIds, administeredIds } = idsOf(caller);
  const administered = new Set([...managedIds, ...administeredIds]);
  return ids.every((id) => administered.has(id));
}

function idsOf({ accounts, workspaces, principal }: Caller) {
  return {
    accountIds: accounts.map(({ id }) => id),
    managedIds: accounts.filter(({ role }) => role === 'admin').map(({ id }) => id),
    administeredIds: [...workspaces.values()].filter(({ role }) => role === 'admin').map(({ id }) => id),
    ownerId: principal.id,
  };
}
