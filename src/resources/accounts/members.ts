// Who belongs to an account or a workspace, and as what. These functions authorise nobody.
import type { Role } from '../../access/caller.js';
import { loadReach } from '../../access/reach.js';
import type { StoredCredential } from '../../access/reach.js';
import type { Database } from '../../database/open.js';
import { ApiError } from '../../errors.js';
import { findPrincipal } from './principals.js';
import { findPlace } from './workspaces.js';
import type { Place } from './workspaces.js';

/** A principal, and an account or a workspace, all by name. */
export interface MemberInput {
  principal: string;
  account?: string | undefined;
  workspace?: string | undefined;
}

/**
 * Makes a principal a member, or changes the role of one. A new member of a workspace becomes a member
 * of its account too, for without the account a workspace cannot be reached.
 *
 * @throws 404 `not_found`
 */
export async function setMember(db: Database, input: MemberInput, role: Role): Promise<void> {
  const { place, principalId } = await findMembership(db, input);
  const { account, workspace } = place;
  const inAccount = { accountId: account.id, principalId };
  if (workspace === undefined) {
    await db.accountMember.upsert({
      where: { accountId_principalId: inAccount },
      create: { ...inAccount, role },
      update: { role },
    });
    return;
  }
  const inWorkspace = { workspaceId: workspace.id, principalId };
  await db.$transaction([
    db.accountMember.upsert({
      where: { accountId_principalId: inAccount },
      create: { ...inAccount, role: 'member' },
      update: {},
    }),
    db.workspaceMember.upsert({
      where: { workspaceId_principalId: inWorkspace },
      create: { ...inWorkspace, role },
      update: { role },
    }),
  ]);
}

/**
 * Ends a membership; that of an account ends those of its workspaces too.
 *
 * @throws 404 `not_found`, also when the principal is no member.
 */
export async function removeMember(db: Database, input: MemberInput): Promise<void> {
  const { place, principalId } = await findMembership(db, input);
  const { account, workspace } = place;
  const workspaces = workspace === undefined ? { accountId: account.id } : { id: workspace.id };
  const fromWorkspaces = db.workspaceMember.deleteMany({ where: { principalId, workspace: workspaces } });
  const removed =
    workspace === undefined
      ? await db.$transaction([
          db.accountMember.deleteMany({ where: { principalId, accountId: account.id } }),
          fromWorkspaces,
        ])
      : [await fromWorkspaces];
  if (removed.every(({ count }) => count === 0)) throw noMember(input.principal, place);
}

/**
 * What a new credential is confined to, once it is sure that its owner reaches that.
 *
 * @throws 404 `not_found`, 409 `conflict` when the owner is disabled.
 */
export async function findGrant(
  db: Database,
  input: { owner: string; account: string; workspace?: string | undefined },
): Promise<StoredCredential> {
  const owner = await findPrincipal(db, input.owner);
  if (owner.disabledAt !== null) throw new ApiError('conflict', `${owner.name} is disabled.`);
  const { account, workspace } = await findPlace(db, input);
  const grant = { principalId: owner.id, accountId: account.id, workspaceId: workspace?.id ?? null };
  const reach = await loadReach(db, grant);
  if (reach === undefined) throw noMember(owner.name, { account, workspace: undefined });
  if (workspace !== undefined && !reach.workspaces.has(workspace.name)) {
    throw noMember(owner.name, { account, workspace });
  }
  return grant;
}

async function findMembership(db: Database, input: MemberInput): Promise<{ place: Place; principalId: string }> {
  const place = await findPlace(db, input);
  const { id } = await findPrincipal(db, input.principal);
  return { place, principalId: id };
}

function noMember(principal: string, { account, workspace }: Place): ApiError {
  const place = workspace === undefined ? `account ${account.name}` : `workspace ${workspace.name}`;
  return new ApiError('not_found', `${principal} is not a member of the ${place}.`);
}
