// Users and service accounts as an operator sees them. These functions authorise nobody.
import type { Role } from '../../access/caller.js';
import type { Principal } from '../../database/client/client.js';
import type { Database } from '../../database/open.js';
import { notFound } from '../../errors.js';
import { insertNamed } from './taken-name.js';
import { findPlace } from './workspaces.js';

export type PrincipalKind = Principal['kind'];

export interface PrincipalInput {
  kind: PrincipalKind;
  /** A user's email address, or a service account's name. */
  name: string;
  displayName?: string | undefined;
  account?: string | undefined;
  /** In the account; `member` unless said otherwise. */
  role?: Role | undefined;
  workspace?: string | undefined;
  /** In the workspace; `member` unless said otherwise. */
  workspaceRole?: Role | undefined;
}

/**
 * Adds a principal with what it belongs to. A member of a workspace is a member of its account.
 *
 * @throws 404 `not_found` without the account or workspace, 409 `conflict` when the name is taken.
 */
export async function createPrincipal(db: Database, input: PrincipalInput): Promise<Principal> {
  const { kind, name, displayName = null, role = 'member', workspaceRole = 'member' } = input;
  const isPlaced = input.account !== undefined || input.workspace !== undefined;
  const place = isPlaced ? await findPlace(db, input) : undefined;
  const accounts = place === undefined ? {} : { create: { accountId: place.account.id, role } };
  const workspaces =
    place?.workspace === undefined ? {} : { create: { workspaceId: place.workspace.id, role: workspaceRole } };
  return insertNamed('a user or service account', name, () =>
    db.principal.create({ data: { kind, name, displayName, accounts, workspaces } }),
  );
}

export interface PrincipalWithRoles extends Principal {
  accounts: { account: { name: string }; role: Role }[];
  workspaces: { workspace: { name: string }; role: Role }[];
}

/** Principals of one kind, by name, with what they belong to. */
export async function listPrincipals(db: Database, kind: PrincipalKind): Promise<PrincipalWithRoles[]> {
  return db.principal.findMany({
    where: { kind },
    include: {
      accounts: { select: { role: true, account: { select: { name: true } } }, orderBy: { account: { name: 'asc' } } },
      workspaces: {
        select: { role: true, workspace: { select: { name: true } } },
        orderBy: { workspace: { name: 'asc' } },
      },
    },
    orderBy: { name: 'asc' },
  });
}

/**
 * Disables a principal, or enables it again. While disabled, none of its credentials works.
 *
 * @throws 404 `not_found`
 */
export async function setPrincipalDisabled(
  db: Database,
  which: { kind: PrincipalKind; name: string },
  disabledAt: Date | null,
): Promise<void> {
  const { count } = await db.principal.updateMany({ where: which, data: { disabledAt } });
  if (count === 0) throw notFound(which.kind === 'user' ? 'user' : 'service account', which.name);
}

/** @throws 404 `not_found` */
export async function findPrincipal(db: Database, name: string): Promise<Principal> {
  const principal = await db.principal.findUnique({ where: { name } });
  if (principal === null) throw notFound('user or service account', name);
  return principal;
}
